//! The block file that frames and checkpoints share. Everything is little-endian:
//!
//! ```text
//! header   magic "PLIANT\r\n" · format u32 · kind u32 · program version [16] · scene SHA-256 [32]
//!          · block count u32 · CRC32C of the header u32
//! block    name length u32 · name · payload length u64 · CRC32C of the payload u32 · payload
//! footer   magic "PLI-END\n" · file length u64 · CRC32C of all bytes before it u32
//! ```

use crate::StoreError;
use crate::scene_files::SceneHash;
use std::path::Path;

const MAGIC: &[u8; 8] = b"PLIANT\r\n";
const END_MAGIC: &[u8; 8] = b"PLI-END\n";
/// Format number this program writes; it reads this and all earlier ones.
pub const FORMAT: u32 = 1;
const PROGRAM_LENGTH: usize = 16;
const HEADER_LENGTH: usize = 8 + 4 + 4 + PROGRAM_LENGTH + 32 + 4 + 4;
const FOOTER_LENGTH: usize = 8 + 8 + 4;

/// What a block file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A snapshot for display and export.
    Frame,
    /// The exact state of a simulation.
    Checkpoint,
}

impl Kind {
    fn number(self) -> u32 {
        match self {
            Self::Frame => 1,
            Self::Checkpoint => 2,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::Checkpoint => "checkpoint",
        }
    }

    fn name_of(number: u32) -> String {
        let known = [Self::Frame, Self::Checkpoint].into_iter().find(|kind| kind.number() == number);
        known.map_or_else(|| format!("file of unknown kind {number}"), |kind| kind.name().to_owned())
    }
}

/// A named piece of a block file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// Name of the block.
    pub name: &'a str,
    /// Its content.
    pub payload: &'a [u8],
}

/// A finished block file in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// The checksum in its footer, which tells files apart.
    pub crc32c: u32,
}

/// Builds a block file in one buffer.
#[derive(Debug)]
pub struct Builder {
    bytes: Vec<u8>,
    block_count: u32,
}

impl Builder {
    /// Starts a file; `capacity` is the expected number of payload bytes.
    pub fn new(kind: Kind, scene: &SceneHash, capacity: usize) -> Self {
        let mut bytes = Vec::with_capacity(capacity + 1024);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.extend_from_slice(&kind.number().to_le_bytes());
        let mut program = [0; PROGRAM_LENGTH];
        for (slot, byte) in program.iter_mut().zip(env!("CARGO_PKG_VERSION").bytes()) {
            *slot = byte;
        }
        bytes.extend_from_slice(&program);
        bytes.extend_from_slice(&scene.0);
        // Block count and checksum are known only in the end.
        bytes.resize(HEADER_LENGTH, 0);
        Self { bytes, block_count: 0 }
    }

    /// Adds a block whose payload `fill` appends to the buffer.
    pub fn block(&mut self, name: &str, fill: impl FnOnce(&mut Vec<u8>)) {
        let name_length = u32::try_from(name.len()).expect("block names are short words");
        self.bytes.extend_from_slice(&name_length.to_le_bytes());
        self.bytes.extend_from_slice(name.as_bytes());
        let lengths_at = self.bytes.len();
        self.bytes.resize(lengths_at + 12, 0);
        fill(&mut self.bytes);
        let payload = &self.bytes[lengths_at + 12..];
        let (length, crc) = (payload.len() as u64, crc32c::crc32c(payload));
        self.bytes[lengths_at..lengths_at + 8].copy_from_slice(&length.to_le_bytes());
        self.bytes[lengths_at + 8..lengths_at + 12].copy_from_slice(&crc.to_le_bytes());
        self.block_count += 1;
    }

    /// Seals the file with its checksums.
    pub fn finish(mut self) -> Encoded {
        let count_at = HEADER_LENGTH - 8;
        self.bytes[count_at..count_at + 4].copy_from_slice(&self.block_count.to_le_bytes());
        let header_crc = crc32c::crc32c(&self.bytes[..HEADER_LENGTH - 4]);
        self.bytes[HEADER_LENGTH - 4..HEADER_LENGTH].copy_from_slice(&header_crc.to_le_bytes());
        let length = (self.bytes.len() + FOOTER_LENGTH) as u64;
        self.bytes.extend_from_slice(END_MAGIC);
        self.bytes.extend_from_slice(&length.to_le_bytes());
        let crc32c = crc32c::crc32c(&self.bytes);
        self.bytes.extend_from_slice(&crc32c.to_le_bytes());
        Encoded { bytes: self.bytes, crc32c }
    }
}

/// The blocks of a file, once every byte of it has been checked. `path` is for messages only.
pub fn decode<'a>(
    path: &Path,
    bytes: &'a [u8],
    kind: Kind,
    scene: &SceneHash,
) -> Result<Vec<Block<'a>>, StoreError> {
    let damaged = |cause: &str| StoreError::damaged(path, cause);
    let mut reader = Reader { rest: bytes };
    if reader.take(8) != Some(MAGIC) {
        return Err(damaged(if bytes.is_empty() {
            "it is empty"
        } else {
            "it does not start as a Pliant file"
        }));
    }
    let header = Header::read(&mut reader).ok_or_else(|| damaged("it ends within the header"))?;
    header.check(path, bytes, kind, scene)?;
    check_footer(path, bytes)?;

    let mut reader = Reader { rest: &bytes[HEADER_LENGTH..bytes.len() - FOOTER_LENGTH] };
    let mut blocks = Vec::new();
    for index in 0..header.block_count {
        let (block, crc) = reader.block().ok_or_else(|| damaged(&format!("block {index} is cut short")))?;
        if crc32c::crc32c(block.payload) != crc {
            return Err(damaged(&format!("the checksum of block `{}` is wrong", block.name)));
        }
        blocks.push(block);
    }
    if reader.rest.is_empty() { Ok(blocks) } else { Err(damaged("it holds bytes that no block owns")) }
}

/// The checksum in the footer of a file that [`decode`] accepts.
pub fn footer_crc32c(bytes: &[u8]) -> Option<u32> {
    bytes.last_chunk::<4>().map(|crc| u32::from_le_bytes(*crc))
}

fn check_footer(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let truncated = || StoreError::damaged(path, "its end is missing: the file is truncated");
    if bytes.len() < HEADER_LENGTH + FOOTER_LENGTH {
        return Err(truncated());
    }
    let mut footer = Reader { rest: &bytes[bytes.len() - FOOTER_LENGTH..] };
    if footer.take(8) != Some(END_MAGIC) || footer.u64() != Some(bytes.len() as u64) {
        return Err(truncated());
    }
    if footer.u32() != Some(crc32c::crc32c(&bytes[..bytes.len() - 4])) {
        return Err(StoreError::damaged(path, "the checksum of the file is wrong"));
    }
    Ok(())
}

struct Header {
    format: u32,
    kind: u32,
    program: String,
    scene: SceneHash,
    block_count: u32,
    crc: u32,
}

impl Header {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            format: reader.u32()?,
            kind: reader.u32()?,
            program: String::from_utf8_lossy(reader.take(PROGRAM_LENGTH)?).trim_end_matches('\0').to_owned(),
            scene: SceneHash(reader.take(32)?.try_into().ok()?),
            block_count: reader.u32()?,
            crc: reader.u32()?,
        })
    }

    /// The format number comes first: a newer header may be laid out in another way.
    fn check(&self, path: &Path, bytes: &[u8], kind: Kind, scene: &SceneHash) -> Result<(), StoreError> {
        let path_buf = || path.to_path_buf();
        if self.format > FORMAT {
            let program = self.program.clone();
            return Err(StoreError::NewerFormat {
                path: path_buf(),
                found: self.format,
                supported: FORMAT,
                program,
            });
        }
        if self.crc != crc32c::crc32c(&bytes[..HEADER_LENGTH - 4]) {
            return Err(StoreError::damaged(path, "the checksum of the header is wrong"));
        }
        if self.kind != kind.number() {
            let found = Kind::name_of(self.kind);
            return Err(StoreError::WrongKind { path: path_buf(), expected: kind.name(), found });
        }
        if self.scene != *scene {
            return Err(StoreError::OtherScene { path: path_buf() });
        }
        Ok(())
    }
}

/// Takes bytes off the front, never beyond the end.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    fn block(&mut self) -> Option<(Block<'a>, u32)> {
        let name_length = usize::try_from(self.u32()?).ok()?;
        let name = std::str::from_utf8(self.take(name_length)?).ok()?;
        let length = usize::try_from(self.u64()?).ok()?;
        let crc = self.u32()?;
        Some((Block { name, payload: self.take(length)? }, crc))
    }
}
