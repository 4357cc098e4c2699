//! Pictures and uploaded files.

use super::json::Json;
use super::lists::emoji_records;
use super::reader::{ReadError, Reader};
use crate::upstream::Fault;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use percent_encoding::percent_decode_str;
use regex::Regex;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::sync::LazyLock;

/// The address of an uploaded file in a text, without `/user_uploads/`.
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"/user_uploads/(?:thumbnail/)?(\d+/[0-9a-f]{1,2}/[\w-]+/[^\s()\[\]<>"'?#]+)"#;
    Regex::new(pattern).unwrap_or_else(|error| unreachable!("the pattern is tested: {error}"))
});

/// The largest file that is put into a fixture, in bytes.
const LARGEST: usize = 32 << 20;

/// Reads the pictures of custom emoji and, with `--with-uploads`, pictures of users and the files that messages link. A file
/// that can't be read is noted.
///
/// # Errors
///
/// [`ReadError`].
pub(super) async fn read(reader: &mut Reader<'_>, register: &Value) -> Result<(), ReadError> {
    let emoji = emoji_records(register);
    reader.progress.begin("pictures of emoji", Some(emoji.len() as u64));
    for record in emoji {
        let what = format!("emoji {}", record.text("id"));
        file(reader, &what, &what, record.text("source_url"), json!({})).await?;
    }
    if reader.wanted.with_uploads {
        avatars(reader).await?;
        uploads(reader).await?;
    }
    Ok(())
}

/// Whether a picture was uploaded, rather than made by a service or the server.
fn is_uploaded(url: &str) -> bool {
    !url.is_empty() && !url.contains("gravatar.com/") && !url.contains("/static/") && !url.contains("/avatar/")
}

async fn avatars(reader: &mut Reader<'_>) -> Result<(), ReadError> {
    let mut avatars = Vec::new();
    let mut lines = reader.partial.lines()?;
    while let Some(line) = lines.next()? {
        if matches!(line.kind, "user" | "former user") {
            let user: Value = serde_json::from_str(line.json).map_err(io::Error::from)?;
            if let Some(id) = user.int("user_id").filter(|_| is_uploaded(user.text("avatar_url"))) {
                avatars.push((id, user.text("avatar_url").to_owned()));
            }
        }
    }
    reader.progress.begin("pictures of users", Some(avatars.len() as u64));
    for (id, url) in avatars {
        let what = format!("avatar {id}");
        file(reader, &what, &what, &url, json!({})).await?;
    }
    Ok(())
}

/// What is known of an uploaded file before it is read.
struct Upload {
    owner: i64,
    /// Unix seconds.
    at: i64,
    id: Option<i64>,
    name: Option<String>,
}

async fn uploads(reader: &mut Reader<'_>) -> Result<(), ReadError> {
    let mut uploads: BTreeMap<String, Upload> = BTreeMap::new();
    let own = own_number(reader)?;
    let mut lines = reader.partial.lines()?;
    while let Some(line) = lines.next()? {
        if line.kind == "attachment" {
            let record: Value = serde_json::from_str(line.json).map_err(io::Error::from)?;
            let at = record["create_time"].as_f64().unwrap_or_default();
            // Milliseconds at some levels, seconds at others.
            let at = if at > 1e11 { at / 1e3 } else { at } as i64;
            let name = Some(record.text("name").to_owned());
            uploads.insert(record.text("path_id").to_owned(), Upload { owner: own, at, id: record.int("id"), name });
        } else if line.kind.starts_with("message ") && line.json.contains("/user_uploads/") {
            let record: Value = serde_json::from_str(line.json).map_err(io::Error::from)?;
            let (owner, at) = (record.int("sender_id").unwrap_or(own), record.int("timestamp").unwrap_or_default());
            for found in LINK.captures_iter(record.text("content")) {
                let path_id = percent_decode_str(&found[1]).decode_utf8_lossy().into_owned();
                uploads.entry(path_id).or_insert(Upload { owner, at, id: None, name: None });
            }
        }
    }
    reader.progress.begin("uploaded files", Some(uploads.len() as u64));
    for (path_id, upload) in uploads {
        let name = upload.name.unwrap_or_else(|| path_id.rsplit('/').next().unwrap_or_default().to_owned());
        let more = json!({"path_id": path_id, "owner": upload.owner, "at": upload.at, "id": upload.id, "name": name});
        let step = format!("upload {path_id}");
        if reader.partial.done(&step).is_some() {
            continue;
        }
        let url = temporary_url(reader, &path_id).await?;
        file(reader, &step, "upload", &url, more).await?;
    }
    Ok(())
}

fn own_number(reader: &Reader<'_>) -> Result<i64, ReadError> {
    let mut lines = reader.partial.lines()?;
    while let Some(line) = lines.next()? {
        if line.kind == "register" {
            let register: Value = serde_json::from_str(line.json).map_err(io::Error::from)?;
            return Ok(register.int("user_id").unwrap_or_default());
        }
    }
    Ok(0)
}

/// The address at which a file is read without a session; the file's own address if the API gives none.
async fn temporary_url(reader: &Reader<'_>, path_id: &str) -> Result<String, ReadError> {
    let path = format!("/user_uploads/{}", encoded(path_id));
    match reader.upstream.get(&path, &[]).await {
        Ok(reply) => {
            let body: Value = reader.json(&reply, &path)?;
            Ok(body["url"].as_str().map_or(path, str::to_owned))
        }
        Err(fault) if fault.is_refusal() => Ok(path),
        Err(fault) => Err(fault.into()),
    }
}

fn encoded(path_id: &str) -> String {
    let parts = path_id
        .split('/')
        .map(|part| percent_encoding::utf8_percent_encode(part, percent_encoding::NON_ALPHANUMERIC).to_string());
    parts.collect::<Vec<_>>().join("/")
}

/// Reads a file as a step of its own.
async fn file(reader: &mut Reader<'_>, step: &str, kind: &str, url: &str, mut more: Value) -> Result<(), ReadError> {
    if reader.partial.done(step).is_some() {
        return Ok(());
    }
    match reader.upstream.download(url).await {
        Ok(bytes) if bytes.len() <= LARGEST => {
            more["base64"] = STANDARD.encode(&bytes).into();
            reader.partial.record(kind, &more)?;
        }
        Ok(_) => reader.partial.note(&format!(
            "{} is not in the file: it is larger than {} MiB",
            named(step),
            LARGEST >> 20
        ))?,
        Err(Fault { reason, .. }) => reader.partial.note(&format!("{} is not in the file: {reason}", named(step)))?,
    }
    reader.partial.end_step(step, Value::Null)?;
    reader.progress.advance(1);
    Ok(())
}

fn named(step: &str) -> String {
    match step.split_once(' ') {
        Some(("emoji", id)) => format!("The picture of the emoji {id}"),
        Some(("avatar", id)) => format!("The picture of the user {id}"),
        Some((_, path_id)) => format!("The upload {path_id}"),
        None => step.to_owned(),
    }
}

/// The bytes in a record.
pub(super) fn bytes_of(record: &Value) -> Bytes {
    STANDARD.decode(record.text("base64")).unwrap_or_default().into()
}
