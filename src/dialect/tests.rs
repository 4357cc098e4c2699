//! Tests of dialects: translation in both directions, and the errors of dialect files.

use super::*;
use serde_json::json;

#[test]
fn the_built_in_dialect_renames_keys_and_values_both_ways() {
    let dialect = Dialect::zulip();
    let mut reply = json!({"service_version": "12.0", "reactions": [{"reaction_type": "service_extra_emoji"}]});

    assert!(dialect.may_rename(reply.to_string().as_bytes()));
    assert!(!dialect.may_rename(br#"{"result":"success","msg":""}"#));
    dialect.translate(&mut reply);

    assert_eq!(reply, json!({"zulip_version": "12.0", "reactions": [{"reaction_type": "zulip_extra_emoji"}]}));
    assert_eq!(dialect.neutral_value("reaction_type", "zulip_extra_emoji"), "service_extra_emoji");
}

#[test]
fn the_storage_of_bots_is_not_renamed() {
    let stored = json!({"storage": {"service_version": "1", "reaction_type": "service_extra_emoji"}});
    let mut reply = stored.clone();

    Dialect::zulip().translate(&mut reply);

    assert_eq!(reply, stored);
}

#[test]
fn an_error_in_a_file_names_its_json_path() {
    let to_set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let renamable = RenamableNames { keys: to_set(&["a", "b"]), paths: to_set(&["/a", "/a/{id}"]) };
    for (text, expected) in [
        (r#"{"keys": {"a": 1}}"#, "$.keys.a: takes a text, not 1"),
        (r#"{"kees": {}}"#, "$.kees: there is no key `kees`; did you mean `keys`?"),
        ("[]", "$: takes an object"),
        ("5", "$: takes an object, not 5"),
        ("{} {}", "$: trailing characters"),
        (r#"{"keys": {"a": ""}}"#, "$.keys.a: takes a name"),
        (r#"{"keys": {"a": "x", "b": "x"}}"#, "$.keys.b: `x` is the name of `a` already"),
        (r#"{"keys": {"c": "x"}}"#, "$.keys.c: no object of the API has this key"),
        (r#"{"values": {"a": {"p": "x", "q": "x"}}}"#, "$.values.a.q: `x` is the name of `p` already"),
        (r#"{"values": {"c": {"p": "x"}}}"#, "$.values.c: no object of the API has this key"),
        (r#"{"product": "Chat"}"#, "$.product: takes at most 64 of a-z"),
        (r#"{"auth_realm": "a\"b"}"#, "$.auth_realm: takes at most 64 letters, digits"),
        (r#"{"webhook_agent": ""}"#, "$.webhook_agent: takes at most 64 letters, digits"),
        (r#"{"paths": {"/c": "/x"}}"#, r#"$.paths["/c"]: no operation has this path"#),
        (r#"{"paths": {"/a/{id}": "/x/{id}"}}"#, r#"$.paths["/a/{id}"]: a path with placeholders keeps its name"#),
        (r#"{"paths": {"/a": "x"}}"#, r#"$.paths["/a"]: takes a path that begins with /"#),
        (r#"{"paths": {"/a": "/x/{id}"}}"#, r#"$.paths["/a"]: takes a path that begins with / and has no place"#),
        (r#"{"keys": {"a": "b"}}"#, r#"$.keys["a"]: `b` is another's name already"#),
    ] {
        let problem = Dialect::parse(text, &renamable).expect_err("the file is invalid");
        assert!(problem.starts_with(expected), "{problem}");
    }
    assert!(Dialect::parse(r#"{"keys": {"a": "b", "b": "a"}, "paths": {"/a": "/b"}}"#, &renamable).is_ok());
}
