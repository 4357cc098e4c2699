//! Tests of which changes of levels affect what a client used.

use super::*;

fn usage(method: &str, path: &str, params: &[(&str, &str)], reply: &str) -> Usage {
    let params = params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let mut usage = Usage::default();
    usage.add(method, path, &params, 200, reply.as_bytes());
    usage
}

fn lines(usage: &Usage, from: i64, to: i64) -> Vec<String> {
    let line =
        |suspect: &SuspectedChange| format!("{} {} {}", suspect.change.level, suspect.change.on, suspect.is_certain);
    usage.suspected_changes(from, to).iter().map(line).collect()
}

#[test]
fn only_changes_of_sent_names_affect_a_client() {
    let settings = usage("PATCH", "/settings", &[("web_channel_default_view", "3")], r#"{"result":"success"}"#);
    assert_eq!(lines(&settings, 371, 387), ["383 PATCH /settings, PATCH /realm/user_settings_defaults true"]);
    assert_eq!(lines(&settings, 383, 387), [""; 0]);

    let without_change = usage("PATCH", "/settings", &[("twenty_four_hour_time", "true")], r#"{"result":"success"}"#);
    assert_eq!(lines(&without_change, 371, 387), [""; 0]);
    let reminders = usage("POST", "/reminders", &[("note", "x")], "{}");
    assert_eq!(lines(&reminders, 380, 381), ["381 POST /reminders true"]);
}

#[test]
fn changes_of_received_fields_affect_a_client() {
    let received = usage("POST", "/register", &[], r#"{"user_settings":{"resolved_topic_notice_auto_read_policy":1}}"#);
    assert_eq!(lines(&received, 384, 385), ["385 user settings true"]);
    let truncated = usage("POST", "/register", &[], r#"{"user_settings":{"#);
    assert_eq!(lines(&truncated, 384, 385), ["385 user settings false"]);
    let not_received = usage("POST", "/register", &[], r#"{"user_settings":{}}"#);
    assert_eq!(lines(&not_received, 384, 385), [""; 0]);
}

#[test]
fn changes_of_refusals_of_all_operations_affect_clients_that_received_their_codes() {
    let lines_for_code = |code: &str| {
        let reply = format!(r#"{{"result":"error","msg":"","code":"{code}"}}"#);
        lines(&usage("GET", "/users/me", &[], &reply), 387, 497)
    };
    for code in ["UNAUTHORIZED", "INVALID_API_KEY"] {
        assert!(lines_for_code(code).contains(&"497 credentials that are refused true".to_owned()), "{code}");
    }
    assert!(!lines_for_code("BAD_REQUEST").iter().any(|line| line.contains("credentials")));
}

#[test]
fn changes_of_messages_of_all_operations_affect_clients_that_received_their_words() {
    let lines_for_message = |message: &str| {
        let reply = format!(r#"{{"result":"error","msg":"{message}","code":"BAD_REQUEST"}}"#);
        lines(&usage("GET", "/streams/9", &[], &reply), 246, 270)
    };
    assert!(lines_for_message("Invalid channel ID").contains(&"255 all refusals true".to_owned()));
    assert!(lines_for_message("Invalid stream ID").contains(&"255 all refusals true".to_owned()));
    let narrow = lines_for_message("Invalid narrow operator: unknown channel");
    assert!(narrow.contains(&"249 narrows that are refused true".to_owned()), "{narrow:?}");
    let users = lines_for_message("Invalid user IDs: 3, 4");
    assert!(users.contains(&"270 users in profile fields who do not exist true".to_owned()), "{users:?}");
    assert!(!lines_for_message("Invalid user ID").iter().any(|line| line.contains("refus")));
}

#[test]
fn changes_of_requested_or_received_events_affect_a_client() {
    let params = [("event_types", r#"["user_settings"]"#)];
    let mut client = usage("POST", "/register", &params, r#"{"queue_id":"q"}"#);
    assert_eq!(lines(&client, 384, 385), ["385 event user_settings update false"]);

    let event =
        r#"{"events":[{"type":"user_settings","op":"update","property":"resolved_topic_notice_auto_read_policy"}]}"#;
    client.merge(usage("GET", "/events", &[], event));
    assert_eq!(lines(&client, 384, 385), ["385 event user_settings update true"]);
}
