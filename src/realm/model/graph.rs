//! Graph traversal, for groups and their subgroups. Each node is visited once, without recursion.

use foldhash::{HashMap, HashSet, HashSetExt};
use smallvec::SmallVec;
use std::hash::Hash;

/// Up to this number of nodes, comparing them one by one is faster than hashing.
const MAX_LINEAR_SEARCH: usize = 16;

/// Iterates over reachable nodes without duplicates, in breadth-first order.
#[derive(Debug)]
pub struct ReachableNodes<N, F> {
    /// All known nodes in the order of their discovery, visited ones included.
    nodes: SmallVec<[N; MAX_LINEAR_SEARCH]>,
    /// The same nodes; empty until `nodes` exceeds [`MAX_LINEAR_SEARCH`].
    known: HashSet<N>,
    visited_count: usize,
    neighbours: F,
}

/// All nodes that can be reached from the start nodes, which are included. `neighbours` calls its second argument with
/// each neighbour of a node.
pub fn reachable_nodes<N, F>(starts: impl IntoIterator<Item = N>, neighbours: F) -> ReachableNodes<N, F>
where
    N: Copy + Eq + Hash,
    F: FnMut(N, &mut dyn FnMut(N)),
{
    let mut reachable = ReachableNodes { nodes: SmallVec::new(), known: HashSet::new(), visited_count: 0, neighbours };
    for start in starts {
        add_node(&mut reachable.nodes, &mut reachable.known, start);
    }
    reachable
}

fn add_node<N: Copy + Eq + Hash>(nodes: &mut SmallVec<[N; MAX_LINEAR_SEARCH]>, known: &mut HashSet<N>, node: N) {
    let is_new = if nodes.len() < MAX_LINEAR_SEARCH {
        !nodes.contains(&node)
    } else {
        if known.is_empty() {
            known.extend(nodes.iter().copied());
        }
        known.insert(node)
    };
    if is_new {
        nodes.push(node);
    }
}

impl<N, F> Iterator for ReachableNodes<N, F>
where
    N: Copy + Eq + Hash,
    F: FnMut(N, &mut dyn FnMut(N)),
{
    type Item = N;

    fn next(&mut self) -> Option<N> {
        let node = *self.nodes.get(self.visited_count)?;
        self.visited_count += 1;
        let Self { nodes, known, neighbours, .. } = self;
        neighbours(node, &mut |neighbour| add_node(nodes, known, neighbour));
        Some(node)
    }
}

/// Nodes that can be reached from themselves: at least one node of each cycle, and none without cycles. Takes linear
/// time in the number of nodes and edges.
pub fn nodes_on_cycles<N>(
    starts: impl IntoIterator<Item = N>,
    mut neighbours: impl FnMut(N, &mut dyn FnMut(N)),
) -> Vec<N>
where
    N: Copy + Eq + Hash,
{
    // Each visited node, with whether it is on the path from the start to the current node.
    let mut is_on_path: HashMap<N, bool> = HashMap::default();
    let mut cycle_nodes = Vec::new();
    let mut path: Vec<(N, std::vec::IntoIter<N>)> = Vec::new();
    let mut collect_neighbours = |node: N| {
        let mut nodes = Vec::new();
        neighbours(node, &mut |neighbour| nodes.push(neighbour));
        nodes.into_iter()
    };
    for start in starts {
        if is_on_path.contains_key(&start) {
            continue;
        }
        is_on_path.insert(start, true);
        path.push((start, collect_neighbours(start)));
        while let Some((node, remaining)) = path.last_mut() {
            let Some(neighbour) = remaining.next() else {
                is_on_path.insert(*node, false);
                path.pop();
                continue;
            };
            match is_on_path.get(&neighbour) {
                Some(true) => cycle_nodes.push(neighbour),
                Some(false) => {}
                None => {
                    is_on_path.insert(neighbour, true);
                    path.push((neighbour, collect_neighbours(neighbour)));
                }
            }
        }
    }
    let mut known_nodes = HashSet::new();
    cycle_nodes.retain(|node| known_nodes.insert(*node));
    cycle_nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Layers of two nodes, where both nodes have edges to both nodes of the next layer: 2^n paths.
    fn lattice(layers: u32) -> impl FnMut(u32, &mut dyn FnMut(u32)) {
        move |node, visit| {
            let layer = node / 2 + 1;
            if layer < layers {
                visit(layer * 2);
                visit(layer * 2 + 1);
            }
        }
    }

    fn chain(length: u32) -> impl FnMut(u32, &mut dyn FnMut(u32)) {
        move |node, visit| {
            if node + 1 < length {
                visit(node + 1);
            }
        }
    }

    #[test]
    fn each_node_is_visited_once_however_many_paths_lead_to_it() {
        let mut nodes: Vec<u32> = reachable_nodes([0], lattice(64)).collect();

        nodes.sort_unstable();
        assert_eq!(nodes, (0..128).filter(|node| *node != 1).collect::<Vec<_>>());
        assert_eq!(nodes_on_cycles(0..128, lattice(64)), Vec::<u32>::new());
    }

    #[test]
    fn a_long_chain_does_not_need_the_stack() {
        assert_eq!(reachable_nodes([0], chain(1_000_000)).count(), 1_000_000);
        assert_eq!(nodes_on_cycles([0], chain(1_000_000)), Vec::<u32>::new());
    }

    #[test]
    fn every_cycle_has_a_node_that_is_reported() {
        let edges = [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 5), (6, 1)];
        let neighbours = |node: i32, visit: &mut dyn FnMut(i32)| {
            edges.iter().filter(|(from, _)| *from == node).for_each(|(_, to)| visit(*to));
        };

        let nodes = nodes_on_cycles([6, 1, 2, 3, 4, 5], neighbours);

        assert_eq!(nodes, [1, 5]);
        assert_eq!(reachable_nodes([6], neighbours).collect::<Vec<_>>(), [6, 1, 2, 3, 4, 5]);
    }
}
