//! Addresses of video calls, as the services that clients let the server ask would give them.
//!
//! No such service is asked here: the addresses follow from the world, and lead nowhere (A-155 in docs/assumptions.md).

pub mod rooms;

use super::{Call, Read, Write, operation};
use crate::error::Error;
use crate::realm::setting::RealmSetting;
use crate::realm::tx::Tx;
use crate::realm::{Realm, content_hash};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// The number of the service whose accounts are the server's own, in `video_chat_provider`; with 3, people have their own.
const SERVER_TO_SERVER: i64 = 5;

/// The location of a call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CallReply {
    /// Its address.
    pub url: String,
}

operation! {
    /// Returns the URL of a new call; the same meeting at the same moment has the same URL.
    pub CreateBigBlueButtonCall = GET "/calls/bigbluebutton/create", for User;
    params {
        /// Its name.
        meeting_name: String,
        /// Whether cameras stay off; only the caller may change that.
        voice_only: bool = false,
    }
    reply CallReply;
}

impl Read for CreateBigBlueButtonCall {
    fn run(realm: &Realm, call: &Call<'_>, params: Self::Params) -> Result<CallReply, Error> {
        // What reads changes nothing, so that no chance is drawn: the moment makes one meeting another.
        let moment = format!("{}:{}", call.now.micros(), params.meeting_name);
        let meeting = json!({
            "meeting_id": format!("chatdouble-{}", tag(realm, call, &moment)),
            "name": params.meeting_name,
            "lock_settings_disable_cam": params.voice_only,
            "moderator": call.caller().id,
        });
        let meeting = URL_SAFE_NO_PAD.encode(meeting.to_string());
        let signature = tag(realm, call, &meeting);
        Ok(CallReply { url: format!("/calls/bigbluebutton/join?bigbluebutton={meeting}.{signature}") })
    }
}

operation! {
    /// Returns the URL of the caller's room for calls, which stays the same.
    pub CreateConstructorGroupsCall = POST "/calls/constructorgroups/create", for User, since 460;
    reply CallReply;
}

impl Read for CreateConstructorGroupsCall {
    fn run(realm: &Realm, call: &Call<'_>, _params: Self::Params) -> Result<CallReply, Error> {
        let room = tag(realm, call, "room");
        Ok(CallReply { url: format!("https://constructor-groups.example.com/rooms/{room}") })
    }
}

operation! {
    /// Returns the URL of a new call, if `video_chat_provider` is 5.
    pub CreateZoomCall = POST "/calls/zoom/create", for User;
    params {
        /// Whether cameras are on at first.
        is_video_call: bool = true,
    }
    reply CallReply;
    errors [InvalidZoomToken];
}

impl Write for CreateZoomCall {
    fn run(tx: &mut Tx, _call: &Call<'_>, _params: Self::Params) -> Result<CallReply, Error> {
        // Nobody has an account of their own there: `has_zoom_token` is false for all.
        if tx.organization.setting(RealmSetting::VideoChatProvider) != SERVER_TO_SERVER {
            return Err(Error::InvalidZoomToken);
        }

        let room = tx.realm_mut().chance.room_key();
        Ok(CallReply { url: format!("https://zoom.example.com/j/{room}") })
    }
}

/// 16 hexadecimal digits that follow from the world, the caller and a text.
fn tag(realm: &Realm, call: &Call<'_>, text: &str) -> String {
    let all = format!("call:{}:{}:{}:{text}", realm.organization.uuid, realm.chance.seed, call.caller().id);
    let mut tag = content_hash(all.as_bytes());
    tag.truncate(16);
    tag
}
