//! The partial file: the records that were read so far, next to the file of the fixture.
//!
//! Each line is a record: its kind, a tab, JSON. A line of the kind `done` ends each step of reading, and has the values that
//! later steps need. Lines after the last `done` are of an interrupted step, which is repeated.

use super::Wanted;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The version of the file's format; files of other versions are refused.
const VERSION: u32 = 1;

/// A partial file, open for appending.
#[derive(Debug)]
pub struct Partial {
    path: PathBuf,
    file: BufWriter<File>,
    done: HashMap<String, Value>,
}

/// Why a run can't be resumed from a partial file.
#[derive(Debug)]
pub enum PartialError {
    /// The file can't be read.
    Io(io::Error),
    /// It is of a run with other options, which it names.
    Other(Box<Wanted>),
    /// It is not a partial file, or of another version.
    Unknown,
}

impl From<io::Error> for PartialError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for PartialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Other(wanted) => {
                write!(f, "was made with other options or for another account, {} at {}", wanted.user, wanted.url)
            }
            Self::Unknown => f.write_str("is no file that an interrupted run left"),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Head<W> {
    version: u32,
    wanted: W,
}

#[derive(Serialize, Deserialize)]
struct Done {
    step: String,
    value: Value,
}

impl Partial {
    /// Creates a file without records. Only its owner may read it, since records are not anonymous.
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub fn create(path: &Path, wanted: &Wanted) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        readable_by_owner(&mut options);
        let mut partial =
            Self { path: path.to_owned(), file: BufWriter::new(options.open(path)?), done: HashMap::new() };
        partial.record("wanted", &Head { version: VERSION, wanted })?;
        partial.file.flush()?;
        Ok(partial)
    }

    /// Opens the file of an interrupted run, without the records of its interrupted step; creates one if there is none.
    ///
    /// # Errors
    ///
    /// [`PartialError`].
    pub fn resume(path: &Path, wanted: &Wanted) -> Result<Self, PartialError> {
        let read = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::create(path, wanted)?),
            Err(error) => return Err(error.into()),
        };
        let (mut done, mut end) = (HashMap::new(), 0);
        let mut lines = Lines::new(BufReader::new(read));
        while let Some(line) = lines.next()? {
            if line.start == 0 {
                let head: Head<Wanted> = serde_json::from_str(line.json).map_err(|_| PartialError::Unknown)?;
                if line.kind != "wanted" || head.version != VERSION {
                    return Err(PartialError::Unknown);
                }
                if head.wanted != (Wanted { anonymous: None, ..wanted.clone() }) {
                    return Err(PartialError::Other(Box::new(head.wanted)));
                }
                end = line.end;
            } else if line.kind == "done" {
                let Ok(Done { step, value }) = serde_json::from_str(line.json) else { break };
                done.insert(step, value);
                end = line.end;
            }
        }
        if end == 0 {
            // The run was interrupted before its first line was complete.
            return Ok(Self::create(path, wanted)?);
        }
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.set_len(end)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file), done })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it has no complete step, so that nothing is lost with the file.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// The value of a complete step for later ones; None if it is not complete.
    pub fn done(&self, step: &str) -> Option<&Value> {
        self.done.get(step)
    }

    /// Appends a record.
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub fn record(&mut self, kind: &str, value: &impl Serialize) -> io::Result<()> {
        write!(self.file, "{kind}\t")?;
        serde_json::to_writer(&mut self.file, value)?;
        self.file.write_all(b"\n")
    }

    /// Appends a record of JSON, in one line.
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub fn record_raw(&mut self, kind: &str, value: &RawValue) -> io::Result<()> {
        let text = value.get();
        let text: Cow<'_, str> = if text.contains(['\n', '\r']) {
            serde_json::from_str::<Value>(text)?.to_string().into()
        } else {
            text.into()
        };
        writeln!(self.file, "{kind}\t{text}")
    }

    /// Appends a sentence about something that can't be read, without the period.
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        self.record("note", &text)
    }

    /// Marks a step as complete, with a value for later steps.
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub fn end_step(&mut self, step: &str, value: Value) -> io::Result<()> {
        self.record("done", &Done { step: step.to_owned(), value: value.clone() })?;
        self.file.flush()?;
        self.done.insert(step.to_owned(), value);
        Ok(())
    }

    /// The records, from the first on.
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub fn lines(&self) -> io::Result<Lines<BufReader<File>>> {
        Ok(Lines::new(BufReader::new(File::open(&self.path)?)))
    }

    /// A reader of records by their [`Line::start`].
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub fn random_access(&self) -> io::Result<RandomAccess> {
        Ok(RandomAccess { file: BufReader::new(File::open(&self.path)?), line: String::new() })
    }
}

/// The lines of a partial file in order, without an incomplete last line.
pub struct Lines<R> {
    reader: R,
    line: String,
    at: u64,
}

/// A record.
pub struct Line<'a> {
    /// Its position in the file, in bytes.
    pub start: u64,
    /// The position of the next one.
    pub end: u64,
    /// Its kind, such as `user` or `message 12`.
    pub kind: &'a str,
    /// Its value as JSON.
    pub json: &'a str,
}

impl<R: BufRead> Lines<R> {
    fn new(reader: R) -> Self {
        Self { reader, line: String::new(), at: 0 }
    }

    /// The next record.
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        match self.reader.read_line(&mut self.line) {
            Ok(_) => {}
            // The last line ends within a character.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(None),
            Err(error) => return Err(error),
        }
        let start = self.at;
        self.at += self.line.len() as u64;
        Ok(parts(&self.line).map(|(kind, json)| Line { start, end: self.at, kind, json }))
    }
}

#[cfg(unix)]
fn readable_by_owner(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

#[cfg(not(unix))]
fn readable_by_owner(_: &mut OpenOptions) {}

fn parts(line: &str) -> Option<(&str, &str)> {
    line.strip_suffix('\n')?.split_once('\t')
}

/// Reads records by their positions.
pub struct RandomAccess {
    file: BufReader<File>,
    line: String,
}

impl RandomAccess {
    /// The value of the record at a position.
    ///
    /// # Errors
    ///
    /// The error of the system, or that another program changed the file.
    pub fn at(&mut self, start: u64) -> io::Result<Value> {
        self.file.seek(SeekFrom::Start(start))?;
        self.line.clear();
        self.file.read_line(&mut self.line)?;
        let (_, json) = parts(&self.line).ok_or_else(|| io::Error::other("the partial file was changed"))?;
        Ok(serde_json::from_str(json)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn place(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("chatdouble-partial-{name}-{}", std::process::id()))
    }

    fn wanted() -> Wanted {
        Wanted { url: "http://x".into(), user: "a@x".into(), ..Wanted::default() }
    }

    fn kinds(partial: &Partial) -> Vec<String> {
        let mut lines = partial.lines().expect("readable");
        let mut kinds = Vec::new();
        while let Some(line) = lines.next().expect("readable") {
            kinds.push(line.kind.to_owned());
        }
        kinds
    }

    #[test]
    fn what_an_interrupted_step_wrote_is_dropped() {
        let path = place("drop");
        let mut partial = Partial::create(&path, &wanted()).expect("a file");
        partial.record("a", &1).expect("written");
        partial.end_step("first", json!(7)).expect("written");
        partial.record("b", &2).expect("written");
        partial.file.flush().expect("written");
        drop(partial);
        let broken = OpenOptions::new().append(true).open(&path).and_then(|mut file| file.write_all(b"b\t\"\xc3"));
        broken.expect("written");

        let mut partial = Partial::resume(&path, &wanted()).expect("it goes on");
        assert_eq!((partial.done("first"), partial.done("second")), (Some(&json!(7)), None));
        partial.record("c", &3).expect("written");
        partial.end_step("second", Value::Null).expect("written");
        assert_eq!(kinds(&partial), ["wanted", "a", "done", "c", "done"]);
        std::fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn a_file_of_another_run_is_refused() {
        let path = place("other");
        Partial::create(&path, &wanted()).expect("a file");
        let other = Wanted { messages: Some(1), ..wanted() };
        assert!(matches!(Partial::resume(&path, &other), Err(PartialError::Other(_))));
        let other_words = Wanted { anonymous: Some(1), ..wanted() };
        assert!(Partial::resume(&path, &other_words).is_ok());
        std::fs::write(&path, "{\"a\":\t1}\n").expect("written");
        assert!(matches!(Partial::resume(&path, &wanted()), Err(PartialError::Unknown)));
        std::fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn a_record_is_one_line() {
        let path = place("line");
        let mut partial = Partial::create(&path, &wanted()).expect("a file");
        let raw = RawValue::from_string("{\n \"a\": \"b\\n\"\n}".into()).expect("JSON");
        partial.record_raw("a", &raw).expect("written");
        partial.end_step("a", Value::Null).expect("written");
        let mut lines = partial.lines().expect("readable");
        lines.next().expect("readable");
        let line = lines.next().expect("readable").expect("a line");
        assert_eq!(line.json, r#"{"a":"b\n"}"#);
        let start = line.start;
        assert_eq!(partial.random_access().expect("readable").at(start).expect("JSON"), json!({"a": "b\n"}));
        std::fs::remove_file(&path).expect("removed");
    }
}
