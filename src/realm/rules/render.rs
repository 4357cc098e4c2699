//! Rendering of Markdown from a user's point of view: resolves names in the text to the users, groups, channels and
//! emoji that the user can see.

use crate::realm::Realm;
use crate::realm::model::emoji::CustomEmoji;
use crate::realm::model::group::Group;
use crate::realm::model::id::{ChannelId, MessageId, ProfileFieldId, UserId};
use crate::realm::model::render_context::RenderContext;
use crate::realm::model::setting::{RealmSetting, UserSetting};
use crate::realm::model::topic::{EMPTY_TOPIC_DISPLAY_NAME, TopicKey};
use crate::realm::model::user::{ProfileEntry, User};
use crate::realm::tx::Tx;
use chat_markdown::budget::Budget;
use chat_markdown::emoji;
use chat_markdown::linkifier::Linkifier;
use chat_markdown::{
    CustomEmojiImage, LinkedChannel, MentionedGroup, MentionedUser, Names, OutputFormat, Settings, TopicLink,
    UploadProperties, render_without_previews, topic_links,
};
use foldhash::{HashMap, HashMapExt};
use std::cell::{Cell, OnceCell, RefCell};
use std::hash::Hash;
use std::sync::Arc;

/// The view of the realm that a text is rendered from.
pub struct SenderView<'realm> {
    realm: &'realm Realm,
    sender: Option<UserId>,
    render_context: Option<&'realm RenderContext>,
    is_silent: bool,
    name_cache: NameCache<'realm>,
}

/// Texts with more look-ups than this use the indexes of [`NameCache`].
const MAX_LINEAR_LOOKUPS: usize = 8;

/// Indexes for looking up names, and the results of looking up topics. The indexes are built only for texts with many
/// names, because a linear search is faster for a few.
#[derive(Default)]
struct NameCache<'realm> {
    lookup_count: Cell<usize>,
    users: OnceCell<HashMap<String, &'realm Arc<User>>>,
    groups: OnceCell<HashMap<String, &'realm Group>>,
    emoji: OnceCell<HashMap<&'realm str, &'realm CustomEmoji>>,
    /// For each linked topic, the first message that the sender can see.
    first_messages: RefCell<HashMap<(ChannelId, TopicKey), Option<MessageId>>>,
}

impl NameCache<'_> {
    /// Counts a look-up, and returns whether there were so few that a linear search is used.
    fn prefers_linear_search(&self) -> bool {
        self.lookup_count.set(self.lookup_count.get() + 1);
        self.lookup_count.get() <= MAX_LINEAR_LOOKUPS
    }
}

/// Indexes values by name. If several have the same name, the map has the first.
fn index_by_name<K: Eq + Hash, V>(entries: impl Iterator<Item = (K, V)>) -> HashMap<K, V> {
    let mut map = HashMap::new();
    entries.for_each(|(name, value)| _ = map.entry(name).or_insert(value));
    map
}

impl Realm {
    /// The view of a sender. Without `render_context`, the default output format applies, and no extra emoji and no URL
    /// of the organization are known.
    pub fn view_of<'realm>(
        &'realm self,
        sender: UserId,
        render_context: Option<&'realm RenderContext>,
    ) -> SenderView<'realm> {
        SenderView {
            realm: self,
            sender: Some(sender),
            render_context,
            is_silent: false,
            name_cache: NameCache::default(),
        }
    }

    /// The links of a topic. Most topics have none, which is found without parsing.
    pub fn topic_links(&self, topic: &str) -> Vec<TopicLink> {
        if self.linkifiers.is_empty() && !topic.contains('.') {
            return Vec::new();
        }
        topic_links(topic, &self.unrestricted_view())
    }

    /// The number of steps in which all linkifiers search a text once.
    pub fn steps_to_linkify(&self, text: &str) -> usize {
        self.linkifiers.iter().map(|linkifier| linkifier.steps_to_search(text)).fold(0, usize::saturating_add)
    }

    /// A view without restrictions, for topics, and for texts of fixtures, whose authors are unknown.
    pub fn unrestricted_view(&self) -> SenderView<'_> {
        SenderView {
            realm: self,
            sender: None,
            render_context: None,
            is_silent: false,
            name_cache: NameCache::default(),
        }
    }

    /// Renders a user's value of a custom profile field, if its kind takes Markdown: short text (1) and paragraph (2).
    pub fn render_profile_entry(
        &self,
        user: UserId,
        field: ProfileFieldId,
        value: String,
        output_format: OutputFormat,
        budget: &Budget,
    ) -> ProfileEntry {
        let takes_markdown = self.profile_fields.get(&field).is_some_and(|field| matches!(field.kind, 1 | 2));
        let context = RenderContext { output_format, ..RenderContext::default() };
        let rendered =
            takes_markdown.then(|| render_without_previews(&value, &self.view_of(user, Some(&context)), budget));
        ProfileEntry { value, rendered }
    }

    /// The URL of the emoji's picture, relative to the organization's URL.
    pub fn custom_emoji_url(&self, emoji: &CustomEmoji) -> String {
        format!("/user_avatars/{}/emoji/images/{}", self.organization.id, emoji.file_name)
    }
}

impl SenderView<'_> {
    /// Makes all mentions silent: they are rendered, but notify nobody.
    pub fn silenced(self) -> Self {
        Self { is_silent: true, ..self }
    }

    /// The sender is looked up on demand, because most texts contain no names.
    fn sender(&self) -> Option<&User> {
        self.sender.and_then(|sender| self.realm.users.get(&sender)).map(AsRef::as_ref)
    }
}

impl Names for SenderView<'_> {
    fn user(&self, name: &str, id: Option<i64>) -> Option<MentionedUser> {
        let lowercase_name = name.to_lowercase();
        let first_letter = lowercase_name.chars().next();
        // This runs for every user, so the first letter is compared before a copy in lower case is allocated.
        let has_name = |user: &User| {
            user.full_name.chars().flat_map(char::to_lowercase).next() == first_letter
                && user.full_name.to_lowercase() == lowercase_name
        };
        let sender = self.sender();
        let is_accessible = |user: &User| sender.is_none_or(|sender| self.realm.can_access_user(sender, user.id));
        let user = match id {
            Some(id) => self
                .realm
                .users
                .get(&UserId(id))
                .filter(|user| (name.is_empty() || has_name(user)) && is_accessible(user))?,
            None if self.name_cache.prefers_linear_search() => {
                self.realm.users.values().find(|user| has_name(user) && is_accessible(user))?
            }
            None => {
                let accessible = || self.realm.users.values().filter(|user| is_accessible(user));
                let index = || index_by_name(accessible().map(|user| (user.full_name.to_lowercase(), user)));
                self.name_cache.users.get_or_init(index).get(&lowercase_name)?
            }
        };
        Some(MentionedUser { id: user.id.0, full_name: user.full_name.clone(), is_active: user.is_active })
    }

    fn group(&self, name: &str) -> Option<MentionedGroup> {
        let group: &Group = if self.name_cache.prefers_linear_search() {
            self.realm.group_by_name(name)?
        } else {
            let index =
                || index_by_name(self.realm.groups.values().map(|group| (group.name.to_lowercase(), group.as_ref())));
            self.name_cache.groups.get_or_init(index).get(&name.to_lowercase())?
        };
        let display_name = group.system.map_or_else(|| group.name.clone(), |system| system.display_name().to_owned());
        Some(MentionedGroup { id: group.id.0, display_name, is_active: !group.is_deactivated })
    }

    fn channel(&self, name: &str) -> Option<LinkedChannel> {
        let channel = self.realm.channel_by_name(name)?;
        let links_all = self.render_context.is_some_and(|context| context.output_format.links_unseen_channels);
        let is_visible = links_all || self.sender().is_none_or(|sender| self.realm.can_read(sender, channel));
        is_visible.then(|| LinkedChannel { id: channel.id.0, name: channel.name.clone() })
    }

    fn first_message_in_topic(&self, channel: i64, topic: &str) -> Option<i64> {
        let key = (ChannelId(channel), TopicKey::new(topic));
        if let Some(first) = self.name_cache.first_messages.borrow().get(&key) {
            return first.map(|first| first.0);
        }
        let topic = self.realm.topics.get(&key)?;
        let sender = self.sender();
        let is_visible = |id: &MessageId| sender.is_none_or(|sender| self.realm.visible_message(sender, *id).is_some());
        let first = topic.messages.iter().find(is_visible);
        self.name_cache.first_messages.borrow_mut().insert(key, first);
        first.map(|first| first.0)
    }

    fn custom_emoji(&self, name: &str) -> Option<CustomEmojiImage> {
        let mut active = self.realm.custom_emoji.values().filter(|emoji| !emoji.is_deactivated);
        let custom = if self.name_cache.prefers_linear_search() {
            active.find(|emoji| emoji.name == name).map(AsRef::as_ref)
        } else {
            let index = || index_by_name(active.map(|emoji| (emoji.name.as_str(), emoji.as_ref())));
            self.name_cache.emoji.get_or_init(index).get(name).copied()
        };
        let is_extra_emoji = || self.render_context.is_some_and(|context| context.extra_emoji.as_deref() == Some(name));
        match custom {
            Some(emoji) => Some(CustomEmojiImage { src: self.realm.custom_emoji_url(emoji) }),
            None => is_extra_emoji().then(|| CustomEmojiImage { src: emoji::extra_image_src(name) }),
        }
    }

    fn upload(&self, path_id: &str) -> Option<UploadProperties> {
        let attachment = self.realm.attachments.get(path_id)?;
        Some(UploadProperties {
            content_type: attachment.content_type.clone(),
            dimensions: attachment.dimensions,
            is_animated: attachment.is_animated,
            has_thumbnail: attachment.thumbnails_at.is_none(),
            ..UploadProperties::default()
        })
    }

    fn linkifiers(&self) -> Vec<Arc<Linkifier>> {
        self.realm.linkifiers.iter().map(|linkifier| linkifier.compiled()).collect()
    }

    fn steps_to_linkify(&self, text: &str) -> usize {
        self.realm.steps_to_linkify(text)
    }

    fn may_linkify(&self, paragraph: &str) -> bool {
        self.realm.linkifiers.iter().any(|linkifier| linkifier.may_match(paragraph))
    }

    fn settings(&self) -> Settings<'_> {
        let organization = &self.realm.organization;
        Settings {
            empty_topic_display_name: EMPTY_TOPIC_DISPLAY_NAME,
            default_code_block_language: organization
                .setting(RealmSetting::DefaultCodeBlockLanguage)
                .as_str()
                .unwrap_or_default(),
            translate_emoticons: self
                .sender()
                .is_some_and(|sender| self.realm.user_state(sender.id).is_enabled(UserSetting::TranslateEmoticons)),
            inline_image_preview: organization.is_enabled(RealmSetting::InlineImagePreview),
            proxies_pictures: organization.proxies_pictures,
            own_url: self.render_context.and_then(|context| context.organization_url.as_deref()),
            mentions_are_silent: self.is_silent,
            output_format: self.render_context.map_or_else(OutputFormat::default, |context| context.output_format),
        }
    }
}

/// Renders a description from its author's view.
pub fn render_description(tx: &Tx, author: &User, description: &str) -> String {
    if description.is_empty() {
        return String::new();
    }
    render_without_previews(description, &tx.view_of(author.id, Some(&tx.render_context())), tx.budget())
}
