//! How scenarios ended: the counts, the exit status, and a file in the form of JUnit.

use crate::cli::CliError;
use crate::counted::counted;
use crate::report::format::escaped_for_xml;
use std::fmt::Write;
use std::process::ExitCode;

/// How a scenario ended.
#[derive(Debug)]
pub enum Verdict {
    Played,
    /// With the reason.
    Skipped(String),
    /// Its file has the actual replies now.
    Rewritten,
    /// With the last difference: its place, and the replies.
    Differs(String),
}

/// The results of scenarios, in the order in which they were played.
#[derive(Debug, Default)]
pub struct Results(Vec<Played>);

#[derive(Debug)]
struct Played {
    document: String,
    scenario: String,
    verdict: Verdict,
}

impl Results {
    /// Adds the result of a scenario of a document.
    pub fn add(&mut self, document: &str, scenario: &str, verdict: Verdict) {
        self.0.push(Played { document: document.to_owned(), scenario: scenario.to_owned(), verdict });
    }

    fn count(&self, is_counted: fn(&Verdict) -> bool) -> usize {
        self.0.iter().filter(|played| is_counted(&played.verdict)).count()
    }

    fn skipped(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Skipped(_)))
    }

    fn differing(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Differs(_)))
    }

    /// The counts, in one line.
    pub fn counts(&self) -> String {
        let played = self.count(|verdict| matches!(verdict, Verdict::Played));
        let rewritten = self.count(|verdict| matches!(verdict, Verdict::Rewritten));
        let rewritten = if rewritten > 0 { format!(", {rewritten} rewritten") } else { String::new() };
        format!("{played} played, {} skipped, {} differ{rewritten}", self.skipped(), self.differing())
    }

    /// The exit status.
    ///
    /// # Errors
    ///
    /// That all scenarios were skipped, or that one was and none may be.
    pub fn status(&self, fails_on_skip: bool) -> Result<ExitCode, CliError> {
        let skipped = self.skipped();
        if self.differing() > 0 {
            return Ok(ExitCode::FAILURE);
        }
        if skipped > 0 && skipped == self.0.len() {
            let all = if skipped == 1 { "the only scenario was" } else { "all scenarios were" };
            return Err(CliError::of_start(format!("nothing was played: {all} skipped")));
        }
        if skipped > 0 && fails_on_skip {
            let was = if skipped == 1 { "was" } else { "were" };
            let skipped = counted(skipped, "scenario");
            return Err(CliError::of_start(format!("{skipped} {was} skipped, which --fail-on-skip does not allow")));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The results in the form of JUnit: a suite for each document, a test case for each scenario.
    pub fn junit(&self) -> String {
        let mut suites = String::new();
        for of_document in self.0.chunk_by(|one, other| one.document == other.document) {
            let count = |is_counted: fn(&Verdict) -> bool| {
                of_document.iter().filter(|played| is_counted(&played.verdict)).count()
            };
            let _ = writeln!(
                suites,
                "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">",
                escaped_for_xml(&of_document[0].document),
                of_document.len(),
                count(|verdict| matches!(verdict, Verdict::Differs(_))),
                count(|verdict| matches!(verdict, Verdict::Skipped(_))),
            );
            of_document.iter().for_each(|played| suites += &played.test_case());
            suites += "  </testsuite>\n";
        }
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"chatdouble scenarios\" tests=\"{}\" \
             failures=\"{}\" errors=\"0\">\n{suites}</testsuites>\n",
            self.0.len(),
            self.differing(),
        )
    }
}

impl Played {
    fn test_case(&self) -> String {
        let names =
            format!("name=\"{}\" classname=\"{}\"", escaped_for_xml(&self.scenario), escaped_for_xml(&self.document));
        let content = match &self.verdict {
            Verdict::Played => return format!("    <testcase {names}/>\n"),
            Verdict::Rewritten => "<system-out>rewritten</system-out>".to_owned(),
            Verdict::Skipped(reason) => format!("<skipped message=\"{}\"/>", escaped_for_xml(reason)),
            Verdict::Differs(shown) => format!(
                "<failure message=\"{}\">{}</failure>",
                escaped_for_xml(shown.lines().next().unwrap_or_default()),
                escaped_for_xml(shown)
            ),
        };
        format!("    <testcase {names}>\n      {content}\n    </testcase>\n")
    }
}
