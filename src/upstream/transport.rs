//! HTTP as this program speaks it to real servers.

use std::time::Duration;
use tokio_rustls::rustls::ClientConfig;

/// How long a connection may take.
const CONNECTING: Duration = Duration::from_secs(10);

/// A client of the HTTP library that trusts as given and goes through the proxies that the environment names
/// (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`). Requests of the API follow no redirection, since one would
/// take the key elsewhere; files do, without the key when they lead to another host.
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
