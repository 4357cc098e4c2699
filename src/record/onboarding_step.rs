//! The API's record of an onboarding step.

use schemars::JsonSchema;
use serde::Serialize;

/// A one-time notice that the user has not seen, or a one-time action that was not done.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "OnboardingStep")]
pub struct OnboardingStepRecord {
    /// `one_time_notice`, or `one_time_action` for what clients do once by themselves.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["one_time_notice", "one_time_action"]))]
    pub kind: &'static str,
    /// The identifier of the notice or action.
    pub name: &'static str,
}
