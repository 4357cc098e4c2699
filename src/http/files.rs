//! Serves files outside `/api/v1`: uploads, avatars and other pictures, exports, the emoji table.
//!
//! Decisions on points that the specification leaves open: in docs/assumptions.md.

use super::address::Address;
use super::context::RequestContext;
use super::fault::Fault;
use super::parameters;
use super::pending_response::{self, PendingBody, PendingResponse};
use super::request::IncomingRequest;
use super::{Edge, Response, authentication, conditional, hint, reply};
use crate::api::uploads::temporary_urls;
use crate::api::{Access, exports};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::attachment::Attachment;
use crate::realm::export::Export;
use crate::realm::id::UserId;
use crate::realm::organization::OrganizationPicture;
use crate::realm::picture::THUMBNAIL_FORMATS;
use crate::realm::user::{AvatarSource, User};
use crate::record::avatar::{self, AvatarSize, avatar_file_stem};
use crate::world::World;
use bytes::Bytes;
use http::{HeaderValue, Method, header};
use std::borrow::Cow;
use std::sync::Arc;

/// Content types that browsers may show. All others are downloaded, in particular HTML, SVG and XML, which can run
/// scripts.
const INLINE_TYPES: &[&str] = &[
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

/// The characters of a file name that `filename*` escapes.
const ESCAPED_IN_FILE_NAME: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'_').remove(b'.').remove(b'-').remove(b'~').remove(b'/');

/// The kinds of files, by the paths that faults and filters of the journal match.
pub const FILE_KINDS: [&str; 4] = ["/user_uploads/*", "/user_avatars/*", "/avatar/*", "/static/*"];

/// The member of [`FILE_KINDS`] that a path outside `/api/v1` matches.
pub fn file_kind(path: &str) -> Option<&'static str> {
    FILE_KINDS.into_iter().find(|kind| path.starts_with(kind.trim_end_matches('*')))
}

/// Answers a request for a file, with faults and with a trace for the journal.
pub(super) fn serve_traced(
    context: &mut RequestContext<'_>,
    address: &Address<'_>,
    kind: &'static str,
) -> PendingResponse {
    let RequestContext { incoming, world, trace, .. } = context;
    trace.route = Some(kind);
    if incoming.method() == Method::HEAD {
        trace.method = "GET".into();
    }
    let query_result = parameters::parse_query(incoming).map(|raw| trace.params = raw.values);
    context.fault = Fault::fire(world, trace);
    if let Some(caller) = authentication::authenticate(&world.snapshot(), &incoming.credentials).ok().flatten() {
        context.fault.lose_queues(world, &caller);
    }
    if let Some(response) = context.fault.replacement_response(context.emulation, world.now()) {
        return response;
    }
    match query_result.and_then(|()| serve(world, incoming, address)) {
        Ok(response) => response.map(PendingBody::Bytes),
        Err(error) => {
            let mut response = pending_response::refusal(&error, hint::for_error(&error));
            if matches!(error, Error::NotLoggedIn) {
                if incoming.accepts_html() {
                    return reply::redirect_to_login(address.origin.prefix, incoming.path());
                }
                // A challenge for Basic would open the login dialog of browsers, and hold up the page with the picture.
                reply::ask_for_session(&mut response);
            }
            response
        }
    }
}

/// Answers a request whose path belongs neither to an operation nor to a page nor to one of [`FILE_KINDS`]. A path that
/// begins with several slashes may still lead to a file.
pub(super) fn serve_untraced(
    edge: &Edge,
    world: &World,
    incoming: &IncomingRequest,
    address: &Address<'_>,
) -> Response {
    serve(world, incoming, address).unwrap_or_else(|error| {
        let method = incoming.method().as_str();
        let hint = match error {
            Error::UnknownPath => Some(hint::for_path_outside_api(method, address.path)),
            _ => hint::for_error(&error),
        };
        if let Some(hint) = hint.as_deref().filter(|_| hint::is_operation_outside_api(method, address.path)) {
            edge.setup_warnings.warn_of_path(incoming, hint);
        }
        reply::refusal(&error, hint)
    })
}

/// Answers a request for a path below one of the folders of files.
///
/// # Errors
///
/// `UnknownPath`, `MethodNotAllowed`, `NotLoggedIn` and the other errors of credentials, `WebhookBotNotAllowed`,
/// `RealmDeactivated`, `FileNotFound`, `FileForbidden`, `InvalidFileToken`, `InvalidFilename`.
fn serve(world: &World, incoming: &IncomingRequest, address: &Address<'_>) -> Result<Response, Error> {
    let realm = world.snapshot();
    let path = percent_encoding::percent_decode_str(address.path).decode_utf8_lossy();
    let Some((folder, subpath)) = path.trim_start_matches('/').split_once('/') else { return Err(Error::UnknownPath) };
    let is_file_folder = matches!(folder, "user_uploads" | "user_avatars" | "avatar" | "static");
    if is_file_folder && !matches!(*incoming.method(), Method::GET | Method::HEAD) {
        return Err(Error::MethodNotAllowed { allowed_methods: vec!["GET", "HEAD"].into() });
    }
    let response = match folder {
        "user_uploads" => uploaded_file(&realm, world, incoming, subpath),
        "user_avatars" => file_without_credentials(&realm, subpath),
        "avatar" => redirect_to_avatar(&realm, world.settings().feature_level, incoming, address, subpath),
        "static" => static_file(subpath, world.settings().feature_level),
        _ => Err(Error::UnknownPath),
    };
    response.map(|response| conditional::apply_conditions(incoming, response))
}

fn uploaded_file(realm: &Realm, world: &World, incoming: &IncomingRequest, subpath: &str) -> Result<Response, Error> {
    if let Some(token) = subpath.strip_prefix("temporary/") {
        let attachment = temporary_urls::find_file(realm, token, world.now())?;
        return attachment_response(realm, &attachment, false);
    }
    let (subpath, is_download) = match subpath.strip_prefix("download/") {
        Some(subpath) => (subpath, true),
        None => (subpath, false),
    };
    // No thumbnails are made: the original picture is served for every size.
    let (path_id, is_thumbnail) = match subpath.strip_prefix("thumbnail/") {
        Some(thumbnail_path) => {
            let (path_id, format) = thumbnail_path.rsplit_once('/').ok_or(Error::FileNotFound)?;
            (
                Some(path_id)
                    .filter(|_| THUMBNAIL_FORMATS.iter().any(|known_format| known_format.name == format))
                    .ok_or(Error::FileNotFound)?,
                true,
            )
        }
        None => (subpath, false),
    };
    let caller = authentication::authenticate(realm, &incoming.credentials)?;
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
    attachment_response(realm, attachment, is_download)
}

fn attachment_response(realm: &Realm, attachment: &Attachment, is_download: bool) -> Result<Response, Error> {
    let bytes = realm.blobs.get(&attachment.blob).ok_or(Error::FileNotFound)?;
    let media_type = attachment.content_type.split(';').next().unwrap_or_default().trim();
    let disposition_type = if INLINE_TYPES.contains(&media_type) && !is_download { "inline" } else { "attachment" };
    let disposition = format!("{disposition_type}; {}", filename_parameter(&attachment.name));
    let mut response =
        file_response(bytes.clone(), &with_charset(&attachment.content_type, bytes), "private, immutable");
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

/// The parameter of `Content-Disposition` with a file's name: quoted, or in the extended form if the name is not ASCII.
fn filename_parameter(name: &str) -> String {
    if name.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')) {
        return format!("filename=\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    }
    format!("filename*=utf-8''{}", percent_encoding::utf8_percent_encode(name, ESCAPED_IN_FILE_NAME))
}

/// Adds the charset to the content type of a UTF-8 text without one.
fn with_charset<'a>(content_type: &'a str, bytes: &[u8]) -> Cow<'a, str> {
    let lacks_charset = content_type.starts_with("text/") && !content_type.to_ascii_lowercase().contains("charset");
    match lacks_charset && str::from_utf8(bytes).is_ok() {
        true => format!("{content_type}; charset=utf-8").into(),
        false => content_type.into(),
    }
}

/// A reply with a file, whose type browsers must not guess and whose scripts they must not run.
fn file_response(bytes: Bytes, content_type: &str, cache_control: &'static str) -> Response {
    let mut response = Response::new(bytes);
    let headers = response.headers_mut();
    let content_type =
        HeaderValue::from_str(content_type).unwrap_or_else(|_| HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_TYPE, content_type);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache_control));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; sandbox",
        ),
    );
    response
}

/// Serves avatars, custom emoji, exports and the organization's pictures without credentials: their URLs cannot be
/// guessed, or everybody may see them.
fn file_without_credentials(realm: &Realm, subpath: &str) -> Result<Response, Error> {
    let (_, path) = subpath.split_once('/').ok_or(Error::FileNotFound)?;
    if let Some(name) = path.strip_prefix("emoji/images/") {
        let emoji = realm.custom_emoji.values().find(|emoji| emoji.file_name == name).ok_or(Error::FileNotFound)?;
        return blob_response(realm, &emoji.blob, name);
    }
    if let Some(name) = path.strip_prefix("exports/") {
        let key = name.strip_suffix("/export.json").ok_or(Error::FileNotFound)?;
        let has_key = |export: &&Arc<Export>| export.key == key && export.has_file();
        let export = realm.exports.values().find(has_key).ok_or(Error::FileNotFound)?;
        let bytes = exports::export_file(realm, export).to_string().into_bytes();
        return Ok(file_response(bytes.into(), "application/json", "private, no-store"));
    }
    if let Some(name) = path.strip_prefix("realm/") {
        let picture =
            OrganizationPicture::ALL.into_iter().find(|picture| name.strip_suffix(".png") == Some(picture.name()));
        let hash = picture.and_then(|picture| realm.organization.picture(picture).blob).ok_or(Error::FileNotFound)?;
        return blob_response(realm, &hash, name);
    }
    // File names of avatars are hashes, which are expensive and therefore computed only for uploaded pictures.
    let hash = realm.users.values().find_map(|user| match &user.avatar.source {
        AvatarSource::Uploaded { blob, medium_blob } if path.starts_with(&avatar_file_stem(user)) => {
            Some(if path.ends_with("-medium.png") { medium_blob } else { blob })
        }
        _ => None,
    });
    blob_response(realm, hash.ok_or(Error::FileNotFound)?, path)
}

fn blob_response(realm: &Realm, hash: &str, name: &str) -> Result<Response, Error> {
    let bytes = realm.blobs.get(hash).ok_or(Error::FileNotFound)?;
    let media_type = mime_guess::from_path(name).first_or_octet_stream();
    Ok(file_response(bytes.clone(), media_type.essence_str(), "public, max-age=31536000, immutable"))
}

/// Redirects `/avatar/{user_id_or_email}` to the URL of the picture, with the query string of the request. For a user
/// that the caller may not see, and for an unknown ID, the picture is a placeholder; for an unknown address,
/// and for an unknown ID at older levels, it is one of the avatar provider. Spectators get the pictures of users by ID
/// only, and only if they can see a channel.
fn redirect_to_avatar(
    realm: &Realm,
    level: i64,
    incoming: &IncomingRequest,
    address: &Address<'_>,
    subpath: &str,
) -> Result<Response, Error> {
    let caller = authentication::authenticate(realm, &incoming.credentials)?;
    let (id_or_email, size) = match subpath.strip_suffix("/medium") {
        Some(id_or_email) => (id_or_email, AvatarSize::Medium),
        None => (subpath, AvatarSize::Small),
    };
    let id = id_or_email.parse().ok().map(UserId);
    let user = match (&caller, id) {
        (None, _) if realm.organization.is_deactivated => return Err(Error::RealmDeactivated),
        (None, None) => return Err(Error::NotLoggedIn),
        (None, Some(_)) if !realm.has_web_public_access() => return Err(Error::NotLoggedIn),
        (_, Some(id)) => realm.user(id),
        (Some(caller), None) => realm.user_by_api_email(caller, id_or_email),
    };
    let is_accessible = |user: &User| caller.as_ref().is_none_or(|caller| realm.can_access_user(caller, user.id));
    let mut url = match user {
        Some(user) if is_accessible(user) => avatar::avatar_url(realm, user, size),
        None if id.is_none() || !Feature::UnknownIdsHavePlaceholder.is_at(level) => {
            // The version of a picture that was never changed.
            avatar::provider_url(id_or_email, 1, size)
        }
        _ => avatar::UNKNOWN_AVATAR_URL.to_owned(),
    };
    if !incoming.query().is_empty() {
        // The URLs of all pictures have a query string already.
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

// Default pictures, which were drawn for this program.
const DEFAULT_ICON: &[u8] = include_bytes!("pictures/icon.png");
const DEFAULT_LOGO: &[u8] = include_bytes!("pictures/logo.png");
const DEFAULT_AVATAR: &[u8] = include_bytes!("pictures/avatar.png");

fn default_picture(bytes: &'static [u8]) -> Response {
    file_response(Bytes::from_static(bytes), "image/png", "public, max-age=86400")
}

fn static_file(subpath: &str, level: i64) -> Result<Response, Error> {
    match subpath {
        "generated/emoji/emoji_api.json" => {
            let body = crate::record::emoji::emoji_table(level);
            Ok(file_response(Bytes::from(body), "application/json", "public, max-age=86400"))
        }
        "images/default-icon.png" => Ok(default_picture(DEFAULT_ICON)),
        "images/default-logo.png" => Ok(default_picture(DEFAULT_LOGO)),
        "images/unknown-user-avatar.png" => Ok(default_picture(DEFAULT_AVATAR)),
        _ if subpath.starts_with("images/avatars/") => Ok(default_picture(DEFAULT_AVATAR)),
        // This folder has the picture of the extra emoji, whose name depends on the dialect; every name leads to it.
        _ if subpath.starts_with("generated/emoji/images/emoji/unicode/") => Ok(default_picture(DEFAULT_ICON)),
        _ => Err(Error::FileNotFound),
    }
}
