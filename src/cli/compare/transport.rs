//! The HTTP transport of `compare`: a rate limit, retries after rate-limit refusals, and the proxies of this machine.

use crate::cli::CliError;
use crate::scenario::client::{Failure, HttpReply, HttpRequest};
use crate::scenario::server_comparison::HttpTransport;
use crate::upstream::{RequestPace, client_builder, send_and_read};
use std::pin::Pin;
use std::time::Duration;
use tokio_rustls::rustls::ClientConfig;

const MAX_ATTEMPTS: usize = 20;
/// The longest pause between two attempts. If the server asks for a longer one, its refusal is the reply.
const MAX_PAUSE_SECONDS: f64 = 120.0;

pub struct Transport {
    http: reqwest::Client,
    pace: RequestPace,
    timeout: Duration,
}

impl Transport {
    /// A transport that sends at most `rate` requests per second (0 for no limit). `timeout` limits the time without
    /// any data of a reply.
    ///
    /// # Errors
    ///
    /// Invalid settings of this machine, such as its proxies.
    pub fn new(tls_config: ClientConfig, rate: f64, timeout: Duration) -> Result<Self, CliError> {
        let http = client_builder(tls_config).redirect(reqwest::redirect::Policy::none()).read_timeout(timeout).build();
        Ok(Self { http: http.map_err(CliError::failure)?, pace: RequestPace::per_second(rate), timeout })
    }

    async fn send_once(&self, request: &HttpRequest) -> Result<HttpReply, Failure> {
        let method =
            request.method.parse().map_err(|_| Failure::NoReply(format!("{} is not a method", request.method)))?;
        let mut builder = self.http.request(method, &request.url);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        if !request.body.is_empty() {
            builder = builder.body(request.body.clone());
        }
        let reply = send_and_read(builder, self.timeout).await.map_err(|reason| Failure::Broken(reason.to_string()))?;
        let body = serde_json::from_slice(&reply.bytes).unwrap_or_default();
        Ok(HttpReply { status: reply.status.as_u16(), headers: reply.headers, bytes: reply.bytes, body })
    }
}

impl HttpTransport for Transport {
    fn send(&self, request: HttpRequest) -> Pin<Box<dyn Future<Output = Result<HttpReply, Failure>> + Send + '_>> {
        Box::pin(async move {
            for _ in 0..MAX_ATTEMPTS {
                self.pace.wait_turn().await;
                let reply = self.send_once(&request).await?;
                let pause_seconds = reply.body["retry-after"].as_f64().unwrap_or(1.0);
                if reply.status != 429 || pause_seconds > MAX_PAUSE_SECONDS {
                    return Ok(reply);
                }
                self.pace.pause(Duration::from_secs_f64(pause_seconds.max(0.0)));
            }
            Err(Failure::NoReply("the server limits requests again and again; --rate may help".to_owned()))
        })
    }
}
