//! GitHub: messages about pull requests and their reviews.

use super::delivery::Delivery;
use super::git::Activity;
use super::payload::PayloadValue;
use crate::error::Error;

/// Actions that make no message and are not refused as unsupported.
const IGNORED_ACTIONS: [&str; 5] = ["approved", "converted_to_draft", "labeled", "review_request_removed", "unlabeled"];

/// The name of the event that `only_events` and `exclude_events` filter by. None if it makes no message.
///
/// # Errors
///
/// `BadValue` if the payload has no action or it is not a string, `UnsupportedWebhookEvent` if the action is unknown.
pub fn event_name(delivery: &Delivery<'_>, payload: &PayloadValue<'_>) -> Result<Option<&'static str>, Error> {
    Ok(match payload.text_of("action")? {
        "opened" | "reopened" => Some("opened_pull_request"),
        "synchronize" | "edited" => Some("updated_pull_request"),
        "assigned" | "unassigned" => Some("assigned_or_unassigned_pull_request"),
        "closed" => Some("closed_pull_request"),
        "review_requested" => Some("pull_request_review_requested"),
        "ready_for_review" => Some("pull_request_ready_for_review"),
        "locked" | "unlocked" => Some("locked_or_unlocked_pull_request"),
        "auto_merge_enabled" | "auto_merge_disabled" => Some("pull_request_auto_merge"),
        action if IGNORED_ACTIONS.contains(&action) => None,
        action => return Err(delivery.unsupported_event_error(&format!("pull_request:{action}"))),
    })
}

/// Whether the event is an edit of a review without changes, which GitHub sends after each new review.
///
/// # Errors
///
/// `BadValue` if the payload has no action or it is not a string.
pub fn is_unchanged_review_edit(payload: &PayloadValue<'_>) -> Result<bool, Error> {
    let has_changes = payload.find_non_empty("changes")?.is_some();
    Ok(payload.text_of("action")? == "edited" && !has_changes)
}

/// The login name of the user who caused the event.
///
/// # Errors
///
/// `BadValue` if the payload has no sender with a login name.
pub fn sender_login<'a>(payload: &PayloadValue<'a>) -> Result<&'a str, Error> {
    payload.require("sender")?.text_of("login")
}

/// The message about an event with the name that [`event_name`] returns, or about a review or a review comment.
/// `title` is that of the pull request if the message has to contain it; None under the default topic, which contains
/// it.
///
/// # Errors
///
/// `BadValue` if the payload lacks a value that the message needs, or has one of another type.
pub fn message(event: &str, payload: &PayloadValue<'_>, title: Option<String>) -> Result<String, Error> {
    let (user, pull_request) = (sender_login(payload)?, payload.require("pull_request")?);
    let (number, url) = (pull_request.integer_of("number")?, pull_request.text_of("html_url")?);
    match event {
        "pull_request_ready_for_review" => {
            Ok(format!("**{user}** has marked [PR #{number}]({url}) as ready for review."))
        }
        "pull_request_review_requested" => review_request_message(payload, title),
        "locked_or_unlocked_pull_request" if payload.text_of("action")? == "unlocked" => {
            Ok(format!("{user} has unlocked [PR #{number}]({url})."))
        }
        "locked_or_unlocked_pull_request" => {
            // Real servers, which run Python, write a missing reason so.
            let reason = pull_request.text_or_null("active_lock_reason")?.unwrap_or("None");
            Ok(format!(
                "{user} has locked [PR #{number}]({url}) as {reason} and limited conversation to collaborators."
            ))
        }
        "pull_request_auto_merge" => {
            let state = if payload.text_of("action")? == "auto_merge_disabled" { "disabled" } else { "enabled" };
            Ok(format!("{user} has {state} auto merge for [PR #{number}]({url})."))
        }
        "pull_request_review" => review_message(payload, title),
        "pull_request_review_comment" => review_comment_message(payload, title),
        _ => change_message(event, payload, title),
    }
}

fn review_request_message(payload: &PayloadValue<'_>, title: Option<String>) -> Result<String, Error> {
    let (user, pull_request) = (sender_login(payload)?, payload.require("pull_request")?);
    let (number, url) = (pull_request.integer_of("number")?, pull_request.text_of("html_url")?);
    let (reviewer, name_key) = match payload.find("requested_reviewer")? {
        Some(person) => (person, "login"),
        None => (payload.require("requested_team")?, "name"),
    };
    let (name, reviewer_url) = (reviewer.text_of(name_key)?, reviewer.text_of("html_url")?);
    let title = title.map(|title| format!(" {title}")).unwrap_or_default();
    Ok(format!("**{user}** requested [{name}]({reviewer_url}) for a review on [PR #{number}{title}]({url})."))
}

fn review_message(payload: &PayloadValue<'_>, title: Option<String>) -> Result<String, Error> {
    let (review, number) = (payload.require("review")?, payload.require("pull_request")?.integer_of("number")?);
    let title = title.map(|title| format!("for #{number} {title}"));
    let activity = Activity {
        user: sender_login(payload)?,
        // Real servers also say this about reviews that were edited or dismissed.
        action: "submitted",
        kind: "PR review",
        url: review.text_of("html_url")?,
        title: title.as_deref(),
        message: review.text_or_null("body")?,
        ..Activity::default()
    };
    Ok(activity.to_message())
}

fn review_comment_message(payload: &PayloadValue<'_>, title: Option<String>) -> Result<String, Error> {
    let (comment, number) = (payload.require("comment")?, payload.require("pull_request")?.integer_of("number")?);
    let title = title.map(|title| format!("on #{number} {title}"));
    let action = payload.text_of("action")?;
    let activity = Activity {
        user: sender_login(payload)?,
        action,
        kind: "PR review comment",
        url: comment.text_of("html_url")?,
        title: title.as_deref(),
        message: if action == "created" { Some(comment.text_of("body")?) } else { None },
        ..Activity::default()
    };
    Ok(activity.to_message())
}

/// Returns the message about a pull request that was opened, reopened, updated, edited, assigned, unassigned or closed.
fn change_message(event: &str, payload: &PayloadValue<'_>, title: Option<String>) -> Result<String, Error> {
    let (user, pull_request) = (sender_login(payload)?, payload.require("pull_request")?);
    let (number, url) = (Some(pull_request.integer_of("number")?), pull_request.text_of("html_url")?);
    let mut activity = Activity { user, kind: "PR", url, number, title: title.as_deref(), ..Activity::default() };
    let action = payload.text_of("action")?;
    match event {
        "closed_pull_request" => {
            activity.action = if pull_request.bool_of("merged")? { "merged" } else { "closed without merge" };
        }
        "assigned_or_unassigned_pull_request" => {
            activity.action = action;
            activity.changed_assignee = Some(payload.require("assignee")?.text_of("login")?);
        }
        _ => {
            activity.action = if action == "synchronize" { "updated" } else { action };
            activity.assignee =
                pull_request.find_non_empty("assignee")?.map(|assignee| assignee.text_of("login")).transpose()?;
            let changes = payload.find("changes")?;
            let is_body_changed = changes.map(|changes| changes.find("body")).transpose()?.flatten().is_some();
            if is_body_changed || action == "opened" {
                activity.message = pull_request.text_or_null("body")?;
            }
            if action == "opened" {
                activity.branches = Some((
                    pull_request.require("head")?.text_of("label")?,
                    pull_request.require("base")?.text_of("label")?,
                ));
            }
        }
    }
    Ok(activity.to_message())
}
