//! The partial file: the records that an unfinished run has read, next to the file of the fixture.
//!
//! Each line is a record: its kind, a tab, and JSON. The first has the kind `wanted`, with the version of the format
//! and the options of the run. One of the kind `done` ends each step of reading, with a value for later steps. Records
//! after the last `done` belong to an interrupted step, which is repeated. Those of the kind `note` are sentences for
//! the user.

use super::ImportOptions;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The version of the format; files of other versions are refused.
const VERSION: u32 = 1;
/// The kind of the first record.
const OPTIONS_KIND: &str = "wanted";
/// The kind of the record that completes a step.
const STEP_KIND: &str = "done";

/// A partial file, open for appending.
#[derive(Debug)]
pub struct PartialFile {
    path: PathBuf,
    file: BufWriter<File>,
    /// The values of the complete steps, by the name of the step.
    completed_steps: HashMap<String, Value>,
}

/// The reason why a run cannot be resumed.
#[derive(Debug)]
pub enum ResumeError {
    Io(io::Error),
    /// The file belongs to a run with these other options.
    OtherOptions(Box<ImportOptions>),
    /// The file is not a partial file, or has another version.
    UnknownFormat,
}

impl From<io::Error> for ResumeError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::OtherOptions(options) => {
                write!(
                    f,
                    "was made with other options or for another account, {} at {}",
                    options.user_email, options.url
                )
            }
            Self::UnknownFormat => f.write_str("is not a file left by an interrupted run"),
        }
    }
}

/// The value of the first record.
#[derive(Serialize, Deserialize)]
struct Header<Options> {
    version: u32,
    #[serde(rename = "wanted")]
    options: Options,
}

#[derive(Serialize, Deserialize)]
struct CompletedStep {
    step: String,
    value: Value,
}

impl PartialFile {
    /// Creates a file with only the record of the options, or empties an existing one. On Unix, only the owner may read
    /// a new file, because the records are not anonymous.
    ///
    /// # Errors
    ///
    /// An I/O error.
    pub fn create(path: &Path, options: &ImportOptions) -> io::Result<Self> {
        let mut open_options = OpenOptions::new();
        open_options.write(true).create(true).truncate(true);
        restrict_to_owner(&mut open_options);
        let file = BufWriter::new(open_options.open(path)?);
        let mut partial = Self { path: path.to_owned(), file, completed_steps: HashMap::new() };
        partial.append(OPTIONS_KIND, &Header { version: VERSION, options })?;
        partial.file.flush()?;
        Ok(partial)
    }

    /// Opens the file of an interrupted run and drops the records of its interrupted step. Creates the file if there is
    /// none, or if its first line is not a complete record.
    ///
    /// # Errors
    ///
    /// If the file belongs to a run with other options, has an unknown format, or can't be created, read or written.
    pub fn resume(path: &Path, options: &ImportOptions) -> Result<Self, ResumeError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::create(path, options)?),
            Err(error) => return Err(error.into()),
        };
        let (mut completed_steps, mut end) = (HashMap::new(), 0);
        let mut records = Records::new(BufReader::new(file));
        while let Some(record) = records.read_next()? {
            if record.start == 0 {
                let header: Header<ImportOptions> =
                    serde_json::from_str(record.json).map_err(|_| ResumeError::UnknownFormat)?;
                if record.kind != OPTIONS_KIND || header.version != VERSION {
                    return Err(ResumeError::UnknownFormat);
                }
                // The seed is never stored, because the file has the original words.
                if header.options != (ImportOptions { anonymization_seed: None, ..options.clone() }) {
                    return Err(ResumeError::OtherOptions(Box::new(header.options)));
                }
                end = record.end;
            } else if record.kind == STEP_KIND {
                let Ok(CompletedStep { step, value }) = serde_json::from_str(record.json) else { break };
                completed_steps.insert(step, value);
                end = record.end;
            }
        }
        if end == 0 {
            // The run was interrupted before its first line was complete.
            return Ok(Self::create(path, options)?);
        }
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.set_len(end)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file), completed_steps })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether no step is complete, so that the file can be removed without a loss.
    pub fn is_empty(&self) -> bool {
        self.completed_steps.is_empty()
    }

    /// The value of a complete step; None if it is not complete.
    pub fn step_value(&self, step: &str) -> Option<&Value> {
        self.completed_steps.get(step)
    }

    /// Appends a record.
    ///
    /// # Errors
    ///
    /// An I/O error.
    pub fn append(&mut self, kind: &str, value: &impl Serialize) -> io::Result<()> {
        write!(self.file, "{kind}\t")?;
        serde_json::to_writer(&mut self.file, value)?;
        self.file.write_all(b"\n")
    }

    /// Appends a record whose value is JSON text, which is brought to one line.
    ///
    /// # Errors
    ///
    /// An I/O error.
    pub fn append_raw(&mut self, kind: &str, value: &RawValue) -> io::Result<()> {
        let text = value.get();
        let text: Cow<'_, str> = if text.contains(['\n', '\r']) {
            serde_json::from_str::<Value>(text)?.to_string().into()
        } else {
            text.into()
        };
        writeln!(self.file, "{kind}\t{text}")
    }

    /// Appends a sentence about something that cannot be read, without the period.
    ///
    /// # Errors
    ///
    /// An I/O error.
    pub fn add_note(&mut self, text: &str) -> io::Result<()> {
        self.append("note", &text)
    }

    /// Marks a step as complete, with a value for later steps.
    ///
    /// # Errors
    ///
    /// An I/O error.
    pub fn complete_step(&mut self, step: &str, value: Value) -> io::Result<()> {
        self.append(STEP_KIND, &CompletedStep { step: step.to_owned(), value: value.clone() })?;
        self.file.flush()?;
        self.completed_steps.insert(step.to_owned(), value);
        Ok(())
    }

    /// Reads all records from the beginning.
    ///
    /// # Errors
    ///
    /// An I/O error.
    pub fn records(&self) -> io::Result<Records<BufReader<File>>> {
        Ok(Records::new(BufReader::new(File::open(&self.path)?)))
    }

    /// Returns a reader of single records by their [`Record::start`].
    ///
    /// # Errors
    ///
    /// An I/O error.
    pub fn record_reader(&self) -> io::Result<RecordReader> {
        Ok(RecordReader { file: BufReader::new(File::open(&self.path)?), line: String::new() })
    }
}

/// The records of a partial file in order, without an incomplete last one.
pub struct Records<R> {
    reader: R,
    line: String,
    position: u64,
}

/// A record of a partial file.
pub struct Record<'a> {
    /// The position of the record in the file, in bytes.
    pub start: u64,
    /// The position of the next record.
    pub end: u64,
    /// For example `user` or `message 12`.
    pub kind: &'a str,
    /// The value as JSON.
    pub json: &'a str,
}

impl<R: BufRead> Records<R> {
    fn new(reader: R) -> Self {
        Self { reader, line: String::new(), position: 0 }
    }

    /// Reads the next record. None at the end of the file, or at an incomplete line.
    ///
    /// # Errors
    ///
    /// An I/O error.
    pub fn read_next(&mut self) -> io::Result<Option<Record<'_>>> {
        self.line.clear();
        match self.reader.read_line(&mut self.line) {
            Ok(_) => {}
            // The incomplete last line may end within a character.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(None),
            Err(error) => return Err(error),
        }
        let start = self.position;
        self.position += self.line.len() as u64;
        Ok(split_line(&self.line).map(|(kind, json)| Record { start, end: self.position, kind, json }))
    }
}

#[cfg(unix)]
fn restrict_to_owner(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

#[cfg(not(unix))]
fn restrict_to_owner(_: &mut OpenOptions) {}

fn split_line(line: &str) -> Option<(&str, &str)> {
    line.strip_suffix('\n')?.split_once('\t')
}

/// Reads records by their positions.
pub struct RecordReader {
    file: BufReader<File>,
    line: String,
}

impl RecordReader {
    /// Reads the value of the record at a position.
    ///
    /// # Errors
    ///
    /// An I/O error, or an error if another program changed the file.
    pub fn record_at(&mut self, start: u64) -> io::Result<Value> {
        self.file.seek(SeekFrom::Start(start))?;
        self.line.clear();
        self.file.read_line(&mut self.line)?;
        let (_, json) = split_line(&self.line).ok_or_else(|| io::Error::other("the partial file was changed"))?;
        Ok(serde_json::from_str(json)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn temporary_path(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("chatdouble-partial-{name}-{}", std::process::id()))
    }

    fn options() -> ImportOptions {
        ImportOptions { url: "http://x".into(), user_email: "a@x".into(), ..ImportOptions::default() }
    }

    fn kinds(partial: &PartialFile) -> Vec<String> {
        let mut records = partial.records().expect("readable");
        let mut kinds = Vec::new();
        while let Some(record) = records.read_next().expect("readable") {
            kinds.push(record.kind.to_owned());
        }
        kinds
    }

    #[test]
    fn records_of_an_interrupted_step_are_dropped() {
        let path = temporary_path("drop");
        let mut partial = PartialFile::create(&path, &options()).expect("a file");
        partial.append("a", &1).expect("written");
        partial.complete_step("first", json!(7)).expect("written");
        partial.append("b", &2).expect("written");
        partial.file.flush().expect("written");
        drop(partial);
        let write_result =
            OpenOptions::new().append(true).open(&path).and_then(|mut file| file.write_all(b"b\t\"\xc3"));
        write_result.expect("written");

        let mut partial = PartialFile::resume(&path, &options()).expect("resumed");
        assert_eq!((partial.step_value("first"), partial.step_value("second")), (Some(&json!(7)), None));
        partial.append("c", &3).expect("written");
        partial.complete_step("second", Value::Null).expect("written");
        assert_eq!(kinds(&partial), ["wanted", "a", "done", "c", "done"]);
        std::fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn a_file_of_another_run_is_refused() {
        let path = temporary_path("other");
        PartialFile::create(&path, &options()).expect("a file");
        let other_options = ImportOptions { max_messages: Some(1), ..options() };
        assert!(matches!(PartialFile::resume(&path, &other_options), Err(ResumeError::OtherOptions(_))));
        let anonymous_options = ImportOptions { anonymization_seed: Some(1), ..options() };
        assert!(PartialFile::resume(&path, &anonymous_options).is_ok());
        std::fs::write(&path, "{\"a\":\t1}\n").expect("written");
        assert!(matches!(PartialFile::resume(&path, &options()), Err(ResumeError::UnknownFormat)));
        std::fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn a_record_is_one_line() {
        let path = temporary_path("line");
        let mut partial = PartialFile::create(&path, &options()).expect("a file");
        let raw = RawValue::from_string("{\n \"a\": \"b\\n\"\n}".into()).expect("JSON");
        partial.append_raw("a", &raw).expect("written");
        partial.complete_step("a", Value::Null).expect("written");
        let mut records = partial.records().expect("readable");
        records.read_next().expect("readable");
        let record = records.read_next().expect("readable").expect("a record");
        assert_eq!(record.json, r#"{"a":"b\n"}"#);
        let start = record.start;
        assert_eq!(partial.record_reader().expect("readable").record_at(start).expect("JSON"), json!({"a": "b\n"}));
        std::fs::remove_file(&path).expect("removed");
    }
}
