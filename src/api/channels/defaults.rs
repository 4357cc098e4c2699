//! Default channels, to which new users are subscribed.

use crate::api::changes::channels::creation::emit_default_channels;
use crate::api::parameter::parameters;
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::realm::id::ChannelId;
use crate::realm::tx::Tx;

parameters! {
    /// The parameter of adding and removing.
    pub struct DefaultChannelParams {
        /// ID of a channel that is not archived; to be added, it must be public.
        stream_id: ChannelId,
    }
}

operation! {
    /// Makes a channel a default channel, to which new users are subscribed.
    pub AddDefaultChannel = POST "/default_streams", for Administrator;
    params from DefaultChannelParams;
    errors [InvalidChannelId, PrivateChannelCannotBeDefault];
    events [DefaultStreams];
}

impl Write for AddDefaultChannel {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let channel = tx.readable_active_channel(context.caller(), params.stream_id)?;
        if channel.privacy.is_private() {
            return Err(Error::PrivateChannelCannotBeDefault);
        }

        set_default(tx, params.stream_id, true);
        Ok(Success {})
    }
}

operation! {
    /// Makes a channel no longer a default channel for new users.
    pub RemoveDefaultChannel = DELETE "/default_streams", for Administrator;
    params from DefaultChannelParams;
    errors [InvalidChannelId];
    events [DefaultStreams];
}

impl Write for RemoveDefaultChannel {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let channel = tx.visible_active_channel(context.caller(), params.stream_id)?.id;

        set_default(tx, channel, false);
        Ok(Success {})
    }
}

/// Event: `default_streams`. It is also emitted if a channel to remove is not a default channel, but not if a channel
/// to add is one already.
fn set_default(tx: &mut Tx, channel: ChannelId, is_default: bool) {
    if tx.channels[&channel].is_default && is_default {
        return;
    }
    tx.channel_mut(channel).is_default = is_default;
    emit_default_channels(tx);
}
