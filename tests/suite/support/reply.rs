//! A reply, and what a test says of it. Failed assertions show the request, the reply and what differs.

use serde_json::Value;
use similar::TextDiff;

/// What came back.
#[must_use = "a reply says whether the request succeeded"]
pub struct Reply {
    /// `POST /messages {"content": "hi"}`
    pub request: String,
    /// HTTP status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as it came.
    pub bytes: Vec<u8>,
    /// The body as JSON; null when it is none.
    pub body: Value,
}

impl Reply {
    /// Asserts success; gives the body without the envelope.
    #[track_caller]
    pub fn success(self) -> Value {
        let is_success = self.status == 200 && self.body["result"] == "success" && self.body["msg"] == "";
        assert!(is_success, "should succeed:\n{self}");
        let mut body = self.body;
        if let Some(body) = body.as_object_mut() {
            body.shift_remove("result");
            body.shift_remove("msg");
        }
        body
    }

    /// Asserts a refusal with this code and message; gives the body.
    #[track_caller]
    pub fn error(self, code: &str, message: &str) -> Value {
        let status = self.status;
        assert!((400..500).contains(&status), "should be refused:\n{self}");
        assert_eq!(self.body["result"], "error", "{self}");
        assert_eq!((self.body["code"].as_str(), self.body["msg"].as_str()), (Some(code), Some(message)), "{self}");
        self.body
    }

    /// Asserts the HTTP status; gives the reply back.
    #[track_caller]
    pub fn with_status(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self}");
        self
    }

    /// Asserts success with exactly these data.
    #[track_caller]
    pub fn is(self, expected: Value) {
        let request = self.request.clone();
        let body = self.success();
        assert_same(&request, &body, &expected);
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// Asserts that two values are the same; shows where they differ.
#[track_caller]
pub fn assert_same(what: &str, actual: &Value, expected: &Value) {
    if actual == expected {
        return;
    }
    let (actual, expected) = (sorted(actual), sorted(expected));
    let diff = TextDiff::from_lines(&expected, &actual).unified_diff().header("expected", "actual").to_string();
    panic!("{what}\n{diff}");
}

/// Asserts that a value has at least these keys with these values.
#[track_caller]
pub fn assert_has(what: &str, actual: &Value, expected: &Value) {
    let Some(expected) = expected.as_object() else { return assert_same(what, actual, expected) };
    for (key, value) in expected {
        let found = &actual[key];
        if value.is_object() && found.is_object() {
            assert_has(&format!("{what} .{key}"), found, value);
        } else {
            assert!(found == value, "{what}: {key} should be {value}, is {found}, in\n{actual:#}");
        }
    }
}

fn sorted(value: &Value) -> String {
    fn sort(value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                let mut keys: Vec<_> = map.keys().collect();
                keys.sort();
                keys.into_iter().map(|key| (key.clone(), sort(&map[key]))).collect()
            }
            Value::Array(items) => items.iter().map(sort).collect(),
            other => other.clone(),
        }
    }
    format!("{:#}\n", sort(value))
}

impl std::fmt::Display for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n→ {} {:#}", self.request, self.status, self.body)?;
        if self.body.is_null() {
            write!(f, " {}", String::from_utf8_lossy(&self.bytes))?;
        }
        Ok(())
    }
}
