//! The client for another server: it sends requests within a rate, with timeouts and retries.

use super::account::Account;
use super::base_url::BaseUrl;
use super::client_builder::client_builder;
use super::error::{Reason, RequestError};
use super::pace::RequestPace;
use super::reply::Reply;
use bytes::{Bytes, BytesMut};
use http::{Method, StatusCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio_rustls::rustls::ClientConfig;

/// The maximum size of an uncompressed reply. The largest organizations need some tens of MiB.
const MAX_REPLY_BYTES: usize = 256 << 20;

/// The longest pause that the server may ask for. If it asks for more, a request to the API fails, and a download is
/// retried after this pause.
const MAX_PAUSE: Duration = Duration::from_secs(600);

/// The shortest pause of a rate limit that is shown to the user.
const MIN_REPORTED_PAUSE: Duration = Duration::from_secs(2);

const MAX_RATE_LIMIT_RETRIES: u32 = 100;

/// Rate, timeout and retries of requests, and what shows the user that they take longer.
#[derive(Clone, Debug)]
pub struct Options {
    /// The maximum number of requests per second, or 0 for no limit.
    pub rate: f64,
    /// How long to wait for the start of a reply, or for more of it.
    pub read_timeout: Duration,
    /// How often a read that fails for a temporary reason is retried, after pauses of 1, 2, 4 … seconds.
    pub retries: u32,
    /// Shows the user a line about each retry of a read of the API, and about each long pause of a rate limit. Retries
    /// and pauses of downloads are not shown.
    pub notify: fn(&str),
}

/// A server and the account that requests are sent as. Clones share connections and rate.
#[derive(Clone, Debug)]
pub struct Upstream {
    http: reqwest::Client,
    base_url: BaseUrl,
    account: Option<Account>,
    options: Options,
    pace: Arc<RequestPace>,
    /// Whether a request has already succeeded, so that a reply which is not of this API is a temporary failure.
    has_succeeded: Arc<AtomicBool>,
}

/// A request to an operation.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub method: Method,
    /// Path without `/api/v1`, with values instead of placeholders.
    pub path: &'a str,
    /// Sent in the query of GET, HEAD and DELETE requests, otherwise in the body.
    pub parameters: &'a [(&'a str, String)],
}

impl Upstream {
    /// A client without an account.
    ///
    /// # Errors
    ///
    /// What is wrong with the settings of this machine, such as its proxies.
    pub fn new(base_url: BaseUrl, tls_config: ClientConfig, options: Options) -> Result<Self, String> {
        let http = client_builder(tls_config).read_timeout(options.read_timeout).build();
        let http = http.map_err(|error| Reason::from_http(&error, options.read_timeout, 0).to_string())?;
        let pace = Arc::new(RequestPace::per_second(options.rate));
        Ok(Self { http, base_url, account: None, options, pace, has_succeeded: Arc::default() })
    }

    /// A client for the same server that sends its requests as this account.
    #[must_use]
    pub fn with_account(&self, account: Account) -> Self {
        Self { account: Some(account), ..self.clone() }
    }

    pub fn base_url(&self) -> &BaseUrl {
        &self.base_url
    }

    /// Sends a GET request that must succeed.
    ///
    /// # Errors
    ///
    /// The refusal, or why there is no reply after all retries.
    pub async fn get(&self, path: &str, parameters: &[(&str, String)]) -> Result<Reply, RequestError> {
        self.send_checked(&Request { method: Method::GET, path, parameters }).await
    }

    /// Sends a request that must succeed. GET requests are retried after temporary failures.
    ///
    /// # Errors
    ///
    /// The refusal, or why there is no reply after all retries.
    pub async fn send_checked(&self, request: &Request<'_>) -> Result<Reply, RequestError> {
        let retries = if request.method == Method::GET { self.options.retries } else { 0 };
        let mut pause = Duration::from_secs(1);
        for retries_left in (0..=retries).rev() {
            let result = self.send(request).await.and_then(|reply| match reply.failure() {
                Some(reason) => Err(self.request_error(request, self.name_rejected_account(reason))),
                None => Ok(reply),
            });
            match result {
                Ok(reply) => {
                    self.has_succeeded.store(true, Ordering::Relaxed);
                    return Ok(reply);
                }
                Err(error) if retries_left > 0 && self.should_retry(&error) => {
                    (self.options.notify)(&format!("{error}; asks again in {} s", pause.as_secs()));
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                }
                Err(error) => return Err(error),
            }
        }
        unreachable!("the last try returns")
    }

    /// Whether to retry. A wrong URL is reported at once, but a server with an earlier success may be
    /// restarting.
    fn should_retry(&self, error: &RequestError) -> bool {
        let has_succeeded = self.has_succeeded.load(Ordering::Relaxed);
        let is_server_failure = match &error.reason {
            Reason::HtmlPage { status, .. } | Reason::NotJson { status, .. } => status.is_server_error(),
            Reason::Unreachable(_) => false,
            _ => true,
        };
        error.is_temporary() && (has_succeeded || is_server_failure)
    }

    /// Replaces a refusal of the credentials by one that says whose they are.
    fn name_rejected_account(&self, reason: Reason) -> Reason {
        match (reason, &self.account) {
            (Reason::ErrorReply { status: StatusCode::UNAUTHORIZED, message, .. }, Some(account)) => {
                Reason::AccountRejected { email: account.email.clone(), message }
            }
            (reason, _) => reason,
        }
    }

    fn request_error(&self, request: &Request<'_>, reason: Reason) -> RequestError {
        RequestError { request: format!("{} {}", request.method, self.base_url.operation_url(request.path)), reason }
    }

    /// Sends a request and returns the reply, of any status except 429. Requests that exceed the rate limit are retried
    /// after the pause that the server asks for.
    ///
    /// # Errors
    ///
    /// Why there is no complete reply, or that the server asks for too long a pause or refuses too often.
    pub async fn send(&self, request: &Request<'_>) -> Result<Reply, RequestError> {
        for refusal_count in 0..=MAX_RATE_LIMIT_RETRIES {
            self.pace.wait_turn().await;
            let reply = send_and_read(self.build_request(request), self.options.read_timeout)
                .await
                .map_err(|reason| self.request_error(request, reason))?;
            if reply.status != StatusCode::TOO_MANY_REQUESTS {
                return Ok(reply);
            }
            let pause = reply.retry_after().unwrap_or(Duration::from_secs(1) * (refusal_count + 1));
            if pause > MAX_PAUSE {
                return Err(self.request_error(request, Reason::LongPause(pause)));
            }
            if pause >= MIN_REPORTED_PAUSE {
                (self.options.notify)(&format!("waits {} s, as the server asks", pause.as_secs_f64().ceil()));
            }
            self.pace.pause(pause);
        }
        Err(self.request_error(request, Reason::TooManyRefusals(MAX_RATE_LIMIT_RETRIES + 1)))
    }

    fn build_request(&self, request: &Request<'_>) -> reqwest::RequestBuilder {
        let url = self.base_url.operation_url(request.path);
        let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(request.parameters).finish();
        let is_in_query = matches!(request.method, Method::GET | Method::HEAD | Method::DELETE);
        let builder = match form.as_str() {
            "" => self.http.request(request.method.clone(), url),
            query if is_in_query => self.http.request(request.method.clone(), format!("{url}?{query}")),
            _ => self
                .http
                .request(request.method.clone(), url)
                .header(http::header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(form),
        };
        self.with_credentials(builder)
    }

    fn with_credentials(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match &self.account {
            Some(account) => request.basic_auth(&account.email, Some(&account.api_key)),
            None => request,
        }
    }

    /// Downloads a file from a path below the base URL or from an absolute URL. The API key is sent only to the server
    /// itself.
    ///
    /// # Errors
    ///
    /// A status other than 200, or why there is no complete reply, after all retries.
    pub async fn download(&self, path: &str) -> Result<Bytes, RequestError> {
        let url = self.base_url.file_url(path);
        let mut pause = Duration::from_secs(1);
        let mut retries_left = self.options.retries;
        loop {
            self.pace.wait_turn().await;
            let request = self.http.get(&url);
            let request = if self.base_url.has_same_origin_as(&url) { self.with_credentials(request) } else { request };
            let reason = match send_and_read(request, self.options.read_timeout).await {
                Ok(reply) if reply.status == StatusCode::OK => return Ok(reply.body),
                Ok(reply) if reply.status == StatusCode::TOO_MANY_REQUESTS && retries_left > 0 => {
                    let server_pause = reply.retry_after().unwrap_or(pause).min(MAX_PAUSE);
                    self.pace.pause(server_pause);
                    retries_left -= 1;
                    continue;
                }
                Ok(reply) => {
                    let message = String::from_utf8_lossy(&reply.body[..reply.body.len().min(200)]).into_owned();
                    let message = if reply.is_page() { "a page instead of the file".to_owned() } else { message };
                    Reason::ErrorReply { status: reply.status, code: String::new(), message }
                }
                Err(reason) => reason,
            };
            let error = RequestError { request: format!("GET {url}"), reason };
            if retries_left == 0 || !error.is_temporary() {
                return Err(error);
            }
            tokio::time::sleep(pause).await;
            retries_left -= 1;
            pause *= 2;
        }
    }
}

/// Sends a request and reads the complete reply, of any status and of up to 256 MiB. `read_timeout` is that of the
/// client, for the error message.
///
/// # Errors
///
/// Why there is no complete reply.
pub async fn send_and_read(request: reqwest::RequestBuilder, read_timeout: Duration) -> Result<Reply, Reason> {
    let mut response = request.send().await.map_err(|error| Reason::from_http(&error, read_timeout, 0))?;
    let (status, headers) = (response.status(), response.headers().clone());
    let mut bytes = BytesMut::new();
    while let Some(chunk) =
        response.chunk().await.map_err(|error| Reason::from_http(&error, read_timeout, bytes.len()))?
    {
        if bytes.len() + chunk.len() > MAX_REPLY_BYTES {
            return Err(Reason::Oversized(MAX_REPLY_BYTES));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Reply { status, headers, body: bytes.freeze() })
}
