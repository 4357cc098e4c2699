//! The first steps with a new server, printed on a terminal.

use crate::cli::output::eprint_line;
use crate::cli::shell::quote_for_shell;
use crate::realm::user::User;
use crate::server::Server;
use crate::world::Worlds;
use std::path::Path;
use std::sync::Arc;

/// The handle of the user in the examples of the documentation.
const EXAMPLE_HANDLE: &str = "mel";

/// Prints the URL of the console, a working request, and how to stop the server.
pub fn print_first_steps(server: &Server, requires_token: bool, certificate_file: Option<&Path>) {
    first_steps_lines(server, requires_token, certificate_file).iter().for_each(eprint_line);
}

fn first_steps_lines(server: &Server, requires_token: bool, certificate_file: Option<&Path>) -> [String; 3] {
    let url = server.url();
    let token_note = if requires_token { " (asks for the control token)" } else { "" };
    let tls_option = match certificate_file {
        Some(file) => format!("--cacert {} ", quote_for_shell(&file.display().to_string())),
        None if server.trusted_certificate().is_some() => "--insecure ".to_owned(),
        None => String::new(),
    };
    let request = match example_user(server) {
        Some(user) => {
            let credentials = quote_for_shell(&format!("{}:{}", user.email, user.api_key));
            format!("-u {credentials} {url}/api/v1/users/me")
        }
        None => format!("{url}/api/v1/server_settings"),
    };
    [format!("console: {url}/{token_note}"), format!("try: curl {tls_option}{request}"), "stop: Ctrl-C".to_owned()]
}

/// An active person of the default world, preferably the one with [`EXAMPLE_HANDLE`]. None if there is no such world or
/// person.
fn example_user(server: &Server) -> Option<Arc<User>> {
    let realm = server.worlds().get(Worlds::DEFAULT)?.snapshot();
    let people = || realm.active_users.iter().filter_map(|id| realm.users.get(id)).filter(|user| !user.is_bot());
    let has_example_handle = |user: &&Arc<User>| user.email.split('@').next() == Some(EXAMPLE_HANDLE);
    people().find(has_example_handle).or_else(|| people().next()).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::Options;

    #[tokio::test]
    async fn the_lines_show_the_console_a_request_and_how_to_stop() {
        let server = Server::start().await.expect("a free port");
        let url = server.url();
        let request = format!("try: curl -u mel@chat.test:melKey00000000000000000000000000 {url}/api/v1/users/me");
        assert_eq!(
            first_steps_lines(&server, false, None),
            [format!("console: {url}/"), request, "stop: Ctrl-C".to_owned()]
        );

        let options = Options { has_default_world: false, ..Options::default() };
        let server = Server::start_with(options).await.expect("a free port");
        let [console, request, _] = first_steps_lines(&server, true, Some(Path::new("a b.pem")));
        assert_eq!(console, format!("console: {}/ (asks for the control token)", server.url()));
        assert_eq!(request, format!("try: curl --cacert 'a b.pem' {}/api/v1/server_settings", server.url()));
    }
}
