//! TLS, proxies, redirects and the connection timeout of HTTP clients for other servers.

use std::time::Duration;
use tokio_rustls::rustls::ClientConfig;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A builder of HTTP clients with this TLS configuration and the proxies of the environment (`HTTP_PROXY`,
/// `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`). API requests follow no redirect, which could send the API key to another
/// server. Requests for files follow up to 5 redirects, and send no key to another host.
pub fn client_builder(tls_config: ClientConfig) -> reqwest::ClientBuilder {
    let redirect_policy = reqwest::redirect::Policy::custom(|attempt| {
        let is_api_request = attempt.previous().first().is_some_and(|first_url| first_url.path().contains("/api/"));
        if is_api_request || attempt.previous().len() > 5 { attempt.stop() } else { attempt.follow() }
    });
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls_config)
        .user_agent(concat!("chatdouble/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(redirect_policy)
}
