//! The path and the parameters of a request as it was sent.

use crate::scenario::client::HttpRequest;
use std::collections::BTreeMap;

/// The path after `/api/v1`, without the query.
pub fn path_without_base(url: &str, base: &str) -> String {
    let path = url.strip_prefix(base).unwrap_or(url);
    let path = path.strip_prefix("/api/v1").unwrap_or(path);
    path.split('?').next().unwrap_or_default().to_owned()
}

/// The parameters in the query and in the form. A body that is no form has none.
pub fn parameters_of(request: &HttpRequest) -> BTreeMap<String, String> {
    let query = request.url.split_once('?').map(|(_, query)| query.to_owned()).unwrap_or_default();
    let mut parameters: BTreeMap<String, String> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let is_form = request.headers.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("content-type") && value.starts_with("application/x-www-form-urlencoded")
    });
    if is_form {
        parameters.extend(form_urlencoded::parse(&request.body).into_owned());
    }
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_from_the_query_and_from_a_form_only() {
        let parameters = |content_type: &str, body: &str| -> Vec<(String, String)> {
            let request = HttpRequest {
                url: "http://chat.test/api/v1/messages?type=direct".to_owned(),
                headers: vec![("content-type".to_owned(), content_type.to_owned())],
                body: body.as_bytes().to_vec(),
                ..HttpRequest::default()
            };
            parameters_of(&request).into_iter().collect()
        };
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let form = parameters("application/x-www-form-urlencoded", "content=hi");
        assert_eq!(form, [pair("content", "hi"), pair("type", "direct")]);
        assert_eq!(parameters("application/json", r#"{"content":"hi"}"#), [pair("type", "direct")]);
    }
}
