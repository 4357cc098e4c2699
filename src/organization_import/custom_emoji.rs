//! Converts custom emoji to those of a fixture.

use super::directory::{Directory, MAX_EMOJI_NAME_LENGTH, to_valid_text};
use super::json::JsonFields;
use super::pictures;
use crate::fixture::format::{Blob, CustomEmoji};
use crate::realm::picture;
use serde_json::{Value, json};

/// Converts a custom emoji; None if the directory does not have it. A picture that was not read, that has an unknown
/// format or that must be anonymous is replaced with a plain one.
pub fn convert_custom_emoji(record: &Value, bytes: Option<&[u8]>, directory: &Directory) -> Option<CustomEmoji> {
    let id: i64 = record.text("id").parse().ok().or_else(|| record.integer("id"))?;
    let name = directory.custom_emoji.get(id)?.to_owned();
    let valid_bytes = bytes.filter(|bytes| picture::extension(bytes).is_some());
    let picture = match (&directory.anonymizer, valid_bytes) {
        (None, Some(bytes)) => Blob::from_bytes(bytes),
        (anonymizer, bytes) => Blob::from_bytes(&pictures::plain_picture(
            anonymizer.as_ref(),
            &format!("emoji {id}"),
            bytes.unwrap_or_default(),
        )),
    };
    Some(CustomEmoji {
        id: Some(id),
        name,
        picture,
        author: record.integer("author_id").and_then(|id| directory.handle(id)),
        deactivated: record.boolean("deactivated"),
    })
}

/// The custom emoji of the register reply, each with its ID as a text, sorted by ID.
pub fn emoji_records(register_reply: &Value) -> Vec<Value> {
    let mut records: Vec<Value> = match &register_reply["realm_emoji"] {
        Value::Object(emoji) => emoji.iter().map(|(id, record)| with_id(id, record)).collect(),
        _ => Vec::new(),
    };
    records.sort_by_key(|record| record.text("id").parse::<i64>().unwrap_or(i64::MAX));
    records
}

fn with_id(id: &str, record: &Value) -> Value {
    let mut record = record.clone();
    record["id"] = json!(id);
    record
}

/// Makes a name valid for a custom emoji of this double.
pub fn to_valid_emoji_name(name: &str) -> String {
    let is_allowed =
        |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || "_-".contains(character);
    let valid_name = to_valid_text(&name.to_lowercase(), MAX_EMOJI_NAME_LENGTH);
    valid_name.chars().map(|character| if is_allowed(character) { character } else { '_' }).collect()
}
