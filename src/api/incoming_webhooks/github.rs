//! GitHub: which event a delivery is about, and messages about pushes, branches, tags, issues, comments on issues and
//! pull requests, and the setup of a webhook. Messages about other events of pull requests are in
//! `github_pull_request.rs`.

use super::delivery::{Delivery, RenderedDelivery};
use super::git::{self, Activity, Commit, Push};
use super::github_pull_request::{self, sender_login};
use super::payload::PayloadValue;
use crate::error::Error;

/// The header that names the event, in lower case.
pub const EVENT_HEADER: &str = "x-github-event";

/// Events that make no message and are not refused as unsupported.
const IGNORED_EVENTS: [&str; 7] =
    ["check_suite", "label", "meta", "milestone", "organization", "project_card", "repository_vulnerability_alert"];

pub fn render(delivery: &Delivery<'_>) -> Result<RenderedDelivery, Error> {
    let payload = delivery.root();
    let github_event = delivery.header(EVENT_HEADER).unwrap_or_default();
    if let Some(repository) = payload.find("repository")?
        && repository.bool_of("private")?
        && delivery.params.ignore_private_repositories
    {
        return Ok(RenderedDelivery::default());
    }
    if github_event == "issue_comment" && is_unchanged_comment_edit(&payload)? {
        return Ok(RenderedDelivery::default());
    }
    let Some(event) = event_name(delivery, github_event, &payload)? else { return Ok(RenderedDelivery::default()) };
    let topic = default_topic(event, &payload)?;
    // Under the default topic, most messages leave the title out, since the topic contains it.
    let title = |issue: &PayloadValue<'_>| {
        if delivery.has_custom_topic() { issue.text_of("title").map(|title| Some(title.to_owned())) } else { Ok(None) }
    };
    let content = match event {
        "push_commits" => push_message(&payload)?,
        "push_tags" => {
            let tag = payload.text_of("ref")?;
            let action = if payload.bool_of("created")? { "pushed" } else { "removed" };
            git::tag_message(sender_login(&payload)?, action, tag.strip_prefix("refs/tags/").unwrap_or(tag))
        }
        "create" | "delete" => {
            let (kind, name) = (payload.text_of("ref_type")?, payload.text_of("ref")?);
            format!("{} {event}d {kind} {name}.", sender_login(&payload)?)
        }
        "ping" => format!("GitHub webhook has been successfully configured by {}.", sender_login(&payload)?),
        "issues_transferred" | "issues_opened_via_transfer" => transfer_message(event, &payload)?,
        "issue_labeled_or_unlabeled" | "issue_milestoned_or_demilestoned" => {
            label_or_milestone_message(&payload, title(&payload.require("issue")?)?)?
        }
        "issues" => issue_message(&payload, title(&payload.require("issue")?)?)?,
        "issue_comment" => comment_message(&payload, title(&payload.require("issue")?)?)?,
        other => github_pull_request::message(other, &payload, title(&payload.require("pull_request")?)?)?,
    };
    Ok(RenderedDelivery::of_event(event, topic, content))
}

/// Whether an event about a comment is an edit that did not change the text.
fn is_unchanged_comment_edit(payload: &PayloadValue<'_>) -> Result<bool, Error> {
    if payload.find("action")?.is_none_or(|action| action.value() != "edited") {
        return Ok(false);
    }
    let previous_body = payload.require("changes")?.require("body")?.text_of("from")?;
    Ok(previous_body == payload.require("comment")?.text_of("body")?)
}

/// The name of the event that `only_events` and `exclude_events` filter by. None if it makes no message. `github_event`
/// is the name in the header.
fn event_name(
    delivery: &Delivery<'_>,
    github_event: &str,
    payload: &PayloadValue<'_>,
) -> Result<Option<&'static str>, Error> {
    Ok(match github_event {
        "push" => push_event_name(payload, delivery.params.branches.as_deref())?,
        "issues" => Some(match payload.text_of("action")? {
            "labeled" | "unlabeled" => "issue_labeled_or_unlabeled",
            "milestoned" | "demilestoned" => "issue_milestoned_or_demilestoned",
            "transferred" => "issues_transferred",
            "opened" if is_opened_via_transfer(payload)? => "issues_opened_via_transfer",
            _ => "issues",
        }),
        "pull_request" => github_pull_request::event_name(delivery, payload)?,
        "pull_request_review" if github_pull_request::is_unchanged_review_edit(payload)? => None,
        "pull_request_review" => Some("pull_request_review"),
        "pull_request_review_comment" => Some("pull_request_review_comment"),
        "issue_comment" => Some("issue_comment"),
        "create" => Some("create"),
        "delete" => Some("delete"),
        "ping" => Some("ping"),
        other if IGNORED_EVENTS.contains(&other) => None,
        other => {
            // Real servers name a missing action so.
            let action = payload.find("action")?.map_or(Ok("???"), |action| action.text())?;
            return Err(delivery.unsupported_event_error(&format!("{other}:{action}")));
        }
    })
}

fn push_event_name(payload: &PayloadValue<'_>, branches: Option<&str>) -> Result<Option<&'static str>, Error> {
    let reference = payload.text_of("ref")?;
    Ok(match reference.strip_prefix("refs/heads/") {
        // The temporary branches of GitHub's merge queue make no message.
        Some(branch) if branch.starts_with("gh-readonly-queue/") => None,
        Some(branch) => git::is_branch_listed(branch, branches).then_some("push_commits"),
        None => Some("push_tags"),
    })
}

fn is_opened_via_transfer(payload: &PayloadValue<'_>) -> Result<bool, Error> {
    let changes = payload.find_non_empty("changes")?;
    Ok(changes.map(|changes| changes.find_non_empty("old_issue")).transpose()?.flatten().is_some())
}

fn default_topic(event: &str, payload: &PayloadValue<'_>) -> Result<String, Error> {
    if event.contains("pull_request") {
        let pull_request = payload.require("pull_request")?;
        return Ok(git::issue_topic(
            repository_name(payload)?,
            "PR",
            pull_request.integer_of("number")?,
            pull_request.text_of("title")?,
        ));
    }
    if event.starts_with("issue") {
        let issue = payload.require("issue")?;
        let kind = if issue.find("pull_request")?.is_some() { "PR" } else { "issue" };
        return Ok(git::issue_topic(
            repository_name(payload)?,
            kind,
            issue.integer_of("number")?,
            issue.text_of("title")?,
        ));
    }
    match event {
        "push_commits" => Ok(format!("{} / {}", repository_name(payload)?, branch_name(payload)?)),
        "ping" if payload.find_non_empty("repository")?.is_none() => {
            payload.require("organization")?.text_of("login").map(str::to_owned)
        }
        _ => repository_name(payload).map(str::to_owned),
    }
}

fn repository_name<'a>(payload: &PayloadValue<'a>) -> Result<&'a str, Error> {
    payload.require("repository")?.text_of("name")
}

fn branch_name<'a>(payload: &PayloadValue<'a>) -> Result<&'a str, Error> {
    let reference = payload.text_of("ref")?;
    Ok(reference.strip_prefix("refs/heads/").unwrap_or(reference))
}

fn push_message(payload: &PayloadValue<'_>) -> Result<String, Error> {
    let mut commits = Vec::new();
    for commit in payload.require("commits")?.items()? {
        let author = commit.require("author")?;
        let name = match author.find_non_empty("username")? {
            Some(name) => name.text()?,
            None => author.text_of("name")?,
        };
        commits.push(Commit {
            author: name,
            id: commit.text_of("id")?,
            message: commit.text_of("message")?,
            url: commit.text_of("url")?,
        });
    }
    let push = Push {
        user: sender_login(payload)?,
        compare_url: payload.text_of("compare")?,
        branch: branch_name(payload)?,
        commits,
        deletes_branch: payload.bool_of("deleted")?,
        is_forced: payload.bool_of("forced")?,
    };
    Ok(push.to_message())
}

fn issue_message(payload: &PayloadValue<'_>, title: Option<String>) -> Result<String, Error> {
    let action = payload.text_of("action")?;
    let issue = payload.require("issue")?;
    let message = if matches!(action, "assigned" | "unassigned") { None } else { issue.text_or_null("body")? };
    let assignee = payload.find("assignee")?.map(|assignee| assignee.text_of("login")).transpose()?;
    let activity = Activity {
        user: sender_login(payload)?,
        action,
        kind: "issue",
        url: issue.text_of("html_url")?,
        number: Some(issue.integer_of("number")?),
        title: title.as_deref(),
        message,
        changed_assignee: assignee,
        ..Activity::default()
    };
    Ok(activity.to_message())
}

fn comment_message(payload: &PayloadValue<'_>, title: Option<String>) -> Result<String, Error> {
    let (issue, comment) = (payload.require("issue")?, payload.require("comment")?);
    let url = comment.text_of("html_url")?;
    let action = match payload.text_of("action")? {
        "created" => format!("[commented]({url}) on"),
        other => format!("{other} a [comment]({url}) on"),
    };
    let activity = Activity {
        user: sender_login(payload)?,
        action: &action,
        kind: if issue.find("pull_request")?.is_some() { "PR" } else { "issue" },
        url: issue.text_of("html_url")?,
        number: Some(issue.integer_of("number")?),
        title: title.as_deref(),
        message: Some(comment.text_of("body")?),
        ..Activity::default()
    };
    Ok(activity.to_message())
}

/// Returns the message about a label or milestone that was added to an issue or removed from it.
fn label_or_milestone_message(payload: &PayloadValue<'_>, title: Option<String>) -> Result<String, Error> {
    let (action, issue, sender) = (payload.text_of("action")?, payload.require("issue")?, payload.require("sender")?);
    let is_label = action.ends_with("labeled");
    let (verb, preposition) =
        if matches!(action, "labeled" | "milestoned") { ("added", "to") } else { ("removed", "from") };
    let title = title.map(|title| format!(" {title}")).unwrap_or_default();
    let (number, url) = (issue.integer_of("number")?, issue.text_of("html_url")?);
    let (login, user_url) = (sender.text_of("login")?, sender.text_of("html_url")?);
    // The differences in spelling between these two messages are those of real servers.
    if is_label {
        let label = payload.require("label")?.text_of("name")?;
        return Ok(format!(
            "[{login}]({user_url}) {verb} the {label} label {preposition} [Issue #{number}{title}]({url})."
        ));
    }
    let milestone = payload.require("milestone")?;
    let (name, milestone_url) = (milestone.text_of("title")?, milestone.text_of("html_url")?);
    Ok(format!(
        "[{login}]({user_url}) {verb} milestone [{name}]({milestone_url}) {preposition} \
         [issue #{number}{title}]({url})."
    ))
}

fn transfer_message(event: &str, payload: &PayloadValue<'_>) -> Result<String, Error> {
    let (issue, changes) = (payload.require("issue")?, payload.require("changes")?);
    let (number, url, title) = (issue.integer_of("number")?, issue.text_of("html_url")?, issue.text_of("title")?);
    let (repository, other_issue) = match event {
        "issues_transferred" => (changes.require("new_repository")?, changes.require("new_issue")?),
        _ => (changes.require("old_repository")?, changes.require("old_issue")?),
    };
    let name = repository.text_of("full_name")?;
    let (other_number, other_url) = (other_issue.integer_of("number")?, other_issue.text_of("html_url")?);
    // The differences in spelling between these two messages are those of real servers.
    Ok(match event {
        "issues_transferred" => {
            let user = sender_login(payload)?;
            format!("{user} transferred [issue #{number} {title}]({url}) to [{name}/#{other_number}]({other_url}).")
        }
        _ => format!("[Issue #{number} {title}]({url}) was transferred from [{name}#{other_number}]({other_url})."),
    })
}
