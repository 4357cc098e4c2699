//! A round of requests that shows one of each kind of object and event, on a world of any level.

use super::Age;
use crate::documented::Documented;
use crate::support::User;
use chatdouble::level::place::{Place, Source, visit_objects};
use chatdouble::level::{ChangeKind, ObjectKind};
use chatdouble::realm::channel_boolean_setting::CHANNEL_BOOLEAN_SETTINGS;
use chatdouble::realm::event::EventPattern;
use chatdouble::realm::permission::REALM_PERMISSIONS;
use serde_json::{Map, Value, json};

/// Operations whose replies had what every reply has before the others.
const EARLIER: [&str; 2] = ["PATCH /settings", "POST /users/me/subscriptions/properties"];

/// What was seen.
#[derive(Default)]
pub struct Exhibits {
    /// Operations and their replies.
    replies: Vec<(String, Value)>,
    /// Events of all queues.
    pub events: Vec<Value>,
}

impl Exhibits {
    /// What of it a document does not have, a sentence each.
    pub fn undocumented(&self, document: &Documented) -> Vec<String> {
        // The state in the register reply exists without the envelope too.
        let whole = self.replies.iter().filter(|(_, reply)| reply["result"] == "success");
        let replies = whole.flat_map(|(route, reply)| {
            let (method, path) = route.split_once(' ').expect("a method and a path");
            let faults = document.faults(method, &document.template(path), 200, reply);
            faults.into_iter().map(move |fault| format!("{route}: {fault}"))
        });
        let events = self.events.iter().flat_map(|event| {
            let faults = document.event_faults_of_any_age(event);
            faults.into_iter().map(move |fault| format!("{event}: {fault}"))
        });
        replies.chain(events).collect()
    }

    /// Whether some object of a kind was seen.
    pub fn shows(&mut self, object: &ObjectKind) -> bool {
        object.places.iter().any(|place| self.any_at(&Place::parse(place), |_| true))
    }

    /// Whether some object of a kind was seen with a field.
    pub fn has(&mut self, object: &ObjectKind, name: &str) -> bool {
        object.places.iter().any(|place| self.any_at(&Place::parse(place), |object| object.contains_key(name)))
    }

    /// Nothing is changed: a place is visited for changes alone.
    fn any_at(&mut self, place: &Place, is_it: impl Fn(&Map<String, Value>) -> bool) -> bool {
        let mut found = false;
        let mut look = |whole: &mut Value| {
            visit_objects(whole, &place.path, &mut |object| found = found || is_it(object));
        };
        match place.source {
            Source::Reply(method, path) => {
                let is_meant = |route: &str| route.split_once(' ') == Some((method, path));
                let replies = self.replies.iter_mut().filter(|(route, _)| is_meant(route));
                replies.for_each(|(_, reply)| look(reply));
            }
            Source::EveryReply => {
                let replies = self.replies.iter_mut().filter(|(route, _)| !EARLIER.contains(&route.as_str()));
                replies.for_each(|(_, reply)| look(reply));
            }
            Source::Event(kind, op) => {
                let is_meant = |event: &Value| event["type"] == kind && op.is_none_or(|op| event["op"] == op);
                self.events.iter_mut().filter(|event| is_meant(event)).for_each(look);
            }
        }
        found
    }
}

/// Whether an event is one of a pattern.
pub fn fits(pattern: EventPattern, event: &Value) -> bool {
    let is_kind = event["type"] == pattern.type_name && pattern.op.is_none_or(|op| event["op"] == op);
    let carries = pattern
        .carried_name
        .is_none_or(|(key, name)| event.get(key).is_some_and(|value| value == name || value.get(name).is_some()));
    is_kind && carries
}

/// Somebody who goes round.
struct Visitor {
    user: User,
    seen: Exhibits,
}

impl Visitor {
    /// Sends a request; its reply is kept if it succeeds. `route` has the placeholders of the path behind it.
    async fn go(&mut self, route: &str, parts: &[i64], params: Value) -> Value {
        let (method, template) = route.split_once(' ').expect("a method and a path");
        let mut path = template.to_owned();
        for part in parts {
            let (start, end) = (path.find('{').expect("a placeholder"), path.find('}').expect("its end"));
            path.replace_range(start..=end, &part.to_string());
        }
        let reply = match method {
            "GET" => self.user.get(&path, params).await,
            "POST" => self.user.post(&path, params).await,
            "PATCH" => self.user.patch(&path, params).await,
            "PUT" => self.user.put(&path, params).await,
            _ => self.user.delete(&path, params).await,
        };
        if reply.status == 200 {
            self.seen.replies.push((route.to_owned(), reply.body.clone()));
        }
        reply.body
    }
}

/// Capabilities of a client that understands everything.
fn all_capabilities() -> Value {
    json!({
        "notification_settings_null": true, "bulk_message_deletion": true, "stream_typing_notifications": true,
        "linkifier_url_template": true, "include_deactivated_groups": true, "archived_channels": true,
        "empty_topic_name": true, "user_settings_object": true, "individual_emoji_changes": true,
    })
}

/// Goes round in a world.
pub async fn take(age: &Age<'_>) -> Exhibits {
    let mut olive = Visitor { user: age.user("olive"), seen: Exhibits::default() };
    let mel = age.user("mel");
    let mut queues = Vec::new();
    let plain = json!({"bulk_message_deletion": true});
    for (user, capabilities) in
        [(&olive.user, all_capabilities()), (&mel, all_capabilities()), (&mel, plain.clone()), (&olive.user, plain)]
    {
        let params = json!({"client_capabilities": capabilities, "include_subscribers": true});
        let queue = user.register(params).await;
        olive.seen.replies.push(("POST /register".into(), queue.state.clone()));
        queues.push(queue);
    }
    read(&mut olive, age).await;
    change_people(&mut olive, age).await;
    change_channels(&mut olive).await;
    change_messages(&mut olive, age).await;
    change_own(&mut Visitor { user: mel.clone(), seen: Exhibits::default() }, &mut olive).await;
    olive.go("PATCH /realm/user_settings_defaults", &[], json!({"color_scheme": 2})).await;
    olive.go("POST /export/realm", &[], json!({})).await;
    let playground = json!({"name": "Tour", "pygments_language": "Rust", "url_template": "https://x.test/{code}", "url_prefix": "https://x.test/"});
    olive.go("POST /realm/playgrounds", &[], playground).await;
    // Once more: what was made meanwhile shows in lists.
    read(&mut olive, age).await;
    // Last, since it hides some of that.
    change_organization(&mut olive).await;
    for queue in &mut queues {
        olive.seen.events.extend(queue.all().await);
    }
    olive.seen
}

async fn read(visitor: &mut Visitor, age: &Age<'_>) {
    let none = || json!({"nonsense": 1});
    for route in [
        "GET /users",
        "GET /users/me",
        "GET /streams",
        "GET /users/me/subscriptions",
        "GET /channel_folders",
        "GET /user_groups",
        "GET /realm/linkifiers",
        "GET /realm/emoji",
        "GET /realm/profile_fields",
        "GET /invites",
        "GET /export/realm",
        "GET /export/realm/consents",
        "GET /server_settings",
    ] {
        visitor.go(route, &[], none()).await;
    }
    for route in ["GET /users/{user_id}", "GET /users/{user_id_or_email}/presence", "GET /streams/{stream_id}"] {
        visitor.go(route, &[1], none()).await;
    }
    let by_email = visitor.user.get("/users/mel%40chat.test", none()).await;
    visitor.seen.replies.push(("GET /users/{email}".into(), by_email.body));
    visitor.go("POST /invites/{invite_id}/resend", &[1], none()).await;
    visitor.go("GET /users/{user_id}/status", &[2], none()).await;
    visitor.go("POST /users/me/presence", &[], json!({"status": "active"})).await;
    // A number beyond the newest, since words are younger.
    let message = json!({"anchor": 1_000_000, "num_before": 100, "num_after": 0});
    let reply = visitor.go("GET /messages", &[], message).await;
    let edited = reply["messages"].as_array().into_iter().flatten().find(|one| one.get("edit_history").is_some());
    let id = edited.or(reply["messages"].get(0)).and_then(|message| message["id"].as_i64()).unwrap_or(1);
    visitor.go("GET /messages/{message_id}", &[id], none()).await;
    visitor.go("GET /messages/{message_id}/history", &[id], none()).await;
    let login = json!({"username": "olive@chat.test"});
    let reply = age.anonymous().post("/dev_fetch_api_key", login).await;
    visitor.seen.replies.push(("POST /dev_fetch_api_key".into(), reply.body));
}

async fn change_people(olive: &mut Visitor, age: &Age<'_>) {
    let new = json!({"email": "zoe@chat.test", "full_name": "Zoe", "password": "zoe-password-7421"});
    olive.go("POST /users", &[], new).await;
    olive.go("POST /bots", &[], json!({"short_name": "tour", "full_name": "Tour Bot"})).await;
    let bot = age.user("build-bot").id();
    olive.go("PATCH /bots/{bot_id}", &[bot], json!({"full_name": "Tour Guide"})).await;
    for handle in ["zoe", "ivy"] {
        let login = json!({"username": format!("{handle}@chat.test")});
        let _ = age.anonymous().post("/dev_fetch_api_key", login).await;
    }
    olive.go("PATCH /settings", &[], json!({"full_name": "Olive Tour", "nonsense": 1})).await;
    let _ = olive.user.upload("/users/me/avatar", "tour.gif", "image/gif", PICTURE).await;
    let status = json!({"status_text": "touring", "emoji_name": "tada"});
    olive.go("POST /users/me/status", &[], status).await;
    let group = json!({"name": "tourists", "description": "x", "members": [1], "subgroups": []});
    olive.go("POST /user_groups/create", &[], group).await;
    let listed = olive.go("GET /user_groups", &[], json!({})).await;
    let named = |name: &str| {
        let groups = listed["user_groups"].as_array().into_iter().flatten();
        groups.clone().find(|group| group["name"] == name).and_then(|group| group["id"].as_i64()).unwrap_or(-1)
    };
    let (own, leads) = (named("tourists"), named("leads"));
    for name in [
        "can_add_members_group",
        "can_join_group",
        "can_leave_group",
        "can_manage_group",
        "can_mention_group",
        "can_mention_group_id",
        "can_remove_members_group",
    ] {
        // Who may mention was given by the value itself, once.
        for value in [&json!({"new": 3}), &json!(3)] {
            let change = json!({"name": "tourists", "description": "x", name: value});
            olive.go("PATCH /user_groups/{user_group_id}", &[own], change).await;
        }
    }
    olive.go("POST /user_groups/{user_group_id}/subgroups", &[own], json!({"add": [leads]})).await;
    olive.go("POST /user_groups/{user_group_id}/subgroups", &[own], json!({"delete": [leads]})).await;
    olive.go("POST /user_groups/{user_group_id}/deactivate", &[own], json!({})).await;
}

async fn change_channels(olive: &mut Visitor) {
    let new = json!({"subscriptions": [{"name": "tour"}], "principals": ["olive@chat.test", "mel@chat.test"]});
    olive.go("POST /users/me/subscriptions", &[], new).await;
    let many = json!({"subscriptions": [{"name": "tour two"}], "send_new_subscription_messages": true});
    olive.go("POST /users/me/subscriptions", &[], many).await;
    let id = olive.user.get("/get_stream_id", json!({"stream": "tour"})).await.body["stream_id"].as_i64();
    let id = id.expect("it was made");
    for name in [
        "can_create_topic_group",
        "can_delete_any_message_group",
        "can_delete_own_message_group",
        "can_resolve_topics_group",
        "can_move_messages_out_of_channel_group",
        "can_move_messages_within_channel_group",
        "can_subscribe_group",
        "can_add_subscribers_group",
        "can_send_message_group",
        "can_administer_channel_group",
        "can_remove_subscribers_group",
        "can_remove_subscribers_group_id",
    ] {
        olive.go("PATCH /streams/{stream_id}", &[id], json!({name: {"new": 4}})).await;
    }
    olive.go("PATCH /streams/{stream_id}", &[id], json!({"topics_policy": "disable_empty_topic"})).await;
    olive.go("PATCH /streams/{stream_id}", &[id], json!({"folder_id": 1})).await;
    for switch in CHANNEL_BOOLEAN_SETTINGS {
        olive.go("PATCH /streams/{stream_id}", &[id], json!({switch.name: true})).await;
    }
    olive
        .go("PATCH /streams/{stream_id}", &[id], json!({"is_private": true, "history_public_to_subscribers": true}))
        .await;
    let muted = json!([{"stream_id": id, "property": "is_muted", "value": true}]);
    olive.go("POST /users/me/subscriptions/properties", &[], json!({"subscription_data": muted, "nonsense": 1})).await;
    olive
        .go("DELETE /users/me/subscriptions", &[], json!({"subscriptions": ["tour"], "principals": ["mel@chat.test"]}))
        .await;
    olive.go("DELETE /streams/{stream_id}", &[id], json!({})).await;
    olive.go("POST /channel_folders/create", &[], json!({"name": "Tour", "description": ""})).await;
    olive.go("PATCH /channel_folders", &[], json!({"order": [2, 1, 3]})).await;
}

async fn change_messages(olive: &mut Visitor, age: &Age<'_>) {
    let max = age.user("max");
    let text = |content: &str| json!({"type": "stream", "to": "general", "topic": "tour #1", "content": content});
    let sent = olive.go("POST /messages", &[], text("tour")).await;
    let id = sent["id"].as_i64().expect("it was sent");
    let followed = json!({"topic": "followed tour", "type": "stream", "to": "general", "content": "x"});
    olive.go("PATCH /settings", &[], json!({"automatically_follow_topics_policy": 3})).await;
    olive.go("POST /messages", &[], followed).await;
    let _ = max
        .post(&format!("/messages/{id}/reactions"), json!({"emoji_name": "tada", "reaction_type": "unicode_emoji"}))
        .await;
    olive.go("PATCH /messages/{message_id}", &[id], json!({"content": "toured"})).await;
    olive.go("PATCH /messages/{message_id}", &[id], json!({"topic": "tour #2"})).await;
    olive.go("POST /messages/flags", &[], json!({"messages": [id], "op": "remove", "flag": "read"})).await;
    olive.go("POST /messages/flags", &[], json!({"messages": [id], "op": "add", "flag": "starred"})).await;
    let _ = max.post("/messages", text("from max")).await;
    olive.go("POST /mark_all_as_read", &[], json!({})).await;
    let _ = max.post("/typing", json!({"op": "start", "to": [1]})).await;
    let _ = max.post(&format!("/messages/{id}/typing"), json!({"op": "start"})).await;
    let own = max.post("/messages", text("mine")).await.body["id"].clone();
    for op in ["start", "stop"] {
        let _ = max.post(&format!("/messages/{own}/typing"), json!({"op": op})).await;
    }
}

async fn change_own(mel: &mut Visitor, olive: &mut Visitor) {
    for (route, params) in [
        ("GET /scheduled_messages", json!({})),
        ("GET /attachments", json!({})),
        ("POST /navigation_views", json!({"fragment": "tour", "is_pinned": true, "name": "Tour"})),
        ("POST /saved_snippets", json!({"title": "Tour", "content": "x"})),
        ("PATCH /saved_snippets/1", json!({"title": "Tour"})),
        ("POST /user_topics", json!({"stream_id": 1, "topic": "tour", "visibility_policy": 1})),
        ("POST /users/me/muted_users/5", json!({})),
        ("DELETE /reminders/1", json!({})),
        ("DELETE /scheduled_messages/1", json!({})),
    ] {
        mel.go(route, &[], params).await;
    }
    let device = mel.go("POST /register_client_device", &[], json!({})).await["device_id"].as_i64().unwrap_or_default();
    let _ =
        crate::push::register(&mel.user, device, &[crate::push::key_group(1), crate::push::token_group("dG9rZW4=")])
            .await;
    mel.go("POST /remove_client_device", &[], json!({"device_id": device})).await;
    let schedule = json!({"type": "stream", "to": 1, "topic": "t", "content": "x", "scheduled_delivery_timestamp": 4_000_000_000_i64});
    mel.go("POST /scheduled_messages", &[], schedule).await;
    mel.go("GET /scheduled_messages", &[], json!({})).await;
    let reply = mel.user.upload("/user_uploads", "tour.txt", "text/plain", b"tour").await;
    let file = reply.body["uri"].as_str().unwrap_or_default().to_owned();
    mel.seen.replies.push(("POST /user_uploads".into(), reply.body));
    let link = json!({"type": "stream", "to": "general", "topic": "t", "content": format!("[tour]({file})")});
    mel.go("POST /messages", &[], link).await;
    change_settings(mel).await;
    let both = json!({"pattern": "T(?P<n>[0-9]+)", "url_template": "https://x.test/{n}", "url_format_string": "https://x.test/%(n)s"});
    olive.go("POST /realm/filters", &[], both).await;
    olive.go("POST /realm/profile_fields", &[], json!({"name": "Tour", "field_type": 1})).await;
    let _ = olive.user.upload("/realm/emoji/tour", "tour.gif", "image/gif", PICTURE).await;
    let _ = olive.user.delete("/realm/emoji/green_box", json!({})).await;
    olive.seen.replies.append(&mut mel.seen.replies);
}

/// A picture of one point.
const PICTURE: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;";

/// Changes every setting of the organization that came with a level.
async fn change_organization(olive: &mut Visitor) {
    let params = json!({"event_types": ["realm"], "fetch_event_types": ["realm", "realm_user_groups"]});
    let state = olive.go("POST /register", &[], params).await;
    let group = |name: &str| {
        let groups = state["realm_user_groups"].as_array().into_iter().flatten();
        groups.into_iter().find(|group| group["name"] == name).map(|group| group["id"].clone()).unwrap_or_default()
    };
    for change in chatdouble::level::changes() {
        let ChangeKind::Event(EventPattern { type_name: "realm", carried_name: Some((_, name)), .. }) = change.kind
        else {
            continue;
        };
        let new = match (name, &state[format!("realm_{name}")]) {
            ("can_access_all_users_group", _) => json!({"new": group("role:members")}),
            ("can_set_delete_message_policy_group", _) => json!({"new": group("role:administrators")}),
            (name, _) if REALM_PERMISSIONS.iter().any(|row| row.name == name) => {
                json!({"new": group("role:moderators")})
            }
            ("moderation_request_channel_id", _) => json!(-1),
            ("service_update_announcements_stream_id", _) => json!(1),
            ("org_type", _) => json!(20),
            ("media_preview_size", _) => json!(150),
            ("default_avatar_source", _) => json!("J"),
            ("message_edit_history_visibility_policy", _) => json!("none"),
            (_, Value::Bool(is_on)) => json!(!is_on),
            (_, Value::Number(_)) => json!(77),
            _ => json!("\"https://meet.example.com\""),
        };
        olive.go("PATCH /realm", &[], json!({name: new})).await;
    }
    // The event also has fields of older levels, which therefore still get it.
    olive.go("PATCH /realm", &[], json!({"topics_policy": "disable_empty_topic"})).await;
}

/// Changes every setting that came with a level, by its schema and the value that it has.
async fn change_settings(mel: &mut Visitor) {
    let state = mel.go("POST /register", &[], json!({"event_types": ["user_settings"]})).await;
    for change in chatdouble::level::changes() {
        let ChangeKind::Event(EventPattern { type_name: "user_settings", carried_name: Some((_, name)), .. }) =
            change.kind
        else {
            continue;
        };
        let new = match &state["user_settings"][name] {
            Value::Bool(is_on) => json!(!is_on),
            // Numbers stand for one of some choices.
            Value::Number(number) => json!(if number.as_i64() == Some(2) { 1 } else { 2 }),
            _ => json!("never"),
        };
        mel.go("PATCH /settings", &[], json!({name: new})).await;
    }
    for (name, value) in [("web_font_size_px", 15), ("web_line_height_percent", 130)] {
        mel.go("PATCH /settings", &[], json!({name: value})).await;
    }
}
