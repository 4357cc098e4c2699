//! Onboarding steps: one-time notices and actions of clients, which the server remembers.

use super::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::event::Audience;
use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use crate::record::events::OnboardingSteps;
use crate::record::onboarding_step::OnboardingStepRecord;

/// A notice that a client shows once to a user, or an action that it does once.
struct Step {
    name: &'static str,
    /// `one_time_notice` or `one_time_action`.
    kind: &'static str,
    /// The first level with the step.
    since: i64,
}

const fn new_notice(name: &'static str, since: i64) -> Step {
    Step { name, kind: "one_time_notice", since }
}

/// In the order of the list that clients get.
const STEPS: [Step; 10] = [
    new_notice("visibility_policy_banner", 0),
    new_notice("intro_inbox_view_modal", 0),
    new_notice("intro_recent_view_modal", 0),
    new_notice("first_stream_created_banner", 253),
    new_notice("jump_to_conversation_banner", 262),
    new_notice("non_interleaved_view_messages_fading", 273),
    new_notice("interleaved_view_messages_fading", 273),
    new_notice("intro_resolve_topic", 302),
    new_notice("navigation_tour_video", NEWEST_NOTICE_SINCE),
    Step { name: "narrow_to_dm_with_welcome_bot_new_user", kind: "one_time_action", since: 281 },
];

/// The level that added the newest notice, and thus the first with all steps.
pub const NEWEST_NOTICE_SINCE: i64 = 368;

pub fn step_names() -> impl Iterator<Item = &'static str> {
    STEPS.iter().map(|step| step.name)
}

/// The first level with a step; 0 for an unknown one.
pub fn step_since(name: &str) -> i64 {
    STEPS.iter().find(|step| step.name == name).map_or(0, |step| step.since)
}

/// The steps that the user has not completed yet, whatever level added them.
pub fn open_step_records(realm: &Realm, user: UserId) -> Vec<OnboardingStepRecord> {
    let completed_names = &realm.user_state(user).onboarding_steps_seen;
    let open_steps = STEPS.iter().filter(|step| !completed_names.contains(step.name));
    open_steps.map(|step| OnboardingStepRecord { kind: step.kind, name: step.name }).collect()
}

operation! {
    /// Marks an onboarding step of the caller as completed.
    pub MarkOnboardingStep = POST "/users/me/onboarding_steps", for Human, since 233;
    params {
        /// Name of the notice that was seen, or of the action that was done.
        onboarding_step: String,
    }
    errors [UnknownOnboardingStep];
    events [OnboardingSteps];
}

impl Write for MarkOnboardingStep {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = context.caller().id;
        let name = params.onboarding_step;
        if !STEPS.iter().any(|step| step.name == name && step.since <= context.feature_level) {
            return Err(Error::UnknownOnboardingStep { onboarding_step: name.into() });
        }

        tx.user_state_mut(user).onboarding_steps_seen.insert(name);
        let event = OnboardingSteps { onboarding_steps: open_step_records(tx, user) };
        tx.emit(Audience::of_user(user), event);
        Ok(Success {})
    }
}
