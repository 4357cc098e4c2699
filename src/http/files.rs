//! Files next to the API: uploads, pictures, the emoji table.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use super::address::Address;
use super::context::RequestContext;
use super::draft::{self, Draft, DraftBody};
use super::fault::Fault;
use super::request::{self, ApiRequest};
use super::{Edge, Response, authentication, hint, ranges, reply};
use crate::api::uploads::temporary;
use crate::api::{Access, exports};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::export::Export;
use crate::realm::message::Attachment;
use crate::realm::organization::Picture;
use crate::realm::picture::THUMBNAILS;
use crate::realm::user::{AvatarSource, User};
use crate::record::user::avatar_file;
use crate::world::World;
use bytes::Bytes;
use http::{HeaderValue, Method, header};
use std::borrow::Cow;
use std::sync::Arc;

/// Types that are shown in place; everything else is offered for download, HTML, SVG and XML included.
const INLINE: &[&str] = &[
    "image/apng",
    "image/avif",
    "image/gif",
    "image/jpeg",
    "image/png",
    "image/webp",
    "text/plain",
    "application/pdf",
    "video/mp4",
    "video/webm",
    "audio/aac",
    "audio/flac",
    "audio/mp4",
    "audio/mpeg",
    "audio/wav",
    "audio/webm",
];

/// What is escaped in the extended form of a name.
const ESCAPED: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'_').remove(b'.').remove(b'-').remove(b'~').remove(b'/');

/// The kinds of files, as faults and the journal's filters name them.
pub const FILES: [&str; 4] = ["/user_uploads/*", "/user_avatars/*", "/avatar/*", "/static/*"];

/// The kind of files that a path outside `/api/v1` is of.
pub fn kind(path: &str) -> Option<&'static str> {
    FILES.into_iter().find(|kind| path.starts_with(kind.trim_end_matches('*')))
}

/// Answers a request for a file of a kind that faults and the journal know.
pub(super) fn serve_noted(context: &mut RequestContext<'_>, address: &Address<'_>, kind: &'static str) -> Draft {
    let RequestContext { incoming, world, trace, .. } = context;
    trace.route = Some(kind);
    if incoming.method() == Method::HEAD {
        trace.method = "GET".into();
    }
    let read = request::of_query(incoming).map(|raw| trace.params = raw.values);
    context.fault = Fault::fire(world, trace);
    if let Some(caller) = authentication::caller(&world.snapshot(), &incoming.credentials).ok().flatten() {
        context.fault.lose_queues(world, &caller);
    }
    if let Some(draft) = context.fault.instead(context.emulation, world.now()) {
        return draft;
    }
    match read.and_then(|()| serve(world, incoming, address)) {
        Ok(response) => response.map(DraftBody::Bytes),
        Err(error) => draft::failure(&error, hint::for_error(&error)),
    }
}

/// Answers a request for what is neither an operation nor a page: perhaps a file whose path is written in another way.
pub(super) fn serve_unnoted(edge: &Edge, world: &World, incoming: &ApiRequest, address: &Address<'_>) -> Response {
    serve(world, incoming, address).unwrap_or_else(|error| {
        let method = incoming.method().as_str();
        let hint = match error {
            Error::UnknownPath => Some(hint::outside(method, address.path)),
            _ => hint::for_error(&error),
        };
        if let Some(hint) = hint.as_deref().filter(|_| hint::is_of_operation(method, address.path)) {
            edge.setup_warnings.warn_of_path(incoming, hint);
        }
        reply::failure(&error, hint)
    })
}

/// Serves a path outside `/api/v1`.
///
/// # Errors
///
/// `UnknownPath`, `MethodNotAllowed`, `NotLoggedIn` and what else is wrong with credentials, `WebhookBotNotAllowed`,
/// `RealmDeactivated`, `FileNotFound`, `FileForbidden`, `InvalidToken`, `InvalidFilename`.
fn serve(world: &World, incoming: &ApiRequest, address: &Address<'_>) -> Result<Response, Error> {
    let realm = world.snapshot();
    let path = percent_encoding::percent_decode_str(address.path).decode_utf8_lossy();
    let Some((folder, rest)) = path.trim_start_matches('/').split_once('/') else { return Err(Error::UnknownPath) };
    let is_known = matches!(folder, "user_uploads" | "user_avatars" | "avatar" | "static");
    if is_known && !matches!(*incoming.method(), Method::GET | Method::HEAD) {
        return Err(Error::MethodNotAllowed { allowed_methods: vec!["GET", "HEAD"].into() });
    }
    let found = match folder {
        "user_uploads" => upload(&realm, world, incoming, rest),
        "user_avatars" => picture(&realm, rest),
        "avatar" => avatar(&realm, incoming, address, rest),
        "static" => static_file(rest, world.settings().feature_level),
        _ => Err(Error::UnknownPath),
    };
    found.map(|response| ranges::as_asked(incoming, response))
}

fn upload(realm: &Realm, world: &World, incoming: &ApiRequest, rest: &str) -> Result<Response, Error> {
    if let Some(token) = rest.strip_prefix("temporary/") {
        let attachment = temporary::resolve(realm, token, world.now())?;
        return send(realm, &attachment, false);
    }
    let (rest, is_download) = match rest.strip_prefix("download/") {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    // Thumbnails are not made: the picture itself serves as each of its sizes.
    let (path_id, is_thumbnail) = match rest.strip_prefix("thumbnail/") {
        Some(thumbnail) => {
            let (path_id, format) = thumbnail.rsplit_once('/').ok_or(Error::FileNotFound)?;
            (Some(path_id).filter(|_| THUMBNAILS.iter().any(|it| it.name == format)).ok_or(Error::FileNotFound)?, true)
        }
        None => (rest, false),
    };
    let caller = authentication::caller(realm, &incoming.credentials)?;
    match &caller {
        Some(caller) => Access::User.check(realm, caller)?,
        None if realm.organization.is_deactivated => return Err(Error::RealmDeactivated),
        None => {}
    }
    let attachment = realm.attachments.get(path_id).ok_or(Error::FileNotFound)?;
    if is_thumbnail && !attachment.content_type.starts_with("image/") {
        return Err(Error::FileNotFound);
    }
    if !realm.can_read_file(caller.as_deref(), attachment) {
        return Err(Error::FileForbidden);
    }
    send(realm, attachment, is_download)
}

fn send(realm: &Realm, attachment: &Attachment, is_download: bool) -> Result<Response, Error> {
    let bytes = realm.blobs.get(&attachment.blob).ok_or(Error::FileNotFound)?;
    let kind = attachment.content_type.split(';').next().unwrap_or_default().trim();
    let place = if INLINE.contains(&kind) && !is_download { "inline" } else { "attachment" };
    let disposition = format!("{place}; {}", name_in_header(&attachment.name));
    let mut response = file(bytes.clone(), &with_charset(&attachment.content_type, bytes), "private, immutable");
    let headers = [
        (header::CONTENT_DISPOSITION, disposition),
        (header::ETAG, format!("\"{}\"", attachment.blob)),
        (header::LAST_MODIFIED, attachment.created_at.to_http_date()),
    ];
    for (header, value) in headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(header, value);
        }
    }
    Ok(response)
}

/// A file's name as a header has it: quoted, or in the extended form where it has other characters than ASCII.
fn name_in_header(name: &str) -> String {
    if name.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')) {
        return format!("filename=\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    }
    format!("filename*=utf-8''{}", percent_encoding::utf8_percent_encode(name, ESCAPED))
}

/// A type that says in which characters a text is, where it is in UTF-8 and its type does not say so.
fn with_charset<'kind>(kind: &'kind str, bytes: &[u8]) -> Cow<'kind, str> {
    let is_bare = kind.starts_with("text/") && !kind.to_ascii_lowercase().contains("charset");
    match is_bare && str::from_utf8(bytes).is_ok() {
        true => format!("{kind}; charset=utf-8").into(),
        false => kind.into(),
    }
}

/// A file's reply; browsers must not guess its type, nor run anything in it.
fn file(bytes: Bytes, content_type: &str, cache: &'static str) -> Response {
    let mut response = Response::new(bytes);
    let headers = response.headers_mut();
    let kind =
        HeaderValue::from_str(content_type).unwrap_or_else(|_| HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; sandbox",
        ),
    );
    response
}

/// Avatars, custom emoji, exports and the organization's own pictures: the addresses can't be guessed, or anybody may see them,
/// so that no credentials are asked for.
fn picture(realm: &Realm, rest: &str) -> Result<Response, Error> {
    let (_, path) = rest.split_once('/').ok_or(Error::FileNotFound)?;
    if let Some(name) = path.strip_prefix("emoji/images/") {
        let emoji = realm.custom_emoji.values().find(|emoji| emoji.file_name == name).ok_or(Error::FileNotFound)?;
        return blob(realm, &emoji.blob, name);
    }
    if let Some(name) = path.strip_prefix("exports/") {
        let key = name.strip_suffix("/export.json").ok_or(Error::FileNotFound)?;
        let is_meant = |export: &&Arc<Export>| export.key == key && export.has_file();
        let export = realm.exports.values().find(is_meant).ok_or(Error::FileNotFound)?;
        let bytes = exports::file(realm, export).to_string().into_bytes();
        return Ok(file(bytes.into(), "application/json", "private, no-store"));
    }
    if let Some(name) = path.strip_prefix("realm/") {
        let which = Picture::ALL.into_iter().find(|which| name.strip_suffix(".png") == Some(which.name()));
        let hash = which.and_then(|which| realm.organization.picture(which).blob).ok_or(Error::FileNotFound)?;
        return blob(realm, &hash, name);
    }
    // The name is a hash, which is computed only for the few users with an uploaded picture.
    let hash = realm.users.values().find_map(|user| match &user.avatar.source {
        AvatarSource::Uploaded { blob, medium_blob } if path.starts_with(&avatar_file(user)) => {
            Some(if path.ends_with("-medium.png") { medium_blob } else { blob })
        }
        _ => None,
    });
    blob(realm, hash.ok_or(Error::FileNotFound)?, path)
}

fn blob(realm: &Realm, hash: &str, name: &str) -> Result<Response, Error> {
    let bytes = realm.blobs.get(hash).ok_or(Error::FileNotFound)?;
    let kind = mime_guess::from_path(name).first_or_octet_stream();
    Ok(file(bytes.clone(), kind.essence_str(), "public, max-age=31536000, immutable"))
}

/// `/avatar/{user id or address}` leads to the picture's address, with the query string of the request. A user that
/// the caller may not see has a general picture. Anything else is taken for an address that the provider may have a
/// picture of.
fn avatar(realm: &Realm, incoming: &ApiRequest, address: &Address<'_>, rest: &str) -> Result<Response, Error> {
    let caller = authentication::caller(realm, &incoming.credentials)?.ok_or(Error::NotLoggedIn)?;
    let (who, is_medium) = match rest.strip_suffix("/medium") {
        Some(who) => (who, true),
        None => (rest, false),
    };
    let user: Option<&Arc<User>> = match who.parse() {
        Ok(id) => realm.user(crate::realm::id::UserId(id)),
        Err(_) => realm.user_by_api_email(&caller, who),
    };
    let mut url = match user {
        Some(user) if realm.can_access_user(&caller, user.id) => {
            crate::record::user::avatar_url(realm, user, is_medium)
        }
        Some(_) => crate::record::user::UNKNOWN_AVATAR_URL.to_owned(),
        None => crate::record::user::provider_url(who, 1, is_medium),
    };
    if !incoming.query().is_empty() {
        url = format!("{url}&{}", incoming.query());
    }
    if url.starts_with('/') {
        url = format!("{}{url}", address.origin.prefix);
    }
    let mut response = reply::empty(302);
    if let Ok(value) = HeaderValue::from_str(&url) {
        response.headers_mut().insert(header::LOCATION, value);
    }
    Ok(response)
}

/// Pictures of this program's own, for what has no other.
const ICON: &[u8] = include_bytes!("pictures/icon.png");
const LOGO: &[u8] = include_bytes!("pictures/logo.png");
const AVATAR: &[u8] = include_bytes!("pictures/avatar.png");

fn own_picture(bytes: &'static [u8]) -> Response {
    file(Bytes::from_static(bytes), "image/png", "public, max-age=86400")
}

fn static_file(rest: &str, level: i64) -> Result<Response, Error> {
    match rest {
        "generated/emoji/emoji_api.json" => {
            let body = crate::record::emoji_table(level);
            Ok(file(Bytes::from(body), "application/json", "public, max-age=86400"))
        }
        "images/default-icon.png" => Ok(own_picture(ICON)),
        "images/default-logo.png" => Ok(own_picture(LOGO)),
        "images/unknown-user-avatar.png" => Ok(own_picture(AVATAR)),
        _ if rest.starts_with("images/avatars/") => Ok(own_picture(AVATAR)),
        // The extra emoji has the name that a dialect gives it.
        _ if rest.starts_with("generated/emoji/images/emoji/unicode/") => Ok(own_picture(ICON)),
        _ => Err(Error::FileNotFound),
    }
}
