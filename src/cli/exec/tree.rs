//! Processes that a process started, and those that these started.

use rustix::process::{Pid, Signal, kill_process};
use std::collections::HashMap;

/// A process. Numbers are given again; together with when it began, a number is one process's for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    number: i32,
    parent: i32,
    began: u64,
}

impl Process {
    /// As the kernel tells of it in `/proc/NUMBER/stat`.
    fn read(number: i32) -> Option<Self> {
        Self::parse(number, &std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?)
    }

    /// Behind the name, which may hold anything: the state, the parent, and as the twentieth when it began.
    fn parse(number: i32, stat: &str) -> Option<Self> {
        let (_, behind) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = behind.split(' ').collect();
        Some(Self { number, parent: fields.get(1)?.parse().ok()?, began: fields.get(19)?.parse().ok()? })
    }
}

/// All that a process started and that is not over.
pub struct Tree(Vec<Process>);

impl Tree {
    /// Those that there are now.
    pub fn below(root: Pid) -> Self {
        let numbers = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let all = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter_map(Process::read);
        let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
        all.for_each(|process| children.entry(process.parent).or_default().push(process));
        let mut found = children.remove(&root.as_raw_nonzero().get()).unwrap_or_default();
        let mut next = 0;
        while let Some(process) = found.get(next) {
            let below = children.remove(&process.number).unwrap_or_default();
            found.extend(below);
            next += 1;
        }
        Self(found)
    }

    /// Gives a signal to those that are still there.
    pub fn signal(&self, signal: Signal) {
        for process in &self.0 {
            let is_there = Process::read(process.number).is_some_and(|now| now.began == process.began);
            if let Some(pid) = Pid::from_raw(process.number).filter(|_| is_there) {
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

        assert_eq!(process, Some(Process { number: 7, parent: 4, began: 22 }));
        assert_eq!(Process::parse(7, "7 (a"), None);
    }
}
