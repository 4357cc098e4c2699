//! Reads the histories of edited messages.

use super::reader::{ReadError, Reader};
use http::Method;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

impl Reader<'_> {
    /// Reads the edits of messages whose records do not have them. If the server refuses to show edits, the partial
    /// file gets a note.
    ///
    /// # Errors
    ///
    /// If a request fails for another reason than a refusal, a reply has an unexpected structure, or the partial file
    /// can't be read or written.
    pub async fn read_edit_histories(&mut self) -> Result<(), ReadError> {
        let mut ids_without_history = BTreeSet::new();
        let mut records = self.partial.records()?;
        while let Some(record) = records.read_next()? {
            if record.kind.starts_with("message ") {
                let head: MessageHead<'_> = serde_json::from_str(record.json).map_err(io::Error::from)?;
                let is_changed = head.last_edit_timestamp.is_some() || head.last_moved_timestamp.is_some();
                if is_changed && head.edit_history.is_none() {
                    ids_without_history.insert(head.id);
                }
            }
        }
        self.progress.begin("edits", Some(ids_without_history.len() as u64));
        for id in ids_without_history {
            let path = format!("/messages/{id}/history");
            if self.partial.step_value(&path).is_some() {
                continue;
            }
            match self.upstream.get(&path, &[]).await {
                Ok(reply) => {
                    let body: BTreeMap<Cow<'_, str>, &RawValue> = self.parse_reply(&reply, &Method::GET, &path)?;
                    if let Some(history) = body.get("message_history") {
                        self.partial.append_raw(&format!("history {id}"), history)?;
                    }
                }
                Err(error) if error.is_refusal() => {
                    self.partial
                        .add_note(&format!("The edits of message {id} are not in the file: {}", error.reason))?;
                }
                Err(error) => return Err(error.into()),
            }
            self.partial.complete_step(&path, Value::Null)?;
            self.progress.advance(1);
        }
        Ok(())
    }
}

/// The fields of a message that say whether its edits are missing.
#[derive(Deserialize)]
struct MessageHead<'a> {
    id: i64,
    last_edit_timestamp: Option<i64>,
    last_moved_timestamp: Option<i64>,
    #[serde(borrow)]
    edit_history: Option<&'a RawValue>,
}
