//! The HTTP client for other servers.

use std::time::Duration;
use tokio_rustls::rustls::ClientConfig;

/// The timeout of connecting.
const CONNECTING: Duration = Duration::from_secs(10);

/// A builder of HTTP clients that trust as configured and use the proxies of the environment (`HTTP_PROXY`,
/// `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`). Requests of the API follow no redirection, which could send the key to another
/// server; requests for files follow up to 5, without the key on another host.
pub fn builder(trusting: ClientConfig) -> reqwest::ClientBuilder {
    let files_alone = reqwest::redirect::Policy::custom(|attempt| {
        let is_of_api = attempt.previous().first().is_some_and(|first| first.path().contains("/api/"));
        if is_of_api || attempt.previous().len() > 5 { attempt.stop() } else { attempt.follow() }
    });
    reqwest::Client::builder()
        .tls_backend_preconfigured(trusting)
        .user_agent(concat!("chatdouble/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECTING)
        .redirect(files_alone)
}
