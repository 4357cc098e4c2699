//! Channel folders: listing, creating, changing and ordering them.
//!
//! A choice where the API is silent: A-47 in docs/assumptions.md.

use super::{OperationContext, Read, Success, Write, operation};
use crate::api::parameter::types::text::LimitedText;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::channel::Folder;
use crate::realm::id::FolderId;
use crate::realm::render::render_description;
use crate::realm::text::invalid_character_position;
use crate::realm::tx::Tx;
use crate::record::channel_folder::FolderRecord;
use crate::record::events::{ChannelFolderAdd, ChannelFolderReorder, ChannelFolderUpdate, FolderChange};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum length of a folder's name, in code points (`max_channel_folder_name_length`).
pub const MAX_NAME_LENGTH: usize = 60;
/// Maximum length of a folder's description, in code points (`max_channel_folder_description_length`).
pub const MAX_DESCRIPTION_LENGTH: usize = 1024;

/// All folders in their order, including archived ones.
pub fn folders_in_order(realm: &Realm) -> Vec<&Folder> {
    let mut folders: Vec<&Folder> = realm.folders.values().map(AsRef::as_ref).collect();
    folders.sort_by_key(|folder| (folder.order, folder.id));
    folders
}

operation! {
    /// Lists the channel folders in their order.
    pub GetFolders = GET "/channel_folders", for User, since 389;
    params {
        /// Also list archived folders.
        include_archived: bool = false,
    }
    reply FoldersReply;
}

/// The organization's folders.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FoldersReply {
    /// Sorted by `order`.
    pub channel_folders: Vec<FolderRecord>,
}

impl Read for GetFolders {
    fn run(realm: &Realm, _context: &OperationContext<'_>, params: Self::Params) -> Result<FoldersReply, Error> {
        let folders =
            folders_in_order(realm).into_iter().filter(|folder| params.include_archived || !folder.is_archived);
        Ok(FoldersReply { channel_folders: folders.map(FolderRecord::new).collect() })
    }
}

operation! {
    /// Creates a channel folder.
    pub CreateFolder = POST "/channel_folders/create", for Administrator, since 389;
    params {
        /// Markdown, at most 1,024 code points; may be empty.
        description: LimitedText<MAX_DESCRIPTION_LENGTH>,
        /// Not blank, at most 60 code points; unique among folders that are not archived, regardless of case.
        name: LimitedText<MAX_NAME_LENGTH>,
    }
    reply FolderIdReply;
    errors [BadValue, FolderNameEmpty, FolderNameInvalidCharacter, FolderNameTaken];
    events [ChannelFolderAdd];
}

/// Which folder was created.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FolderIdReply {
    /// ID of the new folder; also its `order` until the folders are reordered.
    pub channel_folder_id: FolderId,
}

impl Write for CreateFolder {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<FolderIdReply, Error> {
        let (LimitedText(description), LimitedText(name)) = (params.description, params.name);
        check_name(tx, &name)?;

        tx.realm_mut().counters.folder += 1;
        let id = FolderId(tx.counters.folder);
        let folder = Folder {
            id,
            name,
            rendered_description: render_description(tx, context.caller(), &description),
            description,
            date_created: tx.now,
            creator: Some(context.caller().id),
            is_archived: false,
            order: id.0,
        };
        let event = ChannelFolderAdd { channel_folder: FolderRecord::new(&folder) };
        tx.realm_mut().folders.insert(id, Arc::new(folder));
        tx.emit(tx.everyone(), event);
        Ok(FolderIdReply { channel_folder_id: id })
    }
}

/// Checks a new name. As on the real server, an active folder cannot take its own name with another case.
fn check_name(realm: &Realm, name: &str) -> Result<(), Error> {
    if name.trim().is_empty() {
        return Err(Error::FolderNameEmpty);
    }
    if let Some(position) = invalid_character_position(name) {
        return Err(Error::FolderNameInvalidCharacter { position: position.into() });
    }
    let lowercase_name = name.to_lowercase();
    let is_taken = |folder: &Arc<Folder>| !folder.is_archived && folder.name.to_lowercase() == lowercase_name;
    if realm.folders.values().any(is_taken) { Err(Error::FolderNameTaken) } else { Ok(()) }
}

operation! {
    /// Renames, describes, archives or unarchives a channel folder.
    pub EditFolder = PATCH "/channel_folders/{channel_folder_id}", for Administrator, since 389;
    params {
        /// ID of the folder, which may be archived.
        @path channel_folder_id: FolderId,
        /// Markdown, at most 1,024 code points; may be empty.
        description: Option<LimitedText<MAX_DESCRIPTION_LENGTH>>,
        /// True archives a folder, which must have no channels; false unarchives it.
        is_archived: Option<bool>,
        /// Not blank, at most 60 code points; unique among folders that are not archived, regardless of case.
        name: Option<LimitedText<MAX_NAME_LENGTH>>,
    }
    errors [BadValue, InvalidFolder, FolderNameEmpty, FolderNameInvalidCharacter, FolderNameTaken, FolderNotEmpty];
    events [ChannelFolderUpdate];
}

impl Write for EditFolder {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let id = params.channel_folder_id;
        let folder = tx.folders.get(&id).ok_or(Error::InvalidFolder)?.as_ref().clone();
        let name = params.name.map(|name| name.0).filter(|name| *name != folder.name);
        let description = params.description.map(|text| text.0).filter(|text| *text != folder.description);
        let is_archived = params.is_archived.filter(|is_archived| *is_archived != folder.is_archived);
        // Another folder may have taken the name of an archived one.
        let is_unarchived = is_archived == Some(false);
        if let Some(name) = name.as_ref().or(is_unarchived.then_some(&folder.name)) {
            check_name(tx, name)?;
        }
        if is_archived == Some(true) && tx.channels.values().any(|channel| channel.folder == Some(id)) {
            return Err(Error::FolderNotEmpty);
        }

        let mut folder = folder;
        if let Some(name) = name {
            folder.name.clone_from(&name);
            store_and_emit_change(tx, &folder, FolderChange { name: Some(name), ..FolderChange::default() });
        }
        if let Some(description) = description {
            folder.rendered_description = render_description(tx, context.caller(), &description);
            folder.description = description;
            let data = FolderChange {
                description: Some(folder.description.clone()),
                rendered_description: Some(folder.rendered_description.clone()),
                ..FolderChange::default()
            };
            store_and_emit_change(tx, &folder, data);
        }
        if let Some(is_archived) = is_archived {
            folder.is_archived = is_archived;
            store_and_emit_change(
                tx,
                &folder,
                FolderChange { is_archived: Some(is_archived), ..FolderChange::default() },
            );
        }
        Ok(Success {})
    }
}

/// Event: `channel_folder` update to everyone.
fn store_and_emit_change(tx: &mut Tx, folder: &Folder, data: FolderChange) {
    tx.realm_mut().folders.insert(folder.id, Arc::new(folder.clone()));
    tx.emit(tx.everyone(), ChannelFolderUpdate { channel_folder_id: folder.id, data });
}

operation! {
    /// Reorders the channel folders.
    pub ReorderFolders = PATCH "/channel_folders", for Administrator, since 414;
    params {
        /// IDs of all folders in the new order, archived ones included; unknown and repeated IDs are ignored.
        order: Vec<FolderId>,
    }
    errors [InvalidFolderOrder];
    events [ChannelFolderReorder];
}

impl Write for ReorderFolders {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let mut order: Vec<FolderId> = Vec::new();
        let mut seen_ids = BTreeSet::new();
        for id in params.order {
            if tx.folders.contains_key(&id) && seen_ids.insert(id) {
                order.push(id);
            }
        }
        if order.len() != tx.folders.len() {
            return Err(Error::InvalidFolderOrder);
        }

        for (id, position) in order.iter().zip(0..) {
            let mut folder = tx.folders[id].as_ref().clone();
            folder.order = position;
            tx.realm_mut().folders.insert(*id, Arc::new(folder));
        }
        tx.emit(tx.everyone(), ChannelFolderReorder { order });
        Ok(Success {})
    }
}
