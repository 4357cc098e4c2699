//! Requests drawn by chance: any operation of the table, its parameters by their names, mostly from what there is.
//!
//! A new operation needs nothing here, unless a parameter of it has a name that no row below knows: then a row, or it
//! is drawn by its schema, which seldom finds what exists.

use chatdouble::api::parameter::ParameterInfo;
use chatdouble::api::{OPERATIONS, OperationRow};
use chatdouble::realm::Realm;
use chatdouble::realm::id::UserId;
use chatdouble::realm::setting::{REALM_SETTINGS, USER_SETTINGS};
use chatdouble::realm::user::User;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// How often an operation is drawn; those not named: 2 when they change something, 1 when they read.
const WEIGHTS: &[(&str, &str, u64)] = &[
    ("POST", "/messages", 14),
    ("PATCH", "/messages/{message_id}", 12),
    ("POST", "/messages/flags", 6),
    ("POST", "/messages/flags/narrow", 4),
    ("DELETE", "/messages/{message_id}", 4),
    ("POST", "/users/me/subscriptions", 8),
    ("DELETE", "/users/me/subscriptions", 6),
    ("PATCH", "/streams/{stream_id}", 8),
    ("POST", "/user_topics", 4),
    ("POST", "/users/me/subscriptions/properties", 4),
    ("POST", "/mark_all_as_read", 1),
    // Everything after it would be refused alike.
    ("POST", "/realm/deactivate", 0),
    // Queues are the observers' own; the rest needs files or browsers.
    ("POST", "/register", 0),
    ("GET", "/events", 0),
    ("DELETE", "/events", 0),
];

/// A request to be made.
#[derive(Clone)]
pub struct Request {
    /// Who makes it.
    pub caller: Arc<User>,
    /// GET, POST, …
    pub method: &'static str,
    /// Without `/api/v1`, encoded.
    pub path: String,
    /// Parameters outside the path.
    pub params: Map<String, Value>,
    /// The operation.
    pub row: &'static OperationRow,
}

impl Request {
    /// Whether it brings a file.
    pub fn is_upload(&self) -> bool {
        self.path == "/user_uploads" && self.method == "POST"
    }
}

/// Chance, over a realm as it is.
pub struct Draw<'realm> {
    realm: &'realm Realm,
    caller: Arc<User>,
    chance: u64,
}

const CONTENTS: &[&str] = &[
    "plain words",
    "@**Mel Marsh** look",
    "@**Gus Grant** and @**Mona Maddox**",
    "@_**Max Mercer** silently",
    "@**all** hear",
    "@**topic** hear",
    "@*engineers* hear",
    "ready to deploy at the coffee machine",
    "/me waves",
    "#**leadership>budget** and #1041",
    "",
];
const TOPICS: &[&str] = &["lunch", "LUNCH", "logo", "budget", "", "new", "release 1.0", "✔ release 1.0", "builds"];
const EMOJI: &[&str] = &["tada", "green_box", "red_check", "service", "+1", "nonsense"];

impl<'realm> Draw<'realm> {
    /// Chance that follows from a number.
    pub fn new(realm: &'realm Realm, seed: u64) -> Self {
        let mut draw = Self { realm, caller: realm.users[&UserId(1)].clone(), chance: seed };
        let handles = ["olive", "olive", "adam", "mona", "mel", "mel", "max", "gus", "nora", "build-bot", "ivy"];
        let handle = draw.pick(&handles);
        let named = realm.user_by_email(&format!("{handle}@chat.test")).cloned();
        draw.caller = named.filter(|user| user.is_active).unwrap_or_else(|| realm.users[&UserId(1)].clone());
        draw
    }

    /// A request that somebody might make.
    pub fn request(&mut self) -> Request {
        let weight = |row: &OperationRow| {
            let named = WEIGHTS.iter().find(|(method, path, _)| *method == row.route.method && *path == row.route.path);
            named.map_or(if row.route.method == "GET" { 1 } else { 2 }, |(_, _, weight)| *weight)
        };
        let mut left = self.below(OPERATIONS.iter().map(weight).sum());
        let row = OPERATIONS.iter().find(|row| {
            let is_it = left < weight(row);
            left = left.saturating_sub(weight(row));
            is_it
        });
        self.request_for(row.expect("the weights add up"))
    }

    fn request_for(&mut self, row: &'static OperationRow) -> Request {
        let mut path = row.route.path.to_owned();
        let mut params = Map::new();
        let optional = row.parameters.iter().filter(|info| !info.is_required).count() as u64;
        for info in row.parameters {
            if info.is_in_path {
                let text = text(&self.value(row, info));
                let text: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
                path = path.replace(&format!("{{{}}}", info.name), &text.replace('+', "%20"));
            } else if info.is_required || self.below(optional.max(4)) < 2 {
                let value = self.value(row, info);
                params.insert(info.name.to_owned(), value);
            }
        }
        if row.route.path == "/messages" && row.route.method == "POST" {
            params.extend(self.message());
        }
        if self.below(30) == 0 && !params.is_empty() {
            let broken = self.below(params.len() as u64) as usize;
            let odd =
                self.pick(&[json!("{broken"), json!(i64::MIN), json!(i64::MAX), json!(-1), json!(0), json!(null)]);
            if let Some((_, value)) = params.iter_mut().nth(broken) {
                *value = odd;
            }
        }
        Request { caller: self.caller.clone(), method: row.route.method, path, params, row }
    }

    /// A fault's effect.
    pub fn effect(&mut self) -> Value {
        self.pick(&[
            json!({"error": {"status": 500, "code": "INTERNAL_SERVER_ERROR", "msg": "Out of order"}}),
            json!({"rate_limit": {"retry_after": 3}}),
            json!({"drop": "before"}),
            json!({"drop": "after"}),
            json!({"truncate_at": 10}),
            json!({"garbage": true}),
            json!({"lose_queue": true}),
            json!({"bouncer": "unreachable"}),
        ])
    }

    /// A number below this one.
    pub fn below(&mut self, bound: u64) -> u64 {
        // SplitMix64: every bit of the seed reaches every draw.
        self.chance = self.chance.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.chance;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound.max(1)
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }

    fn is_rare(&mut self) -> bool {
        self.below(25) == 0
    }

    fn any_of<T: Clone>(&mut self, of: impl Iterator<Item = T>, id: impl Fn(T) -> i64) -> Value {
        let all: Vec<T> = of.collect();
        if all.is_empty() || self.is_rare() {
            return json!(9_999_999);
        }
        id(self.pick(&all)).into()
    }

    fn user(&mut self) -> Value {
        self.any_of(self.realm.users.keys().copied(), |id| id.0)
    }

    fn channel(&mut self) -> Value {
        self.any_of(self.realm.channels.keys().copied(), |id| id.0)
    }

    fn group(&mut self) -> Value {
        self.any_of(self.realm.groups.keys().copied(), |id| id.0)
    }

    fn message_id(&mut self) -> Value {
        let caller = self.caller.clone();
        let (realm, choice) = (self.realm, self.below(4));
        let likely = realm.messages.values().filter(|message| match choice {
            0 => true,
            1 => message.sender == caller.id,
            _ => realm.can_see_message(&caller, message),
        });
        let likely: Vec<i64> = likely.map(|message| message.id.0).collect();
        self.any_of(likely.into_iter(), |id| id)
    }

    fn several(&mut self, one: fn(&mut Self) -> Value) -> Value {
        let count = 1 + self.below(3);
        (0..count).map(|_| one(self)).collect()
    }

    fn channel_name(&mut self) -> Value {
        let names: Vec<String> = self.realm.channels.values().map(|channel| channel.name.clone()).collect();
        if self.is_rare() { json!("no such channel") } else { self.pick(&names).into() }
    }

    fn topic(&mut self) -> Value {
        let used: Vec<String> = self
            .realm
            .messages
            .values()
            .filter_map(|message| Some(message.channel_and_topic()?.1.to_string()))
            .collect();
        if self.below(2) == 0 { self.pick(&used).into() } else { self.pick(TOPICS).into() }
    }

    fn content(&mut self) -> Value {
        let paths: Vec<String> = self.realm.attachments.keys().cloned().collect();
        if self.below(8) == 0 && !paths.is_empty() {
            return format!("[a file](/user_uploads/{})", self.pick(&paths)).into();
        }
        self.pick(CONTENTS).into()
    }

    fn holder(&mut self) -> Value {
        if self.below(2) == 0 {
            return self.group();
        }
        let (users, groups) = (self.several(Self::user), self.several(Self::group));
        json!({"direct_members": users, "direct_subgroups": groups})
    }

    fn message(&mut self) -> Map<String, Value> {
        let mut params = Map::new();
        if self.below(3) == 0 {
            params.insert("type".into(), "direct".into());
            params.insert("to".into(), self.several(Self::user));
        } else {
            params.insert("type".into(), "channel".into());
            params.insert("to".into(), self.channel());
            params.insert("topic".into(), self.topic());
        }
        params
    }

    fn subscription_change(&mut self) -> Value {
        let properties = ["is_muted", "pin_to_top", "in_home_view", "push_notifications", "color"];
        let property = self.pick(&properties);
        let value = if property == "color" { json!("#c2c2c2") } else { (self.below(2) == 0).into() };
        json!({"stream_id": self.channel(), "property": property, "value": value})
    }

    fn setting_value(&mut self, info: &ParameterInfo) -> Option<Value> {
        use chatdouble::realm::setting::SettingKind;
        let setting = USER_SETTINGS.iter().chain(REALM_SETTINGS.iter()).find(|setting| setting.name == info.name)?;
        Some(match setting.kind {
            SettingKind::Bool | SettingKind::BoolOrNull => (self.below(2) == 0).into(),
            SettingKind::OneOfIntegers(allowed) => self.pick(allowed).into(),
            SettingKind::OneOfTexts(allowed) => self.pick(allowed).into(),
            _ => setting.default.clone(),
        })
    }

    fn value(&mut self, row: &OperationRow, info: &ParameterInfo) -> Value {
        let number = self.below(1_000);
        match info.name {
            "message_id" => self.message_id(),
            "messages" | "message_ids" | "msg_ids" => self.several(Self::message_id),
            "stream_id" | "channel_id" => self.channel(),
            "stream_ids" | "channels" => self.several(Self::channel),
            "stream" | "default_sending_stream" | "default_events_register_stream" => self.channel_name(),
            "user_id" | "muted_user_id" | "bot_owner_id" | "sender_id" => self.user(),
            "bot_id" => {
                let bots = self.realm.users.values().filter(|user| user.is_bot()).map(|user| user.id.0);
                self.any_of(bots, |id| id)
            }
            "user_ids" | "to" | "members" | "subscribers" | "principals" => self.several(Self::user),
            "target_users" => json!({
                "user_ids": self.several(Self::user),
                "group_ids": [self.group()],
                "skip_if_already_edited": number.is_multiple_of(2),
            }),
            "user_group_id" | "group_id" => self.group(),
            "subgroups" | "group_ids" | "add_subgroups" | "delete_subgroups" => self.several(Self::group),
            "add" | "delete" if row.route.path.ends_with("/subscriptions") && info.name == "delete" => {
                self.several(Self::channel_name)
            }
            "add" | "subscriptions" if row.route.method != "DELETE" && row.route.path.ends_with("/subscriptions") => {
                let name = if self.below(6) == 0 { format!("fresh {number}").into() } else { self.channel_name() };
                json!([{"name": name}, {"name": self.channel_name()}])
            }
            "subscriptions" => self.several(Self::channel_name),
            "add" | "delete" if row.route.path.ends_with("/subgroups") => self.several(Self::group),
            "add" | "delete" => self.several(Self::user),
            "subscription_data" => json!([self.subscription_change(), self.subscription_change()]),
            "topic" | "topic_name" => self.topic(),
            "content" | "welcome_message_custom_text" => self.content(),
            "emoji_name" => self.pick(EMOJI).into(),
            "op" if row.route.path.contains("typing") => self.pick(&["start", "stop"]).into(),
            "op" => self.pick(&["add", "remove"]).into(),
            "flag" => self.pick(&["read", "read", "starred", "collapsed", "hide_link_previews"]).into(),
            "visibility_policy" => self.below(4).into(),
            "anchor" => self.pick(&["newest", "oldest", "first_unread", "12"]).into(),
            "num_before" | "num_after" => self.below(12).into(),
            "narrow" => match self.below(3) {
                0 => json!([["is", "unread"]]),
                1 => json!([["channel", self.channel()]]),
                _ => json!([]),
            },
            "can_mention_group" | "can_create_topic_group" if row.route.method == "POST" => self.holder(),
            name if name.starts_with("can_") && name.ends_with("_group") && row.route.method == "PATCH" => {
                json!({ "new": self.holder() })
            }
            name if name.starts_with("can_") && name.ends_with("_group") => self.holder(),
            _ => self.plain(info),
        }
    }

    /// What depends on the name alone, else on the settings or the schema.
    fn plain(&mut self, info: &ParameterInfo) -> Value {
        let number = self.below(1_000);
        match info.name {
            "email" => format!("somebody{number}@chat.test").into(),
            "full_name" => format!("Somebody {number}").into(),
            "password" => "correct horse battery 77".into(),
            "new_name" | "name" => self.pick(&["general", "renamed", "quiet", "Something else"]).into(),
            "role" | "invite_as" => self.pick(&[100, 200, 300, 400, 600]).into(),
            "status" => self.pick(&["active", "idle"]).into(),
            "folder_id" | "channel_folder_id" => self.any_of(self.realm.folders.keys().copied(), |id| id.0),
            "order" => self.realm.folders.keys().map(|id| id.0).collect(),
            "filter_id" => json!(1 + self.below(3)),
            "draft_id"
            | "saved_snippet_id"
            | "reminder_id"
            | "scheduled_message_id"
            | "attachment_id"
            | "export_id"
            | "device_id" => json!(1 + self.below(6)),
            "scheduled_delivery_timestamp" => (self.realm.now.seconds() + 60 + 40 * number as i64).into(),
            "fragment" => self.pick(&["inbox", "recent", "narrow/is/starred", "drafts"]).into(),
            "command" => self.pick(&["/ping", "/night", "/day", "/fluid-width", "/fixed-width"]).into(),
            "alert_words" => json!([self.pick(&["deploy", "cake", "words"])]),
            "authentication_methods" => {
                let methods = [("Email", self.below(2) == 0), ("Dev", self.below(3) > 0)];
                let named = methods.into_iter().filter(|_| self.below(4) > 0);
                named.map(|(name, is_on)| (name.to_owned(), is_on.into())).collect::<Map<_, _>>().into()
            }
            "timezone" => self.pick(&["Europe/Berlin", "Asia/Tokyo", ""]).into(),
            "message_retention_days" => self.pick(&["realm_default", "unlimited"]).into(),
            "topics_policy" => {
                self.pick(&["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"]).into()
            }
            _ => self.setting_value(info).unwrap_or_else(|| self.by_schema(info)),
        }
    }

    fn by_schema(&mut self, info: &ParameterInfo) -> Value {
        let mut generator = schemars::SchemaGenerator::default();
        let schema = (info.schema)(&mut generator).to_value();
        self.of_schema(&schema)
    }

    fn of_schema(&mut self, schema: &Value) -> Value {
        if let Some(words) = schema["enum"].as_array() {
            return self.pick(words);
        }
        if let Some(choices) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
            let choice = self.pick(choices);
            return self.of_schema(&choice);
        }
        let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
        match kind {
            Some("integer") => json!(1 + self.below(5)),
            Some("boolean") => json!(self.below(2) == 0),
            Some("array") => json!([]),
            Some("object") => json!({}),
            Some("string") => self.pick(&["x", "some words", ""]).into(),
            _ => Value::Null,
        }
    }
}

/// A parameter as clients send it: texts raw, everything else as JSON text.
pub fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
