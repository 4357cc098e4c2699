//! Reads messages page by page.

use super::feed::{Feed, FeedChannel, feeds};
use super::reader::{ReadError, Reader};
use super::server::Server;
use http::Method;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io;

/// The maximum number of messages per page: large enough for few requests, and small enough for little memory.
const PAGE_SIZE: u64 = 1_000;

impl Reader<'_> {
    /// Reads the messages of all feeds. A feed that the server refuses gets a note.
    ///
    /// # Errors
    ///
    /// If a request fails for another reason than a refusal, a reply has an unexpected structure, or the partial file
    /// can't be read or written.
    pub async fn read_messages(
        &mut self,
        server: &Server,
        channels: &[FeedChannel],
        register_reply: &Value,
    ) -> Result<(), ReadError> {
        self.progress.begin("messages", self.options.max_messages);
        let mut newest = NewestMessages::new(self.options.max_messages);
        for feed in feeds(self.options, channels, register_reply, server) {
            self.read_feed(&feed, &mut newest).await?;
        }
        Ok(())
    }

    /// Reads a feed to its oldest message, to the oldest that `--messages` includes, or until the server shows no more.
    async fn read_feed(&mut self, feed: &Feed, newest: &mut NewestMessages) -> Result<(), ReadError> {
        let mut before_id = None;
        loop {
            let step =
                format!("{} before {}", feed.name, before_id.map_or("the end".to_owned(), |id: i64| id.to_string()));
            let page = match self.partial.step_value(&step) {
                Some(page) => serde_json::from_value(page.clone()).map_err(io::Error::from)?,
                None => self.read_page(&step, feed, before_id).await?,
            };
            newest.add(&page.ids);
            match page.oldest {
                Some(oldest) if !page.is_last && newest.may_include_older_than(oldest) => before_id = Some(oldest),
                _ => return Ok(()),
            }
        }
    }

    async fn read_page(&mut self, step: &str, feed: &Feed, before_id: Option<i64>) -> Result<Page, ReadError> {
        let size = self.options.max_messages.map_or(PAGE_SIZE, |max_messages| max_messages.min(PAGE_SIZE));
        let parameters = [
            // The newest message before this one.
            ("anchor", before_id.map_or("newest".to_owned(), |id| (id - 1).to_string())),
            ("num_before", size.to_string()),
            ("num_after", "0".to_owned()),
            ("narrow", feed.narrow.to_string()),
            ("apply_markdown", "false".to_owned()),
            ("client_gravatar", "false".to_owned()),
            ("allow_empty_topic_name", "true".to_owned()),
        ];
        let empty_page = Page { oldest: None, ids: Vec::new(), is_last: true };
        if size == 0 {
            return Ok(empty_page);
        }
        let page = match self.upstream.get("/messages", &parameters).await {
            Ok(reply) => {
                let body: MessagesReply<'_> = self.parse_reply(&reply, &Method::GET, "/messages")?;
                let mut ids = Vec::with_capacity(body.messages.len());
                for message in body.messages {
                    let id = message_id(message)?;
                    self.partial.append_raw(&format!("message {id}"), message)?;
                    ids.push(id);
                }
                self.progress.advance(ids.len() as u64);
                let oldest = ids.iter().min().copied();
                let is_last = body.found_oldest || ids.is_empty() || body.history_limited;
                if body.history_limited {
                    self.partial
                        .add_note("Older messages are not in the file: the server's plan shows no more of them")?;
                }
                // The IDs are needed only to know when the newest messages are complete.
                let ids = if self.options.max_messages.is_some() { ids } else { Vec::new() };
                Page { oldest, ids, is_last }
            }
            Err(error) if error.is_refusal() => {
                self.partial.add_note(&format!("Messages are missing ({}): {}", feed.name, error.reason))?;
                empty_page
            }
            Err(error) => return Err(error.into()),
        };
        self.partial.complete_step(step, json!(page))?;
        Ok(page)
    }
}

#[derive(Deserialize)]
struct MessagesReply<'a> {
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
    #[serde(default)]
    found_oldest: bool,
    #[serde(default)]
    history_limited: bool,
}

fn message_id(message: &RawValue) -> io::Result<i64> {
    #[derive(Deserialize)]
    struct Id {
        id: i64,
    }
    Ok(serde_json::from_str::<Id>(message.get())?.id)
}

/// The summary of a page, which the partial file stores as the value of the step.
#[derive(Serialize, Deserialize)]
struct Page {
    /// The ID of the oldest message; None without messages.
    oldest: Option<i64>,
    /// Empty unless `--messages` limits their number.
    ids: Vec<i64>,
    /// Whether the feed has no older messages, or the server does not show them.
    is_last: bool,
}

/// The IDs of the newest messages read so far, at most as many as `--messages` requests; none without that option.
struct NewestMessages {
    limit: Option<usize>,
    ids: BTreeSet<i64>,
}

impl NewestMessages {
    fn new(limit: Option<u64>) -> Self {
        Self { limit: limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)), ids: BTreeSet::new() }
    }

    fn add(&mut self, ids: &[i64]) {
        let Some(limit) = self.limit else { return };
        self.ids.extend(ids);
        while self.ids.len() > limit {
            self.ids.pop_first();
        }
    }

    /// Whether a message older than this one can be among the newest.
    fn may_include_older_than(&self, id: i64) -> bool {
        let Some(limit) = self.limit else { return true };
        self.ids.len() < limit || self.ids.first().is_some_and(|oldest| id > *oldest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_messages_of_several_feeds_are_found() {
        let mut newest = NewestMessages::new(Some(3));
        newest.add(&[10, 8]);
        assert!(newest.may_include_older_than(8));
        newest.add(&[6, 4]);
        assert!(!newest.may_include_older_than(4), "8, 10 and 6 are newer than all that follow");
        newest.add(&[9]);
        assert!(newest.may_include_older_than(9) && !newest.may_include_older_than(8));
        assert_eq!(newest.ids.into_iter().collect::<Vec<_>>(), [8, 9, 10]);
        assert!(NewestMessages::new(None).may_include_older_than(1));
    }
}
