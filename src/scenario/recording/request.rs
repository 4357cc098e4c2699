//! Converts a recorded request to the lines of a `request` block.

use super::exchange::{Exchange, RequestBody, Upload};
use super::kinds::{kind_of_collection, kind_of_id};
use super::names::Names;
use super::secrets::is_secret_name;
use super::text::{can_be_written_in_lines, escape_braces, format_json_in_line, parameter_lines, placeholder};
use super::times::is_unix_time;
use base64::Engine;
use serde_json::Value;
use std::collections::BTreeMap;

/// The maximum size of a file in a scenario. Requests with larger files are omitted.
const MAX_FILE_BYTES: usize = 256 << 10;

/// The replacements of passwords and tokens that requests set.
#[derive(Debug, Default)]
pub struct SecretReplacements {
    replacements_by_secret: BTreeMap<String, String>,
}

/// Converts the kind of an object and its ID to the value in the block.
type IdConverter<'a> = &'a mut dyn FnMut(&str, i64) -> Value;

/// The IDs in a request, each with the kind of its object.
pub fn ids_in_request(exchange: &Exchange) -> Vec<(String, i64)> {
    let mut ids = Vec::new();
    let mut add = |kind: &str, id: i64| {
        ids.push((kind.to_owned(), id));
        Value::Null
    };
    for (kind, id) in ids_in_path(exchange.api_path().unwrap_or_default()) {
        add(&kind, id);
    }
    for (name, text) in exchange.parameters() {
        if let Ok(value) = serde_json::from_str(&text) {
            // Only the IDs that `add` receives matter; the converted value does not.
            convert_ids(&name, &value, &recipient_kind(exchange), &mut add);
        }
    }
    if let RequestBody::Json(_, body) = &exchange.body {
        convert_ids("", body, &recipient_kind(exchange), &mut add);
    }
    ids
}

fn ids_in_path(path: &str) -> Vec<(String, i64)> {
    let mut ids = Vec::new();
    let mut previous_segment = "";
    for segment in path.split('/') {
        match segment.parse::<i64>() {
            Ok(id) if precedes_id(previous_segment) => ids.push((kind_after_segment(previous_segment), id)),
            Ok(_) => {}
            Err(_) => previous_segment = segment,
        }
    }
    ids
}

/// The kind of the object whose ID follows this segment of a path.
fn kind_after_segment(previous_segment: &str) -> String {
    match previous_segment {
        // `/users/me/{stream_id}/topics`
        "me" => "channel".to_owned(),
        collection => kind_of_collection(collection),
    }
}

/// Whether a number after this segment of a path is the ID of an object to convert. After `user_uploads` and `tus`, it
/// is the ID of the organization, which has no placeholder.
fn precedes_id(previous_segment: &str) -> bool {
    !matches!(previous_segment, "" | "user_uploads" | "tus")
}

/// The kind of the recipients in the parameter `to`.
fn recipient_kind(exchange: &Exchange) -> String {
    let kind = exchange.parameter("type").unwrap_or_default();
    let is_channel_message = ["channel", "stream", "\"channel\"", "\"stream\""].contains(&kind.as_str());
    if is_channel_message { "channel" } else { "user" }.to_owned()
}

/// Converts the IDs in a value of a request. `recipient_kind` is the kind of IDs in the parameter `to`.
fn convert_ids(key: &str, value: &Value, recipient_kind: &str, convert_id: IdConverter) -> Value {
    match value {
        Value::Array(items) => {
            if let [Value::String(operator), operand, ..] = items.as_slice()
                && key == "narrow"
            {
                let mut converted_items = items.clone();
                converted_items[1] = convert_operand(operator, operand, convert_id);
                return converted_items.into();
            }
            items.iter().map(|item| convert_ids(key, item, recipient_kind, convert_id)).collect::<Vec<_>>().into()
        }
        Value::Object(object) => {
            let operator = object.get("operator").and_then(Value::as_str);
            let converted_members = object.iter().map(|(name, member)| {
                let member = match operator.filter(|_| name == "operand") {
                    Some(operator) => convert_operand(operator, member, convert_id),
                    None => convert_ids(name, member, recipient_kind, convert_id),
                };
                (name.clone(), member)
            });
            Value::Object(converted_members.collect())
        }
        Value::Number(number) => {
            let kind = match key {
                "to" => Some(recipient_kind.to_owned()),
                // Of the members of a user group.
                "add" | "delete" | "remove" => Some("user".to_owned()),
                _ => kind_of_id(key, ""),
            };
            match (kind, number.as_i64()) {
                (Some(kind), Some(id)) if id > 0 => convert_id(&kind, id),
                _ => value.clone(),
            }
        }
        other => other.clone(),
    }
}

/// Converts the IDs in the operand of a narrow's term.
fn convert_operand(operator: &str, operand: &Value, convert_id: IdConverter) -> Value {
    let kind = match operator {
        "channel" | "stream" => "channel",
        "id" | "near" | "with" => "message",
        "sender" | "dm" | "dm-including" | "pm-with" | "group-pm-with" => "user",
        _ => return operand.clone(),
    };
    match operand {
        Value::Array(items) => {
            items.iter().map(|item| convert_operand(operator, item, convert_id)).collect::<Vec<_>>().into()
        }
        Value::Number(number) => number.as_i64().map_or_else(|| operand.clone(), |id| convert_id(kind, id)),
        Value::String(text) if kind == "message" => {
            text.parse().map_or_else(|_| operand.clone(), |id| convert_id(kind, id))
        }
        other => other.clone(),
    }
}

/// The caller of a request, with a wrong key if the server refused the key.
///
/// # Errors
///
/// The reason, if the account has no handle.
pub fn caller_text(exchange: &Exchange, names: &Names) -> Result<String, &'static str> {
    let Some((email, key)) = &exchange.account else { return Ok("anonymous".to_owned()) };
    // Servers refuse a key of another form in other words.
    let is_well_formed = key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let wrong_key = if is_well_formed { "wrongKey".repeat(4) } else { "wrong".to_owned() };
    match names.handle(email) {
        Some(handle) if exchange.status == 401 => Ok(format!("{handle} with key {wrong_key}")),
        Some(handle) => Ok(handle.to_owned()),
        None => Err("no request of this account succeeded, so that it is no user of the scenario"),
    }
}

/// The path of a request, and the lines of its block after the first one.
///
/// # Errors
///
/// The reason why a scenario can't express the request.
pub fn path_and_lines(
    exchange: &Exchange,
    names: &mut Names,
    replacements: &mut SecretReplacements,
) -> Result<(String, String), String> {
    let mut path = convert_path(exchange, names)?;
    let query: Vec<(String, String)> = form_urlencoded::parse(exchange.query.as_bytes()).into_owned().collect();
    let is_read = matches!(exchange.method.as_str(), "GET" | "HEAD");
    let form = match &exchange.body {
        RequestBody::Form(form) | RequestBody::Multipart(form, _) if is_read => [query.as_slice(), form].concat(),
        RequestBody::Form(form) | RequestBody::Multipart(form, _) => form.clone(),
        _ if is_read => query.clone(),
        _ => Vec::new(),
    };
    if !is_read && !exchange.query.is_empty() {
        if query.iter().any(|(name, _)| is_secret_name(name)) {
            return Err("its query has a secret".to_owned());
        }
        path = format!("{path}?{}", exchange.query.replace("{{", "%7B%7B"));
    }
    let mut lines = Vec::new();
    let mut fits_in_lines = true;
    for (name, text) in &form {
        let value = convert_parameter(exchange, name, text, names, replacements)?;
        fits_in_lines &=
            can_be_written_in_lines(text) && !name.is_empty() && !name.contains([':', ' ', '\n', '}', ']']);
        lines.push(parameter_lines(name, &escape_braces(&value)));
    }
    if !fits_in_lines {
        if matches!(exchange.body, RequestBody::Multipart(..)) {
            return Err("a text in its form can't be written in lines".to_owned());
        }
        let encoded = form_urlencoded::Serializer::new(String::new()).extend_pairs(&form).finish();
        lines = vec![format!("body application/x-www-form-urlencoded: {encoded}")];
        if is_read {
            lines.clear();
            path = format!("{path}?{encoded}");
        }
    }
    match &exchange.body {
        RequestBody::Multipart(_, files) => {
            for upload in files {
                lines.push(file_line(upload)?);
            }
        }
        RequestBody::Json(media_type, body) => {
            lines.push(format!("body {media_type}: {}", convert_body(exchange, body, names)?))
        }
        RequestBody::Other(media_type) => {
            return Err(format!("its body is {}", if media_type.is_empty() { "of no type" } else { media_type }));
        }
        RequestBody::TooLarge => return Err("its body is too large".to_owned()),
        RequestBody::Empty | RequestBody::Form(_) => {}
    }
    Ok((path, lines.join("\n")))
}

fn convert_path(exchange: &Exchange, names: &mut Names) -> Result<String, String> {
    let Some(api_path) = exchange.api_path() else {
        if let Some(name) = names.name_of_captured_text(&exchange.path) {
            return Ok(format!("{{{{origin}}}}{{{{{name}}}}}"));
        }
        let file_prefixes = ["/user_uploads/", "/user_avatars/", "/avatar/", "/static/", "/external_content/"];
        if file_prefixes.iter().any(|prefix| exchange.path.starts_with(prefix)) {
            return Err("it fetches a file whose address no recorded reply gave".to_owned());
        }
        if exchange.path.starts_with("/json/") {
            return Err("it acts in a session".to_owned());
        }
        return Ok(format!("{{{{server}}}}{}", exchange.path.replace("{{", "%7B%7B")));
    };
    if api_path.starts_with("/user_uploads/") || api_path.starts_with("/tus") {
        return Err("it names a file by an address that scenarios can't write".to_owned());
    }
    let mut previous_segment = "";
    let mut segments = Vec::new();
    for segment in api_path.split('/') {
        let decoded = percent_encoding::percent_decode_str(segment).decode_utf8_lossy();
        let id = segment.parse::<i64>().ok();
        segments.push(match (id, names.placeholder_for(&decoded)) {
            (Some(id), _) if precedes_id(previous_segment) => {
                let value = names.convert_id_in_request(&kind_after_segment(previous_segment), id);
                escape_braces(value.as_str().unwrap_or(segment))
            }
            (_, Some(name_placeholder)) => escape_braces(&name_placeholder),
            (_, None) => segment.replace("{{", "%7B%7B"),
        });
        if id.is_none() {
            previous_segment = segment;
        }
    }
    Ok(segments.join("/"))
}

fn convert_parameter(
    exchange: &Exchange,
    name: &str,
    text: &str,
    names: &mut Names,
    replacements: &mut SecretReplacements,
) -> Result<String, String> {
    if is_secret_name(name) && !text.is_empty() {
        return replacements.replacement_for(exchange, name, text);
    }
    if let Some(name_placeholder) = names.placeholder_for(text) {
        return Ok(name_placeholder);
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Number(number)) if number.as_f64().is_some_and(is_unix_time) => {
            Ok(convert_time(exchange, number.as_f64().unwrap_or_default()))
        }
        Ok(value @ (Value::Array(_) | Value::Object(_))) => {
            Ok(format_json_in_line(&convert_json(name, &value, exchange, names)?, &|inner| {
                names.is_number_placeholder(inner)
            }))
        }
        Ok(value @ Value::Number(_)) => {
            let recipient_kind = recipient_kind(exchange);
            let converted =
                convert_ids(name, &value, &recipient_kind, &mut |kind, id| names.convert_id_in_request(kind, id));
            Ok(converted.as_str().map_or_else(|| text.to_owned(), str::to_owned))
        }
        _ => Ok(names.insert_placeholders(text)),
    }
}

/// Replaces IDs, email addresses, queue IDs and captured texts in a JSON value of a request with placeholders.
///
/// # Errors
///
/// The reason, if the value has a secret.
fn convert_json(name: &str, value: &Value, exchange: &Exchange, names: &mut Names) -> Result<Value, String> {
    fn replace_texts(value: Value, names: &Names) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => {
                names.placeholder_for(&text).unwrap_or_else(|| names.insert_placeholders(&text)).into()
            }
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| replace_texts(item, names)).collect::<Result<_, _>>()?)
            }
            Value::Object(object) => {
                let mut converted = serde_json::Map::new();
                for (key, member) in object {
                    if is_secret_name(&key) && member.as_str().is_some_and(|text| !text.is_empty()) {
                        return Err("it has a secret".to_owned());
                    }
                    converted.insert(key, replace_texts(member, names)?);
                }
                Value::Object(converted)
            }
            other => other,
        })
    }
    let value =
        convert_ids(name, value, &recipient_kind(exchange), &mut |kind, id| names.convert_id_in_request(kind, id));
    replace_texts(value, names)
}

fn convert_body(exchange: &Exchange, body: &Value, names: &mut Names) -> Result<String, String> {
    let converted = convert_json("", body, exchange, names)?;
    Ok(escape_braces(&format_json_in_line(&converted, &|inner| names.is_number_placeholder(inner))))
}

/// A time relative to the request, as a placeholder. A time in milliseconds stays a number, truncated to full seconds.
fn convert_time(exchange: &Exchange, value: f64) -> String {
    // There are no placeholders for times in milliseconds. Times in seconds are far below 1e11.
    if value > 1e11 {
        return format!("{}", (value / 1e3) as i64 * 1_000);
    }
    let offset = value.round() as i64 - exchange.start_seconds.floor() as i64;
    let sign = if offset < 0 { '-' } else { '+' };
    placeholder(&if offset == 0 { "now".to_owned() } else { format!("now {sign}{}s", offset.abs()) })
}

/// The line of a file, with its text or its bytes in Base64.
fn file_line(upload: &Upload) -> Result<String, String> {
    let Upload { name, content } = upload;
    if content.len() > MAX_FILE_BYTES {
        return Err(format!("a file of {} KiB is too large for a scenario", content.len() >> 10));
    }
    if name.is_empty() || name.contains([':', '"', '\n', '\r']) || name.trim() != name {
        return Err("the name of a file can't be written in a line".to_owned());
    }
    match std::str::from_utf8(content) {
        Ok(text) if can_be_written_in_lines(text) && !text.is_empty() => {
            Ok(parameter_lines(&format!("file {name}"), &escape_braces(text)))
        }
        _ => {
            let encoded = base64::engine::general_purpose::STANDARD.encode(content);
            Ok(format!("file {name} base64: {encoded}"))
        }
    }
}

impl SecretReplacements {
    /// The replacement of a secret that this or an earlier request sets.
    ///
    /// # Errors
    ///
    /// The reason, if none of them sets it.
    fn replacement_for(&mut self, exchange: &Exchange, name: &str, secret: &str) -> Result<String, String> {
        let sets_secret =
            matches!(name, "new_password" | "token") || (name == "password" && exchange.api_path() == Some("/users"));
        if let Some(replacement) = self.replacements_by_secret.get(secret) {
            return Ok(replacement.clone());
        }
        if !sets_secret {
            return Err(format!("its parameter {name} is a secret"));
        }
        let replacement = format!("stand-in-for-a-secret-{}", self.replacements_by_secret.len() + 1);
        self.replacements_by_secret.insert(secret.to_owned(), replacement.clone());
        Ok(replacement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_in_paths_have_the_kind_of_the_segment_before_them() {
        let ids =
            |path: &str| ids_in_path(path).into_iter().map(|(kind, id)| format!("{kind} {id}")).collect::<Vec<_>>();
        assert_eq!(ids("/messages/5/reactions"), ["message 5"]);
        assert_eq!(ids("/users/me/3/topics"), ["channel 3"]);
        assert_eq!(ids("/user_uploads/2/ab/file.png"), [""; 0]);
    }
}
