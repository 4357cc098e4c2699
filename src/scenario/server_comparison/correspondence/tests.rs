use super::*;
use serde_json::json;

fn differing_paths(correspondence: &mut Correspondence, first: &Value, second: &Value) -> Vec<String> {
    correspondence.compare("reply", "message", first, second).into_iter().map(|difference| difference.place).collect()
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
fn ids_of_objects_without_a_kind_are_not_compared() {
    for key in ["recipient_id", "last_event_id", "event_id", "realm_id", "user_profile_id"] {
        let mut correspondence = Correspondence::default();
        assert!(differing_paths(&mut correspondence, &json!({ key: 1 }), &json!({ key: 2 })).is_empty(), "{key}");
    }
}

#[test]
fn what_depends_on_the_server_is_compared_by_type() {
    let mut correspondence = Correspondence::default();
    let mut differ = |key: &str, first: Value, second: Value| {
        !differing_paths(&mut correspondence, &json!({ key: first }), &json!({ key: second })).is_empty()
    };
    for (key, first, second) in [
        ("zulip_version", json!("11.0"), json!("12.0")),
        ("zulip_feature_level", json!(387), json!(421)),
        ("queue_id", json!("a:1"), json!("b:2")),
        ("avatar_url", json!(null), json!("/avatar/7")),
        ("duration", json!(1), json!(0.5)),
    ] {
        assert!(!differ(key, first, second), "{key}");
    }
    for (key, first, second) in [
        ("zulip_version", json!("12.0"), json!(5)),
        ("zulip_feature_level", json!(387), json!("387")),
        ("zulip_merge_base", json!("a"), json!(5)),
        ("queue_id", json!("a:1"), json!(["x"])),
    ] {
        assert!(differ(key, first, second), "{key}");
    }
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
fn an_item_that_one_server_lacks_does_not_change_what_corresponds() {
    let channel = |id: i64, name: &str| {
        json!({"stream_id": id, "name": name, "color": "#76ce90", "is_muted": false,
        "pin_to_top": false, "invite_only": false, "is_archived": false})
    };
    let channels = |channels: &[(i64, &str)]| {
        let list: Vec<Value> = channels.iter().map(|(id, name)| channel(*id, name)).collect();
        json!({"streams": list})
    };
    let mut correspondence = Correspondence::default();
    let first = channels(&[(9, "fresh"), (1, "general"), (2, "social")]);
    let second = channels(&[(1, "general"), (2, "social")]);
    assert_eq!(differing_paths(&mut correspondence, &first, &second), ["reply.streams[]"]);
    let second = channels(&[(12, "newer"), (1, "general"), (2, "social")]);
    assert_eq!(differing_paths(&mut correspondence, &first, &second), ["reply.streams[]", "reply.streams[]"]);
    assert!(correspondence.compare("reply", "channel", &json!({"stream_id": 1}), &json!({"stream_id": 1})).is_empty());

    // Objects that already correspond stay the same object, however much they differ.
    let second = channels(&[(1, "lobby"), (2, "social")]);
    let first = channels(&[(2, "social"), (1, "general")]);
    assert_eq!(differing_paths(&mut correspondence, &first, &second), ["reply.streams[].name"]);
}

#[test]
fn an_id_that_corresponds_to_another_is_named() {
    let mut correspondence = Correspondence::default();
    assert!(differing_paths(&mut correspondence, &json!({"message_id": 3}), &json!({"message_id": 12})).is_empty());
    let found = correspondence.compare("reply", "message", &json!({"message_id": 3}), &json!({"message_id": 3}));
    assert_eq!(
        (found[0].first.as_str(), found[0].second.as_str()),
        ("3, which earlier was 12 of the second server", "3")
    );
    let found = correspondence.compare("reply", "message", &json!({"message_id": 4}), &json!({"message_id": 12}));
    assert_eq!(
        (found[0].first.as_str(), found[0].second.as_str()),
        ("4", "12, which earlier was 3 of the first server")
    );
}

#[test]
fn keys_of_profile_data_are_ids_of_profile_fields() {
    let mut correspondence = Correspondence::default();
    correspondence.pair("message", 3, 4);
    let data = json!({"profile_data": {"3": {"value": "vim"}, "4": {"value": "E-1024"}}});
    assert!(differing_paths(&mut correspondence, &data, &data).is_empty());
}

#[test]
fn a_position_that_is_the_id_of_its_object_is_not_compared() {
    let field = |id: i64, order: i64| json!({"fields": [{"id": id, "order": order}]});
    let differing = |first: Value, second: Value| differing_paths(&mut Correspondence::default(), &first, &second);
    assert!(differing(field(2, 2), field(1, 1)).is_empty());
    assert_eq!(differing(field(2, 0), field(1, 1)), ["reply.fields[].order"]);
    assert_eq!(differing(field(2, 2), field(1, 0)), ["reply.fields[].order"]);
    // Equal numbers that are not IDs are a position that was chosen.
    assert!(differing(field(2, 0), field(1, 0)).is_empty());
}

#[test]
fn colors_that_servers_choose_are_equal() {
    let mut correspondence = Correspondence::default();
    let color = |color: &str| json!({"color": color});
    assert!(differing_paths(&mut correspondence, &color("#76ce90"), &color("#fae589")).is_empty());
    assert_eq!(differing_paths(&mut correspondence, &color("#76ce90"), &color("red")), ["reply.color"]);
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

#[test]
fn ids_in_lists_properties_and_refusals_correspond_too() {
    for (first, second, others) in [
        (json!({"default_streams": [1, 12]}), json!({"default_streams": [1, 9]}), json!({"stream_id": 12})),
        (
            json!({"property": "folder_id", "value": 5}),
            json!({"property": "folder_id", "value": 3}),
            json!({"channel_folder_id": 5}),
        ),
        (
            json!({"msg": "User group 15 is already a subgroup of this group."}),
            json!({"msg": "User group 12 is already a subgroup of this group."}),
            json!({"group_id": 15}),
        ),
        (json!({"msg": "Invalid user ID: 9"}), json!({"msg": "Invalid user ID: 30"}), json!({"user_id": 9})),
        (json!({"msg": "User 9 is already a"}), json!({"msg": "User 30 is already a"}), json!({"user_id": 9})),
        (json!({"msg": "User with ID 9 is a bot"}), json!({"msg": "User with ID 30 is a bot"}), json!({"user_id": 9})),
        (
            json!({"msg": "Channel with ID '7' does not exist"}),
            json!({"msg": "Channel with ID '8' does not exist"}),
            json!({"stream_id": 7}),
        ),
    ] {
        let mut correspondence = Correspondence::default();
        assert_eq!(differing_paths(&mut correspondence, &first, &second), Vec::<String>::new(), "{first}");
        // Another object is not the same one.
        let unrelated: Map<String, Value> =
            others.as_object().expect("an object").keys().map(|key| (key.clone(), json!(99))).collect();
        assert_eq!(differing_paths(&mut correspondence, &others, &unrelated.into()).len(), 1, "{first}");
    }
}

#[test]
fn a_value_that_is_no_id_is_compared_as_it_is() {
    let change = |value: i64| json!({"property": "message_retention_days", "value": value});
    assert_eq!(differing_paths(&mut Correspondence::default(), &change(3), &change(5)), ["reply.value"]);
    let color = |value: &str| json!({"property": "color", "value": value});
    let colors = [color("#112233"), color("#445566")];
    assert_eq!(differing_paths(&mut Correspondence::default(), &colors[0], &colors[1]), ["reply.value"]);
}
