//! Sending requests: within a rate, with timeouts and repetitions.

use super::account::Account;
use super::address::BaseUrl;
use super::fault::{Fault, Reason};
use super::pace::Pace;
use super::reply::Reply;
use super::transport;
use bytes::{Bytes, BytesMut};
use http::{Method, StatusCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio_rustls::rustls::ClientConfig;

/// The largest reply in bytes, uncompressed: the largest organizations need some tens of MiB.
const MAX_REPLY: usize = 256 << 20;

/// The longest pause that is waited when a server asks for one; a longer one is a failure.
const MAX_PAUSE: Duration = Duration::from_secs(600);

/// The shortest pause that is reported on the way.
const NOTED_PAUSE: Duration = Duration::from_secs(2);

/// How often a request is repeated that the server refuses for its rate limit.
const MAX_REFUSALS: u32 = 100;

/// The rate, timeout and repetitions of requests.
#[derive(Clone, Debug)]
pub struct Options {
    /// Requests a second at most; 0 for no limit.
    pub rate: f64,
    /// How long to wait for a reply, or for more of it.
    pub patience: Duration,
    /// How often a read that fails for a temporary reason is repeated, after pauses of 1, 2, 4 … seconds.
    pub retries: u32,
    /// Receives a line about each long pause, for the user.
    pub notice: fn(&str),
}

/// A server and the account that requests are sent as. Clones share connections and rate.
#[derive(Clone, Debug)]
pub struct Upstream {
    http: reqwest::Client,
    base: BaseUrl,
    account: Option<Account>,
    options: Options,
    pace: Arc<Pace>,
    /// Whether it has replied as a server of this API: then another reply is a temporary failure.
    is_known: Arc<AtomicBool>,
}

/// A request.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// Reads use GET.
    pub method: Method,
    /// Without `/api/v1`, with placeholders filled in.
    pub path: &'a str,
    /// Sent in the query by GET, HEAD and DELETE, else in the body.
    pub parameters: &'a [(&'a str, String)],
}

impl Upstream {
    /// A server at a base URL, without an account.
    ///
    /// # Errors
    ///
    /// What is wrong with the settings of this machine, such as its proxies.
    pub fn new(base: BaseUrl, trusting: ClientConfig, options: Options) -> Result<Self, String> {
        let http = transport::builder(trusting).read_timeout(options.patience).build();
        let http = http.map_err(|error| Reason::of(&error, options.patience, 0).to_string())?;
        let pace = Arc::new(Pace::per_second(options.rate));
        Ok(Self { http, base, account: None, options, pace, is_known: Arc::default() })
    }

    /// The same server with an account.
    #[must_use]
    pub fn with_account(&self, account: Account) -> Self {
        Self { account: Some(account), ..self.clone() }
    }

    /// The base URL.
    pub fn base(&self) -> &BaseUrl {
        &self.base
    }

    /// Sends a GET request that must succeed.
    ///
    /// # Errors
    ///
    /// A refusal, or why there is no reply after all repetitions.
    pub async fn get(&self, path: &str, parameters: &[(&str, String)]) -> Result<Reply, Fault> {
        self.succeed(&Ask { method: Method::GET, path, parameters }).await
    }

    /// Sends a request that must succeed.
    ///
    /// # Errors
    ///
    /// A refusal, or why there is no reply; reads are repeated before.
    pub async fn succeed(&self, ask: &Ask<'_>) -> Result<Reply, Fault> {
        let retries = if ask.method == Method::GET { self.options.retries } else { 0 };
        let mut pause = Duration::from_secs(1);
        for left in (0..=retries).rev() {
            let tried = self.ask(ask).await.and_then(|reply| match reply.failure() {
                Some(reason) => Err(self.fault(ask, self.of_account(reason))),
                None => Ok(reply),
            });
            match tried {
                Ok(reply) => {
                    self.is_known.store(true, Ordering::Relaxed);
                    return Ok(reply);
                }
                Err(fault) if left > 0 && self.may_pass(&fault) => {
                    (self.options.notice)(&format!("{fault}; asks again in {} s", pause.as_secs()));
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                }
                Err(fault) => return Err(fault),
            }
        }
        unreachable!("the last try returns")
    }

    /// Whether the failure is temporary. A wrong address is reported at once; a server that has replied before may be
    /// restarting.
    fn may_pass(&self, fault: &Fault) -> bool {
        let is_known = self.is_known.load(Ordering::Relaxed);
        let is_failing = match &fault.reason {
            Reason::Page { status, .. } | Reason::NotJson { status, .. } => status.is_server_error(),
            Reason::Unreachable(_) => false,
            _ => true,
        };
        fault.is_passing() && (is_known || is_failing)
    }

    fn of_account(&self, reason: Reason) -> Reason {
        match (reason, &self.account) {
            (Reason::Failed { status: StatusCode::UNAUTHORIZED, message, .. }, Some(account)) => {
                Reason::Account { email: account.email.clone(), message }
            }
            (reason, _) => reason,
        }
    }

    fn fault(&self, ask: &Ask<'_>, reason: Reason) -> Fault {
        Fault { request: format!("{} {}", ask.method, self.base.operation(ask.path)), reason }
    }

    /// Sends a request, and repeats it only after refusals for the rate limit, with the pauses that they ask for. The reply
    /// may have any status and form.
    ///
    /// # Errors
    ///
    /// Why there is no whole reply.
    pub async fn ask(&self, ask: &Ask<'_>) -> Result<Reply, Fault> {
        for refusals in 0..=MAX_REFUSALS {
            self.pace.turn().await;
            let reply = self.send(self.request(ask)).await.map_err(|reason| self.fault(ask, reason))?;
            if reply.status != StatusCode::TOO_MANY_REQUESTS {
                return Ok(reply);
            }
            let pause = reply.retry_after().unwrap_or(Duration::from_secs(1) * (refusals + 1));
            if pause > MAX_PAUSE {
                return Err(self.fault(ask, Reason::Busy(pause)));
            }
            if pause >= NOTED_PAUSE {
                (self.options.notice)(&format!("waits {} s, as the server asks", pause.as_secs_f64().ceil()));
            }
            self.pace.pause(pause);
        }
        Err(self.fault(ask, Reason::Busy(MAX_PAUSE)))
    }

    fn request(&self, ask: &Ask<'_>) -> reqwest::RequestBuilder {
        let url = self.base.operation(ask.path);
        let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(ask.parameters).finish();
        let is_in_query = matches!(ask.method, Method::GET | Method::HEAD | Method::DELETE);
        let request = match form.as_str() {
            "" => self.http.request(ask.method.clone(), url),
            query if is_in_query => self.http.request(ask.method.clone(), format!("{url}?{query}")),
            _ => self
                .http
                .request(ask.method.clone(), url)
                .header(http::header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(form),
        };
        self.signed(request)
    }

    fn signed(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match &self.account {
            Some(account) => request.basic_auth(&account.email, Some(&account.api_key)),
            None => request,
        }
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Result<Reply, Reason> {
        whole_reply(request, self.options.patience).await
    }

    /// Reads a file, from its path below the base or a whole URL. The key is only sent to the server itself.
    ///
    /// # Errors
    ///
    /// A status other than 200, or why there is no reply after all repetitions.
    pub async fn download(&self, path: &str) -> Result<Bytes, Fault> {
        let url = self.base.file(path);
        let mut pause = Duration::from_secs(1);
        let mut left = self.options.retries;
        loop {
            self.pace.turn().await;
            let request = self.http.get(&url);
            let request = if self.base.has_origin_of(&url) { self.signed(request) } else { request };
            let reason = match self.send(request).await {
                Ok(reply) if reply.status == StatusCode::OK => return Ok(reply.bytes),
                Ok(reply) if reply.status == StatusCode::TOO_MANY_REQUESTS && left > 0 => {
                    let asked = reply.retry_after().unwrap_or(pause).min(MAX_PAUSE);
                    self.pace.pause(asked);
                    left -= 1;
                    continue;
                }
                Ok(reply) => {
                    let message = String::from_utf8_lossy(&reply.bytes[..reply.bytes.len().min(200)]).into_owned();
                    let message = if reply.is_page() { "a page instead of the file".to_owned() } else { message };
                    Reason::Failed { status: reply.status, code: String::new(), message }
                }
                Err(reason) => reason,
            };
            let fault = Fault { request: format!("GET {url}"), reason };
            if left == 0 || !fault.is_passing() {
                return Err(fault);
            }
            tokio::time::sleep(pause).await;
            left -= 1;
            pause *= 2;
        }
    }
}

/// Sends a request and reads the whole reply, of any status and of up to 256 MiB.
///
/// # Errors
///
/// Why there is no whole reply; `patience` is the read timeout of the client, for the message.
pub async fn whole_reply(request: reqwest::RequestBuilder, patience: Duration) -> Result<Reply, Reason> {
    let mut response = request.send().await.map_err(|error| Reason::of(&error, patience, 0))?;
    let (status, headers) = (response.status(), response.headers().clone());
    let mut bytes = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| Reason::of(&error, patience, bytes.len()))? {
        if bytes.len() + chunk.len() > MAX_REPLY {
            return Err(Reason::Oversized(MAX_REPLY));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Reply { status, headers, bytes: bytes.freeze() })
}
