//! Converts uploaded files to those of a fixture.

use super::directory::Directory;
use super::files::file_content;
use super::json::JsonFields;
use super::pictures;
use crate::fixture::format::{Blob, Upload};
use crate::realm::picture;
use serde_json::Value;

/// Converts an uploaded file; None, with a note, if its path ID does not have four parts or has another organization's
/// ID; None if its time is missing or the directory does not have its owner. In an anonymous fixture, its path, name
/// and content are replaced.
pub fn convert_upload(record: &Value, organization_id: i64, directory: &Directory) -> Option<Upload> {
    let path_id = record.text("path_id");
    let name = record.text("name");
    let bytes = file_content(record);
    let (path_id, name, content) = match &directory.anonymizer {
        None => (path_id.to_owned(), name.to_owned(), Blob::from_bytes(&bytes)),
        Some(anonymizer) => {
            let content = match picture::extension(&bytes) {
                Some(_) => Blob::from_bytes(&pictures::plain_picture(Some(anonymizer), path_id, &bytes)),
                None => Blob::Text("x".repeat(bytes.len())),
            };
            (anonymizer.anonymize_path_id(path_id), anonymizer.anonymize_file_name(name), content)
        }
    };
    let parts: Vec<&str> = path_id.split('/').collect();
    if parts.len() != 4 || parts[0] != organization_id.to_string() || parts.iter().any(|part| part.is_empty()) {
        directory.add_note("Some uploads are not in the file: their addresses are of another form");
        return None;
    }
    Some(Upload {
        id: record.integer("id"),
        label: path_id.clone(),
        name: if name.trim().is_empty() { "file".to_owned() } else { name },
        owner: directory.handle(record.integer("owner")?)?,
        at: directory.convert_past_time(record.integer("at")?),
        content,
        content_type: None,
        path_id: Some(path_id),
    })
}
