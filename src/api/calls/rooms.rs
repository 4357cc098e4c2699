//! Calls in rooms that are made again each time.

use super::CallReply;
use crate::api::{Call, Write, operation};
use crate::error::Error;
use crate::realm::tx::Tx;

operation! {
    /// Gives the address of a new call in a room of its own.
    pub CreateNextcloudTalkCall = POST "/calls/nextcloud_talk/create", for User, since 465;
    params {
        /// What it is called.
        room_name: String,
    }
    reply CallReply;
}

impl Write for CreateNextcloudTalkCall {
    fn run(tx: &mut Tx, _call: &Call<'_>, _params: Self::Params) -> Result<CallReply, Error> {
        let room = tx.realm_mut().chance.room_key();
        Ok(CallReply { url: format!("https://nextcloud.example.com/index.php/call/{room}") })
    }
}

operation! {
    /// Gives the address of a new call.
    pub CreateWebexCall = POST "/calls/webex/create", for User, since 493;
    reply CallReply;
}

impl Write for CreateWebexCall {
    fn run(tx: &mut Tx, _call: &Call<'_>, _params: Self::Params) -> Result<CallReply, Error> {
        let room = tx.realm_mut().chance.room_key();
        Ok(CallReply { url: format!("https://webex.example.com/meet/{room}") })
    }
}
