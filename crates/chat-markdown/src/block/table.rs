//! Parses and builds tables.

use crate::tree::{NodeId, Text, Tree, length_of_attribute, length_of_tags};

/// The format of a table, from its first two lines.
#[derive(Debug)]
pub(super) struct TableFormat {
    /// Whether rows may begin or end with a bar.
    has_border: bool,
    /// The alignment of each column. None: unspecified.
    alignments: Vec<Option<&'static str>>,
}

/// If a row ends with an unescaped bar, the position of the bar or of the backslashes before it, which are part of the
/// border on real servers.
fn end_border_position(row: &str) -> Option<usize> {
    let inside = row.strip_suffix('|')?;
    let backslash_count = inside.len() - inside.trim_end_matches('\\').len();
    (backslash_count % 2 == 0).then_some(inside.len() - backslash_count)
}

fn trim_spaces(row: &str) -> &str {
    row.trim_matches(' ')
}

impl TableFormat {
    /// Parses a block as a table: a header row, a delimiter row with as many columns, and rows. None: not a table.
    pub fn parse(text: &str) -> Option<Self> {
        let (header, following_rows) = text.split_once('\n')?;
        let header = trim_spaces(header);
        let delimiter_row = trim_spaces(following_rows.split('\n').next().unwrap_or_default());
        let has_border = header.starts_with('|') || end_border_position(header).is_some();
        let mut table = Self { has_border, alignments: Vec::new() };
        let column_count = table.cells(header).len();
        // In a table with one column, each row needs a bar.
        let has_bar = |row: &str| row.starts_with('|') || end_border_position(row).is_some();
        if column_count == 1 && !(has_border && following_rows.split('\n').all(|row| has_bar(trim_spaces(row)))) {
            return None;
        }
        let delimiters = table.cells(delimiter_row);
        let is_delimiter_row = delimiters.iter().all(|cell| cell.bytes().all(|byte| b"|:- ".contains(&byte)));
        table.alignments = delimiters.iter().map(|cell| alignment(trim_spaces(cell))).collect();
        (is_delimiter_row && delimiters.len() == column_count).then_some(table)
    }

    /// Adds the table to the tree, if the tree's budget suffices for all cells.
    pub fn build(&self, tree: &mut Tree, parent: NodeId, text: &str) {
        // Each row has all columns, however short its text is.
        let row_count = memchr::memchr_iter(b'\n', text.as_bytes()).count();
        let cell_lengths = self.alignments.iter().map(|alignment| {
            length_of_tags("td") + alignment.map_or(0, |alignment| length_of_attribute(STYLE, &style(alignment)))
        });
        let output_length = cell_lengths.sum::<usize>().saturating_mul(row_count);
        if tree.budget().check_nodes(self.alignments.len().saturating_mul(row_count), output_length).is_err() {
            return;
        }
        let mut lines = text.split('\n');
        let table = tree.append(parent, "table");
        let head = tree.append(table, "thead");
        self.add_row(tree, head, "th", lines.next().unwrap_or_default());
        let body = tree.append(table, "tbody");
        let mut rows = lines.skip(1).peekable();
        if rows.peek().is_none() {
            let row = tree.append(body, "tr");
            for _ in &self.alignments {
                tree.append(row, "td");
            }
        }
        for row in rows {
            self.add_row(tree, body, "td", row);
        }
    }

    fn add_row(&self, tree: &mut Tree, parent: NodeId, tag: &'static str, line: &str) {
        let row = tree.append(parent, "tr");
        let cells = self.cells(trim_spaces(line));
        for (index, alignment) in self.alignments.iter().enumerate() {
            let cell = tree.append(row, tag);
            tree[cell].text = Text::markup(cells.get(index).map_or("", |cell| trim_spaces(cell)));
            tree[cell].attributes.extend(alignment.map(|alignment| (STYLE, style(alignment))));
        }
    }

    /// The cells of a row, with surrounding spaces.
    fn cells<'r>(&self, row: &'r str) -> Vec<&'r str> {
        if !self.has_border {
            return split_cells(row);
        }
        let row = row.strip_prefix('|').unwrap_or(row);
        split_cells(end_border_position(row).map_or(row, |end| &row[..end]))
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

/// A run of backticks in a row.
struct BacktickRun {
    /// Position of the first backtick, or of the backslash before it.
    start: usize,
    /// Length of the run when it closes code.
    closing_length: usize,
    /// Length of the run when it opens code: one less after a backslash.
    opening_length: usize,
    /// Position of the last backtick.
    last: usize,
}

/// Splits a row at unescaped bars that are not in code.
fn split_cells(row: &str) -> Vec<&str> {
    let (bars, backticks) = find_bars_and_backticks(row);
    let mut code_spans = find_code_spans(&backticks).into_iter().peekable();
    let mut cells = Vec::new();
    let mut start = 0;
    for bar in bars {
        while code_spans.next_if(|(_, end)| *end < bar).is_some() {}
        if code_spans.peek().is_some_and(|(span_start, _)| *span_start <= bar) {
            continue;
        }
        cells.push(&row[start..bar]);
        start = bar + 1;
    }
    cells.push(&row[start..]);
    cells
}

fn find_bars_and_backticks(row: &str) -> (Vec<usize>, Vec<BacktickRun>) {
    let bytes = row.as_bytes();
    let run_length = |from: usize| bytes[from..].iter().take_while(|&&byte| byte == b'`').count();
    let (mut bars, mut backticks) = (Vec::new(), Vec::new());
    let mut position = 0;
    while let Some(offset) = memchr::memchr3(b'\\', b'`', b'|', &bytes[position..]) {
        position += offset;
        position += match (bytes[position], bytes.get(position + 1)) {
            (b'\\', Some(b'\\' | b'|')) => 2,
            (b'\\', Some(b'`')) => {
                let closing_length = run_length(position + 1);
                // The escaped backtick can't open code, but the run can close code with it.
                let opening_length = closing_length - 1;
                backticks.push(BacktickRun {
                    start: position,
                    closing_length,
                    opening_length,
                    last: position + closing_length,
                });
                closing_length + 1
            }
            (b'`', _) => {
                let length = run_length(position);
                let last = position + length - 1;
                backticks.push(BacktickRun { start: position, closing_length: length, opening_length: length, last });
                length
            }
            (b'|', _) => {
                bars.push(position);
                1
            }
            _ => 1,
        };
    }
    (bars, backticks)
}

/// The first and last position of each code span.
fn find_code_spans(backticks: &[BacktickRun]) -> Vec<(usize, usize)> {
    let mut indexes_by_length = std::collections::HashMap::<usize, Vec<usize>>::new();
    for (index, run) in backticks.iter().enumerate() {
        indexes_by_length.entry(run.closing_length).or_default().push(index);
    }
    let mut spans = Vec::new();
    let mut index = 0;
    while let Some(opening) = backticks.get(index) {
        let indexes_of_length = indexes_by_length.get(&opening.opening_length).filter(|_| opening.opening_length > 0);
        let closing = indexes_of_length
            .and_then(|indexes| indexes.get(indexes.partition_point(|&other| other <= index)).copied());
        if let Some(closing) = closing {
            spans.push((opening.start, backticks[closing].last));
            index = closing;
        }
        index += 1;
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{Budget, Cost};
    use crate::tree::ROOT;
    use std::rc::Rc;

    #[test]
    fn rows_are_split_at_bars() {
        for (row, cells) in [
            ("a|b", vec!["a", "b"]),
            ("a\\|b|c", vec!["a\\|b", "c"]),
            ("`a|b`|c", vec!["`a|b`", "c"]),
            ("`a|b", vec!["`a", "b"]),
            ("``a|`b``|c", vec!["``a|`b``", "c"]),
            ("\\`a|b`", vec!["\\`a", "b`"]),
            ("", vec![""]),
        ] {
            assert_eq!(split_cells(row), cells, "{row}");
        }
    }

    #[test]
    fn tables_are_built_only_if_the_budget_suffices_for_all_cells() {
        let text = "a|b|c\n-|-|-\nd\ne";
        let cells_length = "<td></td>".len() * 9;
        for (nodes, output, is_built) in [(100, 1_000, true), (100, cells_length - 1, false), (8, 1_000, false)] {
            let budget = Budget::new(Cost { steps: 0, nodes, output });
            let mut tree = Tree::new(Rc::new(budget));
            TableFormat::parse(text).expect("it is a table").build(&mut tree, ROOT, text);
            assert_eq!(tree[ROOT].children.len(), usize::from(is_built), "{nodes} {output}");
            assert_eq!(tree.budget().check().is_ok(), is_built);
        }
    }

    #[test]
    fn tables_require_a_delimiter_row() {
        for text in ["a|b\n-|-", "|a|\n|-|", "a|b\n:-:|--:\nc", "e||\n-|:", "|\n|"] {
            assert!(TableFormat::parse(text).is_some(), "{text}");
        }
        for text in ["a|b", "a|b\n-", "e\n--", "e\n|-", "|a|\n|-|\nb", "a|b\nx|y", "a\n-"] {
            assert!(TableFormat::parse(text).is_none(), "{text}");
        }
    }
}
