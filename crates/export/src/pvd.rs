//! The PVD collection: which VTP file belongs to which time.

use std::fmt::Write;

/// The collection of files with their times in seconds.
pub(crate) fn encode(entries: impl Iterator<Item = (String, f64)>) -> Vec<u8> {
    let mut xml = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n",
    );
    for (file, time) in entries {
        let line = writeln!(xml, "    <DataSet timestep=\"{time}\" group=\"\" part=\"0\" file=\"{file}\"/>");
        line.expect("writing to a string cannot fail");
    }
    xml.push_str("  </Collection>\n</VTKFile>\n");
    xml.into_bytes()
}
