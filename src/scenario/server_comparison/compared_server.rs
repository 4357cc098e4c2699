//! One of the two servers of a comparison, with its accounts and the transport of its requests.

use crate::scenario::account::Account;
use crate::scenario::account_key::{key_in_reply, key_request};
use crate::scenario::client::{Failure, HttpReply, HttpRequest, authorization_header};
use crate::scenario::directory::{ScenarioUser, collect_ids};
use crate::scenario::recording::secrets::redact_url;
use crate::scenario::scope::Scope;
use crate::scenario::server_settings::feature_level_in;
use serde_json::Value;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

/// Sends requests to a server.
pub trait HttpTransport: Send + Sync {
    /// Sends a request. The reply may have any status.
    fn send(&self, request: HttpRequest) -> Pin<Box<dyn Future<Output = Result<HttpReply, Failure>> + Send + '_>>;
}

/// A server and its accounts.
pub struct ComparedServer {
    /// Base URL without a slash at the end.
    pub url: String,
    /// Feature level of the server, or 0 if it reports none.
    pub feature_level: i64,
    /// The reply to `GET /server_settings`.
    pub settings: Value,
    /// Users, channels, groups and captured values by name, and the unique word of the probe.
    pub scope: Scope,
    /// The reply to `GET /users/me` of each account, by handle.
    pub own_users: BTreeMap<String, Value>,
    transport: Arc<dyn HttpTransport>,
}

impl ComparedServer {
    /// Reads the users of the accounts (by handle), the channels and the groups of a server. Fetches missing API keys.
    /// `settings` is the reply to `GET /server_settings`; `role_name` returns the role that a handle has in files of
    /// accounts, or the handle if it has none.
    ///
    /// # Errors
    ///
    /// If the server does not reply, refuses an account, or gives no key for it. All accounts that it does not have are
    /// one error.
    pub async fn open(
        url: String,
        transport: Arc<dyn HttpTransport>,
        settings: Value,
        accounts: &BTreeMap<String, Account>,
        role_name: fn(&str) -> &str,
    ) -> Result<Self, String> {
        let scope = Scope { base_url: url.clone(), ..Scope::default() };
        let feature_level = feature_level_in(&settings);
        let mut server = Self { url, feature_level, settings, scope, own_users: BTreeMap::new(), transport };
        let mut missing_emails = Vec::new();
        for (handle, account) in accounts {
            let mut user = ScenarioUser {
                email: account.email.clone(),
                api_key: account.api_key.clone(),
                user_id: 0,
                full_name: String::new(),
            };
            if user.api_key.is_empty() {
                let Some(key) = server.fetch_api_key(&account.email).await? else {
                    missing_emails.push(account.email.as_str());
                    continue;
                };
                user.api_key = key;
            }
            let own_user = server.get("/users/me", Some(&user)).await?;
            let Some(user_id) = own_user.body["user_id"].as_i64() else {
                let role = Some(role_name(handle)).filter(|role| role != handle);
                let role = role.map(|role| format!(" ({role})")).unwrap_or_default();
                let url = &server.url;
                return Err(match (own_user.status, own_user.body.get("user_id")) {
                    (200, Some(user_id)) => format!(
                        "{url}: GET /users/me of the account '{handle}'{role} has the user_id {user_id}, which is no \
                         integer: without it, nothing can be compared"
                    ),
                    (200, None) if own_user.body.is_object() => format!(
                        "{url}: GET /users/me of the account '{handle}'{role} has no user_id: without it, nothing can \
                         be compared"
                    ),
                    _ => {
                        let message = own_user.body["msg"].as_str();
                        let reason = message.map_or_else(|| own_user.not_json_reason(), str::to_owned);
                        format!("{url} refuses the account '{handle}'{role}: {reason}")
                    }
                });
            };
            user.user_id = user_id;
            user.full_name = own_user.body["full_name"].as_str().unwrap_or_default().to_owned();
            server.scope.directory.users.insert(handle.clone(), user);
            server.own_users.insert(handle.clone(), own_user.body);
        }
        if !missing_emails.is_empty() {
            let (noun, address, object) = match missing_emails.len() {
                1 => ("account", "the address", "it"),
                _ => ("accounts", "the addresses", "them"),
            };
            return Err(format!(
                "{} has no {noun} {}: give {address} that GET /users/me has for {object}, such as \
                 user9@chat.example.com where addresses are hidden; if the other server has another, give one as \
                 `first` and the other as `second`",
                server.url,
                missing_emails.join(", ")
            ));
        }
        server.read_names().await?;
        Ok(server)
    }

    /// The API key of an account; None if the server has no such account.
    async fn fetch_api_key(&self, email: &str) -> Result<Option<String>, String> {
        let reply = self.send(key_request(&self.url, email)).await?;
        key_in_reply(&reply, &self.url, email)
    }

    /// The handles of the accounts.
    pub fn handles(&self) -> Vec<String> {
        self.scope.directory.users.keys().cloned().collect()
    }

    /// Reads the names of the channels and groups that are visible to the accounts.
    ///
    /// # Errors
    ///
    /// If the server does not reply.
    pub async fn read_names(&mut self) -> Result<(), String> {
        let users: Vec<ScenarioUser> = self.scope.directory.users.values().cloned().collect();
        for user in &users {
            let channels = self.get("/streams", Some(user)).await?;
            collect_ids(&mut self.scope.directory.channel_ids, &channels.body["streams"], "stream_id");
            let groups = self.get("/user_groups", Some(user)).await?;
            collect_ids(&mut self.scope.directory.group_ids, &groups.body["user_groups"], "id");
        }
        Ok(())
    }

    /// Sends a GET request as an account, or without credentials.
    ///
    /// # Errors
    ///
    /// If there is no reply.
    pub async fn get(&self, path: &str, user: Option<&ScenarioUser>) -> Result<HttpReply, String> {
        let headers = user.map(|user| authorization_header(&user.email, &user.api_key)).into_iter().collect();
        let url = format!("{}/api/v1{path}", self.url);
        self.send(HttpRequest { method: "GET".to_owned(), url, headers, body: Vec::new() }).await
    }

    /// Sends a form as an account.
    ///
    /// # Errors
    ///
    /// If there is no reply.
    pub async fn send_form(
        &self,
        method: &str,
        path: &str,
        user: &ScenarioUser,
        form: &[(&str, &str)],
    ) -> Result<HttpReply, String> {
        let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let headers = vec![
            authorization_header(&user.email, &user.api_key),
            ("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned()),
        ];
        let url = format!("{}/api/v1{path}", self.url);
        self.send(HttpRequest { method: method.to_owned(), url, headers, body: form.into_bytes() }).await
    }

    /// Sends a request. The reply may have any status.
    ///
    /// # Errors
    ///
    /// If there is no reply.
    pub async fn send(&self, request: HttpRequest) -> Result<HttpReply, String> {
        let request_line = format!("{} {}", request.method, redact_url(&request.url));
        self.transport.send(request).await.map_err(|failure| format!("{request_line}: {}", failure.reason()))
    }
}
