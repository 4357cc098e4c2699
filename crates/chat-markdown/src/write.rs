//! From the tree to HTML: line ends between blocks, then the text.

use super::character::is_space;
use super::html;
use super::tree::{NodeId, Tree, is_block, is_void};

/// Puts line ends behind blocks and breaks.
pub(super) fn set_line_ends(tree: &mut Tree, node: NodeId) {
    let children = tree[node].children.clone();
    let begins_with_block = children.first().is_some_and(|first| is_block(tree.tag(*first)));
    if is_block(tree.tag(node)) && begins_with_block && tree[node].text.is_blank() {
        tree[node].text.content = "\n".to_owned();
    }
    for &child in &children {
        set_line_ends(tree, child);
        let is_break = tree.tag(child) == "br";
        if is_block(tree.tag(child)) && is_block(tree.tag(node)) || is_break {
            let tail = &mut tree[child].tail;
            if tail.is_blank() {
                tail.content = "\n".to_owned();
            } else if is_break {
                tail.content.insert(0, '\n');
            }
        }
    }
}

/// The HTML of everything below an element.
pub(super) fn inner_html(tree: &Tree, node: NodeId) -> String {
    let mut out = String::new();
    push_inside(&mut out, tree, node);
    out.trim_matches(is_space).to_owned()
}

fn push_inside(out: &mut String, tree: &Tree, node: NodeId) {
    html::push_text_with_entities(out, &tree[node].text.content);
    for &child in &tree[node].children {
        push_element(out, tree, child);
        html::push_text_with_entities(out, &tree[child].tail.content);
    }
}

fn push_element(out: &mut String, tree: &Tree, node: NodeId) {
    let tag = tree.tag(node);
    out.push('<');
    out.push_str(tag);
    let mut attributes: Vec<&(&str, String)> = tree[node].attributes.iter().collect();
    attributes.sort_unstable_by_key(|(name, _)| *name);
    for (name, value) in attributes {
        out.push(' ');
        out.push_str(name);
        if value != name {
            out.push_str("=\"");
            html::push_attribute(out, value);
            out.push('"');
        }
    }
    out.push('>');
    push_inside(out, tree, node);
    if !is_void(tag) {
        out.push_str("</");
        out.push_str(tag);
        out.push('>');
    }
}
