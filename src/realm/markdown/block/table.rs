//! Tables.

use crate::realm::markdown::tree::{NodeId, Text, Tree};

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

    /// Builds the table of a block.
    pub fn build(&self, tree: &mut Tree, parent: NodeId, text: &str) {
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
            tree[cell].attributes.extend(alignment.map(|it| ("style", format!("text-align: {it};"))));
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
    fn a_table_needs_a_line_of_dashes() {
        for text in ["a|b\n-|-", "|a|\n|-|", "a|b\n:-:|--:\nc", "e||\n-|:", "|\n|"] {
            assert!(Table::of(text).is_some(), "{text}");
        }
        for text in ["a|b", "a|b\n-", "e\n--", "e\n|-", "|a|\n|-|\nb", "a|b\nx|y", "a\n-"] {
            assert!(Table::of(text).is_none(), "{text}");
        }
    }
}
