//! Calls in rooms that are made anew each time.

use super::CallReply;
use crate::api::parameter::parameters;
use crate::api::{About, Access, Call, Operation, Route, Write};
use crate::error::Error;
use crate::realm::change::Tx;

/// POST /calls/nextcloud_talk/create
pub struct CreateNextcloudTalkCall;

parameters! {
    /// The room.
    pub struct CreateNextcloudTalkCallParams {
        /// What it is called.
        room_name: String,
    }
}

impl Operation for CreateNextcloudTalkCall {
    const ROUTE: Route = Route::post("/calls/nextcloud_talk/create");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Gives the address of a new call in a room of its own.",
        since: 465,
        is_specified: false,
        errors: &[],
        events: &[],
    };
    type Params = CreateNextcloudTalkCallParams;
    type Reply = CallReply;
}

impl Write for CreateNextcloudTalkCall {
    fn run(tx: &mut Tx, _call: &Call<'_>, _params: Self::Params) -> Result<CallReply, Error> {
        let room = tx.realm_mut().chance.room_key();
        Ok(CallReply { url: format!("https://nextcloud.example.com/index.php/call/{room}") })
    }
}

/// POST /calls/webex/create
pub struct CreateWebexCall;

parameters! {
    /// Takes none.
    pub struct CreateWebexCallParams {}
}

impl Operation for CreateWebexCall {
    const ROUTE: Route = Route::post("/calls/webex/create");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Gives the address of a new call.",
        since: 493,
        is_specified: false,
        errors: &[],
        events: &[],
    };
    type Params = CreateWebexCallParams;
    type Reply = CallReply;
}

impl Write for CreateWebexCall {
    fn run(tx: &mut Tx, _call: &Call<'_>, _params: Self::Params) -> Result<CallReply, Error> {
        let room = tx.realm_mut().chance.room_key();
        Ok(CallReply { url: format!("https://webex.example.com/meet/{room}") })
    }
}
