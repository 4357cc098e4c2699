//! Video calls at Nextcloud Talk, Webex and Zoom, each in a new room.

use super::CallReply;
use crate::api::{OperationContext, Write, operation};
use crate::error::Error;
use crate::realm::setting::RealmSetting;
use crate::realm::tx::Tx;

/// The `video_chat_provider` for Zoom with one account for the whole server. The other one for Zoom, 3, needs an
/// account of each user.
const ZOOM_SERVER_TO_SERVER: i64 = 5;

operation! {
    /// Returns the URL of a new call at Nextcloud Talk, in a room of its own.
    pub CreateNextcloudTalkCall = POST "/calls/nextcloud_talk/create", for User, since 465;
    params {
        /// The room's name, which the URL does not contain.
        room_name: String,
    }
    reply CallReply;
}

impl Write for CreateNextcloudTalkCall {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, _params: Self::Params) -> Result<CallReply, Error> {
        let room = tx.realm_mut().rng.room_name();
        Ok(CallReply { url: format!("https://nextcloud.example.com/index.php/call/{room}") })
    }
}

operation! {
    /// Returns the URL of a new call at Webex, in a room of its own.
    pub CreateWebexCall = POST "/calls/webex/create", for User, since 493;
    reply CallReply;
}

impl Write for CreateWebexCall {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, _params: Self::Params) -> Result<CallReply, Error> {
        let room = tx.realm_mut().rng.room_name();
        Ok(CallReply { url: format!("https://webex.example.com/meet/{room}") })
    }
}

operation! {
    /// Returns the URL of a new call, if `video_chat_provider` is 5.
    pub CreateZoomCall = POST "/calls/zoom/create", for User;
    params {
        /// Whether cameras are on at first; has no effect here.
        is_video_call since 206: bool = true,
    }
    reply CallReply;
    errors [InvalidZoomToken];
}

impl Write for CreateZoomCall {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, _params: Self::Params) -> Result<CallReply, Error> {
        // No user has a Zoom account: `has_zoom_token` is always false.
        if tx.organization.setting(RealmSetting::VideoChatProvider) != ZOOM_SERVER_TO_SERVER {
            return Err(Error::InvalidZoomToken);
        }

        let room = tx.realm_mut().rng.room_name();
        Ok(CallReply { url: format!("https://zoom.example.com/j/{room}") })
    }
}
