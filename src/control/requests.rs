//! Which requests an assertion, a filter or a fault means: a method, a path and parameters, checked against what is served.
//!
//! A misspelled name would match no request: a fault with it would never fire, and an assertion that there are no such
//! requests would hold.

use super::refused;
use crate::api::{Row, route_named, rows};
use crate::dialect::Dialect;
use crate::error::Error;
use crate::http::files::{self, FILES};
use crate::http::methods_of_page;
use crate::http::router::Router;
use crate::json_diagnostic::{most_alike, step};
use crate::openapi::former_parameters;
use crate::world::World;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Methods that requests are entered and matched with.
pub const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/// Statuses of requests whose path, or whose method at that path, nothing has.
const NOT_FOUND: u16 = 404;
const WRONG_METHOD: u16 = 405;
/// The parameter that every operation takes.
const CLIENT: &str = "client";

static ROUTER: LazyLock<Router> = LazyLock::new(Router::new);

/// Requests that are meant; what is left out holds for all.
#[derive(Default)]
pub struct RequestPattern {
    /// HTTP method.
    pub method: Option<String>,
    /// Path, with or without `/api/v1`.
    pub path: Option<String>,
    /// Parameters that must be among those sent, as text.
    pub params: BTreeMap<String, String>,
}

/// Where requests are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// Requests as faults meet them: an operation or a kind of files, by its path with placeholders.
    Operations,
    /// Entries of the journal, with this status if one is given: paths may be filled in, and not served.
    Entries(Option<u16>),
}

/// What has a path.
struct Place {
    /// As entries and faults have it.
    path: String,
    /// The operations; none for files, pages, and what is not served.
    rows: Vec<&'static Row>,
    /// Methods that are served; None where nothing is.
    methods: Option<Vec<&'static str>>,
}

impl RequestPattern {
    /// Checks each part, and brings paths and parameters to the names that entries have. `at` is what the names of the
    /// parts follow: `$.` in a body.
    ///
    /// # Errors
    ///
    /// `ControlRefused` with the nearest for what no request can have.
    pub fn checked(self, world: &World, at: &str, among: Among) -> Result<Self, Error> {
        let dialect = &world.settings().dialect;
        let method = self.method.as_deref();
        if method.is_some_and(|method| !METHODS.contains(&method)) {
            return Err(refused(format!("{at}method: takes an HTTP method in capitals")));
        }
        let place = self.path.as_deref().map(|path| Place::find(dialect, path, method, at, among)).transpose()?;
        if let Some((place, method)) = place.as_ref().zip(method) {
            place.check_method(method, at, among)?;
        }
        let has_method = |row: &&Row| method.is_none_or(|method| row.route.method == method);
        let rows: Vec<&Row> = match &place {
            Some(place) => place.rows.iter().copied().filter(has_method).collect(),
            None => rows().filter(has_method).collect(),
        };
        let takers = match (&place, rows.as_slice()) {
            (None, _) => "no operation takes".to_owned(),
            (Some(_), [only]) => format!("{} {} does not take", only.route.method, shown(dialect, only)),
            (Some(place), _) => format!("{} does not take", place.path),
        };
        let params = self.params.into_iter().map(|(name, value)| {
            let known = if rows.is_empty() { name } else { parameter(dialect, &rows, name, &takers, at)? };
            let value = dialect.neutral_value(&known, &value).into_owned();
            Ok((known, value))
        });
        let params = params.collect::<Result<_, Error>>()?;
        Ok(Self { method: self.method, path: place.map(|place| place.path), params })
    }
}

impl Place {
    fn find(dialect: &Dialect, path: &str, method: Option<&str>, at: &str, among: Among) -> Result<Self, Error> {
        if !path.starts_with('/') {
            return Err(refused(format!("{at}path: takes a path, which begins with a slash")));
        }
        let beginning = ["/api/v1", "/json"].iter().find_map(|api| path.strip_prefix(api));
        let inner = beginning.filter(|rest| rest.starts_with('/')).unwrap_or(path);
        // Clients begin an upload with a slash at the end or without.
        let inner = if inner == "/tus/" { "/tus" } else { inner };
        let found = [inner, dialect.neutral_path(inner)].into_iter().find_map(|path| Self::served(path, among));
        if let Some(place) = found {
            return Ok(place);
        }
        if among == Among::Entries(Some(NOT_FOUND)) {
            return Ok(Self { path: inner.to_owned(), rows: Vec::new(), methods: None });
        }
        let nearest = Router::nearest(method.unwrap_or("GET"), inner);
        let nearest = nearest.map(|row| format!("; the nearest is {}", shown(dialect, row))).unwrap_or_default();
        let files = FILES.join(", ");
        let further = match among {
            Among::Operations => String::new(),
            Among::Entries(_) => "; requests for other paths are found with status 404".to_owned(),
        };
        Err(refused(format!("{at}path: no operation has the path {path}{nearest}, and files have {files}{further}")))
    }

    /// What has a neutral path.
    fn served(path: &str, among: Among) -> Option<Self> {
        let of_rows = |path: &str, rows: Vec<&'static Row>| {
            let methods = rows.iter().map(|row| row.route.method).collect();
            Self { path: path.to_owned(), rows, methods: Some(methods) }
        };
        if let Some(route) = route_named(path) {
            return Some(of_rows(route, rows().filter(|row| row.route.path == route).collect()));
        }
        let of_file = || Self { path: path.to_owned(), rows: Vec::new(), methods: Some(vec!["GET"]) };
        if among == Among::Operations || FILES.contains(&path) {
            return FILES.contains(&path).then(of_file);
        }
        let filled: Vec<&'static Row> = ROUTER.rows_at(path).collect();
        if !filled.is_empty() {
            return Some(of_rows(path, filled));
        }
        let of_page = |methods: &[&'static str]| Self { methods: Some(methods.to_vec()), ..of_file() };
        files::kind(path).map(|_| of_file()).or_else(|| methods_of_page(path).map(of_page))
    }

    fn check_method(&self, method: &str, at: &str, among: Among) -> Result<(), Error> {
        let Some(methods) = &self.methods else { return Ok(()) };
        let is_entered = match among {
            Among::Operations => false,
            Among::Entries(status) => method == "OPTIONS" || status == Some(WRONG_METHOD),
        };
        if is_entered || methods.contains(&method) {
            return Ok(());
        }
        if method == "HEAD" {
            return Err(refused(format!("{at}method: HEAD is carried out and entered as GET")));
        }
        let further = match among {
            Among::Operations => "",
            Among::Entries(_) => "; requests with other methods are found with status 405",
        };
        let mut methods = methods.clone();
        methods.dedup();
        Err(refused(format!("{at}method: {} has {}{further}", self.path, methods.join(" and "))))
    }
}

/// A parameter's name as entries have it.
fn parameter(dialect: &Dialect, rows: &[&Row], name: String, takers: &str, at: &str) -> Result<String, Error> {
    let is_in_path =
        |name: &str| rows.iter().any(|row| row.parameters.iter().any(|info| info.is_in_path && info.name == name));
    let sent = rows.iter().flat_map(|row| row.parameters).filter(|info| !info.is_in_path);
    let mut known: Vec<&str> = sent.flat_map(|info| std::iter::once(&info.name).chain(info.aliases)).copied().collect();
    known.push(CLIENT);
    let place = format!("{at}params{}", step(&name));
    if rows.iter().all(|row| !row.protocol.takes_forms()) {
        return Err(refused(format!("{place}: resumable uploads take headers, which are not entered")));
    }
    let neutral = dialect.neutral_key(&name);
    let is_former = |name: &str| {
        let route = |row: &&Row| format!("{} {}", row.route.method, row.route.path);
        rows.iter().any(|row| former_parameters(&route(row)).contains(&name))
    };
    if let Some(known) = [name.as_str(), neutral].into_iter().find(|one| known.contains(one) || is_former(one)) {
        return Ok(known.to_owned());
    }
    if is_in_path(&name) {
        return Err(refused(format!("{place}: is a part of the path; give the path with its value")));
    }
    let nearest =
        most_alike(&name, &known).map(|nearest| format!("; the nearest is '{}'", dialect.vendor_key(nearest)));
    Err(refused(format!("{place}: {takers} a parameter '{name}'{}", nearest.unwrap_or_default())))
}

/// An operation's path as clients know it.
fn shown(dialect: &Dialect, row: &Row) -> String {
    dialect.vendor_path(row.route.path).replace("{*", "{")
}
