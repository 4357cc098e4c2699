//! `chatdouble mcp`: a server of the Model Context Protocol on standard input and output, with tools for agents.

mod session;
mod session_scenario;
mod tools;

use super::CliError;
use super::tls::{TrustOptions, with_tls_hint};
use crate::control::InitialClock;
use crate::scenario::{Accounts, Stage};
use crate::server::{Options, Server};
use crate::time::Timestamp;
use clap::Args;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use session::Session;
use std::process::ExitCode;

/// Scenarios start at this time too, so an exported scenario plays in the same way.
const START_TIME: &str = "2026-01-01T00:00:00Z";

/// The description of the tools for agents.
const INSTRUCTIONS: &str = "An in-memory test double of a team-chat server. `find_operations` and `describe_operation` \
    say what the API has, `act` calls it as a user (mel is a member, olive an owner). Worlds are independent organizations; \
    `default` exists, and its clock is frozen until `move_clock` moves it. `arm_fault` and `set_network` break what \
    clients rely on. `export_scenario` gives what was done as a file that plays again.";

#[derive(Debug, Args)]
#[command(after_help = "For example:\n\n  chatdouble mcp")]
pub struct Mcp {
    /// Server to steer; by default one is started, whose clock is frozen at 2026-01-01T00:00:00Z
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// Token that the server's /control requires
    #[arg(long, env = "CHATDOUBLE_CONTROL_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    control_token: Option<String>,

    #[command(flatten)]
    trust: TrustOptions,
}

impl Mcp {
    /// Whether the server to steer runs already.
    pub fn has_server(&self) -> bool {
        self.url.is_some()
    }
}

pub fn run(mcp: &Mcp) -> Result<ExitCode, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(CliError::failure)?;
    let status = runtime.block_on(serve(mcp));
    // A pending read of standard input would delay the end.
    runtime.shutdown_background();
    status
}

async fn serve(mcp: &Mcp) -> Result<ExitCode, CliError> {
    let started_server = match mcp.url {
        Some(_) => None,
        None => Some(start_server().await?),
    };
    let url = started_server
        .as_ref()
        .map_or_else(|| mcp.url.as_deref().unwrap_or_default(), Server::url)
        .trim_end_matches('/');
    let (stage_tls_config, session_tls_config) = (mcp.trust.config_for(url)?, mcp.trust.config_for(url)?);
    let stage = Stage::open_with_tls(url, mcp.control_token.clone(), Accounts::new(), stage_tls_config).await;
    let stage = stage.map_err(|reason| CliError::failure(with_tls_hint(reason)))?;
    let session = Session::new(url, mcp.control_token.clone(), session_tls_config, stage).map_err(CliError::failure)?;
    let service = ToolServer { session }.serve(rmcp::transport::stdio()).await.map_err(CliError::failure)?;
    service.waiting().await.map_err(CliError::failure)?;
    if let Some(server) = started_server {
        server.stop().await;
    }
    Ok(ExitCode::SUCCESS)
}

async fn start_server() -> Result<Server, CliError> {
    let start_time = Timestamp::parse(START_TIME).map_err(CliError::failure)?;
    let options = Options { clock: InitialClock::At(start_time), ..Options::default() };
    Server::start_with(options).await.map_err(CliError::failure)
}

/// Answers the requests of the protocol.
struct ToolServer {
    session: Session,
}

impl ServerHandler for ToolServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("chatdouble", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let result = match self.session.run_tool(&request.name, &arguments).await {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(reason) => CallToolResult::error(vec![ContentBlock::text(reason)]),
        };
        Ok(result.into())
    }
}
