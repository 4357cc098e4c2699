//! What holds for every operation, checked by walking the table: access, missing and malformed parameters,
//! documents, and that some test exercises it.

use crate::support::{Reply, TestServer, User};
use chatdouble::api::parameter::ParameterInfo;
use chatdouble::api::{Access, NEWEST_FEATURE_LEVEL, OPERATIONS, OperationRow};
use chatdouble::error::{Error, ErrorRow};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Parameters whose absence an operation reports in words of its own, or which stand in for each other.
const OWN_WORDS: &[(&str, &str)] = &[];

/// Rows of the error table that neither an operation declares nor a test provokes, each with its reason.
const NOT_PROVOKED: &[(&str, &str)] = &[("BodyTooSlow", "takes half a minute of real time to provoke")];

/// Who may call an operation.
pub fn handle_for(row: &OperationRow) -> &'static str {
    if row.access == Access::Bot { "build-bot" } else { "olive" }
}

fn somebody(server: &TestServer, row: &OperationRow) -> User {
    server.user(handle_for(row))
}

/// The operation's path with something in the place of placeholders.
pub fn path_of(row: &OperationRow) -> String {
    let mut path = row.route.path.replace("{email}", "mel%40chat.test").replace("{integration}", "helloworld");
    while let (Some(start), Some(end)) = (path.find('{'), path.find('}')) {
        path.replace_range(start..=end, "1");
    }
    path
}

/// Calls an operation.
pub async fn call(user: &User, row: &OperationRow, params: Value) -> Reply {
    let mut path = format!("/api/v1{}", path_of(row));
    if let (Access::KeyHolder, Some(credentials)) = (row.access, user.credentials_if_any()) {
        path = format!("{path}?api_key={}", credentials.api_key);
    }
    match row.route.method {
        "GET" => user.get(&path, params).await,
        "POST" => user.post(&path, params).await,
        "PATCH" => user.patch(&path, params).await,
        "PUT" => user.put(&path, params).await,
        _ => user.delete(&path, params).await,
    }
}

/// A value that a parameter can have, made from its schema.
pub fn example(info: &ParameterInfo) -> Value {
    let mut generator = schemars::SchemaGenerator::default();
    let schema = (info.schema)(&mut generator).to_value();
    fn of(schema: &Value) -> Value {
        if let Some(word) = schema["enum"].get(0) {
            return word.clone();
        }
        match schema["type"].as_str() {
            Some("integer") => json!(1),
            Some("boolean") => json!(true),
            Some("array") => json!([]),
            Some("string") => json!("x"),
            Some("object") => {
                let required = schema["required"].as_array().cloned().unwrap_or_default();
                required
                    .iter()
                    .filter_map(Value::as_str)
                    .map(|key| (key.to_owned(), of(&schema["properties"][key])))
                    .collect::<Map<_, _>>()
                    .into()
            }
            _ => schema["anyOf"].get(0).map_or(json!({"direct_members": [], "direct_subgroups": []}), of),
        }
    }
    of(&schema)
}

/// The operations that the newest level has.
fn served() -> impl Iterator<Item = &'static OperationRow> {
    OPERATIONS.iter().filter(|row| row.exists_at(NEWEST_FEATURE_LEVEL))
}

/// What an operation requires, each with a value that it can have.
pub fn required(row: &OperationRow) -> Map<String, Value> {
    let wanted = row.parameters.iter().filter(|info| info.is_required && !info.is_in_path);
    wanted.map(|info| (info.name.to_owned(), example(info))).collect()
}

#[tokio::test]
async fn every_operation_turns_away_those_without_credentials_if_it_needs_any() {
    let server = TestServer::start_with(|options| {
        options.fixture = chatdouble::fixture::built_in("empty").expect("built in").into();
    })
    .await;
    // Without a key among the parameters, one is missing: `incoming_webhooks` has that.
    for row in served().filter(|row| !matches!(row.access, Access::Anyone | Access::KeyHolder)) {
        let reply = call(&server.anonymous(), row, required(row).into()).await;
        let message = "Not logged in: API authentication or user session required";
        reply.with_status(401).error("UNAUTHORIZED", message);
    }
}

#[tokio::test]
async fn every_required_parameter_is_missed_by_name() {
    let server = TestServer::start().await;
    for row in served() {
        for (missing, _) in required(row) {
            if OWN_WORDS.contains(&(row.route.path, &missing)) {
                continue;
            }
            let mut params = required(row);
            params.shift_remove(&missing);
            let message = format!("Missing '{missing}' argument");
            let body =
                call(&somebody(&server, row), row, params.into()).await.error("REQUEST_VARIABLE_MISSING", &message);
            assert_eq!(body["var_name"], missing.as_str());
        }
    }
}

#[tokio::test]
async fn every_parameter_in_json_is_refused_when_it_is_none() {
    let server = TestServer::start().await;
    for row in served() {
        for info in row.parameters.iter().filter(|info| info.is_json && !info.is_in_path) {
            let mut params = required(row);
            params.insert(info.name.to_owned(), json!("{not json"));
            let message = format!("{} is not valid JSON", info.name);
            call(&somebody(&server, row), row, params.into()).await.error("BAD_REQUEST", &message);
        }
    }
}

#[tokio::test]
async fn no_number_is_too_large_or_too_small_to_be_answered() {
    let server = TestServer::start().await;
    for row in served() {
        for info in row.parameters.iter().filter(|info| example(info).is_number()) {
            for number in [i64::MIN, i64::MAX] {
                let mut params = required(row);
                params.insert(info.name.to_owned(), number.into());
                let reply = call(&somebody(&server, row), row, params.into()).await;
                assert!(reply.status < 500, "{reply}");
            }
        }
    }
}

#[tokio::test]
async fn every_success_reports_parameters_that_the_operation_does_not_have() {
    let server = TestServer::start().await;
    let mut succeeded = 0;
    for row in served().filter(|row| row.route.method == "GET" && row.route.path != "/events") {
        let mut params = required(row);
        params.insert("no_such_parameter".to_owned(), json!("x"));
        let reply = call(&somebody(&server, row), row, params.into()).await;
        if reply.status == 200 {
            succeeded += 1;
            assert_eq!(reply.body["ignored_parameters_unsupported"], json!(["no_such_parameter"]), "{reply}");
        }
    }
    assert!(succeeded > 10, "most reading operations succeed with nothing but what they require: {succeeded}");
}

#[test]
fn every_operation_is_documented() {
    for row in OPERATIONS {
        let way = format!("{} {}", row.route.method, row.route.path);
        let summary = row.docs.summary;
        assert!(summary.ends_with('.') && summary.len() > 10, "{way}: {summary:?}");
        for info in row.parameters {
            assert!(!info.doc.is_empty(), "{way}: {} has no description", info.name);
        }
        for placeholder in row.route.path.split('/').filter_map(|part| part.strip_prefix('{')) {
            let name = placeholder.trim_start_matches('*').trim_end_matches('}');
            let is_listed = row.parameters.iter().any(|info| info.is_in_path && info.name == name);
            assert!(is_listed, "{way}: {name} is no parameter");
        }
    }
}

#[test]
fn no_two_operations_have_the_same_way() {
    for (index, row) in OPERATIONS.iter().enumerate() {
        let is_double = OPERATIONS[..index].iter().any(|other| other.route == row.route);
        assert!(!is_double, "{} {} is twice in the table", row.route.method, row.route.path);
    }
}

/// The sources of all tests but this one.
fn tests() -> String {
    fn read(folder: &Path, all: &mut String) {
        for entry in std::fs::read_dir(folder).expect("the tests are there") {
            let path = entry.expect("readable").path();
            // Requests that are drawn by chance name everything and assert nothing in particular.
            if path.ends_with("properties") {
                continue;
            } else if path.is_dir() {
                read(&path, all);
            } else if path.file_name().is_some_and(|name| name != "every_operation.rs") {
                all.push_str(&std::fs::read_to_string(&path).expect("readable"));
            }
        }
    }
    let mut all = String::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite"), &mut all);
    all
}

#[test]
fn every_operation_is_exercised_by_a_test() {
    let tests = tests();
    let mut missing = Vec::new();
    for row in OPERATIONS {
        let pattern: Vec<String> = row
            .route
            .path
            .split('/')
            .map(|part| if part.starts_with('{') { "[^\"?]+".to_owned() } else { regex::escape(part) })
            .collect();
        let pattern = regex::Regex::new(&format!("\"{}[\"?]", pattern.join("/"))).expect("a well-formed pattern");
        let is_named = tests.contains(&format!("{} {}", row.route.method, row.route.path));
        if !pattern.is_match(&tests) && !is_named {
            missing.push(format!("{} {}", row.route.method, row.route.path));
        }
    }
    assert!(missing.is_empty(), "no test names {missing:#?}");
}

#[test]
fn every_error_of_no_operation_is_provoked_by_a_test_or_says_why_not() {
    let tests = tests();
    let mut missing = Vec::new();
    // Those of operations are held against what happened, by `tests/table`.
    let is_declared = |row: &&ErrorRow| {
        OPERATIONS.iter().any(|operation| operation.docs.errors.iter().any(|kind| kind.row().name == row.name))
    };
    for row in Error::TABLE.iter().filter(|row| !is_declared(row)) {
        // The longest stretch of the message without placeholders, as a test's source has it.
        let literal = row.message.split(['{', '}']).max_by_key(|part| part.len()).unwrap_or_default();
        let literal = literal.replace('"', "\\\"");
        let is_excused = NOT_PROVOKED.iter().any(|(name, _)| *name == row.name);
        // A message that another one begins with is not provoked by that one's tests.
        let longer = Error::TABLE.iter().map(|other| other.message);
        let longer = longer.filter(|other| other.len() > row.message.len() && other.contains(row.message));
        let is_provoked = longer.fold(tests.clone(), |rest, other| rest.replace(other, "")).contains(literal.trim());
        if is_provoked == is_excused {
            missing.push(format!("{}: {}", row.name, row.message));
        }
    }
    assert!(missing.is_empty(), "provoked by no test, or excused without need: {missing:#?}");
}
