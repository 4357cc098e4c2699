//! The operation that changes the organization: name, description, settings, permissions. Submodules have its
//! parameters and the other operations on the organization: domains, pictures, playgrounds, deactivation and more.
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

use super::{OperationContext, Write, operation};
use crate::api::changes::organization::emit_update_dict;
use crate::api::parameter::types::group_setting::{GroupSettingUpdate, resolve_update};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::Channel;
use crate::realm::id::ChannelId;
use crate::realm::organization::{ChannelPurpose, Organization};
use crate::realm::permission::{GroupSettingValue, REALM_PERMISSIONS, setting_named};
use crate::realm::render::render_description;
use crate::realm::tx::Tx;
use crate::realm::user::{Role, User};
use crate::realm::visibility::VisibleKind;
use crate::record::events::{RealmUpdate, RealmUpdateDict};
use parameters::{ORG_TYPE, OrganizationParams, check_offered_value, to_stored_value};
use policies::{Choice, Policy};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Settings that decide who can sign up and when users become full members. Only owners may change them, below 143 also
/// administrators.
const SIGN_UP_SETTINGS: &[&str] = &[
    "invite_required",
    "emails_restricted_to_domains",
    "disallow_disposable_email_addresses",
    "waiting_period_threshold",
];
/// Permissions that only owners may change.
const OWNER_ONLY_PERMISSIONS: &[&str] = &[
    "create_multiuse_invite_group",
    "can_create_groups",
    "can_invite_users_group",
    "can_manage_all_groups",
    "can_manage_billing_group",
];

/// Settings and policies that `realm` update_dict events report, like permissions, instead of `realm` update events.
const SENT_AS_UPDATE_DICT: &[&str] =
    &["allow_message_editing", "edit_topic_policy", "message_content_edit_limit_seconds", "topics_policy"];

operation! {
    /// Changes the organization's name, description, settings and permissions.
    pub EditOrganization = PATCH "/realm", for Administrator;
    params from OrganizationParams;
    reply OrganizationReply;
    errors [
        BadValue, InvalidValueBecause, InvalidValue, InvalidLanguage, SettingValueNotOffered, OwnerRequired,
        AuthenticationMethodRequired, RequestVariableInvalid, InvalidChannelId, ModerationChannelMustBePrivate,
        ExpectationMismatch, InvalidGroup, GroupDeactivated, SystemGroupRequired, DisallowedGroup, InvalidUserId,
        InvalidGroupId, DemoOrganizationRequired,
    ];
    events [
        RealmUpdate, UserGroupAddMembers, UserGroupRemoveMembers, StreamCreate, SubscriptionPeerAdd, StreamDelete,
        RealmUpdateDict, RealmUserAdd, RealmUserRemove,
    ];
}

/// The settings, permissions and texts that changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OrganizationReply {
    /// New values by parameter name. `org_type` and a few others are there even if they did not change.
    #[serde(flatten)]
    pub changed: Map<String, Value>,
}

impl Write for EditOrganization {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<OrganizationReply, Error> {
        let caller = context.caller();
        for (name, value) in &params.settings {
            check_offered_value(name, value)?;
        }
        let policies = policies::parse_policies(context.legacy_values)?;
        check_owner_changes(context, &params, &policies)?;
        let disabled_methods =
            params.authentication_methods.map(|methods| methods.disabled_after(&tx.organization)).transpose()?;
        let to_stored = |(name, value)| to_stored_value(name, value).map(|value| (name, value));
        let settings: Vec<(&'static str, Value)> =
            params.settings.into_iter().map(to_stored).collect::<Result<_, _>>()?;
        for (purpose, id) in &params.channels {
            check_channel(tx, caller, *purpose, *id)?;
        }
        let permissions = resolve_permissions(tx, context, params.permissions)?;
        if params.has_subdomain {
            return Err(Error::DemoOrganizationRequired);
        }

        let mut changed = Map::new();
        let text_changes = params.name.map(Change::Name).into_iter().chain(params.description.map(Change::Description));
        let setting_changes = settings.into_iter().map(|(name, value)| Change::Setting(name, value));
        let policy_changes = policies.into_iter().map(|(policy, choice)| Change::Policy(policy, choice));
        let mut changes: Vec<Change> = text_changes.chain(setting_changes).chain(policy_changes).collect();
        changes.sort_by_key(|change| parameters::event_rank(change.name(), change.removes_value()));
        let org_type_changes = changes.split_off(changes.partition_point(|change| change.name() != ORG_TYPE));
        changes.into_iter().for_each(|change| change.apply(tx, caller, &mut changed));
        for (name, value) in permissions {
            changed.insert(name.to_owned(), json!(value));
            change_permission(tx, name, value);
        }
        let is_changed = |methods: &BTreeSet<_>| *methods != tx.organization.disabled_authentication_methods;
        if let Some(methods) = disabled_methods.filter(is_changed) {
            organization_mut(tx).disabled_authentication_methods = methods;
            let methods = json!(authentication::authentication_method_records(&tx.organization));
            emit_update_dict(tx, [("authentication_methods", methods)]);
            changed.insert(
                "authentication_methods".to_owned(),
                authentication::authentication_method_settings(&tx.organization),
            );
        }
        for (purpose, id) in params.channels {
            // Removing a channel counts as a change even if there was none.
            if std::mem::replace(purpose.channel_mut(organization_mut(tx)), id) != id || id.is_none() {
                emit_setting_and_add_to_reply(tx, &mut changed, purpose.name(), id.map_or(-1, |id| id.0).into());
            }
        }
        org_type_changes.into_iter().for_each(|change| change.apply(tx, caller, &mut changed));
        Ok(OrganizationReply { changed })
    }
}

const HISTORY_POLICY: &str = "message_edit_history_visibility_policy";
/// The values of [`HISTORY_POLICY`] in the order of their numbers, which begin at 1.
const HISTORY_POLICY_VALUES: [&str; 3] = ["all", "moves", "none"];

/// A change of a text, a setting or a policy of the organization.
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

    /// Whether the change removes a limit or a URL: its stored value is null then.
    fn removes_value(&self) -> bool {
        matches!(self, Self::Setting(_, Value::Null))
    }

    /// Makes the change if the value differs, and then adds the value to the reply. The history policy and `org_type`
    /// are exceptions.
    fn apply(self, tx: &mut Tx, caller: &User, changed: &mut Map<String, Value>) {
        match self {
            Self::Name(name) if name != tx.organization.name => {
                organization_mut(tx).name.clone_from(&name);
                emit_setting_and_add_to_reply(tx, changed, "name", name.into());
            }
            Self::Description(description) if description != tx.organization.description => {
                change_description(tx, caller, &description);
                changed.insert("description".to_owned(), description.into());
            }
            // From the level of this feature on, the reply has the history policy as a number, even if it is unchanged.
            // `org_type` counts as changed at every level.
            Self::Setting(HISTORY_POLICY, value) if tx.has(Feature::HistoryPolicyNumbered) => {
                if *tx.organization.setting_named(HISTORY_POLICY) != value {
                    change_setting(tx, HISTORY_POLICY, &value);
                }
                let number = HISTORY_POLICY_VALUES.iter().position(|word| value == *word).map(|position| position + 1);
                changed.insert(HISTORY_POLICY.to_owned(), json!(number));
            }
            Self::Setting(name, value) if *tx.organization.setting_named(name) != value || name == ORG_TYPE => {
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

/// Checks that an owner makes the changes that only owners may make.
///
/// # Errors
///
/// `OwnerRequired`, and those of [`check_may_decide_on_sign_up`].
fn check_owner_changes(
    context: &OperationContext<'_>,
    params: &OrganizationParams,
    policies: &[(&Policy, &Choice)],
) -> Result<(), Error> {
    let has_setting = |names: &[&str]| params.settings.iter().any(|(name, _)| names.contains(name));
    let requires_owner = params.authentication_methods.is_some()
        || params.has_subdomain
        || has_setting(&["message_retention_days"])
        || policies.iter().any(|(policy, _)| policy.is_for_owners)
        || params.permissions.iter().any(|(name, _)| OWNER_ONLY_PERMISSIONS.contains(name));
    if requires_owner && context.caller().role != Role::Owner {
        return Err(Error::OwnerRequired);
    }
    if has_setting(SIGN_UP_SETTINGS) { check_may_decide_on_sign_up(context) } else { Ok(()) }
}

/// Checks that the caller may change who can sign up: owners, and below 143 also administrators.
///
/// # Errors
///
/// `OwnerRequired`, below 143 instead `AdministratorRequired`.
fn check_may_decide_on_sign_up(context: &OperationContext<'_>) -> Result<(), Error> {
    let caller = context.caller();
    if context.has(Feature::OwnersChangeSignUpSettings) {
        return if caller.role == Role::Owner { Ok(()) } else { Err(Error::OwnerRequired) };
    }
    if caller.is_admin() { Ok(()) } else { Err(Error::AdministratorRequired) }
}

/// Checks that the caller can see a channel, that it is not archived, and that a channel for moderation requests is
/// private.
fn check_channel(realm: &Realm, caller: &User, purpose: ChannelPurpose, id: Option<ChannelId>) -> Result<(), Error> {
    let Some(id) = id else { return Ok(()) };
    let channel: &Channel = realm.visible_active_channel(caller, id)?;
    let must_be_private = purpose == ChannelPurpose::ModerationRequests;
    if must_be_private && !channel.privacy.is_private() { Err(Error::ModerationChannelMustBePrivate) } else { Ok(()) }
}

/// Returns the permissions that change, with their new values.
fn resolve_permissions(
    realm: &Realm,
    context: &OperationContext<'_>,
    updates: Vec<(&'static str, GroupSettingUpdate)>,
) -> Result<Vec<(&'static str, GroupSettingValue)>, Error> {
    let mut changes = Vec::new();
    for (name, update) in updates {
        let Some(current) = realm.organization.permissions.get(name) else { continue };
        let permission = setting_named(REALM_PERMISSIONS, name);
        if let Some(value) = resolve_update(realm, context.feature_level, permission, current, update)? {
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
        // `mandatory_topics` is the older setting for the same.
        data.push(("mandatory_topics", (*value == "disable_empty_topic").into()));
    }
    if SENT_AS_UPDATE_DICT.contains(&name) {
        emit_update_dict(tx, data);
    } else {
        emit_setting_change(tx, name, value);
    }
    if name == "waiting_period_threshold" {
        tx.update_full_members(tx.users.keys().copied().collect());
    }
}

fn change_description(tx: &mut Tx, author: &User, description: &str) {
    let rendered_html = render_description(tx, author, description);
    let organization = organization_mut(tx);
    description.clone_into(&mut organization.description);
    organization.rendered_description.clone_from(&rendered_html);
    emit_update_dict(tx, [("description", description.into()), ("rendered_description", rendered_html.into())]);
}

fn emit_setting_and_add_to_reply(tx: &mut Tx, changed: &mut Map<String, Value>, name: &'static str, value: Value) {
    emit_setting_change(tx, name, &value);
    changed.insert(name.to_owned(), value);
}

fn emit_setting_change(tx: &mut Tx, name: &str, value: &Value) {
    let everyone = tx.everyone();
    tx.emit(everyone, RealmUpdate { property: name.to_owned(), value: value.clone() });
}

/// Gives the permissions that replaced a policy to the groups of a choice. Returns whether the policy's number changed.
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
    if SENT_AS_UPDATE_DICT.contains(&policy.name) {
        let data = [(name, value)].into_iter().collect();
        tx.emit_before(policy.removed_in, everyone, |_| RealmUpdateDict { property: "default", data });
    } else {
        tx.emit_before(policy.removed_in, everyone, |_| RealmUpdate { property: name, value });
    }
    true
}

/// Events: `realm` update_dict to everyone, and `realm_user` add and remove to guests who gain or lose access to users.
fn change_permission(tx: &mut Tx, name: &'static str, value: GroupSettingValue) {
    let before = tx.realm_copy();
    let json_value = json!(value);
    organization_mut(tx).permissions.insert(name, value);
    emit_update_dict(tx, [(name, json_value)]);
    tx.emit_visibility(&before, &[VisibleKind::Users]);
}
