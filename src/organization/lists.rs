//! Converts profile fields, linkifiers, custom emoji, reminders, scheduled messages, invitations and exports to those
//! of a fixture.

use super::directory::{Directory, MAX_EMOJI_NAME_LENGTH, valid_name};
use super::json::Json;
use super::people::role_of_user;
use super::personal_data::content;
use super::pictures;
use crate::fixture::format::{
    Blob, CustomEmoji, Export, ExportKind, FieldKind, Invite, InviteLink, InviteTerms, Linkifier, ProfileField,
    Reminder, ScheduledMessage,
};
use crate::realm::id::LinkifierId;
use crate::realm::linkifier::{self, LinkifierSource};
use crate::realm::picture;
use crate::realm::user::Role;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The limit on the profile fields that are in profile summaries.
const MAX_SUMMARY_FIELDS: usize = 2;

/// The type of a profile field by its number in the API.
pub fn field_kind(number: i64) -> Option<FieldKind> {
    use FieldKind::{Choice, Date, ExternalAccount, Link, Paragraph, Pronouns, ShortText, Users};
    [ShortText, Paragraph, Choice, Date, Link, Users, ExternalAccount, Pronouns]
        .into_iter()
        .find(|kind| kind.number() == number)
}

/// The choices of a field, or the site of an external account.
pub fn field_data(record: &Value) -> Option<Map<String, Value>> {
    serde_json::from_str(record.text("field_data")).ok().filter(|data: &Map<String, Value>| !data.is_empty())
}

/// Converts a profile field. `summary_field_count` is the number of fields in profile summaries so far.
pub fn convert_profile_field(
    record: &Value,
    summary_field_count: &mut usize,
    directory: &Directory,
) -> Option<ProfileField> {
    let id = record.integer("id")?;
    let kind = field_kind(record.integer("type")?)?;
    let needs_data = matches!(kind, FieldKind::Choice | FieldKind::ExternalAccount);
    let data = field_data(record).filter(|_| needs_data);
    if needs_data && data.is_none() {
        return None;
    }
    let in_summary = record.boolean("display_in_profile_summary") && *summary_field_count < MAX_SUMMARY_FIELDS;
    *summary_field_count += usize::from(in_summary);
    Some(ProfileField {
        id: Some(id),
        name: directory.profile_fields.get(id)?.to_owned(),
        kind,
        hint: directory.text(record.text("hint")),
        data: data.map(|data| anonymize_field_data(kind, data, directory)),
        in_summary,
        required: record.boolean("required"),
        locked: record["editable_by_user"] == false,
        for_matching: record.boolean("use_for_user_matching"),
    })
}

fn anonymize_field_data(kind: FieldKind, data: Map<String, Value>, directory: &Directory) -> Map<String, Value> {
    if directory.anonymizer.is_none() {
        return data;
    }
    let anonymous_entries = data.into_iter().map(|(key, value)| match (kind, value) {
        (FieldKind::Choice, Value::Object(mut choice)) => {
            let text = directory.text(choice.get("text").and_then(Value::as_str).unwrap_or_default());
            choice.insert("text".to_owned(), text.into());
            (directory.text(&key), Value::Object(choice))
        }
        (FieldKind::ExternalAccount, Value::String(url)) if key == "url_pattern" => (key, directory.link(&url).into()),
        (_, value) => (key, value),
    });
    anonymous_entries.collect()
}

/// Converts a linkifier; None if this double refuses its pattern or its templates.
pub fn convert_linkifier(record: &Value, directory: &Directory) -> Option<Linkifier> {
    let id = record.integer("id");
    let text = |key: &str| record[key].as_str().map(str::to_owned);
    // At older levels, variables are written `%(name)s`.
    let template =
        text("url_template").or_else(|| text("url_format_string").map(|format| convert_to_template(&format)))?;
    let mut linkifier = Linkifier {
        id,
        pattern: text("pattern")?,
        url_template: template,
        example_input: text("example_input"),
        reverse_template: text("reverse_template"),
        alternative_url_templates: record
            .list("alternative_url_templates")
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    };
    if let Some(anonymizer) = &directory.anonymizer {
        let (pattern, names) = anonymizer.pattern(&linkifier.pattern);
        let rename = |name: &str| names.get(name).cloned().unwrap_or_else(|| anonymizer.text(name));
        let anonymize_template = |template: &str| {
            let (scheme, address) = template.split_once("://").unwrap_or(("https", template));
            let (host, path) = address.split_at(address.find(['/', '?', '#', '{']).unwrap_or(address.len()));
            format!("{scheme}://{}{}", anonymizer.host(host), anonymizer.template(path, &rename))
        };
        linkifier.pattern = pattern;
        linkifier.url_template = anonymize_template(&linkifier.url_template);
        linkifier.example_input = linkifier.example_input.map(|example| anonymizer.text(&example));
        linkifier.reverse_template = linkifier.reverse_template.map(|template| anonymizer.template(&template, &rename));
        let alternatives = linkifier.alternative_url_templates.iter().map(|template| anonymize_template(template));
        linkifier.alternative_url_templates = alternatives.collect();
    }
    if compiles(&linkifier) {
        return Some(linkifier);
    }
    // The example may not match the anonymous pattern, and is optional.
    linkifier.example_input = None;
    linkifier.reverse_template = None;
    let pattern = if directory.anonymizer.is_some() { String::new() } else { format!(" {}", linkifier.pattern) };
    directory.add_note(format!("The linkifier {}{pattern} is not in the file as it was", id.unwrap_or_default()));
    compiles(&linkifier).then_some(linkifier)
}

fn compiles(source: &Linkifier) -> bool {
    let source = LinkifierSource {
        pattern: source.pattern.clone(),
        url_template: source.url_template.clone(),
        example_input: source.example_input.clone(),
        reverse_template: source.reverse_template.clone(),
        alternative_url_templates: source.alternative_url_templates.clone(),
    };
    linkifier::Linkifier::compile(LinkifierId(1), source).is_ok()
}

fn convert_to_template(format: &str) -> String {
    let mut result = String::new();
    let mut remaining = format;
    while let Some((literal, from_variable)) = remaining.split_once("%(") {
        let Some((name, suffix)) = from_variable.split_once(")s") else { break };
        result.push_str(&format!("{literal}{{{name}}}"));
        remaining = suffix;
    }
    result + remaining
}

/// Converts a custom emoji. A picture that was not read, or must be anonymous, is replaced by a plain one.
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

/// Converts a pending reminder; None if its message is not in the fixture.
pub fn convert_reminder(record: &Value, has_message: bool, directory: &Directory) -> Option<Reminder> {
    let message = record.integer("reminder_target_message_id").or_else(|| record.integer("message_id"))?;
    let at =
        record.integer("scheduled_delivery_timestamp").filter(|at| *at > directory.reference_time && has_message)?;
    Some(Reminder {
        id: record.integer("reminder_id"),
        user: directory.handle(directory.own_id)?,
        message: message_label(message),
        at: directory.convert_time(at),
        note: directory.convert_markdown(&extract_note(record.text("content"))),
    })
}

/// The label by which other parts of the fixture refer to a message.
pub fn message_label(id: i64) -> String {
    format!("m{id}")
}

/// Extracts the note of a reminder from the text of its message.
fn extract_note(content: &str) -> String {
    let Some((_, from_note)) = content.split_once("Note:\n > ") else { return String::new() };
    from_note.split_once("\n\n@_**").map_or(from_note, |(note, _)| note).to_owned()
}

/// Converts a scheduled message; None if its channel is not in the fixture.
pub fn convert_scheduled_message(record: &Value, directory: &Directory) -> Option<ScheduledMessage> {
    let at = record.integer("scheduled_delivery_timestamp").filter(|at| *at > directory.reference_time)?;
    let is_direct = record.text("type") != "stream";
    let channel = record.integer("to").filter(|_| !is_direct).map(|id| directory.channel(id));
    if channel == Some(None) {
        return None;
    }
    let to = is_direct.then(|| directory.handles(record.integers("to")));
    Some(ScheduledMessage {
        id: record.integer("scheduled_message_id"),
        from: directory.handle(directory.own_id)?,
        at: directory.convert_time(at),
        topic: (!is_direct).then(|| directory.topic(record.text("topic"))),
        channel: channel.flatten(),
        to: to.filter(|to| !to.is_empty()),
        content: content(record.text("content"), directory)?,
    })
    .filter(|message| message.channel.is_some() || message.to.is_some())
}

/// Converts an invitation, which is either a link or was sent by email. Its key is omitted, because it lets anybody
/// join.
pub fn convert_invitation(record: &Value, directory: &Directory) -> Option<(Option<InviteLink>, Option<Invite>)> {
    let by = directory.handle(record.integer("invited_by_user_id")?)?;
    let role = record.integer("invited_as").and_then(Role::from_number).unwrap_or_else(|| role_of_user(record));
    let terms = InviteTerms {
        at: directory.past(record.integer("invited")?),
        expires: record.integer("expiry_date").map(|at| directory.convert_time(at)),
        role,
        include_default_channels: true,
        ..InviteTerms::default()
    };
    let id = record.integer("id");
    if record.boolean("is_multiuse") {
        return Some((Some(InviteLink { id, key: None, terms, by, revoked: false }), None));
    }
    let email = record.text("email");
    let email = match &directory.anonymizer {
        Some(anonymizer) => format!("invited{}@{}", id.unwrap_or_default(), anonymizer.host(email)),
        None => email.to_owned(),
    };
    let notify_referrer_on_join = record.boolean("notify_referrer_on_join");
    Some((None, Some(Invite { id, email, key: None, terms, by, notify_referrer_on_join })))
}

pub fn convert_export(record: &Value, directory: &Directory) -> Option<Export> {
    let time = |key: &str| record[key].as_f64().map(|at| directory.past(at as i64));
    Some(Export {
        id: record.integer("id"),
        by: directory.handle(record.integer("acting_user_id")?)?,
        created: time("export_time")?,
        export_type: match record.integer("export_type") {
            Some(2) => ExportKind::FullWithConsent,
            _ => ExportKind::Public,
        },
        failed: time("failed_timestamp"),
        deleted: time("deleted_timestamp"),
        export_from_prior_server: record.boolean("export_from_prior_server"),
    })
}

/// The types and choices of the profile fields, by ID.
pub fn fields_by_id(records: &[Value]) -> BTreeMap<i64, (FieldKind, Vec<String>)> {
    let field = |record: &Value| {
        let choices = field_data(record).map(|data| data.keys().cloned().collect()).unwrap_or_default();
        Some((record.integer("id")?, (field_kind(record.integer("type")?)?, choices)))
    };
    records.iter().filter_map(field).collect()
}

/// The custom emoji of the register reply, sorted by ID.
pub fn emoji_records(register: &Value) -> Vec<Value> {
    let mut records: Vec<Value> = match &register["realm_emoji"] {
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
    let valid_name = valid_name(&name.to_lowercase(), MAX_EMOJI_NAME_LENGTH);
    valid_name.chars().map(|character| if is_allowed(character) { character } else { '_' }).collect()
}
