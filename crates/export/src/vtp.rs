//! VTK PolyData: XML that describes the arrays, then the arrays themselves as raw bytes.

use crate::column::{Flat, Words, append};
use pliant_world::snapshot::{Column, Snapshot};

/// The file of a valid snapshot: one vertex cell a particle, every column as point data.
pub(crate) fn encode(snapshot: &Snapshot, buffer: Vec<u8>) -> Vec<u8> {
    let count = snapshot.positions().len();
    let mut arrays = Appended::default();
    let attributes: String = snapshot
        .fields
        .iter()
        .filter(|field| field.name != Snapshot::POSITION)
        .map(|field| arrays.column(&field.name, &field.column))
        .collect();
    let positions = snapshot.column(Snapshot::POSITION).map(|column| arrays.column("Points", column));
    let positions = positions.unwrap_or_default();
    let connectivity = arrays.describe("Int64", "connectivity", 1, Block::Counting { from: 0, count });
    let offsets = arrays.describe("Int64", "offsets", 1, Block::Counting { from: 1, count });
    let xml = format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <PolyData>\n\
         <FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{time}</DataArray>\n</FieldData>\n\
         <Piece NumberOfPoints=\"{count}\" NumberOfVerts=\"{count}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n\
         <PointData>\n{attributes}</PointData>\n\
         <Points>\n{positions}</Points>\n\
         <Verts>\n{connectivity}{offsets}</Verts>\n\
         </Piece>\n</PolyData>\n\
         <AppendedData encoding=\"raw\">\n_",
        time = snapshot.time,
    );
    arrays.finish(&xml, buffer)
}

/// The arrays after the XML, each with its length in front.
#[derive(Default)]
struct Appended<'a> {
    blocks: Vec<Block<'a>>,
    length: usize,
}

enum Block<'a> {
    Words(Words<'a>),
    /// The numbers `from, from + 1, …` as 64-bit integers.
    Counting {
        from: i64,
        count: usize,
    },
}

impl Block<'_> {
    fn length(&self) -> usize {
        match self {
            Self::Words(words) => 4 * words.len(),
            Self::Counting { count, .. } => 8 * count,
        }
    }
}

impl<'a> Appended<'a> {
    fn column(&mut self, name: &str, column: &'a Column) -> String {
        let flat = Flat::of(column);
        let kind = match flat.words {
            Words::Integers(_) => "UInt32",
            Words::Reals(_) => "Float32",
        };
        self.describe(kind, name, flat.width, Block::Words(flat.words))
    }

    /// Takes an array in and says in XML where it is.
    fn describe(&mut self, kind: &str, name: &str, width: usize, block: Block<'a>) -> String {
        let offset = self.length;
        self.length += 8 + block.length();
        self.blocks.push(block);
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\" format=\"appended\" offset=\"{offset}\"/>\n"
        )
    }

    fn finish(self, xml: &str, mut out: Vec<u8>) -> Vec<u8> {
        const END: &[u8] = b"\n</AppendedData>\n</VTKFile>\n";
        out.reserve(xml.len() + self.length + END.len());
        out.extend_from_slice(xml.as_bytes());
        for block in self.blocks {
            out.extend_from_slice(&(block.length() as u64).to_le_bytes());
            match block {
                Block::Words(words) => words.append_to(&mut out),
                Block::Counting { from, count } => {
                    let numbers: Vec<i64> = (from..).take(count).collect();
                    append(&numbers, i64::to_le_bytes, &mut out);
                }
            }
        }
        out.extend_from_slice(END);
        out
    }
}
