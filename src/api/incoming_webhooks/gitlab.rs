//! GitLab: messages about pushes of commits and tags, and about tests of a webhook.

use super::delivery::{Delivery, RenderedDelivery};
use super::git::{self, Commit, Push};
use super::payload::PayloadValue;
use crate::error::Error;

/// The header that names the event, in lower case.
pub const EVENT_HEADER: &str = "x-gitlab-event";
/// The hash that means no commit, as after the deletion of a branch.
const NO_COMMIT: &str = "0000000000000000000000000000000000000000";

pub fn render(delivery: &Delivery<'_>) -> Result<RenderedDelivery, Error> {
    let payload = delivery.root();
    let header = delivery.header(EVENT_HEADER).unwrap_or_default();
    let event = if header == "System Hook" { system_hook_event(&payload)? } else { header.to_owned() };
    let content = match event.as_str() {
        "Push Hook" if !git::is_branch_listed(branch_name(&payload)?, delivery.params.branches.as_deref()) => {
            return Ok(RenderedDelivery::default());
        }
        "Push Hook" => push_message(&payload)?,
        "Tag Push Hook" => {
            let action = if payload.find_non_empty("checkout_sha")?.is_some() { "pushed" } else { "removed" };
            let tag = payload.text_of("ref")?.replace("refs/tags/", "");
            git::tag_message(payload.text_of("user_name")?, action, &tag)
        }
        "Test Hook" => {
            format!("Webhook for **{}** has been configured successfully! :tada:", repository_name(&payload)?)
        }
        other => return Err(delivery.unsupported_event_error(other)),
    };
    let topic = match event.as_str() {
        "Push Hook" => format!("{} / {}", repository_name(&payload)?, branch_name(&payload)?),
        _ => repository_name(&payload)?.to_owned(),
    };
    // A custom topic leaves out the repository, so it is put before the content. Unlike for other services, an empty
    // topic counts as none.
    let has_custom_topic = delivery.params.topic.as_deref().is_some_and(|topic| !topic.is_empty());
    let content = match has_custom_topic {
        true => format!("[[{}]({})] {content}", repository_name(&payload)?, homepage_url(&payload)?),
        false => content,
    };
    Ok(RenderedDelivery::of_event(&event, topic, content))
}

/// The name of a system hook's event as the webhooks of projects write it, for example `Tag Push Hook` for `tag_push`.
/// A system hook covers a whole installation of GitLab. What follows `__` in the name is left out, as on real servers.
fn system_hook_event(payload: &PayloadValue<'_>) -> Result<String, Error> {
    let name = match payload.find("event_name")? {
        Some(name) => name.text()?,
        None => payload.text_of("object_kind")?,
    };
    let words = name.split("__").next().unwrap_or_default().split('_');
    let capitalized = words.map(|word| {
        let mut letters = word.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        first + &letters.as_str().to_lowercase()
    });
    Ok(format!("{} Hook", capitalized.collect::<Vec<_>>().join(" ")))
}

fn repository_name<'a>(payload: &PayloadValue<'a>) -> Result<&'a str, Error> {
    match payload.find("project")? {
        Some(project) => project.text_of("name"),
        None => payload.require("repository")?.text_of("name"),
    }
}

fn homepage_url<'a>(payload: &PayloadValue<'a>) -> Result<&'a str, Error> {
    match payload.find("project")? {
        Some(project) => project.text_of("web_url"),
        None => payload.require("repository")?.text_of("homepage"),
    }
}

fn branch_name<'a>(payload: &PayloadValue<'a>) -> Result<&'a str, Error> {
    let reference = payload.text_of("ref")?;
    Ok(reference.strip_prefix("refs/heads/").unwrap_or(reference))
}

fn push_message(payload: &PayloadValue<'_>) -> Result<String, Error> {
    let (user, branch) = (payload.text_of("user_name")?, branch_name(payload)?);
    if payload.find_non_empty("after")?.is_some_and(|after| after.value() == NO_COMMIT) {
        return Ok(format!("{user} deleted branch {branch}."));
    }
    let (before, after) = (payload.text_of("before")?, payload.text_of("after")?);
    let compare_url = format!("{}/-/compare/{before}...{after}", homepage_url(payload)?);
    let mut commits = Vec::new();
    for commit in payload.require("commits")?.items()? {
        commits.push(Commit {
            author: commit.require("author")?.text_of("name")?,
            id: commit.text_of("id")?,
            message: commit.text_of("message")?,
            url: commit.text_of("url")?,
        });
    }
    // A deletion was handled above. GitLab does not say whether a push was forced.
    let push = Push { user, compare_url: &compare_url, branch, commits, deletes_branch: false, is_forced: false };
    Ok(push.to_message())
}
