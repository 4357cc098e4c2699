//! HTTP to the servers that are compared: no faster than asked for, with the certificates and proxies of this machine.

use crate::cli::CliError;
use crate::scenario::client::{Answer, Ask, Failure};
use crate::scenario::twin::Exchange;
use crate::upstream::{Pace, builder, whole_reply};
use std::pin::Pin;
use std::time::Duration;
use tokio_rustls::rustls::ClientConfig;

/// How often a request is repeated that the server refuses for its rate limit.
const MAX_REFUSALS: usize = 20;
/// The longest pause in seconds that is waited when the server asks for one; after longer ones the refusal is the reply.
const MAX_PAUSE: f64 = 120.0;

/// Sends requests to a server.
pub struct Transport {
    http: reqwest::Client,
    pace: Pace,
    timeout: Duration,
}

impl Transport {
    /// A client that sends at most `rate` requests a second, 0 for no limit, and waits up to `timeout` for a reply or
    /// for more of it.
    ///
    /// # Errors
    ///
    /// What is wrong with the settings of this machine.
    pub fn new(trusting: ClientConfig, rate: f64, timeout: Duration) -> Result<Self, CliError> {
        let http = builder(trusting).redirect(reqwest::redirect::Policy::none()).read_timeout(timeout).build();
        Ok(Self { http: http.map_err(CliError::of_start)?, pace: Pace::per_second(rate), timeout })
    }

    async fn send(&self, ask: &Ask) -> Result<Answer, Failure> {
        let method = ask.method.parse().map_err(|_| Failure::Refused(format!("{} is not a method", ask.method)))?;
        let mut request = self.http.request(method, &ask.url);
        for (name, value) in &ask.headers {
            request = request.header(name, value);
        }
        if !ask.body.is_empty() {
            request = request.body(ask.body.clone());
        }
        let reply = whole_reply(request, self.timeout).await.map_err(|reason| Failure::Broken(reason.to_string()))?;
        let body = serde_json::from_slice(&reply.bytes).unwrap_or_default();
        Ok(Answer { status: reply.status.as_u16(), headers: reply.headers, bytes: reply.bytes, body })
    }
}

impl Exchange for Transport {
    fn ask(&self, ask: Ask) -> Pin<Box<dyn Future<Output = Result<Answer, Failure>> + Send + '_>> {
        Box::pin(async move {
            for _ in 0..MAX_REFUSALS {
                self.pace.turn().await;
                let answer = self.send(&ask).await?;
                let pause = answer.body["retry-after"].as_f64().unwrap_or(1.0);
                if answer.status != 429 || pause > MAX_PAUSE {
                    return Ok(answer);
                }
                self.pace.pause(Duration::from_secs_f64(pause.max(0.0)));
            }
            Err(Failure::Refused("the server limits requests again and again; --rate may help".to_owned()))
        })
    }
}
