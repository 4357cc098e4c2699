//! The operation that archives a channel. The change itself is in `api/changes/channels/archive.rs`.

use super::ChannelParams;
use super::administered_channel::administered_channel;
use crate::api::changes::channels::archive::archive;
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::realm::tx::Tx;

operation! {
    /// Archives a channel; its messages and subscriptions stay.
    pub ArchiveChannel = DELETE "/streams/{stream_id}", for User;
    params from ChannelParams;
    errors [InvalidChannelId, CannotAdministerChannel, ChannelArchived];
    events [Message, DefaultStreams, DefaultStreamGroups, RealmUpdate, RealmUpdateDict, StreamUpdate, StreamDelete];
}

impl Write for ArchiveChannel {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let id = params.stream_id;
        let channel = administered_channel(tx, context, id)?;
        if channel.is_archived {
            return Err(Error::ChannelArchived);
        }

        archive(tx, context, id);
        Ok(Success {})
    }
}
