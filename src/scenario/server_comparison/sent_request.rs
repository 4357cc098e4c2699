//! The path and the parameters of a request as it was sent.

use crate::scenario::client::HttpRequest;
use std::collections::BTreeMap;

/// The path after `/api/v1`, without the query.
pub fn path_without_base(url: &str, base: &str) -> String {
    let path = url.strip_prefix(base).unwrap_or(url);
    let path = path.strip_prefix("/api/v1").unwrap_or(path);
    path.split('?').next().unwrap_or_default().to_owned()
}

/// The parameters in the query and in the form.
pub fn parameters_of(request: &HttpRequest) -> BTreeMap<String, String> {
    let query = request.url.split_once('?').map(|(_, query)| query.to_owned()).unwrap_or_default();
    let mut parameters: BTreeMap<String, String> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    parameters.extend(form_urlencoded::parse(&request.body).into_owned());
    parameters
}
