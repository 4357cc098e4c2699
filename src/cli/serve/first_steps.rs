//! What somebody at a terminal can do with a server that has just started.

use crate::cli::output::tell;
use crate::realm::user::User;
use crate::server::Server;
use crate::world::Worlds;
use std::path::Path;
use std::sync::Arc;

/// The person of the built-in organization whose examples the documents show.
const EXAMPLE: &str = "mel";

/// Tells where the console is, a request that works, and how to stop.
pub fn tell_on_terminal(server: &Server, asks_for_token: bool, trusted: Option<&Path>) {
    lines(server, asks_for_token, trusted).iter().for_each(tell);
}

fn lines(server: &Server, asks_for_token: bool, trusted: Option<&Path>) -> [String; 3] {
    let url = server.url();
    let token = if asks_for_token { " (asks for the control token)" } else { "" };
    let trust = match trusted {
        Some(file) => format!("--cacert {} ", quoted(&file.display().to_string())),
        None if server.trusted_certificate().is_some() => "--insecure ".to_owned(),
        None => String::new(),
    };
    let request = match somebody(server) {
        Some(user) => {
            let credentials = quoted(&format!("{}:{}", user.email, user.api_key));
            format!("-u {credentials} {url}/api/v1/users/me")
        }
        None => format!("{url}/api/v1/server_settings"),
    };
    [format!("console: {url}/{token}"), format!("try: curl {trust}{request}"), "stop: Ctrl-C".to_owned()]
}

/// An active person of the default world, if there are such.
fn somebody(server: &Server) -> Option<Arc<User>> {
    let realm = server.worlds().get(Worlds::DEFAULT)?.snapshot();
    let people = || realm.active_users.iter().filter_map(|id| realm.users.get(id)).filter(|user| !user.is_bot());
    let is_example = |user: &&Arc<User>| user.email.split('@').next() == Some(EXAMPLE);
    people().find(is_example).or_else(|| people().next()).cloned()
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"@:._-/+=".contains(&byte);
    if word.bytes().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::Options;

    #[tokio::test]
    async fn the_lines_name_the_console_a_request_and_the_end() {
        let server = Server::start().await.expect("a free port");
        let url = server.url();
        let request = format!("try: curl -u mel@chat.test:melKey00000000000000000000000000 {url}/api/v1/users/me");
        assert_eq!(lines(&server, false, None), [format!("console: {url}/"), request, "stop: Ctrl-C".to_owned()]);

        let options = Options { has_root_world: false, ..Options::default() };
        let server = Server::start_with(options).await.expect("a free port");
        let [console, request, _] = lines(&server, true, Some(Path::new("a b.pem")));
        assert_eq!(console, format!("console: {}/ (asks for the control token)", server.url()));
        assert_eq!(request, format!("try: curl --cacert 'a b.pem' {}/api/v1/server_settings", server.url()));
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_divide_them() {
        assert_eq!(quoted("mel@chat.test:aB3"), "mel@chat.test:aB3");
        assert_eq!(quoted("my ca's.pem"), r"'my ca'\''s.pem'");
    }
}
