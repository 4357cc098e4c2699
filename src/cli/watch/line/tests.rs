use super::*;
use serde_json::json;

#[test]
fn networks_and_rate_limits_are_listed_in_one_line() {
    let networks = json!([
        {"user": "mel@chat.test", "profile": "3g", "latency_ms": 150, "loss": 0.0},
        {"user": null, "profile": null, "latency_ms": 400, "bytes_per_second": 20_000, "loss": 0.05}
    ]);
    let line = format_plain(json!({"type": "network", "at": 0, "networks": networks}));
    assert!(line.ends_with("mel 3g, all others 400 ms 20000 B/s 5 % loss"), "{line}");
    let limits = json!([{"user": null, "requests": 1, "seconds": 60.0}]);
    let line = format_plain(json!({"type": "rate_limit", "at": 0, "rate_limits": limits}));
    assert!(line.ends_with("each user 1 request in 60 s"), "{line}");
    assert!(format_plain(json!({"type": "network", "at": 0, "networks": []})).ends_with("none"));
}

fn format_plain(frame: Value) -> String {
    format_frame(&frame.to_string(), false)
}

#[test]
fn requests_events_and_jumps_have_columns() {
    let request = json!({"type": "request", "at": 1_767_268_800.25, "method": "POST", "path": "/messages",
        "user": "mel@chat.test", "status": 429, "reply": {"code": "RATE_LIMIT_HIT"}, "duration_ms": 1.26, "hint": "Wait.", "fault": "fault-1"});
    let event = json!({"type": "event", "at": 1_767_268_800.0, "queue_id": null, "users": [4, 5],
        "names": {"users": {"4": "mel"}, "channel": "general"}, "event": {"type": "message", "message": {"id": 9,
        "sender_email": "max@chat.test", "subject": "lunch", "content": "Pizza\nor pasta?"}}});
    let clock = json!({"type": "clock", "from": 1_767_268_800.0, "now": 1_767_355_200.0,
        "fired": [{"kind": "reminder"}, {"kind": "heartbeat"}, {"kind": "reminder"}]});

    let subject = |text: &str| format!("{text:40}");
    assert_eq!(
        format_plain(request),
        format!(
            "12:00:00.250  POST    {}   429       1.3 ms  mel@chat.test RATE_LIMIT_HIT: Wait.  ! fault-1",
            subject("/messages")
        )
    );
    assert_eq!(
        format_plain(event),
        format!(
            "12:00:00.000  event   {}        to mel, user 5  max in general > lunch: Pizza or pasta?",
            subject("message #9")
        )
    );
    assert_eq!(
        format_plain(clock),
        format!("12:00:00.000  clock   {}        2 × reminder, heartbeat", subject("+1 d → 2026-01-02"))
    );
    let restored = |cause: &str, from: f64| {
        format_plain(
            json!({"type": "clock", "from": from, "now": 1_767_268_800.0, "fired": [], "cause": cause, "snapshot": "a"}),
        )
    };
    assert_eq!(restored("reset", 1_767_268_800.0), "12:00:00.000  clock   reset");
    assert_eq!(restored("restore", 1_767_268_800.0), "12:00:00.000  clock   restored a");
    assert_eq!(restored("state", 1_767_268_801.0), "12:00:00.000  clock   state replaced, −1 s from 12:00:01.000");
    let lost_frame = json!({"type": "lost", "at": 1_767_268_800.0, "count": 7});
    assert_eq!(format_plain(lost_frame), "12:00:00.000  lost    7 frames were missed");
}

#[test]
fn pushes_queues_and_faults_have_lines_of_their_own() {
    let push = json!({"type": "push", "at": 0, "push": {"kind": "message", "user": "mel@chat.test", "device_id": 4,
        "payload": {"content": "x".repeat(80)}}});
    let queue = json!({"type": "queue", "at": 0, "queue_id": "q", "user": "mel@chat.test", "change": "parked"});
    let fault = json!({"type": "fault", "at": 0, "fault_id": "fault-1", "journal_id": 7, "effect": {"drop": "after"}});

    for (frame, end) in [
        (push, format!("to mel@chat.test device 4: {}…", "x".repeat(60))),
        (queue, "mel@chat.test q".to_owned()),
        (fault, r#"request 7 met {"drop":"after"}"#.to_owned()),
    ] {
        let line = format_plain(frame);
        assert!(line.ends_with(&end), "{line}");
    }
}

#[test]
fn colours_are_used_only_if_requested() {
    let lost_frame = json!({"type": "lost", "count": 7}).to_string();
    assert!(format_frame(&lost_frame, true).contains("\x1b[31mlost  \x1b[0m"));
    assert!(!format_frame(&lost_frame, false).contains('\x1b'));
}

#[test]
fn texts_in_frames_do_not_control_the_terminal() {
    let frame = json!({"type": "request", "method": "GET", "path": "/\u{1b}[2J\n", "user": "\u{7}", "status": 404});
    let line = format_frame(&frame.to_string(), false);
    assert!(line.contains("/\\u{1b}[2J\\n") && line.chars().all(|character| !character.is_control()), "{line}");
}
