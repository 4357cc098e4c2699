//! Previews that arrive later than what they show, as a world may want it: thumbnails of uploaded pictures, and cards of
//! linked pages.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use crate::realm::log::event::{Audience, Event, EventKind, Payload, UpdatedMessage};
use crate::realm::model::agenda::Due;
use crate::realm::model::id::MessageId;
use crate::realm::model::message::{Attachment, Body, Message};
use crate::realm::model::preview::PreviewDelays;
use crate::realm::model::setting::RealmSetting;
use crate::realm::tx::Tx;
use crate::time::Timestamp;
use chat_markdown::{Html, UploadFacts, late};
use std::sync::Arc;

impl Tx {
    /// Sets when previews arrive; what waits already arrives when it would have.
    pub fn set_preview_delays(&mut self, delays: PreviewDelays) {
        self.realm_mut().preview_delays = delays;
    }

    /// Notes a message at the uploads that it links, and lets the cards of pages that it links come later.
    pub fn note_links(&mut self, message: &Message) {
        self.claim_uploads(message);
        self.await_page_cards(message);
    }

    fn await_page_cards(&mut self, message: &Message) {
        let delay = self.preview_delays.links.filter(|_| message.body.has_link);
        let delay = delay.filter(|_| self.organization.is_on(RealmSetting::InlineUrlEmbedPreview));
        self.set_page_cards(message.id, delay.map(|delay| self.now.plus(delay)));
    }

    fn set_page_cards(&mut self, id: MessageId, at: Option<Timestamp>) {
        match at {
            Some(at) => _ = self.realm_mut().awaited_cards.insert(id, at),
            None if !self.awaited_cards.contains_key(&id) => return,
            None => _ = self.realm_mut().awaited_cards.remove(&id),
        }
        self.schedule(Due::PageCards(id), at);
    }

    /// A message shows the cards of the pages that it links.
    pub(super) fn finish_page_cards(&mut self, id: MessageId) {
        self.set_page_cards(id, None);
        self.rewrite(id, late::with_page_cards);
    }

    /// A picture has its thumbnails, which messages show from now on.
    pub(super) fn finish_thumbnails(&mut self, path_id: &str) {
        let Some(attachment) = self.attachments.get(path_id).cloned() else { return };
        let messages = attachment.messages.clone();
        let made = Arc::new(Attachment { thumbnails_at: None, ..attachment.as_ref().clone() });
        self.realm_mut().attachments.insert(path_id.to_owned(), made);
        let facts = UploadFacts { is_animated: attachment.is_animated, ..UploadFacts::default() };
        for id in messages {
            self.rewrite(id, |html| late::with_thumbnail(html, path_id, &facts));
        }
    }

    /// Gives a message other HTML for the same text; who holds it learns of it. None changes nothing.
    fn rewrite(&mut self, id: MessageId, rewritten: impl FnOnce(&str) -> Option<String>) {
        let Some(before) = self.messages.get(&id).map(|message| message.body.clone()) else { return };
        let Some(html) = rewritten(&before.rendered()) else { return };
        let after = Arc::new(Body { html: Html::Written(html.into()), ..before.as_ref().clone() });
        self.message_mut(id).body = after.clone();
        let updated = UpdatedMessage {
            user: None,
            at: self.now,
            message: id,
            messages: vec![id],
            channel: None,
            content: Some((before, after)),
            moved: None,
            is_rendering: true,
        };
        let holders = Audience::of(self.who_holds(id));
        self.emit(holders, Event::new(EventKind::UpdateMessage, Payload::UpdateMessage(Box::new(updated))));
    }
}
