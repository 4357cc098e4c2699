//! Links in messages to uploads and web pages, and the delayed previews of them: thumbnails of uploaded pictures, and
//! previews of linked pages. When they arrive, the HTML of messages changes.
//!
//! The specification leaves details open: in docs/assumptions.md.

use crate::realm::log::event::{Audience, Event, EventKind, Payload, UpdatedMessage};
use crate::realm::model::agenda::AgendaItem;
use crate::realm::model::attachment::Attachment;
use crate::realm::model::id::{MessageId, UserId};
use crate::realm::model::message::{Body, Message};
use crate::realm::model::preview_delays::PreviewDelays;
use crate::realm::model::setting::RealmSetting;
use crate::realm::tx::Tx;
use crate::time::Timestamp;
use chat_markdown::{Html, UploadProperties, delayed_preview};
use std::sync::Arc;

impl Tx {
    /// Sets the delays of future previews. Pending previews are not rescheduled.
    pub fn set_preview_delays(&mut self, delays: PreviewDelays) {
        self.realm_mut().preview_delays = delays;
    }

    /// Adds a message to the uploads that it links to, and schedules the previews of linked pages.
    pub fn record_links(&mut self, message: &Message) {
        self.link_uploads(message);
        self.schedule_page_previews(message);
    }

    /// Adds the message to the uploads that it links to, and emits the change to the sender, even if others own the
    /// uploads.
    pub fn link_uploads(&mut self, message: &Message) {
        for path_id in &message.body.uploads {
            let Some(attachment) = self.attachments.get(path_id) else { continue };
            if attachment.messages.contains(&message.id) {
                continue;
            }
            let mut updated_attachment = attachment.as_ref().clone();
            updated_attachment.messages.insert(message.id);
            let updated_attachment = Arc::new(updated_attachment);
            self.realm_mut().attachments.insert(path_id.clone(), updated_attachment.clone());
            self.emit_attachment_update(message.sender, updated_attachment);
        }
    }

    pub fn emit_attachment_update(&mut self, user: UserId, attachment: Arc<Attachment>) {
        let upload_space_used = self.upload_space_used;
        let audience = Audience::of_user(user);
        let payload = Payload::Attachment { attachment, upload_space_used };
        self.emit(audience, Event::new(EventKind::AttachmentUpdate, payload));
    }

    fn schedule_page_previews(&mut self, message: &Message) {
        let delay = self.preview_delays.links.filter(|_| message.body.has_link);
        let delay = delay.filter(|_| self.organization.is_enabled(RealmSetting::InlineUrlEmbedPreview));
        self.set_page_previews_due(message.id, delay.map(|delay| self.now.plus(delay)));
    }

    fn set_page_previews_due(&mut self, id: MessageId, due: Option<Timestamp>) {
        match due {
            Some(due) => _ = self.realm_mut().pending_previews.insert(id, due),
            None if !self.pending_previews.contains_key(&id) => return,
            None => _ = self.realm_mut().pending_previews.remove(&id),
        }
        self.schedule(AgendaItem::PagePreviews(id), due);
    }

    /// Adds the previews of linked pages to a message.
    pub(super) fn finish_page_previews(&mut self, id: MessageId) {
        self.set_page_previews_due(id, None);
        self.rewrite_html(id, delayed_preview::append_page_cards);
    }

    /// Adds a picture's thumbnails to the messages that link to it.
    pub(super) fn finish_thumbnails(&mut self, path_id: &str) {
        let Some(attachment) = self.attachments.get(path_id).cloned() else { return };
        let messages = attachment.messages.clone();
        let finished_attachment = Arc::new(Attachment { thumbnails_at: None, ..attachment.as_ref().clone() });
        self.realm_mut().attachments.insert(path_id.to_owned(), finished_attachment);
        let properties = UploadProperties { is_animated: attachment.is_animated, ..UploadProperties::default() };
        for id in messages {
            self.rewrite_html(id, |html| delayed_preview::replace_spinners(html, path_id, &properties));
        }
    }

    /// Replaces a message's HTML and emits an event. `change` returns None for unchanged HTML.
    fn rewrite_html(&mut self, id: MessageId, change: impl FnOnce(&str) -> Option<String>) {
        let Some(before) = self.messages.get(&id).map(|message| message.body.clone()) else { return };
        let Some(html) = change(&before.rendered_html()) else { return };
        let after = Arc::new(Body { html: Html::Stored(html.into()), ..before.as_ref().clone() });
        self.message_mut(id).body = after.clone();
        let updated = UpdatedMessage::new_rendering(id, self.now, before, after);
        let holders = Audience::of_users(self.message_holders(id));
        self.emit(holders, Event::new(EventKind::UpdateMessage, Payload::UpdateMessage(Box::new(updated))));
    }
}
