//! URLs of video calls at several services.
//!
//! This server contacts no service: the URLs are derived from the world and lead nowhere (A-155 in
//! docs/assumptions.md).

pub mod rooms;

use super::{OperationContext, Read, operation};
use crate::error::Error;
use crate::realm::{Realm, content_hash};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// Where a call takes place.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CallReply {
    /// An absolute URL or, for BigBlueButton, a path on this server.
    pub url: String,
}

operation! {
    /// Returns the URL of a new call; equal requests of a user at the same moment return the same URL.
    pub CreateBigBlueButtonCall = GET "/calls/bigbluebutton/create", for User;
    params {
        /// The name of the meeting, which is part of the URL.
        meeting_name: String,
        /// Whether cameras stay off; only the caller may change that.
        voice_only since 337: bool = false,
    }
    reply CallReply;
}

impl Read for CreateBigBlueButtonCall {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<CallReply, Error> {
        // A read cannot use the world's random generator, so the time distinguishes the meetings.
        let seed = format!("{}:{}", context.now.micros(), params.meeting_name);
        let meeting = json!({
            "meeting_id": format!("chatdouble-{}", derive_token(realm, context, &seed)),
            "name": params.meeting_name,
            "lock_settings_disable_cam": params.voice_only,
            "moderator": context.caller().id,
        });
        let meeting = URL_SAFE_NO_PAD.encode(meeting.to_string());
        let signature = derive_token(realm, context, &meeting);
        Ok(CallReply { url: format!("/calls/bigbluebutton/join?bigbluebutton={meeting}.{signature}") })
    }
}

operation! {
    /// Returns the URL of the caller's room for calls, which stays the same.
    pub CreateConstructorGroupsCall = POST "/calls/constructorgroups/create", for User, since 460;
    reply CallReply;
}

impl Read for CreateConstructorGroupsCall {
    fn run(realm: &Realm, context: &OperationContext<'_>, _params: Self::Params) -> Result<CallReply, Error> {
        let room = derive_token(realm, context, "room");
        Ok(CallReply { url: format!("https://constructor-groups.example.com/rooms/{room}") })
    }
}

/// 16 hexadecimal digits derived from the world, the caller and a text.
fn derive_token(realm: &Realm, context: &OperationContext<'_>, text: &str) -> String {
    let input = format!("call:{}:{}:{}:{text}", realm.organization.uuid, realm.rng.seed, context.caller().id);
    let mut token = content_hash(input.as_bytes());
    token.truncate(16);
    token
}
