//! A browser as far as logging in needs one: it keeps cookies and repeats the token of forms.

use super::reply::Reply;
use super::user::{User, form};
use bytes::Bytes;
use http_body_util::Full;
use serde_json::Value;
use std::collections::BTreeMap;

/// A browser that looks at one world.
pub struct Browser {
    base_url: String,
    client: User,
    /// Its cookies by name.
    pub cookies: BTreeMap<String, String>,
    /// Headers that it sends along with each request.
    pub headers: Vec<(&'static str, String)>,
}

impl Browser {
    /// One without cookies, at a world's base URL.
    pub fn new(base_url: String) -> Self {
        let client = User::new(base_url.clone(), None);
        Self { base_url, client, cookies: BTreeMap::new(), headers: Vec::new() }
    }

    /// One in which somebody is logged in.
    pub async fn logged_in(base_url: String, email: &str) -> Self {
        let mut browser = Self::new(base_url);
        let body = form_urlencoded::Serializer::new(String::new()).append_pair("username", email).finish();
        browser.send("POST", "/api/v1/dev_fetch_api_key", body).await.success();
        browser
    }

    /// The token that requests have to repeat.
    pub fn token(&self) -> &str {
        self.cookies.get("csrftoken").map_or("", String::as_str)
    }

    /// GET of a page, as for a person.
    pub async fn look(&mut self, path: &str) -> Reply {
        self.headers.push(("accept", "text/html,application/xhtml+xml".to_owned()));
        let reply = self.send("GET", path, String::new()).await;
        self.headers.pop();
        reply
    }

    /// GET of a page that is there; its HTML.
    pub async fn visit(&mut self, path: &str) -> String {
        String::from_utf8_lossy(&self.look(path).await.with_status(200).bytes).into_owned()
    }

    /// POST of a page's form with its token.
    pub async fn submit(&mut self, path: &str, mut fields: Value) -> Reply {
        fields["csrfmiddlewaretoken"] = self.token().into();
        let origin = self.base_url.split("/w/").next().unwrap_or_default().to_owned();
        self.headers.push(("origin", origin));
        let reply = self.send("POST", path, form(&fields)).await;
        self.headers.pop();
        reply
    }

    /// A call of the API in the session, with the token in its header.
    pub async fn call(&mut self, method: &str, path: &str, params: &Value) -> Reply {
        self.headers.push(("x-csrftoken", self.token().to_owned()));
        let reply = match method {
            "GET" => self.send(method, &format!("{path}?{}", form(params)), String::new()).await,
            _ => self.send(method, path, form(params)).await,
        };
        self.headers.pop();
        reply
    }

    /// Sends a form as it is.
    pub async fn send(&mut self, method: &str, path: &str, body: String) -> Reply {
        let mut request = http::Request::builder().method(method).uri(format!("{}{path}", self.base_url));
        if !self.cookies.is_empty() {
            let pairs: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            request = request.header("cookie", pairs.join("; "));
        }
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        if method != "GET" {
            request = request.header("content-type", "application/x-www-form-urlencoded");
        }
        let request = request.body(Full::new(Bytes::from(body))).expect("a well-formed request");
        let reply = self.client.raw(request, &format!("{method} {path}")).await;
        for (_, cookie) in reply.headers.iter().filter(|(name, _)| name == "set-cookie") {
            let (pair, about) = cookie.split_once(';').expect("a cookie has a path");
            let (name, value) = pair.split_once('=').expect("a cookie has a value");
            if about.contains("Max-Age=0;") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        reply
    }
}
