//! `chatdouble exec --levels`: a command against servers of several levels, a table, and what changed between them.

use std::process::{Command, Output};

fn levels(list: &str, options: &[&str], script: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.args(["exec", "--levels", list]).args(options).args(["--", "bash", "-c", script]);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.output().expect("the program starts")
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Lines of the table: level and result.
fn table(output: &Output) -> Vec<(String, String)> {
    let error = error(output);
    let rows = error.lines().skip_while(|line| !line.starts_with("level  result")).skip(1);
    let rows =
        rows.take_while(|line| line.trim_start().starts_with(|one: char| one.is_ascii_digit()) && !line.contains(':'));
    let row = |line: &str| {
        let (level, rest) = line.trim().split_once("  ").expect("columns");
        let (result, seconds) = rest.trim().rsplit_once("  ").expect("columns");
        assert!(seconds.trim().parse::<f64>().is_ok(), "{line}");
        (level.to_owned(), result.trim().to_owned())
    };
    rows.map(row).collect()
}

/// Asks the server something as mel; `$1` is the method, `$2` the path below `/api/v1`, `$3` the form.
const ASK: &str = r#"
    ask() {
        exec 3<>"/dev/tcp/127.0.0.1/${CHATDOUBLE_URL##*:}"
        printf '%s /api/v1%s HTTP/1.0\r\nAuthorization: Basic bWVsQGNoYXQudGVzdDptZWxLZXkwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMA==\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %s\r\n\r\n%s' "$1" "$2" "${#3}" "$3" >&3
        cat <&3
    }
"#;

#[test]
fn a_table_has_each_level_and_the_rows_that_touch_what_was_used() {
    let script = format!("{ASK} ask PATCH /settings web_channel_default_view=3 | grep -q success");

    let output = levels("300,371,387,newest", &[], &script);

    let error = error(&output);
    assert_eq!(output.status.code(), Some(1), "the status of the first that failed: {error}");
    assert!(output.stdout.is_empty());
    let results = table(&output);
    let passed = |level: &str| results.iter().any(|(one, result)| one == level && result == "passed");
    let newest = chatdouble::api::NEWEST_FEATURE_LEVEL.to_string();
    assert_eq!(results.len(), 4, "{error}");
    assert!(passed("387") && passed(&newest) && !passed("371") && !passed("300"), "{error}");
    assert!(error.contains("371 fails, 387 passes; what changed"), "{error}");
    let row = error.lines().find(|line| line.starts_with("  383  PATCH /settings")).expect("the row of 383");
    assert!(row.contains("`web_channel_default_view` may be 3"), "{row}");
    assert_eq!(error.lines().filter(|line| line.contains("change log")).count(), 1, "no other row: {error}");
}

#[test]
fn rows_of_requests_that_were_refused_at_one_level_come_first() {
    let script =
        format!("{ASK} ask GET /users/me/subscriptions > /dev/null; ! ask POST /reminders '' | grep -q '404 Not'");

    let output = levels("200,387", &[], &script);

    let error = error(&output);
    assert_eq!(output.status.code(), Some(1), "{error}");
    let rows: Vec<&str> = error.lines().skip_while(|line| !line.contains("; what changed between")).skip(1).collect();
    assert!(rows[0].starts_with("  381  POST /reminders: New operation."), "{error}");
    let others = rows.iter().position(|line| *line == "       other changes of what it used:");
    let others = others.expect("a heading");
    assert!(rows[..others].iter().all(|row| row.contains("/reminders")) && rows.len() > others + 1, "{error}");
}

#[test]
fn rows_about_a_code_that_one_level_sends_come_first() {
    let script = format!(
        r#"{ASK} ask GET /users/me/subscriptions > /dev/null; ask POST /messages 'type=direct&to=[]&content=x' > /dev/null
        exec 3<>"/dev/tcp/127.0.0.1/${{CHATDOUBLE_URL##*:}}"
        printf 'GET /api/v1/users/me HTTP/1.0\r\nAuthorization: Basic bWVsQGNoYXQudGVzdDp3cm9uZw==\r\n\r\n' >&3
        grep -q UNAUTHORIZED <&3"#
    );

    let output = levels("387,newest", &[], &script);

    let error = error(&output);
    let rows: Vec<&str> = error.lines().skip_while(|line| !line.contains("; what changed between")).skip(1).collect();
    assert!(rows[0].starts_with("  497  credentials that are refused: "), "{error}");
    assert_eq!(rows[1], "       other changes of what it used:", "{error}");
}

#[test]
fn a_refusal_at_one_level_brings_no_row_about_other_operations_to_the_front() {
    let script = format!(
        r#"{ASK} ask POST /messages 'type=direct&to=[5]&content=x' | grep -q success
        ask GET /server_settings | grep -q 'feature_level":387' || exit 1
        ask POST /messages/1/reactions 'emoji_name=nosuch' > /dev/null"#
    );

    let error = error(&levels("387,newest", &[], &script));

    let rows: Vec<&str> = error.lines().skip_while(|line| !line.contains("; what changed between")).skip(1).collect();
    assert!(rows.len() > 1 && rows.iter().any(|row| row.contains("REQUEST_VARIABLE_MISSING")), "{error}");
    assert!(!rows.contains(&"       other changes of what it used:"), "{error}");
}

#[test]
fn a_field_of_an_event_that_is_gone_where_the_command_fails_comes_first() {
    let script = format!(
        r#"{ASK} queue=$(ask POST /register 'event_types=["reaction"]' | grep -o '"queue_id":"[^"]*"' | cut -d'"' -f4)
        id=$(ask POST /messages 'type=direct&to=[5]&content=x' | grep -o '"id":[0-9]*' | cut -d: -f2)
        ask POST "/messages/$id/reactions" 'emoji_name=tada' > /dev/null
        ask GET "/events?queue_id=$queue&last_event_id=-1&dont_block=true" | grep -q '"user":'"#
    );

    let error = error(&levels("387,newest", &[], &script));

    let rows: Vec<&str> = error.lines().skip_while(|line| !line.contains("; what changed between")).skip(1).collect();
    assert!(!rows.is_empty() && rows[0].starts_with("  484  event reaction: Field `user` is gone."), "{error}");
}

#[test]
fn a_row_about_several_methods_touches_each_of_them() {
    let script = format!(
        r#"{ASK} ask DELETE /users/me/subscriptions 'subscriptions=["no such"]' | grep -q '"code":"BAD_REQUEST"'"#
    );

    let error = error(&levels("416,417", &[], &script));

    assert!(error.contains("  417  DELETE and PATCH /users/me/subscriptions: STREAM_DOES_NOT_EXIST"), "{error}");
}

#[test]
fn a_level_that_fails_between_two_that_pass_has_suspects_on_both_sides() {
    // What is only there from 380 to 382: reminders are, reports of messages are not yet.
    let script = format!(
        r#"{ASK} reminders=$(ask POST /reminders ""); reports=$(ask POST /messages/1/report report_type=spam)
        case "$reminders" in *"404 Not"*) ;; *) case "$reports" in *"404 Not"*) exit 9;; esac;; esac"#
    );

    let output = levels("379,381,383", &["--jobs", "3"], &script);

    let error = error(&output);
    assert_eq!(output.status.code(), Some(9), "{error}");
    let results: Vec<String> = table(&output).into_iter().map(|(level, result)| format!("{level} {result}")).collect();
    assert_eq!(results, ["379 passed", "381 failed (9)", "383 passed"]);
    assert!(error.contains("379 passes, 381 fails; what changed") && error.contains("  381  "), "{error}");
    assert!(error.contains("381 fails, 383 passes; what changed"), "{error}");
    assert!(error.contains("  382  POST /messages/{message_id}/report: New operation."), "{error}");
}

#[test]
fn what_a_command_asked_of_worlds_that_it_ended_counts_too() {
    let script = format!(
        r#"{ASK}
        control() {{
            exec 3<>"/dev/tcp/127.0.0.1/${{CHATDOUBLE_URL##*:}}"
            printf '%s /control/worlds%s HTTP/1.0\r\nHost: localhost\r\nContent-Length: %s\r\n\r\n%s' "$1" "$2" "${{#3}}" "$3" >&3
            cat <&3
        }}
        control POST "" '{{"name": "mine", "fork_of": "default"}}' > /dev/null
        exec 3<>"/dev/tcp/127.0.0.1/${{CHATDOUBLE_URL##*:}}"
        printf 'GET /w/mine/api/v1/reminders HTTP/1.0\r\nAuthorization: Basic bWVsQGNoYXQudGVzdDptZWxLZXkwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMA==\r\n\r\n' >&3
        reply=$(cat <&3)
        control DELETE /mine > /dev/null
        case "$reply" in *success*) ;; *) exit 1;; esac"#
    );

    let output = levels("350,newest", &[], &script);

    let error = error(&output);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("GET /reminders: New operation."), "{error}");
}

#[test]
fn all_levels_of_a_range_pass_and_what_is_no_list_is_refused() {
    let output = levels("371..374", &["--jobs", "2"], "true");
    assert_eq!((output.status.code(), table(&output).len()), (Some(0), 4), "{}", error(&output));
    assert!(!error(&output).contains("changed"), "{}", error(&output));

    for (list, options) in [
        ("387..371", &[][..]),
        ("some", &[]),
        ("371", &["--feature-level", "1"]),
        ("371", &["--chaos", "1"]),
        ("371,372", &["--jobs", "0"]),
        ("371,372", &["--jobs", "2", "--port", "9"]),
    ] {
        let output = levels(list, options, "true");
        assert_eq!(output.status.code(), Some(2), "{list} {options:?}: {}", error(&output));
    }
    assert_eq!(levels("371,372", &[], "exec /no/such/command").status.code(), Some(127));
}

#[test]
fn a_level_from_the_environment_that_conflicts_is_named_by_its_variable() {
    let conflict = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
        command.arg("exec").args(options).args(["--", "true"]).env_clear().env("CHATDOUBLE_FEATURE_LEVEL", "387");
        let output = command.output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{}", error(&output));
        error(&output)
    };
    let expected = "error: the argument '--levels <LIST>' cannot be used with the variable CHATDOUBLE_FEATURE_LEVEL\n";
    assert_eq!(conflict(&["--levels", "387,newest"]), expected);
    for options in [["--feature-level", "1"].as_slice(), &["--feature-level=1"]] {
        let text = conflict(&[&["--levels", "387"], options].concat());
        assert_eq!(text, "error: the argument '--levels <LIST>' cannot be used with '--feature-level <N>'\n");
    }
}

#[test]
fn the_report_of_all_levels_is_one_and_counts_in_the_table() {
    let file =
        std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-levels.json", std::process::id()));
    let script = format!("{ASK} ask GET '/users/me?colour=red' | grep -q success");

    let output = levels("387,newest", &["--report", file.to_str().expect("text"), "--fail-on", "warning"], &script);

    let error = error(&output);
    assert_eq!(output.status.code(), Some(4), "{error}");
    let heading = error.lines().find(|line| line.starts_with("level  result")).expect("a table");
    assert!(heading.ends_with("  findings"), "{error}");
    let report: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&file).expect("written")).expect("JSON");
    let worlds: Vec<&str> =
        report["clients"].as_array().expect("a list").iter().filter_map(|client| client["world"].as_str()).collect();
    let newest = format!("default at {}", chatdouble::api::NEWEST_FEATURE_LEVEL);
    assert_eq!(worlds, ["default at 387", newest.as_str()]);

    let baseline = ["--report", "-", "--report-baseline", file.to_str().expect("text"), "--fail-on", "warning"];
    let output = levels("387", &baseline, &script);
    assert_eq!(output.status.code(), Some(0), "{}", self::error(&output));
    let text = self::error(&output);
    let table: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("level  result")).take(2).collect();
    let columns: Vec<&str> = table[1].split_whitespace().collect();
    assert!(table[0].ends_with("  findings  in the baseline"), "{text}");
    assert_eq!(columns[columns.len() - 2], "0", "{text}");
    assert_ne!(columns[columns.len() - 1], "0", "{text}");
}

#[test]
fn the_command_knows_its_level_and_its_output_says_it() {
    let output = levels("387,newest", &[], "echo level is $CHATDOUBLE_LEVEL");
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    let newest = chatdouble::api::NEWEST_FEATURE_LEVEL;
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("level is 387\nlevel is {newest}\n"));
    let text = error(&output);
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("level ") && line.ends_with(':')).collect();
    assert_eq!(headings, ["level 387:", format!("level {newest}:").as_str()]);

    let output = levels("386,387", &["--jobs", "2"], "echo out; sleep 0.1; echo err >&2; printf unfinished");
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines: Vec<&str> = out.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["386: out", "386: unfinished", "387: out", "387: unfinished"]);
    assert!(error(&output).contains("386: err\n") && error(&output).contains("387: err\n"), "{}", error(&output));
}

#[test]
fn refusals_that_are_of_no_operation_are_among_the_suspects() {
    let script = r#"
        exec 3<>"/dev/tcp/127.0.0.1/${CHATDOUBLE_URL##*:}"
        printf 'GET /api/v1/users/me HTTP/1.0\r\nAuthorization: Basic bWVsQGNoYXQudGVzdDp3cm9uZw==\r\n\r\n' >&3
        case "$(cat <&3)" in *INVALID_API_KEY*) ;; *) exit 1;; esac"#;

    let output = levels("387,newest", &[], script);

    assert_eq!(output.status.code(), Some(1), "{}", error(&output));
    assert!(error(&output).contains("  497  credentials that are refused: "), "{}", error(&output));
}

#[test]
fn a_level_newer_than_the_newest_is_reported_once() {
    let newest = chatdouble::api::NEWEST_FEATURE_LEVEL;
    let warning = |subject: &str| {
        format!(
            "warning: {subject} newer than {newest}, the newest that chatdouble knows: such a world behaves as at \
             {newest}, reports its own level, and adds fields and events that no client knows"
        )
    };
    let ask = r#"
        exec 3<>"/dev/tcp/127.0.0.1/${CHATDOUBLE_URL##*:}"
        printf 'GET /api/v1/server_settings HTTP/1.0\r\n\r\n' >&3; cat <&3"#;
    let run = |options: &[&str], variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
        command.arg("exec").args(options).args(["--", "bash", "-c", ask]);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).envs(variables.iter().copied());
        command.output().expect("the program starts")
    };
    let output = run(&["--feature-level", "9999"], &[]);
    let reply = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(reply.contains("\"service_feature_level\":9999"), "{reply}");
    assert!(reply.contains("\"field_of_a_later_level\":"), "{reply}");
    let expected = format!("{}\n", warning("feature level 9999 is"));
    assert_eq!(error(&output), expected);
    assert_eq!(error(&run(&[], &[("CHATDOUBLE_FEATURE_LEVEL", "9999")])), expected);
    assert_eq!(error(&run(&["--feature-level", "9999", "--log", "off"], &[])), "");
    assert_eq!(error(&run(&["--feature-level", "newest"], &[])), "");

    for (list, subject) in
        [("newest,9999", "feature level 9999 is"), ("9999,9998,387", "2 of the feature levels, up to 9999, are")]
    {
        let errors = error(&run(&["--levels", list], &[]));
        let warnings: Vec<&str> = errors.lines().filter(|line| line.starts_with("warning: ")).collect();
        assert_eq!(warnings, [warning(subject)], "{list}: {errors}");
    }
}

#[test]
fn the_command_knows_its_level_without_a_list_of_levels() {
    let newest = chatdouble::api::NEWEST_FEATURE_LEVEL.to_string();
    for (options, level) in [
        (vec![], newest.as_str()),
        (vec!["--feature-level", "387"], "387"),
        (vec!["--feature-level", "newest"], newest.as_str()),
        (vec!["--feature-level", "9999"], "9999"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
        command.arg("exec").args(&options).args(["--", "bash", "-c", "echo level is $CHATDOUBLE_LEVEL"]);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let output = command.output().expect("the program starts");
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("level is {level}\n"), "{options:?}");
    }

    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    let output = command.args(["openapi", "--feature-level", "latest"]).output().expect("the program starts");
    assert!(error(&output).contains("takes a whole number from 0 on, such as 387, or newest"), "{}", error(&output));
}
