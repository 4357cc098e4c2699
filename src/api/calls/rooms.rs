//! Video calls at Nextcloud Talk and Webex, each in a new room.

use super::CallReply;
use crate::api::{OperationContext, Write, operation};
use crate::error::Error;
use crate::realm::tx::Tx;

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
