//! Tables.

use crate::tree::{NodeId, Text, Tree, length_of_attribute, length_of_tags};

/// What the first two lines of a table say about it.
#[derive(Debug)]
pub(super) struct Table {
    /// Whether its rows may begin or end with a bar.
    has_border: bool,
    /// The alignment of each column.
    columns: Vec<Option<&'static str>>,
}

/// Whether a row ends with a bar that no backslash protects, and where that and the pairs of backslashes before it begin.
fn end_border(row: &str) -> Option<usize> {
    let inside = row.strip_suffix('|')?;
    let protected = inside.len() - inside.trim_end_matches('\\').len();
    (protected % 2 == 0).then_some(inside.len() - protected)
}

fn trimmed(row: &str) -> &str {
    row.trim_matches(' ')
}

impl Table {
    /// The table that a block is: a head, a line of dashes with as many columns, and rows.
    pub fn of(text: &str) -> Option<Self> {
        let (head, behind) = text.split_once('\n')?;
        let head = trimmed(head);
        let rule = trimmed(behind.split('\n').next().unwrap_or_default());
        let has_border = head.starts_with('|') || end_border(head).is_some();
        let mut table = Self { has_border, columns: Vec::new() };
        let count = table.cells(head).len();
        // In a table of one column, each row needs a bar.
        let has_bar = |row: &str| row.starts_with('|') || end_border(row).is_some();
        if count == 1 && !(has_border && behind.split('\n').all(|row| has_bar(trimmed(row)))) {
            return None;
        }
        let columns = table.cells(rule);
        let is_rule = columns.iter().all(|cell| cell.bytes().all(|byte| b"|:- ".contains(&byte)));
        table.columns = columns.iter().map(|cell| alignment(trimmed(cell))).collect();
        (is_rule && columns.len() == count).then_some(table)
    }

    /// Builds the table of a block, if the tree's budget suffices for all of its cells.
    pub fn build(&self, tree: &mut Tree, parent: NodeId, text: &str) {
        // A row has a cell for each column, however short it is.
        let rows = memchr::memchr_iter(b'\n', text.as_bytes()).count();
        let of_row = self
            .columns
            .iter()
            .map(|it| length_of_tags("td") + it.map_or(0, |it| length_of_attribute(STYLE, &style(it))));
        let output = of_row.sum::<usize>().saturating_mul(rows);
        if tree.budget().afford_nodes(self.columns.len().saturating_mul(rows), output).is_err() {
            return;
        }
        let mut lines = text.split('\n');
        let table = tree.append(parent, "table");
        let head = tree.append(table, "thead");
        self.row(tree, head, "th", lines.next().unwrap_or_default());
        let body = tree.append(table, "tbody");
        let mut rows = lines.skip(1).peekable();
        if rows.peek().is_none() {
            let row = tree.append(body, "tr");
            for _ in &self.columns {
                tree.append(row, "td");
            }
        }
        for row in rows {
            self.row(tree, body, "td", row);
        }
    }

    fn row(&self, tree: &mut Tree, parent: NodeId, tag: &'static str, line: &str) {
        let row = tree.append(parent, "tr");
        let cells = self.cells(trimmed(line));
        for (at, alignment) in self.columns.iter().enumerate() {
            let cell = tree.append(row, tag);
            tree[cell].text = Text::markup(cells.get(at).map_or("", |cell| trimmed(cell)));
            tree[cell].attributes.extend(alignment.map(|it| (STYLE, style(it))));
        }
    }

    /// The cells of a row, with the blanks around them.
    fn cells<'r>(&self, row: &'r str) -> Vec<&'r str> {
        if !self.has_border {
            return split(row);
        }
        let row = row.strip_prefix('|').unwrap_or(row);
        split(end_border(row).map_or(row, |end| &row[..end]))
    }
}

const STYLE: &str = "style";

fn style(alignment: &str) -> String {
    format!("text-align: {alignment};")
}

fn alignment(cell: &str) -> Option<&'static str> {
    match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => Some("center"),
        (true, false) => Some("left"),
        (false, true) => Some("right"),
        (false, false) => None,
    }
}

/// Backticks in a row.
struct Ticks {
    start: usize,
    /// How many there are that may close code.
    count: usize,
    /// How many there are that may open it: one less behind a backslash.
    opening: usize,
    /// The last byte.
    end: usize,
}

/// Cuts a row at the bars that no backslash protects and that are not in code.
fn split(row: &str) -> Vec<&str> {
    let (bars, ticks) = marks(row);
    let mut code = code_regions(&ticks).into_iter().peekable();
    let mut cells = Vec::new();
    let mut start = 0;
    for bar in bars {
        while code.next_if(|(_, end)| *end < bar).is_some() {}
        if code.peek().is_some_and(|(begin, _)| *begin <= bar) {
            continue;
        }
        cells.push(&row[start..bar]);
        start = bar + 1;
    }
    cells.push(&row[start..]);
    cells
}

fn marks(row: &str) -> (Vec<usize>, Vec<Ticks>) {
    let bytes = row.as_bytes();
    let run = |from: usize| bytes[from..].iter().take_while(|&&byte| byte == b'`').count();
    let (mut bars, mut ticks) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(offset) = memchr::memchr3(b'\\', b'`', b'|', &bytes[at..]) {
        at += offset;
        at += match (bytes[at], bytes.get(at + 1)) {
            (b'\\', Some(b'\\' | b'|')) => 2,
            (b'\\', Some(b'`')) => {
                let count = run(at + 1);
                // What is behind the backslash may only close, but for what is left without its first.
                ticks.push(Ticks { start: at, count, opening: count - 1, end: at + count });
                count + 1
            }
            (b'`', _) => {
                let count = run(at);
                ticks.push(Ticks { start: at, count, opening: count, end: at + count - 1 });
                count
            }
            (b'|', _) => {
                bars.push(at);
                1
            }
            _ => 1,
        };
    }
    (bars, ticks)
}

/// The first and last bytes of code.
fn code_regions(ticks: &[Ticks]) -> Vec<(usize, usize)> {
    let mut places = std::collections::HashMap::<usize, Vec<usize>>::new();
    for (at, it) in ticks.iter().enumerate() {
        places.entry(it.count).or_default().push(at);
    }
    let mut regions = Vec::new();
    let mut at = 0;
    while let Some(opening) = ticks.get(at) {
        let same = places.get(&opening.opening).filter(|_| opening.opening > 0);
        let closing = same.and_then(|same| same.get(same.partition_point(|&place| place <= at)).copied());
        if let Some(closing) = closing {
            regions.push((opening.start, ticks[closing].end));
            at = closing;
        }
        at += 1;
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{Budget, Cost};
    use crate::tree::ROOT;
    use std::rc::Rc;

    #[test]
    fn rows_are_cut_at_bars() {
        for (row, cells) in [
            ("a|b", vec!["a", "b"]),
            ("a\\|b|c", vec!["a\\|b", "c"]),
            ("`a|b`|c", vec!["`a|b`", "c"]),
            ("`a|b", vec!["`a", "b"]),
            ("``a|`b``|c", vec!["``a|`b``", "c"]),
            ("\\`a|b`", vec!["\\`a", "b`"]),
            ("", vec![""]),
        ] {
            assert_eq!(split(row), cells, "{row}");
        }
    }

    #[test]
    fn cells_are_made_if_the_budget_suffices_for_all() {
        let text = "a|b|c\n-|-|-\nd\ne";
        let cells = "<td></td>".len() * 9;
        for (nodes, output, is_built) in [(100, 1_000, true), (100, cells - 1, false), (8, 1_000, false)] {
            let budget = Budget::new(Cost { steps: 0, nodes, output });
            let mut tree = Tree::new(Rc::new(budget));
            Table::of(text).expect("it is a table").build(&mut tree, ROOT, text);
            assert_eq!(tree[ROOT].children.len(), usize::from(is_built), "{nodes} {output}");
            assert_eq!(tree.budget().check().is_ok(), is_built);
        }
    }

    #[test]
    fn a_table_needs_a_line_of_dashes() {
        for text in ["a|b\n-|-", "|a|\n|-|", "a|b\n:-:|--:\nc", "e||\n-|:", "|\n|"] {
            assert!(Table::of(text).is_some(), "{text}");
        }
        for text in ["a|b", "a|b\n-", "e\n--", "e\n|-", "|a|\n|-|\nb", "a|b\nx|y", "a\n-"] {
            assert!(Table::of(text).is_none(), "{text}");
        }
    }
}
