//! The operation that registers an event queue and returns the state that its events continue from. A submodule reads
//! its parameters, and the others collect the state, each a part of it.

mod channels;
mod lists;
mod messages;
mod options;
mod organization;
mod requested_values;
pub mod settings;
mod users;

pub use settings::setting_choices;

use super::parameter::{Nullable, Parameters, RawParameters, WholeNumber};
use super::{OperationContext, SERVICE_VERSION, Write, operation};
use crate::api::changes::queues::{add_queue, emit_later_level_event};
use crate::api::parameter::types::event_types::EventTypes;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::queue::{QueueLevel, QueueOptions, QueueTerm};
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::bot::channel_name;
use crate::record::subscription::IncludeSubscribers;
use crate::time::Span;
use channels::ChannelState;
use lists::ListState;
use messages::MessageState;
use options::{CapabilitiesParameter, EventNarrow, IdleTimeout};
use organization::OrganizationState;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use users::{UserLists, UserPart, UserValues};

operation! {
    /// Registers an event queue and returns the state that its events continue from.
    pub Register = POST "/register", for UserOrSpectator;
    params {
        /// Whether events have the content of messages as HTML instead of Markdown.
        apply_markdown: bool = false,
        /// Whether the client computes the picture URLs of the provider itself; true when absent, for spectators false.
        client_gravatar: Option<bool>,
        /// Whether presence comes in the modern form, by user ID.
        slim_presence: bool = false,
        /// Whether the queue gets messages of all public channels; when absent, a bot's own setting.
        all_public_streams: Option<bool> = None => "false",
        /// Whether channels list their subscribers; `partial` leaves some of them out in large channels.
        include_subscribers: options::IncludeSubscribersParameter = options::IncludeSubscribersParameter(IncludeSubscribers::Omitted) => "false",
        /// What the client understands: an object such as `{"stream_typing_notifications": true}`.
        client_capabilities: CapabilitiesParameter = CapabilitiesParameter::default() => "{}",
        /// Types of events for the queue; all when absent, unknown types are ignored.
        event_types: Option<EventTypes>,
        /// Types of events whose state the reply has; as `event_types` when absent.
        fetch_event_types: Option<EventTypes>,
        /// Pairs of operator and operand that messages must match; when empty, a bot's channel for events.
        narrow: EventNarrow = EventNarrow::default() => "[]",
        /// Old name of `idle_queue_timeout`, in seconds; 0 for the default.
        queue_lifespan_secs: Option<WholeNumber>,
        /// Seconds without a poll after which the queue expires, or "mobile" for a long time; null for the default.
        idle_queue_timeout since 481: Option<Nullable<IdleTimeout>>,
        /// Presence no older than this many days; 0 for none.
        presence_history_limit_days since 288: WholeNumber = WholeNumber(14) => "14",
    }
    reply RegisterReply;
    errors [NotForAnonymous, NotAuthorizedForQuery, BadNarrow, OperatorNotSupported, OperandNotSupported];
    effects [RegistersQueue];
}

/// The queue and the state; the keys depend on the request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RegisterReply {
    /// Null for spectators.
    pub queue_id: Option<String>,
    /// The ID for the first poll, before those of the queue's events; absent for spectators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_event_id: Option<i64>,
    /// The feature level that the server emulates.
    pub service_feature_level: i64,
    /// The release of a real server at this level, such as `12.0`.
    pub service_version: &'static str,
    /// Same as `service_version`.
    pub service_merge_base: &'static str,
    /// Seconds without a poll after which the queue expires; absent for spectators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_queue_timeout_secs: Option<i64>,
    /// The state for the requested types of events.
    #[serde(flatten)]
    #[schemars(skip)]
    pub state: RegisterState,
}

/// The state, without the keys of types of events that the request does not include.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RegisterState {
    #[serde(flatten)]
    messages: MessageState,
    /// The viewer's own lists. Their keys and types are in the table `OWN_LISTS`.
    #[serde(flatten)]
    #[schemars(skip)]
    own_lists: Map<String, Value>,
    #[serde(flatten)]
    lists: ListState,
    #[serde(flatten)]
    organization: Option<OrganizationState>,
    #[serde(flatten)]
    users: UserPart,
    #[serde(flatten)]
    channels: ChannelState,
    #[serde(flatten)]
    user_lists: Option<UserLists>,
}

impl RegisterState {
    fn new(realm: &Realm, request: &StateRequest<'_>) -> Self {
        Self {
            messages: MessageState::new(realm, request),
            own_lists: lists::own_lists(realm, request),
            lists: ListState::new(realm, request),
            organization: request.includes("realm").then(|| OrganizationState::new(realm, request)),
            users: UserPart::new(realm, request),
            channels: ChannelState::new(realm, request),
            user_lists: request.includes("realm_user").then(|| UserLists::new(realm, request)),
        }
    }
}

/// Whether a name in `fetch_event_types` selects one of the keys of messages, lists, bots and statuses. Some of these
/// names, such as `starred_messages`, are not types of events. False also for types of events that select other keys.
pub fn selects_listed_value(event_type: &str) -> bool {
    [MessageState::EVENT_TYPES, ListState::EVENT_TYPES, UserValues::EVENT_TYPES].concat().contains(&event_type)
}

/// A request for the state: all that the state depends on apart from the realm.
pub(super) struct StateRequest<'a> {
    viewer: Option<&'a User>,
    options: &'a QueueOptions,
    include_subscribers: IncludeSubscribers,
    presence_days: i64,
    context: &'a OperationContext<'a>,
    /// The types of events whose state is requested; None for all.
    types: Option<BTreeSet<String>>,
}

impl StateRequest<'_> {
    fn viewer_id(&self) -> Option<UserId> {
        self.viewer.map(|viewer| viewer.id)
    }

    /// Whether the state of a type of events is requested.
    fn includes(&self, event_type: &str) -> bool {
        self.types.as_ref().is_none_or(|types| types.contains(event_type))
    }

    /// Whether the request lists a type of events; not if it requests all.
    fn names_explicitly(&self, event_type: &str) -> bool {
        self.types.as_ref().is_some_and(|types| types.contains(event_type))
    }
}

impl Write for Register {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<RegisterReply, Error> {
        let viewer = context.caller.as_deref();
        let options = queue_options(tx, viewer, &params, context.client, context.queue_level)?;
        let types = params.fetch_event_types.clone().or_else(|| params.event_types.clone());
        let request = StateRequest {
            viewer,
            options: &options,
            include_subscribers: params.include_subscribers.0,
            presence_days: params.presence_history_limit_days.0,
            context,
            types: types.map(|types| types.0),
        };

        let state = RegisterState::new(tx, &request);
        let timeout = idle_timeout(&params);
        let queue_id = viewer.map(|viewer| add_queue(tx, viewer, options, timeout));
        emit_later_level_event(tx, queue_id.as_deref());
        Ok(RegisterReply {
            last_event_id: queue_id.is_some().then_some(-1),
            idle_queue_timeout_secs: queue_id.is_some().then(|| timeout.whole_seconds()),
            queue_id: queue_id.map(|id| id.to_string()),
            service_feature_level: context.feature_level,
            service_version: SERVICE_VERSION,
            service_merge_base: SERVICE_VERSION,
            state,
        })
    }
}

/// Checks that the viewer may use the parameters: some are refused to spectators, one to guests.
fn check_viewer_may_use(viewer: Option<&User>, params: &Register) -> Result<(), Error> {
    match viewer {
        None if params.client_gravatar == Some(true) => Err(Error::NotForAnonymous { key: "client_gravatar".into() }),
        None if params.include_subscribers.0 != IncludeSubscribers::Omitted => {
            Err(Error::NotForAnonymous { key: "include_subscribers".into() })
        }
        Some(viewer) if viewer.is_guest() && params.all_public_streams == Some(true) => {
            Err(Error::NotAuthorizedForQuery)
        }
        _ => Ok(()),
    }
}

/// The narrow of a bot with a default channel for events: that channel, by its current name. Empty for others.
fn default_narrow(realm: &Realm, viewer: Option<&User>) -> Vec<QueueTerm> {
    let channel = viewer.and_then(|viewer| viewer.bot_defaults().events_channel);
    channel_name(realm, channel).into_iter().map(|name| QueueTerm::Channel(name.to_lowercase())).collect()
}

/// The options of the queue that a user's client gets with these parameters, in a world of this level.
///
/// # Errors
///
/// Those of the parameters, and of [`queue_options`].
pub fn options_of_user(
    realm: &Realm,
    viewer: &User,
    raw: &RawParameters,
    level: QueueLevel,
) -> Result<QueueOptions, Error> {
    queue_options(realm, Some(viewer), &Register::read(raw)?, "", level)
}

/// The options of the queue for these parameters; `viewer` is None for a spectator.
///
/// # Errors
///
/// In this order: those of [`EventNarrow::terms`], `NotForAnonymous`, `NotAuthorizedForQuery`.
fn queue_options(
    realm: &Realm,
    viewer: Option<&User>,
    params: &Register,
    client: &str,
    level: QueueLevel,
) -> Result<QueueOptions, Error> {
    let narrow = params.narrow.terms()?;
    check_viewer_may_use(viewer, params)?;
    let capabilities = params.client_capabilities.0;
    Ok(QueueOptions {
        client: client.to_owned(),
        event_types: params.event_types.clone().map(|types| types.0),
        apply_markdown: params.apply_markdown,
        client_gravatar: params.client_gravatar.unwrap_or(viewer.is_some()),
        all_public_streams: viewer
            .is_some_and(|viewer| params.all_public_streams.unwrap_or(viewer.bot_defaults().all_public_channels)),
        narrow: if narrow.is_empty() { default_narrow(realm, viewer) } else { narrow },
        slim_presence: params.slim_presence || capabilities.simplified_presence_events,
        capabilities,
        level,
    })
}

fn idle_timeout(params: &Register) -> Span {
    use crate::realm::queue::{DEFAULT_IDLE_TIMEOUT_SECONDS as DEFAULT, MAX_IDLE_TIMEOUT_SECONDS as MAX};
    let requested_seconds = match &params.idle_queue_timeout {
        Some(Nullable(timeout)) => timeout.as_ref().map(|timeout| timeout.0),
        None => params.queue_lifespan_secs.map(|WholeNumber(seconds)| seconds).filter(|seconds| *seconds > 0),
    };
    Span::from_seconds(requested_seconds.unwrap_or(DEFAULT).min(MAX))
}
