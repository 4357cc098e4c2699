//! The descendants of a process on Linux.

use rustix::process::{Pid, Signal, kill_process};
use std::collections::HashMap;

/// A process. The start time, in clock ticks since the machine started, distinguishes it from a later process with the
/// same ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    id: i32,
    parent: i32,
    start_time: u64,
}

impl Process {
    /// Reads `/proc/ID/stat`.
    fn read(id: i32) -> Option<Self> {
        Self::parse(id, &std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
    }

    /// Parses the text of `/proc/ID/stat`. The name in parentheses may contain anything; the fields after it begin with
    /// the state and the parent, and the start time is the twentieth.
    fn parse(id: i32, stat: &str) -> Option<Self> {
        let (_, after_name) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = after_name.split(' ').collect();
        Some(Self { id, parent: fields.get(1)?.parse().ok()?, start_time: fields.get(19)?.parse().ok()? })
    }
}

/// The descendants that a process had when they were listed.
pub struct Descendants(Vec<Process>);

impl Descendants {
    /// Lists the running descendants of a process.
    pub fn list(root: Pid) -> Self {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter_map(Process::read);
        let mut children_by_parent: HashMap<i32, Vec<Process>> = HashMap::new();
        processes.for_each(|process| children_by_parent.entry(process.parent).or_default().push(process));
        let mut descendants = children_by_parent.remove(&root.as_raw_nonzero().get()).unwrap_or_default();
        let mut index = 0;
        while let Some(process) = descendants.get(index) {
            let children = children_by_parent.remove(&process.id).unwrap_or_default();
            descendants.extend(children);
            index += 1;
        }
        Self(descendants)
    }

    /// Sends a signal to those that are still running.
    pub fn signal(&self, signal: Signal) {
        for process in &self.0 {
            let is_running = Process::read(process.id).is_some_and(|current| current.start_time == process.start_time);
            if let Some(pid) = Pid::from_raw(process.id).filter(|_| is_running) {
                let _ = kill_process(pid, signal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_may_have_any_name() {
        let fields = (4..=52).map(|field| field.to_string()).collect::<Vec<_>>().join(" ");

        let process = Process::parse(7, &format!("7 (a) b) S {fields}\n"));

        assert_eq!(process, Some(Process { id: 7, parent: 4, start_time: 22 }));
        assert_eq!(Process::parse(7, "7 (a"), None);
    }
}
