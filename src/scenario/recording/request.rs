//! A request as the lines of a block.

use super::exchange::{Exchange, Sent, Upload};
use super::kinds::{is_time, kind, singular};
use super::names::Names;
use super::secrets::is_secret;
use super::text::{finished, fits_lines, line, placeholder, with_numbers};
use base64::Engine;
use serde_json::Value;
use std::collections::BTreeMap;

/// A larger file is not written into a scenario.
const LARGEST_FILE: usize = 256 << 10;

/// Passwords and tokens that requests set, with others in their place.
#[derive(Debug, Default)]
pub struct StandIns {
    by_secret: BTreeMap<String, String>,
}

/// What the ids of a request become.
type Named<'a> = &'a mut dyn FnMut(&str, i64) -> Value;

/// The ids that a request names, with their kinds.
pub fn ids(exchange: &Exchange) -> Vec<(String, i64)> {
    let mut found = Vec::new();
    let mut note = |kind: &str, id: i64| {
        found.push((kind.to_owned(), id));
        Value::Null
    };
    for (kind, id) in ids_of_path(exchange.operation().unwrap_or_default()) {
        note(&kind, id);
    }
    for (name, text) in exchange.parameters() {
        match serde_json::from_str(&text) {
            Ok(value) => drop(filled(&name, &value, &kind_of_list(exchange), &mut note)),
            Err(_) => continue,
        }
    }
    if let Sent::Json(_, body) = &exchange.sent {
        filled("", body, &kind_of_list(exchange), &mut note);
    }
    found
}

fn ids_of_path(path: &str) -> Vec<(String, i64)> {
    let mut found = Vec::new();
    let mut before = "";
    for segment in path.split('/') {
        match segment.parse::<i64>() {
            Ok(id) if is_of_things(before) => found.push((singular(before), id)),
            Ok(_) => {}
            Err(_) => before = segment,
        }
    }
    found
}

/// Whether a number after this part of a path is an id; that of an organization, in the paths of files, has no name.
fn is_of_things(before: &str) -> bool {
    !matches!(before, "" | "user_uploads" | "tus")
}

/// The kind of what a request's `to` names.
fn kind_of_list(exchange: &Exchange) -> String {
    let kind = exchange.parameter("type").unwrap_or_default();
    let is_of_channel = ["channel", "stream", "\"channel\"", "\"stream\""].contains(&kind.as_str());
    if is_of_channel { "channel" } else { "user" }.to_owned()
}

/// A value of a request with its ids replaced; `to` is the kind of the parameter of that name.
fn filled(key: &str, value: &Value, to: &str, named: Named) -> Value {
    match value {
        Value::Array(items) => {
            if let [Value::String(operator), operand, ..] = items.as_slice()
                && key == "narrow"
            {
                let mut made = items.clone();
                made[1] = operand_of(operator, operand, named);
                return made.into();
            }
            items.iter().map(|item| filled(key, item, to, named)).collect::<Vec<_>>().into()
        }
        Value::Object(object) => {
            let operator = object.get("operator").and_then(Value::as_str);
            let made = object.iter().map(|(name, inner)| {
                let inner = match operator.filter(|_| name == "operand") {
                    Some(operator) => operand_of(operator, inner, named),
                    None => filled(name, inner, to, named),
                };
                (name.clone(), inner)
            });
            Value::Object(made.collect())
        }
        Value::Number(number) => {
            let kind = match key {
                "to" => Some(to.to_owned()),
                "add" | "delete" | "remove" => Some("user".to_owned()),
                _ => kind(key, ""),
            };
            match (kind, number.as_i64()) {
                (Some(kind), Some(id)) if id > 0 => named(&kind, id),
                _ => value.clone(),
            }
        }
        other => other.clone(),
    }
}

/// What a term of a narrow is about.
fn operand_of(operator: &str, operand: &Value, named: Named) -> Value {
    let kind = match operator {
        "channel" | "stream" => "channel",
        "id" | "near" | "with" => "message",
        "sender" | "dm" | "dm-including" | "pm-with" | "group-pm-with" => "user",
        _ => return operand.clone(),
    };
    match operand {
        Value::Array(items) => items.iter().map(|item| operand_of(operator, item, named)).collect::<Vec<_>>().into(),
        Value::Number(number) => number.as_i64().map_or_else(|| operand.clone(), |id| named(kind, id)),
        Value::String(text) if kind == "message" => text.parse().map_or_else(|_| operand.clone(), |id| named(kind, id)),
        other => other.clone(),
    }
}

/// The lines below the first of a request, and its path.
///
/// # Errors
///
/// What can't be expressed.
pub fn lines(exchange: &Exchange, names: &mut Names, stand_ins: &mut StandIns) -> Result<(String, String), String> {
    let mut path = path(exchange, names)?;
    let query: Vec<(String, String)> = form_urlencoded::parse(exchange.query.as_bytes()).into_owned().collect();
    let is_read = matches!(exchange.method.as_str(), "GET" | "HEAD");
    let form = match &exchange.sent {
        Sent::Form(form) | Sent::Parts(form, _) if is_read => [query.as_slice(), form].concat(),
        Sent::Form(form) | Sent::Parts(form, _) => form.clone(),
        _ if is_read => query.clone(),
        _ => Vec::new(),
    };
    if !is_read && !exchange.query.is_empty() {
        if query.iter().any(|(name, _)| is_secret(name)) {
            return Err("its query has a secret".to_owned());
        }
        path = format!("{path}?{}", exchange.query.replace("{{", "%7B%7B"));
    }
    let mut written = Vec::new();
    let mut is_plain = true;
    for (name, text) in &form {
        let value = parameter(exchange, name, text, names, stand_ins)?;
        is_plain &= fits_lines(text) && !name.is_empty() && !name.contains([':', ' ', '\n', '}', ']']);
        written.push(line(name, &finished(&value)));
    }
    if !is_plain {
        if matches!(exchange.sent, Sent::Parts(..)) {
            return Err("a text in its form can't be written in lines".to_owned());
        }
        let encoded = form_urlencoded::Serializer::new(String::new()).extend_pairs(&form).finish();
        written = vec![format!("body application/x-www-form-urlencoded: {encoded}")];
        if is_read {
            written.clear();
            path = format!("{path}?{encoded}");
        }
    }
    match &exchange.sent {
        Sent::Parts(_, files) => {
            for upload in files {
                written.push(file(upload)?);
            }
        }
        Sent::Json(kind, body) => written.push(format!("body {kind}: {}", json(exchange, body, names)?)),
        Sent::Other(kind) => return Err(format!("its body is {}", if kind.is_empty() { "of no type" } else { kind })),
        Sent::TooLarge => return Err("its body is too large".to_owned()),
        Sent::Nothing | Sent::Form(_) => {}
    }
    Ok((path, written.join("\n")))
}

fn path(exchange: &Exchange, names: &mut Names) -> Result<String, String> {
    let Some(operation) = exchange.operation() else {
        if let Some(name) = names.text(&exchange.path) {
            return Ok(format!("{{{{origin}}}}{{{{{name}}}}}"));
        }
        let is_file = ["/user_uploads/", "/user_avatars/", "/avatar/", "/static/", "/external_content/", "/json/"];
        if is_file.iter().any(|start| exchange.path.starts_with(start)) {
            return Err("the recording gave no such address, or it acts in a session".to_owned());
        }
        return Ok(format!("{{{{server}}}}{}", exchange.path.replace("{{", "%7B%7B")));
    };
    if operation.starts_with("/user_uploads/") || operation.starts_with("/tus") {
        return Err("it names a file by an address that scenarios can't write".to_owned());
    }
    let mut before = "";
    let mut written = Vec::new();
    for segment in operation.split('/') {
        let decoded = percent_encoding::percent_decode_str(segment).decode_utf8_lossy();
        let id = segment.parse::<i64>().ok();
        written.push(match (id, names.whole(&decoded)) {
            (Some(id), _) if is_of_things(before) => {
                let named = names.sent(&singular(before), id);
                finished(named.as_str().unwrap_or(segment))
            }
            (_, Some(name)) => finished(&name),
            (_, None) => segment.replace("{{", "%7B%7B"),
        });
        if id.is_none() {
            before = segment;
        }
    }
    Ok(written.join("/"))
}

/// The value of a parameter.
fn parameter(
    exchange: &Exchange,
    name: &str,
    text: &str,
    names: &mut Names,
    stand_ins: &mut StandIns,
) -> Result<String, String> {
    if is_secret(name) && !text.is_empty() {
        return stand_ins.of(exchange, name, text);
    }
    if let Some(name) = names.whole(text) {
        return Ok(name);
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Number(number)) if number.as_f64().is_some_and(|value| is_time(name, value)) => {
            Ok(time(exchange, number.as_f64().unwrap_or_default()))
        }
        Ok(value @ (Value::Array(_) | Value::Object(_))) => {
            Ok(with_numbers(&whole_texts(name, &value, exchange, names)?, &|inner| names.is_number(inner)))
        }
        Ok(value @ Value::Number(_)) => {
            let to = kind_of_list(exchange);
            let made = filled(name, &value, &to, &mut |kind, id| names.sent(kind, id));
            Ok(made.as_str().map_or_else(|| text.to_owned(), str::to_owned))
        }
        _ => Ok(names.within(text)),
    }
}

/// A JSON value of a request with its ids and addresses replaced.
fn whole_texts(name: &str, value: &Value, exchange: &Exchange, names: &mut Names) -> Result<Value, String> {
    fn replaced(value: Value, names: &Names) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => names.whole(&text).unwrap_or_else(|| names.within(&text)).into(),
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| replaced(item, names)).collect::<Result<_, _>>()?)
            }
            Value::Object(object) => {
                let mut made = serde_json::Map::new();
                for (key, inner) in object {
                    if is_secret(&key) && inner.as_str().is_some_and(|text| !text.is_empty()) {
                        return Err("it has a secret".to_owned());
                    }
                    made.insert(key, replaced(inner, names)?);
                }
                Value::Object(made)
            }
            other => other,
        })
    }
    let value = filled(name, value, &kind_of_list(exchange), &mut |kind, id| names.sent(kind, id));
    replaced(value, names)
}

fn json(exchange: &Exchange, body: &Value, names: &mut Names) -> Result<String, String> {
    let made = whole_texts("", body, exchange, names)?;
    Ok(finished(&with_numbers(&made, &|inner| names.is_number(inner))))
}

/// A time, counted from when the request was sent.
fn time(exchange: &Exchange, value: f64) -> String {
    let (value, unit) = if value > 1e11 { (value / 1e3, 1_000) } else { (value, 1) };
    let offset = value.round() as i64 - exchange.started.floor() as i64;
    // Milliseconds are not among the placeholders.
    if unit > 1 {
        return format!("{}", value as i64 * unit);
    }
    let sign = if offset < 0 { '-' } else { '+' };
    placeholder(&if offset == 0 { "now".to_owned() } else { format!("now {sign}{}s", offset.abs()) })
}

/// A file: its text, or its bytes in base64.
fn file(upload: &Upload) -> Result<String, String> {
    let Upload { name, content } = upload;
    if content.len() > LARGEST_FILE {
        return Err(format!("a file of {} KiB is too large for a scenario", content.len() >> 10));
    }
    if name.is_empty() || name.contains([':', '"', '\n', '\r']) || name.trim() != name {
        return Err("the name of a file can't be written in a line".to_owned());
    }
    match std::str::from_utf8(content) {
        Ok(text) if fits_lines(text) && !text.is_empty() => Ok(line(&format!("file {name}"), &finished(text))),
        _ => {
            let encoded = base64::engine::general_purpose::STANDARD.encode(content);
            Ok(format!("file {name} base64: {encoded}"))
        }
    }
}

impl StandIns {
    /// The text in place of a secret, if this or an earlier request sets it.
    fn of(&mut self, exchange: &Exchange, name: &str, secret: &str) -> Result<String, String> {
        let sets =
            matches!(name, "new_password" | "token") || (name == "password" && exchange.operation() == Some("/users"));
        if let Some(known) = self.by_secret.get(secret) {
            return Ok(known.clone());
        }
        if !sets {
            return Err(format!("its parameter {name} is a secret"));
        }
        let stand_in = format!("stand-in-for-a-secret-{}", self.by_secret.len() + 1);
        self.by_secret.insert(secret.to_owned(), stand_in.clone());
        Ok(stand_in)
    }
}
