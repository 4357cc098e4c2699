//! Shortens series of equal failed polls, such as those of a client whose user is offline: a line for the first, and
//! one line with a count for all others.

use serde_json::Value;

/// The series of equal failed polls that the latest lines belong to.
#[derive(Debug, Default)]
pub struct Repeats {
    /// What the polls of the series have in common; None if the latest line was no failed poll.
    last_poll: Option<[Value; 5]>,
    /// The line of the latest poll that was not printed.
    held_line: String,
    held_count: u32,
}

impl Repeats {
    /// The lines to print for a frame with its line: none for a poll that fails like the one before it.
    pub fn lines_for(&mut self, frame: Option<&Value>, line: String) -> Vec<String> {
        let poll = frame.and_then(failed_poll);
        if poll.is_some() && poll == self.last_poll {
            self.held_line = line;
            self.held_count += 1;
            return Vec::new();
        }
        let mut lines: Vec<String> = self.end_series().into_iter().collect();
        self.last_poll = poll;
        lines.push(line);
        lines
    }

    /// Ends the series. Returns the line for its polls that were not printed, if there are any.
    pub fn end_series(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.held_line);
        let count = std::mem::take(&mut self.held_count);
        self.last_poll = None;
        (count > 0).then(|| if count > 1 { format!("{line}  ×{count}") } else { line })
    }
}

/// What equal failed polls have in common; None for other frames.
fn failed_poll(frame: &Value) -> Option<[Value; 5]> {
    let is_poll = frame["type"] == "request" && frame["method"] == "GET" && frame["path"] == "/events";
    let key = || ["user", "client", "status", "fault"].map(|name| frame[name].clone());
    let [user, client, status, fault] = (is_poll && frame["status"] != 200).then(key)?;
    Some([user, client, status, fault, frame["reply"]["code"].clone()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_failed_polls_have_two_lines() {
        let poll = |user: &str, status: u16| {
            let mut frame = json!({"type": "request", "method": "GET", "path": "/events"});
            frame["user"] = user.into();
            frame["status"] = status.into();
            frame
        };
        let frames = [
            poll("max", 200),
            poll("max", 200),
            poll("max", 0),
            poll("max", 0),
            poll("max", 0),
            poll("max", 0),
            poll("mel", 0),
            poll("max", 0),
            poll("max", 0),
        ];
        let mut repeats = Repeats::default();
        let mut lines: Vec<String> = Vec::new();
        for (number, frame) in frames.iter().enumerate() {
            lines.extend(repeats.lines_for(Some(frame), number.to_string()));
        }
        lines.extend(repeats.end_series());
        assert_eq!(lines, ["0", "1", "2", "5  ×3", "6", "7", "8"]);
        assert_eq!(repeats.end_series(), None);
    }
}
