use super::*;
use serde_json::json;

fn differing_paths(correspondence: &mut Correspondence, first: &Value, second: &Value) -> Vec<String> {
    correspondence.differences("reply", "message", first, second).into_iter().map(|difference| difference.at).collect()
}

#[test]
fn an_id_corresponds_to_only_one_id() {
    let mut correspondence = Correspondence::default();
    assert!(differing_paths(&mut correspondence, &json!({"id": 5}), &json!({"id": 70})).is_empty());
    assert!(differing_paths(&mut correspondence, &json!({"message_id": 5}), &json!({"message_id": 70})).is_empty());
    assert_eq!(
        differing_paths(&mut correspondence, &json!({"message_id": 5}), &json!({"message_id": 71})),
        ["reply.message_id"]
    );
    assert_eq!(
        differing_paths(&mut correspondence, &json!({"message_ids": [6]}), &json!({"message_ids": [70]})),
        ["reply.message_ids[]"]
    );
    assert!(differing_paths(&mut correspondence, &json!({"user_id": 5}), &json!({"user_id": 9})).is_empty());
}

#[test]
fn order_is_only_compared_where_the_api_specifies_it() {
    let mut correspondence = Correspondence::default();
    let names = |names: [&str; 2]| json!({"users": names.map(|name| json!({"full_name": name}))});
    assert!(differing_paths(&mut correspondence, &names(["a", "b"]), &names(["b", "a"])).is_empty());
    let messages = |texts: [&str; 2]| json!({"messages": texts.map(|text| json!({"content": text}))});
    assert_eq!(
        differing_paths(&mut correspondence, &messages(["a", "b"]), &messages(["b", "a"])),
        ["reply.messages[]"]
    );
}

#[test]
fn each_type_key_and_value_is_compared() {
    for (second, path) in [
        (json!({"a": "1", "b": {"c": null}}), "reply.a"),
        (json!({"a": 1, "b": {"c": 0}}), "reply.b.c"),
        (json!({"a": 1, "b": {}}), "reply.b.c"),
        (json!({"a": 1, "b": {"c": null}, "d": 1}), "reply.d"),
        (json!({"a": 1.0, "b": {"c": null}}), "reply.a"),
    ] {
        assert_eq!(
            differing_paths(&mut Correspondence::default(), &json!({"a": 1, "b": {"c": null}}), &second),
            [path],
            "{second}"
        );
    }
}

#[test]
fn times_are_compared_by_type_and_urls_by_replacement() {
    let mut correspondence = Correspondence::default();
    correspondence.add_replacement(0, "http://one:1", "URL");
    correspondence.add_replacement(1, "https://two", "URL");
    let first = json!({"timestamp": 1_767_225_600, "realm_url": "http://one:1", "at": "2026-01-01T00:00:00Z"});
    let second = json!({"timestamp": 1_800_000_000, "realm_url": "https://two", "at": "2026-02-03 04:05:06"});
    assert!(differing_paths(&mut correspondence, &first, &second).is_empty());
    assert_eq!(
        differing_paths(
            &mut correspondence,
            &first,
            &json!({"timestamp": null, "realm_url": "https://two", "at": "2026-02-03 04:05"})
        ),
        ["reply.timestamp"]
    );
}
