//! The organization's own settings, for its administrators.
//!
//! Choices where the API is silent: in docs/assumptions.md.

pub mod authentication;
pub mod deactivate;
pub mod domains;
pub mod parameters;
pub mod pictures;
pub mod playgrounds;
pub mod policies;
pub mod subdomain;
pub mod user_defaults;
pub mod welcome;

use super::{Call, Write, operation};
use crate::api::changes::organization::emit_data;
use crate::api::parameter::types::group_setting::{GroupSettingUpdate, resolve_update};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::Channel;
use crate::realm::id::ChannelId;
use crate::realm::organization::{ChannelPurpose, Organization};
use crate::realm::permission::{GroupSettingValue, REALM_PERMISSIONS, setting};
use crate::realm::render::rendered_description;
use crate::realm::tx::Tx;
use crate::realm::user::{Role, User};
use crate::realm::visibility::Sight;
use crate::record::events::{RealmUpdate, RealmUpdateDict};
use parameters::{KIND, OrganizationParams, check_choice, stored_value};
use policies::{Choice, Policy};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Settings that decide who can sign up, and when they count as full members: for owners alone.
const SIGN_UP_SETTINGS: &[&str] = &[
    "invite_required",
    "emails_restricted_to_domains",
    "disallow_disposable_email_addresses",
    "waiting_period_threshold",
];
/// Permissions that owners alone give.
const OWNERS_PERMISSIONS: &[&str] = &[
    "create_multiuse_invite_group",
    "can_create_groups",
    "can_invite_users_group",
    "can_manage_all_groups",
    "can_manage_billing_group",
];

/// Settings and policies of which events tell in the form that permissions have.
const SENT_AS_DATA: &[&str] =
    &["allow_message_editing", "edit_topic_policy", "message_content_edit_limit_seconds", "topics_policy"];

operation! {
    /// Changes the organization's name, description, settings and permissions.
    pub EditOrganization = PATCH "/realm", for Administrator;
    params from OrganizationParams;
    reply OrganizationReply;
    errors [
        BadValue, InvalidValueBecause, InvalidValue, InvalidLanguage, NotOffered, OwnerRequired,
        AuthenticationMethodRequired, RefusedValue, InvalidChannelId, ModerationChannelPublic, ExpectationMismatch,
        InvalidGroup, GroupDeactivated, SystemGroupRequired, DisallowedGroup, InvalidUserId, InvalidGroupId,
        DemoOrganizationRequired,
    ];
    events [
        RealmUpdate, UserGroupAddMembers, UserGroupRemoveMembers, StreamCreate, SubscriptionPeerAdd, StreamDelete,
        RealmUpdateDict, RealmUserAdd, RealmUserRemove,
    ];
}

/// What changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OrganizationReply {
    /// The new values by their names.
    #[serde(flatten)]
    pub changed: Map<String, Value>,
}

impl Write for EditOrganization {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<OrganizationReply, Error> {
        let caller = call.caller();
        for (name, value) in &params.settings {
            check_choice(name, value)?;
        }
        let policies = policies::former_policies(call.former)?;
        check_owner_decides(call, &params, &policies)?;
        let logins_off =
            params.authentication_methods.map(|methods| methods.applied_to(&tx.organization)).transpose()?;
        let stored = |(name, value)| stored_value(name, value).map(|value| (name, value));
        let settings: Vec<(&'static str, Value)> = params.settings.into_iter().map(stored).collect::<Result<_, _>>()?;
        for (which, id) in &params.channels {
            check_channel(tx, caller, *which, *id)?;
        }
        let permissions = checked_permissions(tx, call, params.permissions)?;
        if params.moves {
            return Err(Error::DemoOrganizationRequired);
        }

        let mut changed = Map::new();
        let texts = params.name.map(Change::Name).into_iter().chain(params.description.map(Change::Description));
        let settings = settings.into_iter().map(|(name, value)| Change::Setting(name, value));
        let policies = policies.into_iter().map(|(policy, choice)| Change::Policy(policy, choice));
        let mut changes: Vec<Change> = texts.chain(settings).chain(policies).collect();
        changes.sort_by_key(|change| parameters::rank(change.name(), change.lifts()));
        let kind = changes.split_off(changes.partition_point(|change| change.name() != KIND));
        changes.into_iter().for_each(|change| change.apply(tx, caller, &mut changed));
        for (name, value) in permissions {
            changed.insert(name.to_owned(), json!(value));
            change_permission(tx, name, value);
        }
        if let Some(off) = logins_off.filter(|off| *off != tx.organization.disabled_authentication_methods) {
            organization_mut(tx).disabled_authentication_methods = off;
            let methods = json!(authentication::records(&tx.organization));
            emit_data(tx, [("authentication_methods", methods)]);
            changed.insert("authentication_methods".to_owned(), authentication::switches(&tx.organization));
        }
        for (which, id) in params.channels {
            // Nowhere counts as changed whenever it is given.
            if std::mem::replace(which.of(organization_mut(tx)), id) != id || id.is_none() {
                tell(tx, &mut changed, which.name(), id.map_or(-1, |id| id.0).into());
            }
        }
        kind.into_iter().for_each(|change| change.apply(tx, caller, &mut changed));
        Ok(OrganizationReply { changed })
    }
}

/// Who sees what of the history of edits, and its words in the order of their numbers, from 1 on.
const HISTORY: &str = "message_edit_history_visibility_policy";
const HISTORY_POLICIES: [&str; 3] = ["all", "moves", "none"];

/// A change of what the organization keeps as a value.
enum Change {
    Name(String),
    Description(String),
    Setting(&'static str, Value),
    Policy(&'static Policy, &'static Choice),
}

impl Change {
    fn name(&self) -> &'static str {
        match self {
            Self::Name(_) => "name",
            Self::Description(_) => "description",
            Self::Setting(name, _) => name,
            Self::Policy(policy, _) => policy.name,
        }
    }

    /// Whether it takes a limit or an address away.
    fn lifts(&self) -> bool {
        matches!(self, Self::Setting(_, Value::Null))
    }

    /// Makes the change, unless it is so already, and notes it in the reply.
    fn apply(self, tx: &mut Tx, author: &User, changed: &mut Map<String, Value>) {
        match self {
            Self::Name(name) if name != tx.organization.name => {
                organization_mut(tx).name.clone_from(&name);
                tell(tx, changed, "name", name.into());
            }
            Self::Description(description) if description != tx.organization.description => {
                describe(tx, author, &description);
                changed.insert("description".to_owned(), description.into());
            }
            // These two count as changed whenever they are given.
            Self::Setting(HISTORY, value) if tx.has(Feature::HistoryPolicyNumbered) => {
                if *tx.organization.setting_named(HISTORY) != value {
                    change_setting(tx, HISTORY, &value);
                }
                let number = HISTORY_POLICIES.iter().position(|word| value == *word).map(|position| position + 1);
                changed.insert(HISTORY.to_owned(), json!(number));
            }
            Self::Setting(name, value) if *tx.organization.setting_named(name) != value || name == KIND => {
                change_setting(tx, name, &value);
                changed.insert(name.to_owned(), value);
            }
            Self::Policy(policy, choice) if change_policy(tx, policy, choice) => {
                changed.insert(policy.name.to_owned(), choice.0.into());
            }
            _ => {}
        }
    }
}

/// Whether the caller may change all that owners alone do.
///
/// # Errors
///
/// `OwnerRequired`; that of [`check_may_decide_on_sign_up`].
fn check_owner_decides(
    call: &Call<'_>,
    params: &OrganizationParams,
    policies: &[(&Policy, &Choice)],
) -> Result<(), Error> {
    let has_setting = |names: &[&str]| params.settings.iter().any(|(name, _)| names.contains(name));
    let asks_owner = params.authentication_methods.is_some()
        || params.moves
        || has_setting(&["message_retention_days"])
        || policies.iter().any(|(policy, _)| policy.is_for_owners)
        || params.permissions.iter().any(|(name, _)| OWNERS_PERMISSIONS.contains(name));
    if asks_owner && call.caller().role != Role::Owner {
        return Err(Error::OwnerRequired);
    }
    if has_setting(SIGN_UP_SETTINGS) { check_may_decide_on_sign_up(call) } else { Ok(()) }
}

/// Whether the caller may change who can sign up: an owner may; below 143, administrators may too.
///
/// # Errors
///
/// `OwnerRequired`, and below 143 `AdministratorRequired`.
fn check_may_decide_on_sign_up(call: &Call<'_>) -> Result<(), Error> {
    let caller = call.caller();
    if call.has(Feature::OwnersDecideOnSignUp) {
        return if caller.role == Role::Owner { Ok(()) } else { Err(Error::OwnerRequired) };
    }
    if caller.is_admin() { Ok(()) } else { Err(Error::AdministratorRequired) }
}

/// Whether the caller can see a channel, and it is fit for its purpose.
fn check_channel(realm: &Realm, caller: &User, which: ChannelPurpose, id: Option<ChannelId>) -> Result<(), Error> {
    let Some(id) = id else { return Ok(()) };
    let channel: &Channel = realm.living_channel(caller, id)?;
    let is_open = which == ChannelPurpose::ModerationRequests && !channel.privacy.is_private();
    if is_open { Err(Error::ModerationChannelPublic) } else { Ok(()) }
}

/// What is to be changed, without what is so already.
fn checked_permissions(
    realm: &Realm,
    call: &Call<'_>,
    requested: Vec<(&'static str, GroupSettingUpdate)>,
) -> Result<Vec<(&'static str, GroupSettingValue)>, Error> {
    let mut changes = Vec::new();
    for (name, update) in requested {
        let Some(current) = realm.organization.permissions.get(name) else { continue };
        let setting = setting(REALM_PERMISSIONS, name);
        if let Some(value) = resolve_update(realm, call.feature_level, setting, current, update)? {
            changes.push((name, value));
        }
    }
    Ok(changes)
}

fn organization_mut(tx: &mut Tx) -> &mut Organization {
    Arc::make_mut(&mut tx.realm_mut().organization)
}

fn change_setting(tx: &mut Tx, name: &'static str, value: &Value) {
    organization_mut(tx).settings.insert(name, value.clone());
    let mut data = vec![(name, value.clone())];
    if name == "topics_policy" {
        // The older switch follows from it.
        data.push(("mandatory_topics", (*value == "disable_empty_topic").into()));
    }
    if SENT_AS_DATA.contains(&name) {
        emit_data(tx, data);
    } else {
        emit(tx, name, value);
    }
    if name == "waiting_period_threshold" {
        tx.settle_full_members(tx.users.keys().copied().collect());
    }
}

fn describe(tx: &mut Tx, author: &User, description: &str) {
    let rendered = rendered_description(tx, author, description);
    let organization = organization_mut(tx);
    description.clone_into(&mut organization.description);
    organization.rendered_description.clone_from(&rendered);
    emit_data(tx, [("description", description.into()), ("rendered_description", rendered.into())]);
}

fn tell(tx: &mut Tx, changed: &mut Map<String, Value>, name: &'static str, value: Value) {
    emit(tx, name, &value);
    changed.insert(name.to_owned(), value);
}

fn emit(tx: &mut Tx, name: &str, value: &Value) {
    let everyone = tx.everyone();
    tx.emit(everyone, RealmUpdate { property: name.to_owned(), value: value.clone() });
}

/// Gives the permissions of a policy to those that a value of it names, unless it has the value already; whether it had
/// another.
fn change_policy(tx: &mut Tx, policy: &'static Policy, (number, holders): &Choice) -> bool {
    if policy.number(tx) == *number {
        return false;
    }
    for (name, group) in policy.permissions.iter().copied().zip(holders.iter()) {
        let value = GroupSettingValue::Group(tx.system_group(*group));
        if tx.organization.permissions.get(name) != Some(&value) {
            change_permission(tx, name, value);
        }
    }
    let everyone = tx.everyone();
    let (name, value) = (policy.name.to_owned(), Value::from(*number));
    if SENT_AS_DATA.contains(&policy.name) {
        let data = [(name, value)].into_iter().collect();
        tx.emit_before(policy.removed_in, everyone, |_| RealmUpdateDict { property: "default", data });
    } else {
        tx.emit_before(policy.removed_in, everyone, |_| RealmUpdate { property: name, value });
    }
    true
}

/// Gives a permission to others. Where guests come to know more or fewer people, they learn which.
fn change_permission(tx: &mut Tx, name: &'static str, value: GroupSettingValue) {
    let before = tx.mark();
    let shown = json!(value);
    organization_mut(tx).permissions.insert(name, value);
    emit_data(tx, [(name, shown)]);
    tx.emit_visibility(&before, &[Sight::Users]);
}
