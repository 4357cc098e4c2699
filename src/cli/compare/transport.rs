//! HTTP to the servers: in their pace, with the certificates and proxies of this machine.

use crate::cli::CliError;
use crate::scenario::client::{Answer, Ask, Failure};
use crate::scenario::twin::Exchange;
use crate::upstream::{Pace, builder};
use std::error::Error;
use std::pin::Pin;
use std::time::Duration;
use tokio_rustls::rustls::ClientConfig;

/// How long nothing may come of a reply.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a server may say that a request comes too early, and the longest pause.
const MAX_REFUSALS: usize = 20;
const MAX_PAUSE: f64 = 120.0;

/// Sends requests to a server.
pub struct Transport {
    http: reqwest::Client,
    pace: Pace,
}

impl Transport {
    /// One for a server.
    ///
    /// # Errors
    ///
    /// What is wrong with the settings of this machine.
    pub fn new(trusting: ClientConfig, rate: f64) -> Result<Self, CliError> {
        let http = builder(trusting).redirect(reqwest::redirect::Policy::none()).read_timeout(PATIENCE).build();
        Ok(Self { http: http.map_err(CliError::of_start)?, pace: Pace::per_second(rate) })
    }

    async fn once(&self, ask: &Ask) -> Result<Answer, Failure> {
        let method = ask.method.parse().map_err(|_| Failure::Refused(format!("{} is no method", ask.method)))?;
        let mut request = self.http.request(method, &ask.url);
        for (name, value) in &ask.headers {
            request = request.header(name, value);
        }
        if !ask.body.is_empty() {
            request = request.body(ask.body.clone());
        }
        let reply = request.send().await.map_err(|error| failure(&error))?;
        let (status, headers) = (reply.status().as_u16(), reply.headers().clone());
        let bytes = reply.bytes().await.map_err(|error| failure(&error))?;
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(Answer { status, headers, bytes, body })
    }
}

fn failure(error: &reqwest::Error) -> Failure {
    let mut cause: &dyn Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    Failure::Broken(cause.to_string())
}

impl Exchange for Transport {
    fn ask(&self, ask: Ask) -> Pin<Box<dyn Future<Output = Result<Answer, Failure>> + Send + '_>> {
        Box::pin(async move {
            for _ in 0..MAX_REFUSALS {
                self.pace.turn().await;
                let answer = self.once(&ask).await?;
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
