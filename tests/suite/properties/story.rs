//! The requests that were played, as a scenario that can be saved and played again.

use super::draw::{Request, text};
use super::play::{Answer, SEED};
use chatdouble::api::NEWEST_FEATURE_LEVEL;
use chatdouble::fixture::{Fixture, built_in, generate};
use serde_json::{Map, Value, json};

/// How large a generated realm is.
const SIZE: generate::Size = generate::Size { user_count: 6, channel_count: 5, message_count: 60 };

/// A story, block by block.
#[derive(Clone)]
pub struct Story {
    /// 0 for the built-in realm, else the generator's seed.
    pub realm: u64,
    /// The feature level of its world.
    pub level: i64,
    blocks: Vec<String>,
}

impl Story {
    /// A story in the built-in realm with 0, else in what the generator makes of this number.
    pub fn new(realm: u64, level: i64) -> Self {
        Self { realm, level, blocks: Vec::new() }
    }

    /// What the realm is made from.
    pub fn fixture(&self) -> Fixture {
        match self.realm {
            0 => built_in("default").expect("it is built in").into(),
            seed => generate::format_json(&generate::generate_document(SIZE, seed, &mut |_| {})).into(),
        }
    }

    /// Adds a block.
    pub fn tell(&mut self, block: String) {
        self.blocks.push(block);
    }

    /// Adds a request and what came back.
    pub fn tell_request(&mut self, request: &Request, answer: &Answer) {
        let handle = request.caller.email.split('@').next().unwrap_or_default();
        let lines = if request.is_upload() { "file a.txt: hello".to_owned() } else { lines(&request.params) };
        let mut reply = format!("```reply {}\n```", answer.status);
        if answer.mangled.is_some() {
            reply = "```reply none\n```".to_owned();
        } else if answer.status != 200 {
            let body = json!({"code": answer.body["code"], "msg": answer.body["msg"]});
            reply = format!("```reply {}\n{}\n```", answer.status, body.to_string().replace("{{", r"\\{{"));
        }
        self.tell(format!("```request\n{handle}: {} {}\n{lines}\n```\n{reply}", request.method, request.path));
    }

    /// The whole, as the text of a file.
    pub fn to_scenario(&self, title: &str) -> String {
        let mut world = format!("```world\nclock: {}\nseed: {SEED}\n```", crate::support::START);
        if self.level != NEWEST_FEATURE_LEVEL {
            world = world.replace("```world\n", &format!("```world\nfeature_level: {}\n", self.level));
        }
        if self.realm != 0 {
            let generate::Size { user_count, channel_count, message_count } = SIZE;
            let sizes = format!("--users {user_count} --channels {channel_count} --messages {message_count}");
            world = world.replace("```world\n", "```world\nfixture: realm.json\n");
            world = format!(
                "`chatdouble fixture generate {sizes} --seed {} -o realm.json` makes the realm.\n\n{world}",
                self.realm
            );
        }
        format!("# {title}\n\n{world}\n{}\n", self.blocks.join("\n"))
    }
}

/// Parameters as a scenario has them.
pub fn lines(params: &Map<String, Value>) -> String {
    let line = |(name, value): (&String, &Value)| {
        format!("{name}: {}", text(value).replace("{{", r"\{{").replace('\n', "\n  "))
    };
    params.iter().map(line).collect::<Vec<_>>().join("\n")
}
