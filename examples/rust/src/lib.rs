//! A small client, such as a team may have.

use reqwest::{Client, Error, Method};
use serde_json::Value;

/// A client that acts for one user.
#[derive(Clone)]
pub struct Chat {
    http: Client,
    site: String,
    email: String,
    api_key: String,
}

impl Chat {
    /// A client of the server at this base URL.
    pub fn new(site: &str, email: &str, api_key: &str) -> Self {
        Self { http: Client::new(), site: site.into(), email: email.into(), api_key: api_key.into() }
    }

    /// Sends a message, and sends it again, once, if the server limits the rate.
    pub async fn send(&self, channel: &str, topic: &str, content: &str) -> Result<Value, Error> {
        let params = [("type", "channel"), ("to", channel), ("topic", topic), ("content", content)];
        let reply = self.call(Method::POST, "/messages", &params).await?;
        match reply["code"].as_str() {
            Some("RATE_LIMIT_HIT") => self.call(Method::POST, "/messages", &params).await,
            _ => Ok(reply),
        }
    }

    /// Waits for the next message.
    pub async fn next_message(&self) -> Result<Value, Error> {
        let queue = self.call(Method::POST, "/register", &[("event_types", r#"["message"]"#)]).await?;
        let id = queue["queue_id"].as_str().unwrap_or_default();
        let mut reply = self.call(Method::GET, "/events", &[("queue_id", id), ("last_event_id", "-1")]).await?;
        Ok(reply["events"][0]["message"].take())
    }

    /// Any request.
    pub async fn call(&self, method: Method, path: &str, params: &[(&str, &str)]) -> Result<Value, Error> {
        let request = self.http.request(method.clone(), format!("{}/api/v1{path}", self.site));
        let request = if method == Method::GET { request.query(params) } else { request.form(params) };
        request.basic_auth(&self.email, Some(&self.api_key)).send().await?.json().await
    }
}
