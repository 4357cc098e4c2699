//! The table of rules.

use chatdouble::report::rules;
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn rules_name_their_tests_and_say_all() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/client_report");
    let files = std::fs::read_dir(folder).expect("the tests are there").map(|entry| entry.expect("readable").path());
    let tests: String = files.map(|file| std::fs::read_to_string(file).expect("readable")).collect();
    let mut names = BTreeSet::new();
    for rule in rules::all() {
        assert!(tests.contains(&format!("async fn {}()", rule.test)), "{}: no test is called {}", rule.name, rule.test);
        assert!(tests.contains(&format!("\"{}\"", rule.name)), "{}: no test names it", rule.name);
        assert!(names.insert(rule.name), "{} is there twice", rule.name);
        for text in [rule.what, rule.why, rule.help, rule.example] {
            assert!(!text.is_empty(), "{}", rule.name);
        }
        assert!(rule.why.ends_with('.') && rule.help.ends_with('.') && !rule.what.ends_with('.'), "{}", rule.name);
    }
    assert_eq!(rules::find("dead-queue-polled").map(|rule| rule.severity.name()), Some("error"));
}
