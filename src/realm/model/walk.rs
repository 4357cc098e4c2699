//! Walks over graphs, such as groups and their subgroups: each node is visited once, and no walk needs the stack.

use foldhash::{HashMap, HashSet, HashSetExt};
use smallvec::SmallVec;
use std::hash::Hash;

/// Up to so many nodes are compared one by one, which is faster than a set of them.
const FEW: usize = 16;

/// Nodes in the order in which they are found, each once: the starts, then their neighbours, and so on.
#[derive(Debug)]
pub struct Reachable<N, F> {
    found: SmallVec<[N; FEW]>,
    known: HashSet<N>,
    visited: usize,
    neighbours: F,
}

/// All nodes that can be reached from some nodes, these included. `neighbours` hands each neighbour of a node to the
/// function that it gets.
pub fn reachable<N, F>(starts: impl IntoIterator<Item = N>, neighbours: F) -> Reachable<N, F>
where
    N: Copy + Eq + Hash,
    F: FnMut(N, &mut dyn FnMut(N)),
{
    let mut reachable = Reachable { found: SmallVec::new(), known: HashSet::new(), visited: 0, neighbours };
    for start in starts {
        find(&mut reachable.found, &mut reachable.known, start);
    }
    reachable
}

fn find<N: Copy + Eq + Hash>(found: &mut SmallVec<[N; FEW]>, known: &mut HashSet<N>, node: N) {
    let is_new = if found.len() < FEW {
        !found.contains(&node)
    } else {
        if known.is_empty() {
            known.extend(found.iter().copied());
        }
        known.insert(node)
    };
    if is_new {
        found.push(node);
    }
}

impl<N, F> Iterator for Reachable<N, F>
where
    N: Copy + Eq + Hash,
    F: FnMut(N, &mut dyn FnMut(N)),
{
    type Item = N;

    fn next(&mut self) -> Option<N> {
        let node = *self.found.get(self.visited)?;
        self.visited += 1;
        let Self { found, known, neighbours, .. } = self;
        neighbours(node, &mut |neighbour| find(found, known, neighbour));
        Some(node)
    }
}

/// Nodes that can be reached from themselves: at least one of each cycle, none where there is no cycle. Takes time in
/// proportion to the number of nodes and edges.
pub fn cyclic<N>(starts: impl IntoIterator<Item = N>, mut neighbours: impl FnMut(N, &mut dyn FnMut(N))) -> Vec<N>
where
    N: Copy + Eq + Hash,
{
    let mut is_open: HashMap<N, bool> = HashMap::default();
    let mut cyclic = Vec::new();
    let mut path: Vec<(N, std::vec::IntoIter<N>)> = Vec::new();
    let mut all_of = |node: N| {
        let mut all = Vec::new();
        neighbours(node, &mut |neighbour| all.push(neighbour));
        all.into_iter()
    };
    for start in starts {
        if is_open.contains_key(&start) {
            continue;
        }
        is_open.insert(start, true);
        path.push((start, all_of(start)));
        while let Some((node, rest)) = path.last_mut() {
            let Some(neighbour) = rest.next() else {
                is_open.insert(*node, false);
                path.pop();
                continue;
            };
            match is_open.get(&neighbour) {
                Some(true) => cyclic.push(neighbour),
                Some(false) => {}
                None => {
                    is_open.insert(neighbour, true);
                    path.push((neighbour, all_of(neighbour)));
                }
            }
        }
    }
    let mut known = HashSet::new();
    cyclic.retain(|node| known.insert(*node));
    cyclic
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Layers of two nodes each, where both nodes lead to both of the next layer: 2^n paths.
    fn lattice(layers: u32) -> impl FnMut(u32, &mut dyn FnMut(u32)) {
        move |node, found| {
            let layer = node / 2 + 1;
            if layer < layers {
                found(layer * 2);
                found(layer * 2 + 1);
            }
        }
    }

    fn chain(length: u32) -> impl FnMut(u32, &mut dyn FnMut(u32)) {
        move |node, found| {
            if node + 1 < length {
                found(node + 1);
            }
        }
    }

    #[test]
    fn each_node_is_visited_once_however_many_paths_lead_to_it() {
        let mut found: Vec<u32> = reachable([0], lattice(64)).collect();

        found.sort_unstable();
        assert_eq!(found, (0..128).filter(|node| *node != 1).collect::<Vec<_>>());
        assert_eq!(cyclic(0..128, lattice(64)), Vec::<u32>::new());
    }

    #[test]
    fn a_long_chain_does_not_need_the_stack() {
        assert_eq!(reachable([0], chain(1_000_000)).count(), 1_000_000);
        assert_eq!(cyclic([0], chain(1_000_000)), Vec::<u32>::new());
    }

    #[test]
    fn every_cycle_has_a_node_that_is_reported() {
        let edges = [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 5), (6, 1)];
        let neighbours = |node: i32, found: &mut dyn FnMut(i32)| {
            edges.iter().filter(|(from, _)| *from == node).for_each(|(_, to)| found(*to));
        };

        let found = cyclic([6, 1, 2, 3, 4, 5], neighbours);

        assert_eq!(found, [1, 5]);
        assert_eq!(reachable([6], neighbours).collect::<Vec<_>>(), [6, 1, 2, 3, 4, 5]);
    }
}
