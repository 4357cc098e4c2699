//! The dates of frames, and the lines with a date between those of frames.

use crate::time::Timestamp;
use serde_json::Value;

/// The days of the printed frames: a line with the date comes before the first frame, and before each frame that is on
/// another day than the one before it.
#[derive(Debug, Default)]
pub struct Days {
    latest: Option<String>,
}

impl Days {
    /// The line to print before a frame; None if the frame before it was on the same day, or the frame has no time.
    pub fn line_before(&mut self, frame: &Value) -> Option<String> {
        let day = to_timestamp(frame["at"].as_f64()?).to_date();
        if self.latest.as_ref() == Some(&day) {
            return None;
        }
        let line = format!("{day} UTC");
        self.latest = Some(day);
        Some(line)
    }
}

/// The instant of a time in a frame, which is in seconds.
pub fn to_timestamp(seconds: f64) -> Timestamp {
    Timestamp::from_micros((seconds * 1e6).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_day_is_printed_first_and_when_it_changes() {
        let mut days = Days::default();
        let lines = [0.0, 86_399.0, 86_400.0, 86_401.0, 0.0].map(|at| days.line_before(&json!({"at": at})));

        let expected = [Some("1970-01-01 UTC"), None, Some("1970-01-02 UTC"), None, Some("1970-01-01 UTC")];
        assert_eq!(lines, expected.map(|line| line.map(str::to_owned)));
        assert_eq!(days.line_before(&json!({"type": "later"})), None);
    }
}
