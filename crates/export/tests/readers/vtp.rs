//! VTK PolyData with appended raw data.

use super::{Columns, numbers, xml_attribute};

pub fn read(bytes: &[u8]) -> Columns {
    let marker = b"<AppendedData encoding=\"raw\">\n_";
    let start = bytes.windows(marker.len()).position(|window| window == marker).unwrap();
    let (xml, data) = (std::str::from_utf8(&bytes[..start]).unwrap(), &bytes[start + marker.len()..]);
    assert!(data.ends_with(b"\n</AppendedData>\n</VTKFile>\n"));
    let mut columns = Columns::new();
    for line in xml.lines().filter(|line| line.contains("format=\"appended\"")) {
        let offset: usize = xml_attribute(line, "offset").parse().unwrap();
        let length = u64::from_le_bytes(data[offset..offset + 8].try_into().unwrap());
        let kind = match xml_attribute(line, "type") {
            "Float32" => "f32",
            "UInt32" => "u32",
            "Int64" => "i64",
            other => panic!("{other}"),
        };
        let values = numbers(&data[offset + 8..][..usize::try_from(length).unwrap()], kind);
        let components: usize = xml_attribute(line, "NumberOfComponents").parse().unwrap();
        assert!(values.len().is_multiple_of(components));
        columns.insert(xml_attribute(line, "Name").replace("Points", "position"), values);
    }
    let count: usize = xml_attribute(xml, "NumberOfPoints").parse().unwrap();
    let counting: Vec<f64> = (0..=count).map(|i| i as f64).collect();
    assert_eq!(columns.remove("connectivity").unwrap(), counting[..count]);
    assert_eq!(columns.remove("offsets").unwrap(), counting[1..]);
    columns
}

pub fn time(bytes: &[u8]) -> f64 {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().find(|line| line.contains("TimeValue")).unwrap();
    line.split_once('>').unwrap().1.split_once('<').unwrap().0.parse().unwrap()
}
