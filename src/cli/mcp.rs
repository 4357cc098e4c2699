//! `chatdouble mcp`: tools for agents, over standard input and output, by the Model Context Protocol.

mod recording;
mod session;
mod tools;

use super::CliError;
use super::secure::{Trusting, with_remedy};
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

/// Where scenarios begin too, so that what was done plays as one.
const BEGINNING: &str = "2026-01-01T00:00:00Z";

/// What an agent reads first.
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
    trusting: Trusting,
}

pub fn run(mcp: &Mcp) -> Result<ExitCode, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(CliError::of_start)?;
    let status = runtime.block_on(serve(mcp));
    // A read of standard input that waits would hold the end back.
    runtime.shutdown_background();
    status
}

async fn serve(mcp: &Mcp) -> Result<ExitCode, CliError> {
    let own = match mcp.url {
        Some(_) => None,
        None => Some(started().await?),
    };
    let url = own.as_ref().map_or_else(|| mcp.url.as_deref().unwrap_or_default(), Server::url).trim_end_matches('/');
    let (trusting, own_trusting) = (mcp.trusting.client(url)?, mcp.trusting.client(url)?);
    let stage = Stage::open_trusting(url, mcp.control_token.clone(), Accounts::new(), trusting).await;
    let stage = stage.map_err(|reason| CliError::of_start(with_remedy(reason)))?;
    let session = Session::new(url, mcp.control_token.clone(), own_trusting, stage).map_err(CliError::of_start)?;
    let running = Agent { session }.serve(rmcp::transport::stdio()).await.map_err(CliError::of_start)?;
    running.waiting().await.map_err(CliError::of_start)?;
    if let Some(server) = own {
        server.stop().await;
    }
    Ok(ExitCode::SUCCESS)
}

async fn started() -> Result<Server, CliError> {
    let at = Timestamp::parse(BEGINNING).map_err(CliError::of_start)?;
    let options = Options { clock: InitialClock::At(at), ..Options::default() };
    Server::start_with(options).await.map_err(CliError::of_start)
}

/// The protocol's side of a session.
struct Agent {
    session: Session,
}

impl ServerHandler for Agent {
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
        let result = match self.session.call(&request.name, &arguments).await {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(reason) => CallToolResult::error(vec![ContentBlock::text(reason)]),
        };
        Ok(result.into())
    }
}
