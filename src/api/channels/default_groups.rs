//! Groups of default channels, among which new users can choose.
//!
//! A choice where the API is silent: A-139 in docs/assumptions.md.

pub use crate::api::changes::channels::default_groups::default_group_records;

use crate::api::changes::channels::default_groups::{default_groups_mut, emit_default_groups};
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::{Channel, MAX_CHANNEL_DESCRIPTION_LENGTH};
use crate::realm::id::ChannelId;
use crate::realm::organization::DefaultChannelGroup;
use crate::realm::text::{check_length, invalid_character_position};
use crate::realm::tx::Tx;
use crate::realm::user::User;

/// Maximum length of a group's name, in code points.
const MAX_NAME_LENGTH: usize = 60;

operation! {
    /// Creates a group of default channels.
    pub CreateDefaultGroup = POST "/default_stream_groups/create", for Administrator;
    params {
        /// Display name, not blank, at most 60 code points; unique among these groups.
        group_name: String,
        /// What the group is for: at most 1,024 code points, in several lines if need be.
        description: String,
        /// Names of its channels, regardless of case; none may be archived, private or a default channel.
        stream_names: Vec<String>,
    }
    errors [
        InvalidChannelName, PrivateChannelCannotBeDefault, ChannelIsDefault, InvalidDefaultGroupName,
        DefaultGroupNameTooLong, DefaultGroupNameNullBytes, DefaultGroupExists, BadValue,
    ];
    events [DefaultStreamGroups];
}

impl Write for CreateDefaultGroup {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let channels = checked_channels(tx, context.caller(), &params.stream_names, &params.group_name)?;
        let name = checked_group_name(tx, &params.group_name)?;
        let description = checked_group_description(params.description)?;

        tx.realm_mut().counters.default_channel_group += 1;
        let id = tx.counters.default_channel_group;
        default_groups_mut(tx).push(DefaultChannelGroup {
            id,
            name,
            description,
            channels: channels.into_iter().collect(),
        });
        emit_default_groups(tx);
        Ok(Success {})
    }
}

operation! {
    /// Changes a group of default channels.
    pub EditDefaultGroup = PATCH "/default_stream_groups/{group_id}", for Administrator;
    params {
        /// ID of the group to change.
        @path group_id: i64,
        /// New display name, at most 60 code points; must differ from the present one.
        new_group_name: Option<String>,
        /// What the group is for: at most 1,024 code points, in several lines if need be.
        new_description: Option<String>,
    }
    errors [
        NoDefaultGroupChanges, NoSuchDefaultGroup, DefaultGroupNameUnchanged, InvalidDefaultGroupName,
        DefaultGroupNameTooLong, DefaultGroupNameNullBytes, DefaultGroupExists, BadValue,
    ];
    events [DefaultStreamGroups];
}

impl Write for EditDefaultGroup {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        if params.new_group_name.is_none() && params.new_description.is_none() {
            return Err(Error::NoDefaultGroupChanges);
        }
        let index = group_index(tx, params.group_id)?;
        let current_name = &tx.organization.default_channel_groups[index].name;
        let may_be_blank = !context.has(Feature::BlankDefaultGroupNamesRefused);
        let new_name = params.new_group_name.as_deref();
        let is_blank = new_name.is_some_and(|name| name.trim().is_empty());
        let new_name = new_name.map(|name| if may_be_blank && is_blank { name } else { name.trim() });
        if new_name == Some(current_name) {
            return Err(Error::DefaultGroupNameUnchanged { group_name: current_name.as_str().into() });
        }
        let check_new_name =
            |name: String| if may_be_blank && is_blank { Ok(name) } else { checked_group_name(tx, &name) };
        let name = params.new_group_name.map(check_new_name).transpose()?;
        let description = params.new_description.map(checked_group_description).transpose()?;

        if let Some(name) = name {
            default_groups_mut(tx)[index].name = name;
            emit_default_groups(tx);
        }
        if let Some(description) = description {
            default_groups_mut(tx)[index].description = description;
            emit_default_groups(tx);
        }
        Ok(Success {})
    }
}

operation! {
    /// Adds channels to a group of default channels, or removes them.
    pub ChangeDefaultGroupChannels = PATCH "/default_stream_groups/{group_id}/streams", for Administrator;
    params {
        /// ID of the group to change.
        @path group_id: i64,
        /// `add` or `remove`.
        op: String,
        /// Names of the channels: none in the group yet for `add`, all in it for `remove`.
        stream_names: Vec<String>,
    }
    errors [
        NoSuchDefaultGroup, InvalidChannelName, PrivateChannelCannotBeDefault, ChannelIsDefault, InvalidValue,
        InDefaultGroup, NotInDefaultGroup,
    ];
    events [DefaultStreamGroups];
}

impl Write for ChangeDefaultGroupChannels {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let index = group_index(tx, params.group_id)?;
        let group = tx.organization.default_channel_groups[index].clone();
        let channels = checked_channels(tx, context.caller(), &params.stream_names, &group.name)?;
        let is_add = match params.op.as_str() {
            "add" => true,
            "remove" => false,
            _ => return Err(Error::InvalidValue { parameter: "op".into() }),
        };
        if let Some(id) = channels.iter().find(|id| group.channels.contains(id) == is_add) {
            let channel_name = tx.channels[id].name.as_str().into();
            let group_name = group.name.as_str().into();
            return Err(if is_add {
                Error::InDefaultGroup { channel_name, group_name }
            } else {
                Error::NotInDefaultGroup { channel_name, group_name }
            });
        }

        let group_channels = &mut default_groups_mut(tx)[index].channels;
        for id in channels {
            if is_add {
                group_channels.insert(id)
            } else {
                group_channels.remove(&id)
            };
        }
        emit_default_groups(tx);
        Ok(Success {})
    }
}

operation! {
    /// Removes a group of default channels.
    pub RemoveDefaultGroup = DELETE "/default_stream_groups/{group_id}", for Administrator;
    params {
        /// ID of the group to remove; its channels stay.
        @path group_id: i64,
    }
    errors [NoSuchDefaultGroup];
    events [DefaultStreamGroups];
}

impl Write for RemoveDefaultGroup {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let index = group_index(tx, params.group_id)?;

        default_groups_mut(tx).remove(index);
        emit_default_groups(tx);
        Ok(Success {})
    }
}

/// Checks the length of a description. Unlike the description of a channel, it may have several lines.
fn checked_group_description(description: String) -> Result<String, Error> {
    check_length(&description, "description", MAX_CHANNEL_DESCRIPTION_LENGTH)?;
    Ok(description)
}

fn checked_group_name(realm: &Realm, requested: &str) -> Result<String, Error> {
    let name = requested.trim();
    if name.chars().count() > MAX_NAME_LENGTH {
        return Err(Error::DefaultGroupNameTooLong { limit: MAX_NAME_LENGTH.into() });
    }
    if name.contains('\0') {
        return Err(Error::DefaultGroupNameNullBytes { group_name: name.into() });
    }
    if name.is_empty() || invalid_character_position(name).is_some() {
        return Err(Error::InvalidDefaultGroupName { group_name: requested.into() });
    }
    if realm.organization.default_channel_groups.iter().any(|group| group.name == name) {
        return Err(Error::DefaultGroupExists { group_name: name.into() });
    }
    Ok(name.to_owned())
}

/// Finds the channels with these names, and checks that the caller can read them and that none is archived, private or
/// a default channel.
fn checked_channels(realm: &Realm, caller: &User, names: &[String], group_name: &str) -> Result<Vec<ChannelId>, Error> {
    let channels: Vec<&Channel> = names
        .iter()
        .map(|name| realm.readable_active_channel_by_name(caller, name).map(AsRef::as_ref))
        .collect::<Result<_, _>>()?;
    for channel in &channels {
        if channel.privacy.is_private() {
            return Err(Error::PrivateChannelCannotBeDefault);
        }
        if channel.is_default {
            let channel_name = channel.name.as_str().into();
            return Err(Error::ChannelIsDefault { channel_name, group_name: group_name.into() });
        }
    }
    Ok(channels.into_iter().map(|channel| channel.id).collect())
}

fn group_index(realm: &Realm, id: i64) -> Result<usize, Error> {
    let position = realm.organization.default_channel_groups.iter().position(|group| group.id == id);
    position.ok_or_else(|| Error::NoSuchDefaultGroup { group_id: id.into() })
}
