//! One-time notices that clients show to newcomers.

use super::{Call, Success, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::event::Audience;
use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use crate::record::events::OnboardingSteps;
use crate::record::personal::StepRecord;

/// The notices that there are, in the order in which they are listed.
const STEPS: [&str; 9] = [
    "visibility_policy_banner",
    "intro_inbox_view_modal",
    "intro_recent_view_modal",
    "first_stream_created_banner",
    "jump_to_conversation_banner",
    "non_interleaved_view_messages_fading",
    "interleaved_view_messages_fading",
    "intro_resolve_topic",
    "navigation_tour_video",
];

/// The notices that a user has yet to see.
pub fn records_of(realm: &Realm, user: UserId) -> Vec<StepRecord> {
    let seen = &realm.user_state(user).onboarding_steps_seen;
    let left = STEPS.into_iter().filter(|step| !seen.contains(*step));
    left.map(|name| StepRecord { kind: "one_time_notice", name }).collect()
}

operation! {
    /// Marks a one-time notice as seen.
    pub MarkOnboardingStep = POST "/users/me/onboarding_steps", for Human, since 233;
    params {
        /// The notice that was seen.
        onboarding_step: String,
    }
    errors [UnknownOnboardingStep];
    events [OnboardingSteps];
}

impl Write for MarkOnboardingStep {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = call.caller().id;
        let step = params.onboarding_step;
        if !STEPS.contains(&step.as_str()) {
            return Err(Error::UnknownOnboardingStep { onboarding_step: step.into() });
        }

        tx.user_state_mut(user).onboarding_steps_seen.insert(step);
        let event = OnboardingSteps { onboarding_steps: records_of(tx, user) };
        tx.emit(Audience::user(user), event);
        Ok(Success {})
    }
}
