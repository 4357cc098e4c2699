//! One of the two servers, with its accounts.

use crate::scenario::client::{Answer, Ask, Failure};
use crate::scenario::directory::{Account, Directory, Person};
use crate::scenario::scope::Scope;
use crate::scenario::stage::credentials;
use serde_json::Value;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

/// Sends requests to a server.
pub trait Exchange: Send + Sync {
    /// Sends a request; the reply may have any status.
    fn ask(&self, ask: Ask) -> Pin<Box<dyn Future<Output = Result<Answer, Failure>> + Send + '_>>;
}

/// A server and its accounts.
pub struct Side {
    /// The base URL, without a slash at the end.
    pub url: String,
    /// The server's feature level; 0 if it names none.
    pub level: i64,
    /// The reply to `GET /server_settings`.
    pub settings: Value,
    /// Users, channels, groups and captured values by the names that probes use.
    pub scope: Scope,
    http: Arc<dyn Exchange>,
}

impl Side {
    /// Logs accounts in on a server, by their handles, and reads its channels and groups. `settings` is its reply to
    /// `GET /server_settings`.
    ///
    /// # Errors
    ///
    /// Why the server does not reply, or that it refuses an account.
    pub async fn open(
        url: String,
        http: Arc<dyn Exchange>,
        settings: Value,
        accounts: &BTreeMap<String, Account>,
    ) -> Result<Self, String> {
        let scope = Scope { server: url.clone(), ..Scope::default() };
        let level = settings.as_object().into_iter().flatten().find(|(name, _)| name.ends_with("_feature_level"));
        let level = level.and_then(|(_, level)| level.as_i64()).unwrap_or_default();
        let mut side = Self { url, level, settings, scope, http };
        for (handle, account) in accounts {
            let mut person = Person {
                email: account.email.clone(),
                api_key: account.api_key.clone(),
                user_id: 0,
                full_name: String::new(),
            };
            if person.api_key.is_empty() {
                person.api_key = side.fetched_key(&account.email).await?;
            }
            let own = side.get("/users/me", Some(&person)).await?;
            let Some(user_id) = own.body["user_id"].as_i64() else {
                let why = own.body["msg"].as_str().map_or_else(|| own.unread_reason(), str::to_owned);
                return Err(format!("{} refuses the account '{handle}': {why}", side.url));
            };
            person.user_id = user_id;
            person.full_name = own.body["full_name"].as_str().unwrap_or_default().to_owned();
            side.scope.directory.people.insert(handle.clone(), person);
        }
        side.read_names().await?;
        Ok(side)
    }

    async fn fetched_key(&self, email: &str) -> Result<String, String> {
        let body = form_urlencoded::Serializer::new(String::new()).append_pair("username", email).finish();
        let reply = self
            .send(Ask {
                method: "POST".to_owned(),
                url: format!("{}/api/v1/dev_fetch_api_key", self.url),
                headers: vec![("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned())],
                body: body.into_bytes(),
            })
            .await?;
        let key = reply.body["api_key"].as_str().map(str::to_owned);
        key.ok_or_else(|| {
            let why = match reply.body["msg"].as_str() {
                Some(_) if matches!(reply.status, 401 | 403) => {
                    return format!(
                        "{} has no account {email}: give the address that GET /users/me has for it, such as \
                         user9@chat.example.com where addresses are hidden, with its api_key",
                        self.url
                    );
                }
                Some(message) => message.to_owned(),
                None => reply.unread_reason(),
            };
            format!("{} gives no key for {email} ({why}): name its api_key in the file of accounts", self.url)
        })
    }

    /// The handles of the accounts.
    pub fn handles(&self) -> Vec<String> {
        self.scope.directory.people.keys().cloned().collect()
    }

    /// Reads the names of the channels and groups that the accounts see.
    ///
    /// # Errors
    ///
    /// Why the server does not reply.
    pub async fn read_names(&mut self) -> Result<(), String> {
        let people: Vec<Person> = self.scope.directory.people.values().cloned().collect();
        for person in &people {
            let channels = self.get("/streams", Some(person)).await?;
            Directory::add_named(&mut self.scope.directory.channels, &channels.body["streams"], "stream_id");
            let groups = self.get("/user_groups", Some(person)).await?;
            Directory::add_named(&mut self.scope.directory.groups, &groups.body["user_groups"], "id");
        }
        Ok(())
    }

    /// Sends a GET request as an account, or without credentials.
    ///
    /// # Errors
    ///
    /// Why there is no reply.
    pub async fn get(&self, path: &str, person: Option<&Person>) -> Result<Answer, String> {
        let headers = person.map(|person| credentials(&person.email, &person.api_key)).into_iter().collect();
        let url = format!("{}/api/v1{path}", self.url);
        self.send(Ask { method: "GET".to_owned(), url, headers, body: Vec::new() }).await
    }

    /// Sends a form as an account.
    ///
    /// # Errors
    ///
    /// Why there is no reply.
    pub async fn call(
        &self,
        method: &str,
        path: &str,
        person: &Person,
        form: &[(&str, &str)],
    ) -> Result<Answer, String> {
        let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let headers = vec![
            credentials(&person.email, &person.api_key),
            ("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned()),
        ];
        let url = format!("{}/api/v1{path}", self.url);
        self.send(Ask { method: method.to_owned(), url, headers, body: form.into_bytes() }).await
    }

    /// Sends a request; the reply may have any status.
    ///
    /// # Errors
    ///
    /// Why there is no reply.
    pub async fn send(&self, ask: Ask) -> Result<Answer, String> {
        let shown = format!("{} {}", ask.method, ask.url);
        self.http.ask(ask).await.map_err(|failure| format!("{shown}: {}", failure.reason()))
    }
}

/// The `curl` command that repeats a request; the key is in the variable `KEY`.
pub fn curl(ask: &Ask, email: Option<&str>) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let mut parts = vec!["curl".to_owned()];
    if ask.method != "GET" && (ask.method != "POST" || ask.body.is_empty()) {
        parts.push(format!("-X {}", ask.method));
    }
    parts.extend(email.map(|email| format!("-u {}:\"$KEY\"", quoted(email))));
    parts.push(quoted(&ask.url));
    let kind = ask.headers.iter().find(|(name, _)| name == "content-type").map(|(_, kind)| kind.as_str());
    if kind.is_some_and(|kind| kind != "application/x-www-form-urlencoded") {
        parts.push(format!("-H {}", quoted(&format!("content-type: {}", kind.unwrap_or_default()))));
    }
    if !ask.body.is_empty() {
        let body = String::from_utf8_lossy(&ask.body);
        let short: String = body.chars().take(2_000).collect();
        parts.push(format!("--data-raw {}", quoted(&short)));
    }
    parts.join(" ")
}
