//! The parts of the document, in their order, one element after the other.

use super::survey::{Survey, renewed_channel};
use crate::fixture::format::{Blob, Upload};
use crate::level::objects::{GROUP, LINKIFIER, PROFILE_FIELD, USER};
use crate::organization::directory::Directory;
use crate::organization::json::Json;
use crate::organization::partial::{Partial, RandomAccess};
use crate::organization::people;
use crate::organization::settings::{Surroundings, organization};
use crate::organization::uploads::bytes_of;
use crate::organization::{channels, groups, lists, messages, pictures};
use crate::realm::picture;
use crate::realm::user::Role;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};

/// Writes a document.
pub struct Writer<'a, W> {
    survey: &'a Survey,
    records: RandomAccess,
    to: &'a mut W,
    description: Option<&'a str>,
}

impl<'a, W: Write> Writer<'a, W> {
    /// A document of what was surveyed.
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub fn new(survey: &'a Survey, partial: &Partial, to: &'a mut W, description: Option<&'a str>) -> io::Result<Self> {
        Ok(Self { survey, records: partial.random_access()?, to, description })
    }

    /// Writes all of it, and counts users, channels and messages.
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub fn write(mut self) -> io::Result<[usize; 3]> {
        let survey = self.survey;
        let (register, directory) = (&survey.register, &survey.directory);
        write!(
            self.to,
            "{{\n  \"description\": {},\n  \"literal_texts\": true,\n  \"organization\": ",
            json!(self.description)
        )?;
        let host = survey.host();
        let around = Surroundings {
            server_settings: &survey.server_settings,
            subdomain: &survey.subdomain,
            id: survey.organization_id(),
            host: &host,
        };
        serde_json::to_writer(&mut *self.to, &organization(register, &around, directory))?;
        let mut summaries = 0;
        let fields = renewed(survey, register.list("custom_profile_fields"), &PROFILE_FIELD);
        self.list("profile_fields", fields.iter(), |_, field| {
            Ok(lists::profile_field(field, &mut summaries, directory))
        })?;
        let users = self.users(&fields, &host)?;
        let all = renewed(survey, register.list("realm_user_groups"), &GROUP);
        self.list("groups", all.iter(), |_, group| Ok(groups::group(group, directory)))?;
        self.list("folders", ordered_folders(register).into_iter(), |_, folder| Ok(groups::folder(folder, directory)))?;
        let channels = self.channels()?;
        let all = renewed(survey, register.list("realm_linkifiers"), &LINKIFIER);
        let mut patterns = BTreeSet::new();
        self.list("linkifiers", all.iter(), |_, linkifier| {
            let linkifier = lists::linkifier(linkifier, directory);
            Ok(linkifier.filter(|linkifier| patterns.insert(linkifier.pattern.clone())))
        })?;
        self.emoji()?;
        self.uploads()?;
        let messages = self.messages()?;
        self.pending()?;
        self.to.write_all(b"\n}\n")?;
        self.to.flush()?;
        Ok([users, channels, messages])
    }

    /// Writes a list, an element a line; nothing if it has no elements.
    fn list<I, T: Serialize>(
        &mut self,
        key: &str,
        elements: impl Iterator<Item = I>,
        mut element: impl FnMut(&mut RandomAccess, I) -> io::Result<Option<T>>,
    ) -> io::Result<usize> {
        let mut count = 0;
        for one in elements {
            let Some(one) = element(&mut self.records, one)? else { continue };
            if count == 0 {
                write!(self.to, ",\n  \"{key}\": [\n    ")?;
            } else {
                self.to.write_all(b",\n    ")?;
            }
            serde_json::to_writer(&mut *self.to, &one)?;
            count += 1;
        }
        if count > 0 {
            self.to.write_all(b"\n  ]")?;
        }
        Ok(count)
    }

    fn users(&mut self, fields: &[Value], host: &str) -> io::Result<usize> {
        let survey = self.survey;
        let kinds = lists::fields(fields);
        let own = survey.users.get(&survey.directory.own).and_then(|(_, start)| *start);
        let role =
            own.map(|start| self.records.at(start)).transpose()?.map_or(Role::Member, |record| people::role(&record));
        let mut consents = HashMap::new();
        for start in survey.others.get("consent").into_iter().flatten() {
            let consent = self.records.at(*start)?;
            consents.extend(consent.int("user_id").map(|id| (id, consent)));
        }
        let context = people::Context {
            register: &survey.register,
            presences: &survey.presences,
            fields: &kinds,
            no_owners: &survey.no_owners,
            host,
            role,
            consents: &consents,
        };
        self.list("users", survey.users.iter(), |records, (id, (list, start))| {
            let record = match start {
                Some(start) => survey.server.renewed(&USER, records.at(*start)?),
                None if survey.made_up_owner == Some(*id) => json!({"user_id": id, "role": Role::Owner.number()}),
                None => json!({"user_id": id}),
            };
            let avatar = match survey.others.get(&format!("avatar {id}")).and_then(|places| places.first()) {
                Some(start) => Some(bytes_of(&records.at(*start)?)),
                None => None,
            };
            Ok(people::user(&record, *list, avatar.as_deref(), &context, &survey.directory))
        })
    }

    fn channels(&mut self) -> io::Result<usize> {
        let survey = self.survey;
        let defaults = survey.register.list("realm_default_streams").iter();
        let defaults: BTreeSet<i64> =
            defaults.filter_map(|one| one.as_i64().or_else(|| one.int("stream_id"))).collect();
        self.list("channels", survey.channels.iter(), |records, (id, (relation, start))| {
            let record = match start {
                Some(start) => renewed_channel(&survey.server, records.at(*start)?),
                None => json!({"stream_id": id, "is_archived": true, "history_public_to_subscribers": true}),
            };
            let received = survey.received.get(id).copied().unwrap_or_default();
            Ok(channels::channel(&record, (*relation, received), &defaults, &survey.directory))
        })
    }

    fn emoji(&mut self) -> io::Result<()> {
        let survey = self.survey;
        let emoji = lists::emoji_records(&survey.register);
        self.list("custom_emoji", emoji.iter(), |records, record| {
            let places = survey.others.get(&format!("emoji {}", record.text("id")));
            let bytes = match places.and_then(|places| places.first()) {
                Some(start) => Some(bytes_of(&records.at(*start)?)),
                None => None,
            };
            Ok(lists::custom_emoji(record, bytes.as_deref(), &survey.directory))
        })?;
        Ok(())
    }

    fn uploads(&mut self) -> io::Result<()> {
        let survey = self.survey;
        let places = survey.others.get("upload").into_iter().flatten();
        let id = survey.organization_id();
        self.list("uploads", places, |records, start| Ok(upload(&records.at(*start)?, id, &survey.directory)))?;
        Ok(())
    }

    fn messages(&mut self) -> io::Result<usize> {
        let survey = self.survey;
        let reminded: BTreeSet<i64> = survey.register.list("reminders").iter().filter_map(reminded).collect();
        let mut not_before = 0;
        self.list("messages", survey.messages.iter(), |records, (id, start)| {
            let record = records.at(*start)?;
            let record = survey.server.renewed(&crate::level::objects::MESSAGE, record);
            let history = survey.histories.get(id).map(|start| records.at(*start)).transpose()?;
            let relation = record.int("stream_id").and_then(|id| survey.channels.get(&id));
            let context = messages::Context {
                history: history.as_ref(),
                is_labelled: reminded.contains(id),
                is_subscribed: relation.is_some_and(|(relation, _)| *relation == channels::Relation::Subscribed),
                not_before,
            };
            not_before = not_before.max(record.int("timestamp").unwrap_or_default());
            Ok(messages::message(&record, &context, &survey.directory))
        })
    }

    fn pending(&mut self) -> io::Result<()> {
        let survey = self.survey;
        let (register, directory) = (&survey.register, &survey.directory);
        self.list("reminders", register.list("reminders").iter(), |_, record| {
            let has_message = reminded(record).is_some_and(|id| survey.messages.contains_key(&id));
            Ok(lists::reminder(record, has_message, directory))
        })?;
        self.list("scheduled_messages", register.list("scheduled_messages").iter(), |_, record| {
            Ok(lists::scheduled(record, directory))
        })?;
        let invitations = survey.others.get("invite").into_iter().flatten();
        let invitations: Vec<Value> = invitations.map(|start| self.records.at(*start)).collect::<io::Result<_>>()?;
        self.list("invite_links", invitations.iter(), |_, record| {
            Ok(lists::invitation(record, directory).and_then(|(link, _)| link))
        })?;
        self.list("invites", invitations.iter(), |_, record| {
            Ok(lists::invitation(record, directory).and_then(|(_, invite)| invite))
        })?;
        let exports = survey.others.get("export").into_iter().flatten();
        self.list("exports", exports, |records, start| Ok(lists::export(&records.at(*start)?, directory)))?;
        Ok(())
    }
}

fn renewed(survey: &Survey, records: &[Value], object: &crate::level::Object) -> Vec<Value> {
    records.iter().map(|record| survey.server.renewed(object, record.clone())).collect()
}

fn reminded(record: &Value) -> Option<i64> {
    record.int("reminder_target_message_id").or_else(|| record.int("message_id"))
}

/// Folders in the order in which they are shown.
fn ordered_folders(register: &Value) -> Vec<&Value> {
    let mut folders: Vec<&Value> = register.list("channel_folders").iter().collect();
    folders.sort_by_key(|folder| folder.int("order").unwrap_or_default());
    folders
}

/// An uploaded file; other bytes for those of people who are not to be known.
fn upload(record: &Value, organization: i64, directory: &Directory) -> Option<Upload> {
    let path_id = record.text("path_id");
    let name = record.text("name");
    let bytes = bytes_of(record);
    let (path_id, name, content) = match &directory.anonymizer {
        None => (path_id.to_owned(), name.to_owned(), Blob::of(&bytes)),
        Some(anonymizer) => {
            let content = match picture::extension(&bytes) {
                Some(_) => Blob::of(&pictures::drawn(Some(anonymizer), path_id, &bytes)),
                None => Blob::Text("x".repeat(bytes.len())),
            };
            (anonymizer.path_id(path_id), anonymizer.file_name(name), content)
        }
    };
    let parts: Vec<&str> = path_id.split('/').collect();
    if parts.len() != 4 || parts[0] != organization.to_string() || parts.iter().any(|part| part.is_empty()) {
        directory.note("Some uploads are not in the file: their addresses are of another form");
        return None;
    }
    Some(Upload {
        id: record.int("id"),
        label: path_id.clone(),
        name: if name.trim().is_empty() { "file".to_owned() } else { name },
        owner: directory.handle(record.int("owner")?)?,
        at: directory.past(record.int("at")?),
        content,
        content_type: None,
        path_id: Some(path_id),
    })
}
