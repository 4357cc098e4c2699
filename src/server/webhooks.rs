//! Sends the requests of outgoing webhooks, in the background.

use super::connection::wait_for_end;
use crate::http::outgoing_webhook_request::WebhookRequest;
use crate::realm::webhook::{
    CallOutcome, MAX_REDIRECTS, REPLY_TIMEOUT_SECONDS, Reach, WebhookCall, is_loopback_name, outcome_if_url_blocked,
};
use crate::world::blocking::run_blocking;
use crate::world::{AttemptBodies, PostingJob, WebhookSender};
use bytes::{Bytes, BytesMut};
use http::{Method, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
#[cfg(feature = "tls")]
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::TokioExecutor;
use iri_string::types::{UriReferenceStr, UriStr};
use percent_encoding::{AsciiSet, CONTROLS};
use serde_json::Value;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::{Semaphore, watch};
use tower_service::Service;

const MAX_RETRIES: usize = 3;
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// The maximum number of concurrent calls of all worlds together. See `docs/limits.md`.
const MAX_CONCURRENT_CALLS: usize = 32;
/// The maximum size of what is read of a reply. See `docs/limits.md`.
const MAX_REPLY_BYTES: usize = 256 * 1024;
/// The maximum size of a reply in the list of attempts; longer ones are truncated.
const MAX_RECORDED_BYTES: usize = 16 * 1024;

/// Starts the task that sends the calls until the server ends.
pub fn start_sender(reach: Reach, stopped: watch::Receiver<bool>) -> WebhookSender {
    let (jobs, receiver) = unbounded_channel();
    tokio::spawn(run_sender(receiver, Arc::new(HttpSender::new(reach)), stopped));
    WebhookSender { reach, jobs }
}

async fn run_sender(
    mut jobs: UnboundedReceiver<PostingJob>,
    http_sender: Arc<HttpSender>,
    stopped: watch::Receiver<bool>,
) {
    let server_ends = wait_for_end(stopped.clone());
    tokio::pin!(server_ends);
    loop {
        let job = tokio::select! {
            job = jobs.recv() => job,
            () = &mut server_ends => return,
        };
        let Some(job) = job else { return };
        let (http_sender, stopped) = (http_sender.clone(), stopped.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = http_sender.post_calls(job) => {}
                () = wait_for_end(stopped) => {}
            }
        });
    }
}

struct HttpSender {
    reach: Reach,
    permits: Semaphore,
    http: Client<HttpConnector<Resolver>, Full<Bytes>>,
    /// Created for the first call over HTTPS, because reading the trusted certificates of this machine is slow.
    https: OnceLock<Result<HttpsClient, String>>,
}

#[cfg(feature = "tls")]
type HttpsClient = Client<HttpsConnector<HttpConnector<Resolver>>, Full<Bytes>>;
#[cfg(not(feature = "tls"))]
type HttpsClient = Client<HttpConnector<Resolver>, Full<Bytes>>;

impl HttpSender {
    fn new(reach: Reach) -> Self {
        let http = client_builder().build(connector(reach));
        Self { reach, permits: Semaphore::new(MAX_CONCURRENT_CALLS), http, https: OnceLock::new() }
    }

    /// Sends the pending calls of a bot one after the other.
    async fn post_calls(&self, job: PostingJob) {
        loop {
            let Some(world) = job.world.upgrade() else { return };
            let Some(call) = world.next_webhook_call(job.bot, job.generation) else { return };
            let webhook_request =
                run_blocking(|| WebhookRequest::new(&world.published_realm(), &world.settings(), &call));
            // A world that ends meanwhile must not be kept in memory by its calls.
            drop(world);
            for retries_left in (0..=MAX_RETRIES).rev() {
                let outcome = self.post(&call, &webhook_request).await;
                let bodies =
                    AttemptBodies { body: webhook_request.displayed_body.clone(), reply: recorded_reply(&outcome) };
                let Some(world) = job.world.upgrade() else { return };
                if retries_left == 0 || !outcome.is_retryable() {
                    world.handle_webhook_outcome(job.generation, &call, &outcome, bodies).await;
                    break;
                }
                if !world.add_webhook_attempt(job.generation, &call, &outcome, bodies) {
                    return;
                }
                drop(world);
                tokio::time::sleep(RETRY_PAUSE).await;
            }
        }
    }

    async fn post(&self, call: &WebhookCall, webhook_request: &WebhookRequest) -> CallOutcome {
        // The semaphore is never closed.
        let _permit = self.permits.acquire().await;
        let result = tokio::time::timeout(
            Duration::from_secs(REPLY_TIMEOUT_SECONDS),
            self.send_with_redirects(call, webhook_request),
        )
        .await;
        result.unwrap_or(CallOutcome::TimedOut)
    }

    /// Sends a call and follows redirects. The URL of each is checked.
    async fn send_with_redirects(&self, call: &WebhookCall, webhook_request: &WebhookRequest) -> CallOutcome {
        let mut hop = Hop { url: call.url.clone(), has_body: true };
        for _ in 0..=MAX_REDIRECTS {
            if let Some(refusal) = outcome_if_url_blocked(&hop.url, self.reach) {
                return refusal;
            }
            let response = match self.send(&hop, webhook_request).await {
                Ok(response) => response,
                Err(message) => return CallOutcome::NoReply(message),
            };
            if let Some(next_hop) = hop.next_hop(&response) {
                hop = next_hop;
                continue;
            }
            let (head, body) = response.into_parts();
            return match read_up_to_limit(body).await {
                Ok(body) => CallOutcome::Replied { status: head.status.as_u16(), body },
                Err(error) => CallOutcome::NoReply(format!("the reply broke off: {error}")),
            };
        }
        CallOutcome::TooManyRedirects
    }

    async fn send(&self, hop: &Hop, webhook_request: &WebhookRequest) -> Result<http::Response<Incoming>, String> {
        let request = http::Request::builder()
            .method(if hop.has_body { Method::POST } else { Method::GET })
            .uri(&hop.url)
            .header(header::ACCEPT, "*/*")
            .header(header::USER_AGENT, &webhook_request.user_agent);
        let request = if hop.has_body {
            let request = request.header(header::CONTENT_TYPE, webhook_request.content_type);
            request.body(Full::new(Bytes::from(webhook_request.body.clone())))
        } else {
            request.body(Full::default())
        };
        let request = request.map_err(|error| error.to_string())?;
        let result = if request.uri().scheme_str() == Some("https") {
            self.https().map_err(Clone::clone)?.request(request).await
        } else {
            self.http.request(request).await
        };
        result.map_err(|error| error_message(&error))
    }

    fn https(&self) -> Result<&HttpsClient, &String> {
        self.https.get_or_init(|| https_client(self.reach)).as_ref()
    }
}

#[cfg(feature = "tls")]
fn https_client(reach: Reach) -> Result<HttpsClient, String> {
    let connector_builder = run_blocking(|| HttpsConnectorBuilder::new().with_native_roots());
    let connector_builder =
        connector_builder.map_err(|error| format!("no certificates to trust were found: {error}"))?;
    Ok(client_builder().build(connector_builder.https_only().enable_http1().wrap_connector(connector(reach))))
}

#[cfg(not(feature = "tls"))]
fn https_client(_reach: Reach) -> Result<HttpsClient, String> {
    Err("chatdouble is built without its feature tls".to_owned())
}

/// A builder of clients that do not reuse connections, because receivers in tests start and stop on the same port.
fn client_builder() -> hyper_util::client::legacy::Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    builder.pool_max_idle_per_host(0).retry_canceled_requests(false);
    builder
}

fn connector(reach: Reach) -> HttpConnector<Resolver> {
    let mut connector = HttpConnector::new_with_resolver(Resolver { reach, system: GaiResolver::new() });
    // URLs of HTTPS pass through this connector too.
    connector.enforce_http(false);
    connector
}

/// Where one request of a call goes: to the bot's URL first, then to where a redirect leads.
struct Hop {
    url: String,
    /// Whether this is a POST request with the body, rather than a GET request.
    has_body: bool,
}

impl Hop {
    /// The next hop if the reply is a redirect, None otherwise. The rules are those of the HTTP library of real servers
    ///
    fn next_hop<T>(&self, response: &http::Response<T>) -> Option<Self> {
        let keeps_method = match response.status().as_u16() {
            301..=303 => false,
            307 | 308 => true,
            _ => return None,
        };
        let location = response.headers().get(header::LOCATION)?;
        let location = percent_encoding::percent_encode(location.as_bytes(), ENCODED_IN_REDIRECTS).to_string();
        let base_url = UriStr::new(&self.url).ok()?.to_absolute();
        let url = UriReferenceStr::new(&location).ok()?.resolve_against(base_url).to_string();
        Some(Self { url, has_body: self.has_body && keeps_method })
    }
}

/// Bytes that are percent-encoded in the URL of a redirect.
const ENCODED_IN_REDIRECTS: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'^').add(b'`').add(b'{').add(b'|').add(b'}');

/// Reads a body up to [`MAX_REPLY_BYTES`].
async fn read_up_to_limit(mut body: Incoming) -> Result<Bytes, hyper::Error> {
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        if let Some(data) = frame?.data_ref() {
            let remaining_bytes = MAX_REPLY_BYTES - bytes.len();
            bytes.extend_from_slice(&data[..data.len().min(remaining_bytes)]);
            if bytes.len() == MAX_REPLY_BYTES {
                break;
            }
        }
    }
    Ok(bytes.freeze())
}

/// The reply for the list of attempts, as JSON or text; null without a reply.
fn recorded_reply(outcome: &CallOutcome) -> Value {
    let CallOutcome::Replied { body, .. } = outcome else { return Value::Null };
    if body.len() <= MAX_RECORDED_BYTES
        && let Ok(reply) = serde_json::from_slice(body)
    {
        return reply;
    }
    String::from_utf8_lossy(&body[..body.len().min(MAX_RECORDED_BYTES)]).into_owned().into()
}

/// A message with the kind of the error and its innermost cause.
fn error_message(error: &ClientError) -> String {
    let mut source: &dyn std::error::Error = error;
    while let Some(cause) = source.source() {
        source = cause;
    }
    let kind = if error.is_connect() { "no connection" } else { "no reply" };
    format!("{kind}: {source}")
}

/// Resolves host names. Loopback names are resolved without the system, and others only if `reach` allows them.
#[derive(Clone)]
struct Resolver {
    reach: Reach,
    system: GaiResolver,
}

type Lookup = Pin<Box<dyn Future<Output = io::Result<std::vec::IntoIter<SocketAddr>>> + Send>>;

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Lookup;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Lookup {
        if is_loopback_name(name.as_str()) {
            let loopback = vec![SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), SocketAddr::from((Ipv6Addr::LOCALHOST, 0))];
            return Box::pin(async move { Ok(loopback.into_iter()) });
        }
        if self.reach == Reach::Loopback {
            return Box::pin(async { Err(io::Error::other("only loopback addresses are posted to")) });
        }
        let lookup = self.system.call(name);
        Box::pin(async move { Ok(lookup.await?.collect::<Vec<_>>().into_iter()) })
    }
}
