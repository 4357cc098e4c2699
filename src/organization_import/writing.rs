//! Writes a fixture from the records of a partial file: a survey of all records comes first, then the document.

mod document;
mod survey;

use super::ImportOptions;
use super::partial_file::PartialFile;
use document::DocumentWriter;
use std::io::{self, Write};
use survey::Survey;

/// What a written fixture has, and what it lacks.
#[derive(Clone, Debug)]
pub struct WrittenFixture {
    /// Sentences about omissions of the fixture, without the periods.
    pub notes: Vec<String>,
    /// The numbers of users, channels and messages.
    pub counts: [usize; 3],
    /// The time to which the times of the fixture are relative, in RFC 3339.
    pub as_of: String,
}

/// Writes the fixture of the records in a partial file to `output`.
///
/// # Errors
///
/// An I/O error, or an error for records that are not JSON or for an unsuitable server.
pub fn write(partial: &PartialFile, options: &ImportOptions, output: &mut impl Write) -> io::Result<WrittenFixture> {
    let survey = Survey::new(partial, options)?;
    // The description is at the beginning, but its notes are complete only at the end. So the document is written
    // twice, the first time only for the notes.
    DocumentWriter::new(&survey, partial, &mut io::sink(), None)?.write()?;
    let mut notes = survey.notes.clone();
    notes.extend(survey.directory.notes());
    let as_of = crate::time::Timestamp::from_seconds(survey.directory.reference_time).to_rfc3339();
    let description = fixture_description(&notes, &as_of, options);
    let counts = DocumentWriter::new(&survey, partial, output, Some(&description))?.write()?;
    Ok(WrittenFixture { notes, counts, as_of })
}

/// The description does not depend on the time of the run, so equal records give equal fixtures.
fn fixture_description(notes: &[String], as_of: &str, options: &ImportOptions) -> String {
    let mut text = match options.anonymization_seed {
        Some(_) => format!("An organization as one of its accounts saw it at {as_of}, with other words and names."),
        None => format!("The organization at {} as {} saw it at {as_of}.", options.url, options.user_email),
    };
    text.push_str(" Start with this time (--clock) to have its own times.");
    let omission_sentence = "Settings, drafts and unread messages of others, passwords and keys are not in it.";
    text.push(' ');
    text.push_str(omission_sentence);
    for note in notes {
        text.push(' ');
        text.push_str(note);
        text.push('.');
    }
    text
}
