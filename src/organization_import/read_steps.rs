//! The steps of reading an organization in their order. The server settings, the register reply and further lists are
//! read here; messages, their edits and files in other modules.

use super::ImportOptions;
use super::feed::FeedChannel;
use super::files::read_files;
use super::partial_file::PartialFile;
use super::reader::{Progress, ReadError, Reader};
use super::server::Server;
use crate::upstream::{Request, Upstream};
use http::Method;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

/// The lists of the register reply that grow with the organization, each with the kind of record for its elements.
const RECORDED_LISTS: [(&str, &str); 7] = [
    ("realm_users", "user"),
    ("realm_non_active_users", "former user"),
    ("cross_realm_bots", "system bot"),
    ("subscriptions", "subscription"),
    ("unsubscribed", "former subscription"),
    ("never_subscribed", "channel"),
    ("streams", "channel"),
];

/// The capabilities that the registration sends, with their values. Those that are false would leave data out of the
/// register reply.
const CAPABILITIES: [(&str, bool); 12] = [
    ("notification_settings_null", true),
    ("bulk_message_deletion", true),
    ("stream_typing_notifications", true),
    ("user_settings_object", true),
    ("linkifier_url_template", true),
    ("user_list_incomplete", true),
    ("include_deactivated_groups", true),
    ("archived_channels", true),
    ("empty_topic_name", true),
    ("simplified_presence_events", true),
    ("partial_subscribers", false),
    ("user_avatar_url_field_optional", false),
];

/// Reads the organization as an account sees it into a partial file, and skips the steps that are complete already.
///
/// # Errors
///
/// If the server is unsuitable, a selected channel does not exist, a request fails, a reply has an unexpected
/// structure, or the partial file can't be read or written. After the register reply, a refusal is no error, but gets a
/// note. The complete steps remain in the partial file.
pub async fn read(
    upstream: &Upstream,
    options: &ImportOptions,
    partial: &mut PartialFile,
    progress: &dyn Progress,
) -> Result<(), ReadError> {
    let mut reader = Reader { upstream, options, partial, progress };
    progress.begin("the organization", None);
    let server = reader.read_server().await?;
    reader.read_register_reply().await?;
    let overview = reader.read_overview(&server)?;
    reader.read_other_lists(&server).await?;
    reader.read_messages(&server, &overview.channels, &overview.register_reply).await?;
    reader.read_edit_histories().await?;
    read_files(&mut reader, &overview.register_reply).await
}

/// The parts of the register reply that later steps need.
struct Overview {
    /// The register reply with the newest names, without the lists of [`RECORDED_LISTS`] and without presences.
    register_reply: Value,
    /// Those that `--channel` names, or all, sorted by ID.
    channels: Vec<FeedChannel>,
}

impl Reader<'_> {
    async fn read_server(&mut self) -> Result<Server, ReadError> {
        if let Some(settings) = self.partial.step_value("server") {
            return Server::new(settings).map_err(ReadError::Unsuitable);
        }
        let reply = self.upstream.get("/server_settings", &[]).await?;
        let settings: Value = self.parse_reply(&reply, &Method::GET, "/server_settings")?;
        let server = Server::new(&settings).map_err(ReadError::Unsuitable)?;
        self.partial.append("server", &settings)?;
        self.partial.complete_step("server", settings)?;
        Ok(server)
    }

    /// Reads the register reply. This is the only step with a side effect: it creates a queue, which is deleted at
    /// once.
    async fn read_register_reply(&mut self) -> Result<(), ReadError> {
        if self.partial.step_value("register").is_some() {
            return Ok(());
        }
        let capabilities = BTreeMap::from(CAPABILITIES);
        let parameters = [
            ("client_capabilities", json!(capabilities).to_string()),
            ("slim_presence", "true".to_owned()),
            ("presence_history_limit_days", "365".to_owned()),
            ("client_gravatar", "false".to_owned()),
            ("include_subscribers", "true".to_owned()),
            ("apply_markdown", "false".to_owned()),
        ];
        let request = Request { method: Method::POST, path: "/register", parameters: &parameters };
        let reply = self.upstream.send_checked(&request).await?;
        let mut register_reply: BTreeMap<Cow<'_, str>, &RawValue> =
            self.parse_reply(&reply, &Method::POST, "/register")?;
        let queue_id = register_reply.remove("queue_id").and_then(|id| serde_json::from_str::<String>(id.get()).ok());
        if let Some(queue_id) = queue_id {
            self.delete_queue(queue_id).await?;
        }
        for (key, kind) in RECORDED_LISTS {
            let Some(list) = register_reply.remove(key) else { continue };
            // At older levels, `streams` holds numbers or is absent.
            let list: Vec<&RawValue> = serde_json::from_str(list.get()).unwrap_or_default();
            for element in list {
                self.partial.append_raw(kind, element)?;
            }
        }
        if let Some(presences) = register_reply.remove("presences") {
            let presences: BTreeMap<Cow<'_, str>, &RawValue> =
                serde_json::from_str(presences.get()).unwrap_or_default();
            for (user, presence) in presences {
                self.partial.append("presence", &(user, presence))?;
            }
        }
        self.partial.append("register", &register_reply)?;
        self.partial.complete_step("register", Value::Null)?;
        Ok(())
    }

    async fn delete_queue(&mut self, queue_id: String) -> Result<(), ReadError> {
        let request = Request { method: Method::DELETE, path: "/events", parameters: &[("queue_id", queue_id)] };
        if let Err(error) = self.upstream.send_checked(&request).await {
            self.partial
                .add_note(&format!("The queue that was registered is not ended, and ends by itself: {error}"))?;
        }
        Ok(())
    }

    fn read_overview(&self, server: &Server) -> Result<Overview, ReadError> {
        let (mut register_reply, mut channels) = (Value::Null, BTreeMap::new());
        let mut records = self.partial.records()?;
        while let Some(record) = records.read_next()? {
            let is_subscribed = record.kind == "subscription";
            match record.kind {
                "register" => register_reply = serde_json::from_str(record.json).map_err(io::Error::from)?,
                "subscription" | "former subscription" | "channel" => {
                    let record: ChannelHead<'_> = serde_json::from_str(record.json).map_err(io::Error::from)?;
                    let is_private = record.invite_only.unwrap_or_default();
                    let has_shared_history =
                        is_private && is_subscribed && record.history_public_to_subscribers.unwrap_or_default();
                    let channel =
                        FeedChannel { id: record.stream_id, name: record.name.into_owned(), has_shared_history };
                    channels.entry(channel.id).or_insert(channel);
                }
                _ => {}
            }
        }
        let register_reply = server.with_newest_names(&crate::level::objects::REGISTER_REPLY, register_reply);
        let mut channels: Vec<FeedChannel> = channels.into_values().collect();
        if !self.options.channels.is_empty() {
            channels = self.selected_channels(channels)?;
        }
        Ok(Overview { register_reply, channels })
    }

    /// The channels that `--channel` names.
    fn selected_channels(&self, channels: Vec<FeedChannel>) -> Result<Vec<FeedChannel>, ReadError> {
        let mut selected_by_id = BTreeMap::new();
        for name in &self.options.channels {
            let channel = channels.iter().find(|channel| channel.name.to_lowercase() == name.to_lowercase());
            let Some(channel) = channel else {
                let names: Vec<&str> = channels.iter().map(|channel| channel.name.as_str()).collect();
                return Err(ReadError::Unsuitable(crate::json_diagnostic::describe_unknown("channel", name, &names)));
            };
            selected_by_id.insert(channel.id, channel.clone());
        }
        Ok(selected_by_id.into_values().collect())
    }

    /// Reads the lists that are not in the register reply. If the server refuses a list, the partial file gets a note.
    async fn read_other_lists(&mut self, server: &Server) -> Result<(), ReadError> {
        for (path, since, key, kind, subject) in [
            ("/invites", 0, "invites", "invite", "Invitations"),
            ("/export/realm", 0, "exports", "export", "Exports"),
            ("/export/realm/consents", 295, "export_consents", "consent", "Consents of users to exports"),
            ("/attachments", 0, "attachments", "attachment", "The list of the account's own uploads"),
        ] {
            if server.level < since || self.partial.step_value(path).is_some() {
                continue;
            }
            match self.upstream.get(path, &[]).await {
                Ok(reply) => {
                    let body: BTreeMap<Cow<'_, str>, &RawValue> = self.parse_reply(&reply, &Method::GET, path)?;
                    let list = body.get(key).map_or("[]", |list| list.get());
                    let list: Vec<&RawValue> = serde_json::from_str(list).unwrap_or_default();
                    for element in list {
                        self.partial.append_raw(kind, element)?;
                    }
                }
                Err(error) if error.is_refusal() => {
                    self.partial.add_note(&format!("{subject} are not in the file: {}", error.reason))?;
                }
                Err(error) => return Err(error.into()),
            }
            self.partial.complete_step(path, Value::Null)?;
        }
        Ok(())
    }
}

/// The fields of a channel's record that determine how its messages are read.
#[derive(Deserialize)]
struct ChannelHead<'a> {
    stream_id: i64,
    #[serde(borrow)]
    name: Cow<'a, str>,
    invite_only: Option<bool>,
    history_public_to_subscribers: Option<bool>,
}
