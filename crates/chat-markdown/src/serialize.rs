//! Serializes the tree to HTML, with line ends between blocks.

use super::character::is_space;
use super::html;
use super::tree::{NodeId, Tree, is_block, is_void};

/// Adds line ends after blocks and line breaks, and before a block at the start of another.
pub(super) fn add_line_ends(tree: &mut Tree, node: NodeId) {
    let children = tree[node].children.clone();
    let begins_with_block = children.first().is_some_and(|first| is_block(tree.tag(*first)));
    if is_block(tree.tag(node)) && begins_with_block && tree[node].text.is_blank() {
        tree[node].text.content = "\n".to_owned();
    }
    for &child in &children {
        add_line_ends(tree, child);
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

/// The HTML of the text and children of an element, without white space at its ends.
pub(super) fn inner_html(tree: &Tree, node: NodeId) -> String {
    let mut html = String::new();
    push_contents(&mut html, tree, node);
    html.trim_matches(is_space).to_owned()
}

fn push_contents(output: &mut String, tree: &Tree, node: NodeId) {
    html::push_text_with_entities(output, &tree[node].text.content);
    for &child in &tree[node].children {
        push_element(output, tree, child);
        html::push_text_with_entities(output, &tree[child].tail.content);
    }
}

fn push_element(output: &mut String, tree: &Tree, node: NodeId) {
    let tag = tree.tag(node);
    output.push('<');
    output.push_str(tag);
    let mut attributes: Vec<&(&str, String)> = tree[node].attributes.iter().collect();
    // Real servers write them in the order of their names.
    attributes.sort_unstable_by_key(|(name, _)| *name);
    for (name, value) in attributes {
        output.push(' ');
        output.push_str(name);
        // An attribute whose value is its name, such as `controls`, is written without the value.
        if value != name {
            output.push_str("=\"");
            html::push_attribute(output, value);
            output.push('"');
        }
    }
    output.push('>');
    push_contents(output, tree, node);
    if !is_void(tag) {
        output.push_str("</");
        output.push_str(tag);
        output.push('>');
    }
}
