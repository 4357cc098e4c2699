//! Writing: from records to a fixture.

mod document;
mod survey;

use super::Wanted;
use super::partial::Partial;
use document::Writer;
use std::io::{self, Write};
use survey::Survey;

/// The result of writing a fixture.
#[derive(Clone, Debug)]
pub struct Written {
    /// Sentences about what it leaves out, without the periods.
    pub notes: Vec<String>,
    /// The numbers of users, channels and messages in it.
    pub counts: [usize; 3],
    /// The time that its times are relative to, in RFC 3339.
    pub as_of: String,
}

/// Writes a fixture from the records of a partial file.
///
/// # Errors
///
/// The error of the system, or records that are not JSON.
pub fn write(partial: &Partial, wanted: &Wanted, to: &mut impl Write) -> io::Result<Written> {
    let survey = Survey::new(partial, wanted)?;
    // The description comes first, and its notes are known when all is written.
    Writer::new(&survey, partial, &mut io::sink(), None)?.write()?;
    let mut notes = survey.notes.clone();
    notes.extend(survey.directory.notes());
    let as_of = crate::time::Timestamp::from_seconds(survey.directory.reference).to_rfc3339();
    let description = description(&notes, &as_of, wanted);
    let counts = Writer::new(&survey, partial, to, Some(&description))?.write()?;
    Ok(Written { notes, counts, as_of })
}

/// The fixture's description, with the notes. It does not depend on the time of the run.
fn description(notes: &[String], as_of: &str, wanted: &Wanted) -> String {
    let mut text = match wanted.anonymous {
        Some(_) => format!("An organization as one of its accounts saw it at {as_of}, with other words and names."),
        None => format!("The organization at {} as {} saw it at {as_of}.", wanted.url, wanted.user),
    };
    text.push_str(" Start with this time (--clock) to have its own times.");
    let general = "Settings, drafts and unread messages of others, passwords and keys are not in it.";
    text.push(' ');
    text.push_str(general);
    for note in notes {
        text.push(' ');
        text.push_str(note);
        text.push('.');
    }
    text
}
