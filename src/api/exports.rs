//! Exports of the organization's data, and which users consent to exports of their private data.
//!
//! Choices where the API is silent: in docs/assumptions.md.

mod file;

use super::parameter::{FromJson, Parameter, json_parameter};
use super::{OperationContext, Read, Success, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::export::{ExportKind, ExportState, MAX_EXPORTED_MESSAGES};
use crate::realm::id::{ExportId, UserId};
use crate::realm::tx::Tx;
use crate::record::export::ExportRecord;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

pub use file::export_file;

/// `export_type`: 1 or `public`, 2 or `full_with_consent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportType(pub ExportKind);

impl FromJson for ExportType {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let number = i64::from_json(value, path)?;
        let kind = ExportKind::ALL.into_iter().find(|kind| kind.number() == number);
        kind.map(Self).ok_or_else(|| Error::disallowed_value(path))
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        let [public, full_with_consent] = ExportKind::ALL;
        schemars::json_schema!({
            "enum": [
                public.number(), full_with_consent.number(), public.request_name(), full_with_consent.request_name(),
            ],
        })
    }
}

impl Parameter for ExportType {
    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        // Clients send the words with or without JSON quotes.
        match text.trim_matches('"') {
            "full_without_consent" => Err(Error::disallowed_value(name)),
            word => match ExportKind::ALL.into_iter().find(|kind| kind.request_name() == word) {
                Some(kind) => Ok(Self(kind)),
                None => json_parameter(text, name),
            },
        }
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Self::json_schema(generator)
    }
}

operation! {
    /// Lists the exports of the organization's data.
    pub GetExports = GET "/export/realm", for Administrator;
    reply ExportsReply;
}

/// All exports.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExportsReply {
    /// Oldest first; including failed and deleted ones.
    pub exports: Vec<ExportRecord>,
}

impl Read for GetExports {
    fn run(realm: &Realm, _context: &OperationContext<'_>, _params: Self::Params) -> Result<ExportsReply, Error> {
        Ok(ExportsReply { exports: realm.exports.values().map(|export| ExportRecord::new(realm, export)).collect() })
    }
}

operation! {
    /// Starts an export of the organization's data, which takes ten seconds.
    pub ExportOrganization = POST "/export/realm", for Administrator;
    params {
        /// 1 or `public`: public data; 2 or `full_with_consent`: also the messages in private channels and the direct
        /// messages that consenting users received.
        export_type since 304: ExportType = ExportType(ExportKind::Public) => "1",
    }
    reply ExportReply;
    errors [InvalidValueBecause, ManualExportRequired];
    events [RealmExport];
}

/// Which export was started.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExportReply {
    /// ID of the export, with which it can be deleted later.
    pub id: i64,
}

impl Write for ExportOrganization {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<ExportReply, Error> {
        if tx.messages.len() > MAX_EXPORTED_MESSAGES {
            let support_email = format!("support@{}", tx.organization.host);
            return Err(Error::ManualExportRequired { support_email: support_email.into() });
        }

        let ExportId(id) = tx.add_export(params.export_type.0, context.caller().id);
        Ok(ExportReply { id })
    }
}

operation! {
    /// Lists which users consent to exports of their private data.
    pub GetExportConsents = GET "/export/realm/consents", for Administrator, since 295;
    reply ConsentsReply;
}

/// Whether a user consents to exports of private data.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Consent {
    /// ID of an active human user.
    pub user_id: UserId,
    /// The user's setting `allow_private_data_export`.
    pub consented: bool,
    /// The user's setting: 1 everyone, 2 members, 3 administrators, 4 nobody, 5 moderators.
    pub email_address_visibility: i64,
}

/// Which users consent to exports of private data.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConsentsReply {
    /// One for each active human user, sorted by user.
    pub export_consents: Vec<Consent>,
}

impl Read for GetExportConsents {
    fn run(realm: &Realm, _context: &OperationContext<'_>, _params: Self::Params) -> Result<ConsentsReply, Error> {
        let people = realm.active_users.iter().filter(|id| !realm.users[*id].is_bot());
        let consent = |id: &UserId| Consent {
            user_id: *id,
            consented: realm.consents_to_export(*id),
            email_address_visibility: realm.users[id].email_visibility.number(),
        };
        Ok(ConsentsReply { export_consents: people.map(consent).collect() })
    }
}

operation! {
    /// Deletes a finished export; it stays in the list.
    pub DeleteExport = DELETE "/export/realm/{export_id}", for Administrator;
    params {
        /// ID of an export that is neither pending nor failed nor deleted.
        @path export_id: ExportId,
    }
    errors [InvalidExport, ExportDeleted, ExportFailed, ExportPending];
    events [RealmExport];
}

impl Write for DeleteExport {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let export = tx.exports.get(&params.export_id).ok_or(Error::InvalidExport)?;
        if export.is_from_prior_server && context.has(Feature::PriorServerExportsUndeletable) {
            return Err(Error::ExportDeleted);
        }
        match export.state {
            ExportState::Deleted(_) => return Err(Error::ExportDeleted),
            ExportState::Failed(_) => return Err(Error::ExportFailed),
            ExportState::Pending => return Err(Error::ExportPending),
            ExportState::Ready => {}
        }

        tx.delete_export(params.export_id, context.caller().id);
        Ok(Success {})
    }
}
