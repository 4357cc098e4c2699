//! Walks the tree of blocks and writes it in the shapes of section 23.

use super::context::{Context, DEPTH_MAX};
use super::fence::{Segment, split};
use super::{TooLarge, code, html, inline, mask, math};
use comrak::nodes::{AstNode, ListType, NodeList, NodeTable, NodeValue, TableAlignment};
use comrak::{Arena, Options};

/// Block elements in order, each on lines of its own; previews stand on one line, and none ends behind the last.
#[derive(Debug, Default)]
struct Blocks {
    html: String,
    ends_with_preview: bool,
}

impl Blocks {
    fn push(&mut self, block: &str) {
        self.push_line_end();
        self.html.push_str(block);
        self.ends_with_preview = false;
    }

    fn push_previews(&mut self, previews: &[String]) {
        for preview in previews {
            if !self.ends_with_preview {
                self.push_line_end();
            }
            self.html.push_str(preview);
            self.ends_with_preview = true;
        }
    }

    /// Adds what stands in a part of the text, which begins with no preview.
    fn append(&mut self, part: Self) {
        if !part.html.is_empty() {
            self.push(&part.html);
            self.ends_with_preview = part.ends_with_preview;
        }
    }

    fn push_line_end(&mut self) {
        if !self.html.is_empty() {
            self.html.push('\n');
        }
    }

    /// The content of an element that holds nothing but these.
    fn into_lines(self) -> String {
        let mut content = String::from("\n");
        self.end_in(&mut content);
        content
    }

    /// Adds these to what stands in an element before them.
    fn end_in(self, content: &mut String) {
        if self.html.is_empty() {
            return;
        }
        if content.is_empty() {
            content.push('\n');
        }
        content.push_str(&self.html);
        if !self.ends_with_preview {
            content.push('\n');
        }
    }
}

/// Renders a whole text.
///
/// # Errors
///
/// When it is certain that the output will be too large.
pub(super) fn document(context: &mut Context<'_>, source: &str) -> Result<String, TooLarge> {
    Ok(blocks(context, &mask::clean(source))?.html)
}

/// Renders a cleaned text.
fn blocks(context: &mut Context<'_>, source: &str) -> Result<Blocks, TooLarge> {
    let mut out = Blocks::default();
    if context.depth >= DEPTH_MAX {
        if !source.trim().is_empty() {
            out.push(&html::element("p", &[], &html::text(source.trim())));
        }
        return Ok(out);
    }
    context.depth += 1;
    for segment in split(source) {
        match segment {
            Segment::Text(text) => out.append(markdown(context, text)?),
            Segment::Fence { language, header, body } => out.append(fence(context, language, header, body)?),
        }
    }
    context.depth -= 1;
    Ok(out)
}

fn fence(context: &mut Context<'_>, language: &str, header: &str, body: &str) -> Result<Blocks, TooLarge> {
    let written = match language {
        "quote" => {
            context.quotes += 1;
            let inner = blocks(context, body)?;
            context.quotes -= 1;
            vec![container("blockquote", inner)]
        }
        "spoiler" => vec![spoiler(context, header, body)?],
        "math" => math::display(body),
        _ => {
            let language = if language.is_empty() { context.settings.default_code_block_language } else { language };
            vec![code::fenced(language, body)]
        }
    };
    let mut out = Blocks::default();
    for block in &written {
        context.count(block)?;
        out.push(block);
    }
    Ok(out)
}

fn spoiler(context: &mut Context<'_>, header: &str, body: &str) -> Result<String, TooLarge> {
    let header = blocks(context, header)?;
    let content = blocks(context, body)?;
    let header = html::element("div", &[("class", "spoiler-header")], &header.into_lines());
    let attributes = [("class", "spoiler-content"), ("aria-hidden", "true")];
    let content = html::element("div", &attributes, &content.into_lines());
    Ok(html::element("div", &[("class", "spoiler-block")], &(header + &content)))
}

fn container(tag: &'static str, blocks: Blocks) -> String {
    html::element(tag, &[], &blocks.into_lines())
}

fn markdown(context: &mut Context<'_>, text: &str) -> Result<Blocks, TooLarge> {
    if text.trim().is_empty() {
        return Ok(Blocks::default());
    }
    let mut options = Options::default();
    options.extension.table = true;
    options.parse.ignore_setext = true;
    let arena = Arena::new();
    let root = comrak::parse_document(&arena, &mask::mask(text), &options);
    children(context, root)
}

fn children<'n>(context: &mut Context<'_>, parent: &'n AstNode<'n>) -> Result<Blocks, TooLarge> {
    let mut out = Blocks::default();
    if context.depth >= DEPTH_MAX {
        let text = plain(parent);
        if !text.is_empty() {
            out.push(&html::element("p", &[], &html::text(&text)));
        }
        return Ok(out);
    }
    context.depth += 1;
    let mut next = parent.first_child();
    while let Some(node) = next {
        next = block(context, node, &mut out)?;
    }
    context.depth -= 1;
    Ok(out)
}

/// Writes one block and gives the next to write.
fn block<'n>(
    context: &mut Context<'_>,
    node: &'n AstNode<'n>,
    out: &mut Blocks,
) -> Result<Option<&'n AstNode<'n>>, TooLarge> {
    let value = node.data().value.clone();
    match value {
        NodeValue::List(list) => return self::list(context, node, &list, out),
        NodeValue::Paragraph => {
            let paragraph = inline::render(context, &plain(node))?;
            let previews = context.previews.flush();
            // A paragraph that is nothing but an image's address is replaced by the image.
            if !paragraph.is_bare_address || previews.is_empty() {
                out.push(&html::element("p", &[], &paragraph.html));
            }
            out.push_previews(&previews);
        }
        NodeValue::Heading(heading) => {
            let tag = ["h1", "h2", "h3", "h4", "h5", "h6"][usize::from(heading.level.clamp(1, 6)) - 1];
            let content = inline::render(context, &plain(node))?.html;
            out.push(&html::element(tag, &[], &content));
            out.push_previews(&context.previews.flush());
        }
        NodeValue::BlockQuote => {
            context.quotes += 1;
            let inner = children(context, node)?;
            context.quotes -= 1;
            out.push(&container("blockquote", inner));
        }
        NodeValue::ThematicBreak => out.push(&html::void("hr", &[])),
        NodeValue::CodeBlock(block) => {
            let literal = mask::reveal(&block.literal);
            let info = mask::reveal(&block.info);
            let text = literal.strip_suffix('\n').unwrap_or(&literal);
            if block.fenced {
                let (language, header) = info.split_once(' ').unwrap_or((&info, ""));
                out.append(fence(context, language, header.trim(), text)?);
            } else {
                out.push(&code::indented(text));
            }
        }
        NodeValue::Table(table) => {
            out.push(&self::table(context, node, &table)?);
            out.push_previews(&context.previews.flush());
        }
        // Nothing else is built with the options above; its text would still be shown.
        _ => {
            let text = plain(node);
            if !text.is_empty() {
                out.push(&html::element("p", &[], &html::text(&text)));
            }
        }
    }
    Ok(node.next_sibling())
}

/// Writes a list, together with the lists of the same kind that follow it directly: for the library another mark
/// starts another list.
fn list<'n>(
    context: &mut Context<'_>,
    node: &'n AstNode<'n>,
    list: &NodeList,
    out: &mut Blocks,
) -> Result<Option<&'n AstNode<'n>>, TooLarge> {
    let mut parts = vec![node];
    let mut tight = list.tight;
    let mut next = node.next_sibling();
    while let Some(follower) = next {
        match &follower.data().value {
            NodeValue::List(other) if other.list_type == list.list_type => {
                let last_line = parts.last().and_then(|part| part.last_child()).map_or(0, last_line);
                tight &= other.tight && follower.data().sourcepos.start.line <= last_line + 1;
            }
            _ => break,
        }
        parts.push(follower);
        next = follower.next_sibling();
    }
    let mut items = Blocks::default();
    for item in parts.into_iter().flat_map(|part| part.children()) {
        items.push(&self::item(context, item, tight)?);
    }
    let start = list.start.to_string();
    let attributes = [("start", start.as_str())];
    let tag = if list.list_type == ListType::Bullet { "ul" } else { "ol" };
    let is_plain = list.list_type == ListType::Bullet || list.start == 1;
    out.push(&html::element(tag, if is_plain { &[] } else { &attributes }, &items.into_lines()));
    Ok(next)
}

/// The last line on which a node has content.
fn last_line<'n>(node: &'n AstNode<'n>) -> usize {
    let mut last = node;
    while let Some(child) = last.last_child() {
        last = child;
    }
    last.data().sourcepos.end.line
}

fn item<'n>(context: &mut Context<'_>, item: &'n AstNode<'n>, tight: bool) -> Result<String, TooLarge> {
    if context.depth >= DEPTH_MAX {
        return Ok(html::element("li", &[], &html::text(&plain(item))));
    }
    context.depth += 1;
    let mut content = String::new();
    let mut inner = Blocks::default();
    let mut previews = Vec::new();
    let mut next = item.first_child();
    while let Some(node) = next {
        if tight && matches!(node.data().value, NodeValue::Paragraph) {
            std::mem::take(&mut inner).end_in(&mut content);
            let paragraph = inline::render(context, &plain(node))?;
            let shown = context.previews.flush();
            if !paragraph.is_bare_address || shown.is_empty() {
                content.push_str(&paragraph.html);
            }
            previews.extend(shown);
            next = node.next_sibling();
        } else {
            next = block(context, node, &mut inner)?;
        }
    }
    context.depth -= 1;
    inner.end_in(&mut content);
    // They end the item, behind the lists in it.
    content.extend(previews);
    Ok(html::element("li", &[], &content))
}

fn table<'n>(context: &mut Context<'_>, node: &'n AstNode<'n>, table: &NodeTable) -> Result<String, TooLarge> {
    let mut head = Blocks::default();
    let mut body = Blocks::default();
    for row in node.children() {
        let is_header = matches!(row.data().value, NodeValue::TableRow(true));
        let tag = if is_header { "th" } else { "td" };
        let mut cells = Blocks::default();
        for (cell, alignment) in row.children().zip(&table.alignments) {
            let text = plain(cell).replace("\\|", "|");
            let content = inline::render(context, text.trim())?.html;
            cells.push(&self::cell(tag, *alignment, &content));
        }
        (if is_header { &mut head } else { &mut body }).push(&container("tr", cells));
    }
    if body.html.is_empty() {
        let mut cells = Blocks::default();
        for alignment in &table.alignments {
            cells.push(&cell("td", *alignment, ""));
        }
        body.push(&container("tr", cells));
    }
    let mut parts = Blocks::default();
    parts.push(&container("thead", head));
    parts.push(&container("tbody", body));
    Ok(container("table", parts))
}

fn cell(tag: &'static str, alignment: TableAlignment, content: &str) -> String {
    let style = match alignment {
        TableAlignment::None => return html::element(tag, &[], content),
        TableAlignment::Left => "text-align: left;",
        TableAlignment::Center => "text-align: center;",
        TableAlignment::Right => "text-align: right;",
    };
    html::element(tag, &[("style", style)], content)
}

/// The text of a leaf as typed, or of everything below a node.
fn plain<'n>(node: &'n AstNode<'n>) -> String {
    let mut out = String::new();
    for part in node.descendants() {
        match &part.data().value {
            NodeValue::Text(text) => out.push_str(text),
            NodeValue::SoftBreak | NodeValue::LineBreak => out.push('\n'),
            NodeValue::CodeBlock(block) => out.push_str(&block.literal),
            NodeValue::Paragraph if !out.is_empty() => out.push('\n'),
            _ => {}
        }
    }
    mask::reveal(&out)
}
