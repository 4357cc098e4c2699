//! The results of scenarios: the counts, the exit status, and the JUnit file.

use crate::cli::CliError;
use crate::count_format::format_count;
use crate::report::format::escape_for_xml;
use std::fmt::Write;
use std::process::ExitCode;

/// How playing a scenario ended.
#[derive(Debug)]
pub enum Verdict {
    Played,
    /// The reason why the scenario was skipped.
    Skipped(String),
    /// The scenario could not be begun: its file and line, and the reason.
    Failed(String),
    /// The scenario differed, and its file is updated to the actual replies.
    Rewritten,
    /// The last difference as text: its file and line, what happened, and a diff if there is one.
    Differs(String),
}

/// The results of all scenarios, in the order in which they were played.
#[derive(Debug, Default)]
pub struct Results(Vec<ScenarioResult>);

#[derive(Debug)]
struct ScenarioResult {
    document_path: String,
    scenario: String,
    verdict: Verdict,
}

impl Results {
    pub fn add(&mut self, document_path: &str, scenario: &str, verdict: Verdict) {
        self.0.push(ScenarioResult { document_path: document_path.to_owned(), scenario: scenario.to_owned(), verdict });
    }

    fn count(&self, is_counted: fn(&Verdict) -> bool) -> usize {
        self.0.iter().filter(|result| is_counted(&result.verdict)).count()
    }

    fn skipped_count(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Skipped(_)))
    }

    fn differing_count(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Differs(_)))
    }

    fn failed_count(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Failed(_)))
    }

    /// The number of scenarios with each result, in one line.
    pub fn counts_line(&self) -> String {
        let played_count = self.count(|verdict| matches!(verdict, Verdict::Played));
        let rewritten_count = self.count(|verdict| matches!(verdict, Verdict::Rewritten));
        let rewritten_text = if rewritten_count > 0 { format!(", {rewritten_count} rewritten") } else { String::new() };
        let failed_count = self.failed_count();
        let failed_text = if failed_count > 0 { format!(", {failed_count} failed") } else { String::new() };
        format!(
            "{played_count} played, {} skipped, {} differ{rewritten_text}{failed_text}",
            self.skipped_count(),
            self.differing_count()
        )
    }

    /// The exit status: a failure if a scenario differs or failed.
    ///
    /// # Errors
    ///
    /// If no scenario differs or failed, but all were skipped, or one was skipped and `fails_on_skip` is set.
    pub fn status(&self, fails_on_skip: bool) -> Result<ExitCode, CliError> {
        let skipped_count = self.skipped_count();
        if self.differing_count() + self.failed_count() > 0 {
            return Ok(ExitCode::FAILURE);
        }
        if skipped_count > 0 && skipped_count == self.0.len() {
            let subject = if skipped_count == 1 { "the only scenario was" } else { "all scenarios were" };
            return Err(CliError::failure(format!("nothing was played: {subject} skipped")));
        }
        if skipped_count > 0 && fails_on_skip {
            let verb = if skipped_count == 1 { "was" } else { "were" };
            let skipped = format_count(skipped_count, "scenario");
            return Err(CliError::failure(format!("{skipped} {verb} skipped, which --fail-on-skip does not allow")));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The JUnit document: a suite for each scenario file, with a test case for each scenario.
    pub fn junit(&self) -> String {
        let mut suites = String::new();
        for suite in self.0.chunk_by(|first, second| first.document_path == second.document_path) {
            let count =
                |is_counted: fn(&Verdict) -> bool| suite.iter().filter(|result| is_counted(&result.verdict)).count();
            let _ = writeln!(
                suites,
                "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
                escape_for_xml(&suite[0].document_path),
                suite.len(),
                count(|verdict| matches!(verdict, Verdict::Differs(_))),
                count(|verdict| matches!(verdict, Verdict::Failed(_))),
                count(|verdict| matches!(verdict, Verdict::Skipped(_))),
            );
            suite.iter().for_each(|result| suites += &result.test_case());
            suites += "  </testsuite>\n";
        }
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"chatdouble scenarios\" tests=\"{}\" \
             failures=\"{}\" errors=\"{}\">\n{suites}</testsuites>\n",
            self.0.len(),
            self.differing_count(),
            self.failed_count(),
        )
    }
}

impl ScenarioResult {
    fn test_case(&self) -> String {
        let names = format!(
            "name=\"{}\" classname=\"{}\"",
            escape_for_xml(&self.scenario),
            escape_for_xml(&self.document_path)
        );
        let content = match &self.verdict {
            Verdict::Played => return format!("    <testcase {names}/>\n"),
            Verdict::Rewritten => "<system-out>rewritten</system-out>".to_owned(),
            Verdict::Skipped(reason) => format!("<skipped message=\"{}\"/>", escape_for_xml(reason)),
            Verdict::Failed(text) => element_with_text("error", text),
            Verdict::Differs(text) => element_with_text("failure", text),
        };
        format!("    <testcase {names}>\n      {content}\n    </testcase>\n")
    }
}

/// An element whose message is the first line of a text, and whose content is the whole text.
fn element_with_text(element: &str, text: &str) -> String {
    let message = escape_for_xml(text.lines().next().unwrap_or_default());
    format!("<{element} message=\"{message}\">{}</{element}>", escape_for_xml(text))
}
