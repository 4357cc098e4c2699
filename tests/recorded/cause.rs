//! The causes of what differs: the rows of `causes/*.toml`, for all levels, and of `LEVEL/causes/*.toml`.

use crate::compare::Difference;
use crate::level::Level;
use crate::player::Outcome;
use regex::Regex;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// What kind of cause it is, the most harmless first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The same is said in other words.
    Words,
    /// It is of the way in which the recording was made, not of the server.
    Setup,
    /// The recorded server failed, was cut off or limited, or was misread: the exchange says nothing of the API.
    Recording,
    /// A numbered assumption says so.
    Declared,
    /// The double is wrong.
    Wrong,
}

impl Kind {
    /// All, in the order of the summary.
    pub const ALL: [Self; 5] = [Self::Words, Self::Setup, Self::Recording, Self::Declared, Self::Wrong];

    /// Its spelling in rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Setup => "setup",
            Self::Recording => "recording",
            Self::Declared => "declared",
            Self::Wrong => "wrong",
        }
    }
}

/// A text in which `*` matches anything, or several such texts.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Pattern {
    One(String),
    Several(Vec<String>),
}

impl Pattern {
    fn matches(&self, text: &str) -> bool {
        match self {
            Self::One(pattern) => fits(pattern, text),
            Self::Several(patterns) => patterns.iter().any(|pattern| fits(pattern, text)),
        }
    }
}

fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// A row: what it applies to, and why that differs. What a row does not say applies to all.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// Why.
    pub reason: String,
    /// What kind of cause it is.
    pub kind: Kind,
    /// `A-102`, for what is declared.
    pub assumption: Option<String>,
    /// Its place in the list of what is to be mended, for what is wrong.
    pub finding: Option<String>,
    /// Recordings.
    recording: Option<Pattern>,
    /// By recording, the positions of its exchanges: `1-5, 9`.
    exchanges: Option<BTreeMap<String, String>>,
    /// `GET /users/*`
    request: Option<Pattern>,
    /// Who asked.
    role: Option<Pattern>,
    /// Who got the event.
    reader: Option<Pattern>,
    /// See [`Difference::at`].
    at: Option<Pattern>,
    /// See [`Difference::real`].
    real: Option<Pattern>,
    /// See [`Difference::double`].
    double: Option<Pattern>,
    /// Replacements after which both are equal: regular expressions and what they become.
    #[serde(default)]
    alike: Vec<(String, String)>,
    #[serde(skip)]
    replacements: Vec<(Regex, String)>,
    #[serde(skip)]
    file: String,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({}", self.file, self.reason, self.kind.name())?;
        if let Some(assumption) = &self.assumption {
            write!(f, " {assumption}")?;
        }
        if let Some(finding) = &self.finding {
            write!(f, " {finding}")?;
        }
        f.write_str(")")
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    cause: Vec<Cause>,
}

/// Reads the rows that count at a level, by the names of their files and in their order.
pub fn read(level: &Level) -> Vec<Cause> {
    let folders = [level.path("causes"), crate::summary::path("tests/recorded/causes")];
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("the causes are there"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort_by_key(|path| path.file_name().map(ToOwned::to_owned));
    let mut causes = Vec::new();
    for path in paths {
        let shown = path.strip_prefix(crate::summary::path("tests/recorded")).expect("the causes are in this folder");
        let name = shown.display().to_string();
        let text = std::fs::read_to_string(&path).expect("readable");
        let file: File = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        for mut cause in file.cause {
            cause.file.clone_from(&name);
            let compiled = |(from, to): &(String, String)| {
                (Regex::new(from).unwrap_or_else(|error| panic!("{name}: {error}")), to.clone())
            };
            cause.replacements = cause.alike.iter().map(compiled).collect();
            causes.push(cause);
        }
    }
    causes
}

/// The position of the first cause that explains a difference.
pub fn find(causes: &[Cause], recording: &str, outcome: &Outcome, difference: &Difference) -> Option<usize> {
    causes.iter().position(|cause| cause.explains(recording, outcome, difference))
}

impl Cause {
    fn explains(&self, recording: &str, outcome: &Outcome, difference: &Difference) -> bool {
        let is = |pattern: &Option<Pattern>, text: &str| pattern.as_ref().is_none_or(|pattern| pattern.matches(text));
        is(&self.at, &difference.at)
            && is(&self.recording, recording)
            && is(&self.request, &outcome.request)
            && is(&self.role, &outcome.role)
            && is(&self.reader, difference.reader.as_deref().unwrap_or_default())
            && self.exchanges.as_ref().is_none_or(|exchanges| {
                exchanges.get(recording).is_some_and(|positions| holds(positions, outcome.index))
            })
            && is(&self.real, &difference.real)
            && is(&self.double, &difference.double)
            && (self.replacements.is_empty() || self.reduced(&difference.real) == self.reduced(&difference.double))
    }

    fn reduced(&self, text: &str) -> String {
        self.replacements.iter().fold(text.to_owned(), |text, (from, to)| from.replace_all(&text, to).into_owned())
    }
}

/// Whether `1-5, 9` holds a position.
fn holds(positions: &str, index: usize) -> bool {
    positions.split(',').any(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<usize>().expect("positions are numbers");
        (number(first)..=number(last)).contains(&index)
    })
}
