//! Writes the parts of the fixture in their order, one element after the other, with the results of the survey.

use super::survey::Survey;
use crate::level::objects::{CHANNEL, GROUP, LINKIFIER, MESSAGE, PROFILE_FIELD, USER};
use crate::organization_import::channel_folders::{convert_folder, sorted_folders};
use crate::organization_import::custom_emoji::{convert_custom_emoji, emoji_records};
use crate::organization_import::exports::convert_export;
use crate::organization_import::files::file_content;
use crate::organization_import::json::JsonFields;
use crate::organization_import::linkifiers::convert_linkifier;
use crate::organization_import::partial_file::{PartialFile, RecordReader};
use crate::organization_import::pending::{
    Invitation, convert_invitation, convert_reminder, convert_scheduled_message, reminded_message_id,
};
use crate::organization_import::people;
use crate::organization_import::profile_fields::{convert_profile_field, fields_by_id};
use crate::organization_import::settings::{OrganizationContext, convert_organization};
use crate::organization_import::uploads::convert_upload;
use crate::organization_import::{channels, groups, messages};
use crate::realm::user::Role;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};

/// Writes the document of a fixture.
pub struct DocumentWriter<'a, W> {
    survey: &'a Survey,
    records: RecordReader,
    output: &'a mut W,
    description: Option<&'a str>,
}

impl<'a, W: Write> DocumentWriter<'a, W> {
    /// Creates a writer. Without a description, it is used only for the notes that it adds to the survey's directory.
    ///
    /// # Errors
    ///
    /// An I/O error.
    pub fn new(
        survey: &'a Survey,
        partial: &PartialFile,
        output: &'a mut W,
        description: Option<&'a str>,
    ) -> io::Result<Self> {
        Ok(Self { survey, records: partial.record_reader()?, output, description })
    }

    /// Writes the document and returns the numbers of users, channels and messages.
    ///
    /// # Errors
    ///
    /// An I/O error, or an error for records that are not JSON.
    pub fn write(mut self) -> io::Result<[usize; 3]> {
        let survey = self.survey;
        let (register_reply, directory) = (&survey.register_reply, &survey.directory);
        write!(
            self.output,
            "{{\n  \"description\": {},\n  \"literal_texts\": true,\n  \"organization\": ",
            json!(self.description)
        )?;
        let host = survey.host();
        let context = OrganizationContext {
            server_settings: &survey.server_settings,
            subdomain: &survey.subdomain,
            id: survey.organization_id(),
            host: &host,
        };
        serde_json::to_writer(&mut *self.output, &convert_organization(register_reply, &context, directory))?;
        let mut summary_field_count = 0;
        let fields = records_at_newest_level(survey, register_reply.list("custom_profile_fields"), &PROFILE_FIELD);
        self.write_list("profile_fields", fields.iter(), |_, field| {
            Ok(convert_profile_field(field, &mut summary_field_count, directory))
        })?;
        let users = self.write_users(&fields, &host)?;
        let all_groups = records_at_newest_level(survey, register_reply.list("realm_user_groups"), &GROUP);
        self.write_list("groups", all_groups.iter(), |_, group| Ok(groups::convert_group(group, directory)))?;
        self.write_list("folders", sorted_folders(register_reply).into_iter(), |_, folder| {
            Ok(convert_folder(folder, directory))
        })?;
        let channels = self.write_channels()?;
        let all_linkifiers = records_at_newest_level(survey, register_reply.list("realm_linkifiers"), &LINKIFIER);
        let mut patterns = BTreeSet::new();
        self.write_list("linkifiers", all_linkifiers.iter(), |_, linkifier| {
            let linkifier = convert_linkifier(linkifier, directory);
            Ok(linkifier.filter(|linkifier| patterns.insert(linkifier.pattern.clone())))
        })?;
        self.write_emoji()?;
        self.write_uploads()?;
        let messages = self.write_messages()?;
        self.write_pending_items_and_exports()?;
        self.output.write_all(b"\n}\n")?;
        self.output.flush()?;
        Ok([users, channels, messages])
    }

    /// Writes a list with one element per line; nothing if it has no elements. Returns the number of elements.
    fn write_list<I, T: Serialize>(
        &mut self,
        key: &str,
        elements: impl Iterator<Item = I>,
        mut convert: impl FnMut(&mut RecordReader, I) -> io::Result<Option<T>>,
    ) -> io::Result<usize> {
        let mut count = 0;
        for element in elements {
            let Some(element) = convert(&mut self.records, element)? else { continue };
            if count == 0 {
                write!(self.output, ",\n  \"{key}\": [\n    ")?;
            } else {
                self.output.write_all(b",\n    ")?;
            }
            serde_json::to_writer(&mut *self.output, &element)?;
            count += 1;
        }
        if count > 0 {
            self.output.write_all(b"\n  ]")?;
        }
        Ok(count)
    }

    fn write_users(&mut self, fields: &[Value], host: &str) -> io::Result<usize> {
        let survey = self.survey;
        let kinds_and_choices = fields_by_id(fields);
        let own_start = survey.users.get(&survey.directory.own_id).and_then(|(_, start)| *start);
        let role = own_start
            .map(|start| self.records.record_at(start))
            .transpose()?
            .map_or(Role::Member, |record| people::role_of_user(&record));
        let mut consents = HashMap::new();
        for start in survey.others.get("consent").into_iter().flatten() {
            let consent = self.records.record_at(*start)?;
            consents.extend(consent.integer("user_id").map(|id| (id, consent)));
        }
        let context = people::UserContext {
            register_reply: &survey.register_reply,
            presences: &survey.presences,
            fields: &kinds_and_choices,
            ineligible_bot_owners: &survey.ineligible_bot_owners,
            host,
            role,
            consents: &consents,
        };
        self.write_list("users", survey.users.iter(), |records, (id, (list, start))| {
            let record = match start {
                Some(start) => survey.server.with_newest_names(&USER, records.record_at(*start)?),
                None if survey.placeholder_owner == Some(*id) => json!({"user_id": id, "role": Role::Owner.number()}),
                None => json!({"user_id": id}),
            };
            let avatar = match survey.others.get(&format!("avatar {id}")).and_then(|starts| starts.first()) {
                Some(start) => Some(file_content(&records.record_at(*start)?)),
                None => None,
            };
            Ok(people::convert_user(&record, *list, avatar.as_deref(), &context, &survey.directory))
        })
    }

    fn write_channels(&mut self) -> io::Result<usize> {
        let survey = self.survey;
        let default_channels = survey.register_reply.list("realm_default_streams").iter();
        let default_ids: BTreeSet<i64> =
            default_channels.filter_map(|channel| channel.as_i64().or_else(|| channel.integer("stream_id"))).collect();
        self.write_list("channels", survey.channels.iter(), |records, (id, (status, start))| {
            let record = match start {
                Some(start) => survey.server.with_newest_names(&CHANNEL, records.record_at(*start)?),
                None => json!({"stream_id": id, "is_archived": true, "history_public_to_subscribers": true}),
            };
            let received = survey.received.get(id).copied().unwrap_or_default();
            Ok(channels::convert_channel(&record, *status, received, &default_ids, &survey.directory))
        })
    }

    fn write_emoji(&mut self) -> io::Result<()> {
        let survey = self.survey;
        let emoji = emoji_records(&survey.register_reply);
        self.write_list("custom_emoji", emoji.iter(), |records, record| {
            let starts = survey.others.get(&format!("emoji {}", record.text("id")));
            let bytes = match starts.and_then(|starts| starts.first()) {
                Some(start) => Some(file_content(&records.record_at(*start)?)),
                None => None,
            };
            Ok(convert_custom_emoji(record, bytes.as_deref(), &survey.directory))
        })?;
        Ok(())
    }

    fn write_uploads(&mut self) -> io::Result<()> {
        let survey = self.survey;
        let starts = survey.others.get("upload").into_iter().flatten();
        let id = survey.organization_id();
        self.write_list("uploads", starts, |records, start| {
            Ok(convert_upload(&records.record_at(*start)?, id, &survey.directory))
        })?;
        Ok(())
    }

    fn write_messages(&mut self) -> io::Result<usize> {
        let survey = self.survey;
        let reminded_ids: BTreeSet<i64> =
            survey.register_reply.list("reminders").iter().filter_map(reminded_message_id).collect();
        let mut earliest_time = 0;
        self.write_list("messages", survey.messages.iter(), |records, (id, start)| {
            let record = records.record_at(*start)?;
            let record = survey.server.with_newest_names(&MESSAGE, record);
            let history = survey.histories.get(id).map(|start| records.record_at(*start)).transpose()?;
            let status = record.integer("stream_id").and_then(|id| survey.channels.get(&id));
            let context = messages::MessageContext {
                history: history.as_ref(),
                needs_label: reminded_ids.contains(id),
                is_subscribed: status.is_some_and(|(status, _)| *status == channels::SubscriptionStatus::Subscribed),
                earliest_time,
            };
            earliest_time = earliest_time.max(record.integer("timestamp").unwrap_or_default());
            Ok(messages::convert_message(&record, &context, &survey.directory))
        })
    }

    fn write_pending_items_and_exports(&mut self) -> io::Result<()> {
        let survey = self.survey;
        let (register_reply, directory) = (&survey.register_reply, &survey.directory);
        self.write_list("reminders", register_reply.list("reminders").iter(), |_, record| {
            let is_message_in_fixture = reminded_message_id(record).is_some_and(|id| survey.messages.contains_key(&id));
            Ok(convert_reminder(record, is_message_in_fixture, directory))
        })?;
        self.write_list("scheduled_messages", register_reply.list("scheduled_messages").iter(), |_, record| {
            Ok(convert_scheduled_message(record, directory))
        })?;
        let invitation_starts = survey.others.get("invite").into_iter().flatten();
        let invitations: Vec<Value> =
            invitation_starts.map(|start| self.records.record_at(*start)).collect::<io::Result<_>>()?;
        self.write_list("invite_links", invitations.iter(), |_, record| {
            Ok(convert_invitation(record, directory).and_then(|invitation| match invitation {
                Invitation::Link(link) => Some(link),
                Invitation::Email(_) => None,
            }))
        })?;
        self.write_list("invites", invitations.iter(), |_, record| {
            Ok(convert_invitation(record, directory).and_then(|invitation| match invitation {
                Invitation::Link(_) => None,
                Invitation::Email(invite) => Some(invite),
            }))
        })?;
        let export_starts = survey.others.get("export").into_iter().flatten();
        self.write_list("exports", export_starts, |records, start| {
            Ok(convert_export(&records.record_at(*start)?, directory))
        })?;
        Ok(())
    }
}

fn records_at_newest_level(survey: &Survey, records: &[Value], object: &crate::level::ObjectKind) -> Vec<Value> {
    records.iter().map(|record| survey.server.with_newest_names(object, record.clone())).collect()
}
