//! The files for the result: checked before the comparison, and what happens if one can't be written at its end.

use super::{Change, accounts, compare, deviating, written};
use crate::support::TestServer;
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_cannot_be_written_are_refused_before_the_first_request() {
    // Nobody listens there: the files are looked at first.
    let url = "http://127.0.0.1:9";
    let folder = std::env::temp_dir().join("chatdouble-no-such-folder");
    for option in ["-o", "--json"] {
        let file = folder.join("result");
        let (status, said, errors) = compare(url, "http://127.0.0.1:10", &[option, file.to_str().expect("text")]).await;
        let start = format!("error: {} can't be written: No such file or directory", file.display());
        assert_eq!((status, said.as_str()), (Some(2), ""), "{errors}");
        assert!(errors.starts_with(&start), "{errors}");
    }
    let file = written("twice.json", "{}");
    let name = file.to_str().expect("text");
    let (status, _, errors) = compare(url, "http://127.0.0.1:10", &["-o", name, "--json", name]).await;
    assert_eq!((status, errors), (Some(2), format!("error: --output and --json are the same file, {name}\n")));
    let (status, _, errors) = compare(url, "http://127.0.0.1:10", &["--json", name, "--baseline", name]).await;
    let expected = format!(
        "error: --json and --baseline are the same file, {name}: the next run would take what is new in this one for \
         known; give the result another name\n"
    );
    assert_eq!((status, errors), (Some(2), expected));
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), "{}");
    let name = accounts().to_str().expect("text");
    let (status, _, errors) = compare(url, "http://127.0.0.1:10", &["--json", name]).await;
    assert_eq!((status, errors), (Some(2), format!("error: --json and --accounts are the same file, {name}\n")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_result_of_an_earlier_run_does_not_stay() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let file = written("earlier.txt", "91 probes agree");
    let options = ["--only", "Reactions", "--read-only", "-o", file.to_str().expect("text")];
    let (status, _, errors) = compare(&first.url(), &second.url(), &options).await;
    assert!(status == Some(2) && errors.contains("nothing was compared: ") && !file.exists(), "{errors}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_goes_to_a_pipe_by_its_name_and_not_by_a_dash() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let only = ["--only", "GET /users/me/alert_words", "--read-only"];
    let options = [&only[..], &["--json", "/dev/stdout"]].concat();
    let (status, said, errors) = compare(&first.url(), &second.url(), &options).await;
    assert!(status == Some(0) && said.starts_with("{\n") && said.contains("agrees     GET "), "{said}{errors}");
    for (option, name) in [("--json", "--json"), ("-o", "--output")] {
        let (status, _, errors) = compare(&first.url(), &second.url(), &[option, "-"]).await;
        let expected = format!("error: {name} takes a file, not '-'; the result is printed without --output\n");
        assert_eq!((status, errors), (Some(2), expected));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_that_cannot_be_written_at_the_end_is_printed() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let folder = std::env::temp_dir().join(format!("{}-compare-removed", std::process::id()));
    std::fs::create_dir_all(&folder).expect("made");
    let removed_folder = folder.clone();
    let removing: Change = Arc::new(move |_, path, _, _| {
        if path.ends_with("/alert_words") {
            let _ = std::fs::remove_dir_all(&removed_folder);
        }
    });
    let second = deviating(second.url(), removing).await;
    let file = folder.join("result.txt");
    let options = ["--only", "GET /users/me/alert_words", "--read-only", "-o", file.to_str().expect("text")];
    let (status, said, errors) = compare(&first.url(), &second, &options).await;
    assert_eq!(status, Some(2), "{errors}");
    assert!(errors.starts_with(&format!("error: {} can't be written: ", file.display())), "{errors}");
    assert!(said.contains("agrees     GET /users/me/alert_words"), "{said}");
}
