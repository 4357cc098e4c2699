//! `chatdouble mcp`: an agent's session over standard input and output.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A program that speaks the protocol, as an agent's program starts it.
struct Agent {
    program: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
    calls: usize,
}

impl Agent {
    fn start(arguments: &[&str]) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_chatdouble"))
            .arg("mcp")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("it starts");
        let input = program.stdin.take();
        let output = BufReader::new(program.stdout.take().expect("piped"));
        let mut agent = Self { program, input, output, asked: 0, calls: 0 };
        let client = json!({"name": "test", "version": "1"});
        let begun =
            agent.ask("initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}));
        assert_eq!(begun["serverInfo"]["name"], "chatdouble");
        agent.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        agent
    }

    fn write(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("open");
        writeln!(input, "{message}").and_then(|()| input.flush()).expect("it reads");
    }

    /// The result of a request.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("it writes") > 0, "it ended");
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"));
            if message["id"] == id {
                assert_eq!(message.get("error"), None, "{message}");
                return message["result"].clone();
            }
        }
    }

    /// What a tool says; Err where it was not done.
    fn call(&mut self, tool: &str, arguments: Value) -> Result<String, String> {
        self.calls += 1;
        let result = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        if result["isError"] == true { Err(text) } else { Ok(text) }
    }

    fn json(&mut self, tool: &str, arguments: Value) -> Value {
        let text = self.call(tool, arguments).unwrap_or_else(|reason| panic!("{tool}: {reason}"));
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{tool}: {text}"))
    }

    /// Closes the input, at which the program ends.
    fn end(mut self) {
        self.input = None;
        assert!(self.program.wait().expect("it ends").success());
    }
}

#[test]
fn a_lost_reply_leads_to_a_second_message_in_a_session_that_plays_again() {
    let mut agent = Agent::start(&[]);
    let message = json!({
        "user": "mel", "operation": "POST /messages",
        "params": {"type": "channel", "to": "general", "topic": "pizza", "content": "Pizza?\n{{really}}"},
    });
    let rule = json!({"match": {"path": "/messages", "method": "POST"}, "times": 1, "effect": {"drop": "after"}});
    agent.json("arm_fault", rule);
    assert!(agent.json("act", message.clone())["failure"].is_string());
    assert_eq!(agent.json("act", message)["status"], 200);
    let narrow = json!([{"operator": "channel", "operand": "general"}, {"operator": "topic", "operand": "pizza"}]);
    let params = json!({"narrow": narrow, "anchor": "newest", "num_before": 10, "num_after": 0});
    let read = agent.json("act", json!({"user": "mel", "operation": "GET /messages", "params": params}));
    assert_eq!(read["reply"]["messages"].as_array().map(Vec::len), Some(2));
    let scenario = agent.call("export_scenario", json!({"title": "A lost reply"})).expect("there is something");
    assert!(scenario.starts_with("# A lost reply\n") && scenario.contains("```reply none\n```"), "{scenario}");
    let played = agent.call("play_scenario", json!({"text": scenario})).expect("it is one");
    assert_eq!(played, "played   A lost reply");
    assert!(agent.calls < 10);
    agent.end();

    // The command plays it too.
    let played = |scenario: &str, name: &str| {
        let file = std::env::temp_dir().join(format!("chatdouble-mcp-{}-{name}.md", std::process::id()));
        std::fs::write(&file, scenario).expect("writable");
        let program = env!("CARGO_BIN_EXE_chatdouble");
        let run = Command::new(program).args(["scenario", "run"]).arg(&file).output().expect("it runs");
        std::fs::remove_file(&file).expect("it is there");
        run.status.success()
    };
    assert!(played(&scenario, "whole"), "{scenario}");
    // Without the fault the message is there once more.
    let fault = scenario.find("```control").expect("the fault");
    let rest = fault + scenario[fault..].find("```request").expect("what follows");
    assert!(!played(&format!("{}{}", &scenario[..fault], &scenario[rest..]), "sound"));
}

#[test]
fn tools_take_what_the_documents_say() {
    let mut agent = Agent::start(&[]);
    let listed = agent.ask("tools/list", json!({}));
    let tools = listed["tools"].as_array().expect("tools");
    let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("no {name}"));

    for name in ["list_worlds", "make_world", "reset_world", "set_network", "read_report", "check_invariants"] {
        assert!(tool(name)["description"].as_str().is_some_and(|about| about.len() > 10), "{name}");
    }
    let fault = &tool("arm_fault")["inputSchema"];
    assert!(fault["properties"]["match"].is_object() && fault["properties"]["world"].is_object(), "{fault}");
    assert!(!fault.to_string().contains("$ref"), "{fault}");
    assert!(tool("make_world")["inputSchema"]["properties"]["fork_of"].is_object());

    let found = agent.call("find_operations", json!({"words": "saved_snippets post"})).expect("found");
    assert!(found.starts_with("POST /saved_snippets: "), "{found}");
    let described = agent.json("describe_operation", json!({"operation": "POST /saved_snippets"}));
    assert!(described["requestBody"]["content"]["application/x-www-form-urlencoded"].is_object(), "{described}");
    agent.end();
}

#[test]
fn worlds_are_made_forked_moved_and_reset() {
    let mut agent = Agent::start(&[]);
    agent.json("make_world", json!({"name": "blue", "clock": "2026-01-01T00:00:00Z"}));
    agent.json("move_clock", json!({"world": "blue", "advance_seconds": 3600}));
    let act =
        json!({"world": "blue", "user": "mel", "operation": "POST /users/me/status", "params": {"status_text": "x"}});
    assert_eq!(agent.json("act", act)["status"], 200);
    agent.json("make_world", json!({"name": "fork", "fork_of": "blue"}));
    let refused = agent.json("act", json!({"world": "fork", "operation": "GET /users/me"}));
    assert_eq!(refused["status"], 401);

    let scenario = agent.call("export_scenario", json!({"world": "fork"})).expect("what was done in both");
    for part in
        ["clock: 2026-01-01T00:00:00Z", "POST /clock {\"advance_seconds\":3600}", "status_text: x", "anonymous: GET"]
    {
        assert!(scenario.contains(part), "{part} in {scenario}");
    }
    let played = agent.call("play_scenario", json!({"text": scenario})).expect("it is one");
    assert!(played.starts_with("played"), "{played}");
    agent.json("reset_world", json!({"world": "blue"}));
    assert!(agent.call("export_scenario", json!({"world": "blue"})).is_err());
    let sound = agent.json("check_invariants", json!({"world": "blue"}));
    assert_eq!(sound["status"], 200, "{sound}");
    assert_eq!(agent.json("list_worlds", json!({}))["reply"]["worlds"].as_array().map(Vec::len), Some(3));
    agent.end();
}

#[test]
fn mistakes_are_said_in_a_sentence() {
    let mut agent = Agent::start(&[]);

    for (tool, arguments, reason) in [
        ("fly", json!({}), "there is no tool"),
        (
            "act",
            json!({"user": "mel"}),
            "`operation` is missing; `operation` is a method and a path, such as \"POST /messages\"",
        ),
        (
            "act",
            json!({"method": "POST", "path": "/messages"}),
            "not `method`, `path`; `operation` is a method and a path",
        ),
        ("act", json!({"operation": "messages"}), "such as \"POST /messages\""),
        ("act", json!({"user": "nobody", "operation": "GET /users/me"}), "nobody"),
        ("describe_operation", json!({"operation": "GET /nothing"}), "there is no operation"),
        ("play_scenario", json!({"text": "# Nothing\n"}), "scenario.md:"),
        ("export_scenario", json!({"world": "none"}), "did nothing"),
        ("lose_queue", json!({}), "`queue_id` is missing"),
    ] {
        let refused = agent.call(tool, arguments).expect_err(tool);
        assert!(refused.contains(reason), "{tool}: {refused}");
    }
    let refused = agent.json("arm_fault", json!({"effect": {"drop": "sometimes"}}));
    assert_eq!(refused["status"], 400);
    agent.end();
}
