//! Previews of links: behind the paragraph or in the item that they are in, and in the place of those that are alone.

use super::context::Context;
use super::media::{self, Preview, Replaced};
use super::tree::{NodeId, ROOT, Tree};
use std::collections::{HashSet, VecDeque};

/// A message with more different addresses than this has no previews.
const PREVIEWS_MAX: usize = 24;

/// A link and what is around it.
struct Link {
    node: NodeId,
    parent: NodeId,
    grandparent: Option<NodeId>,
    is_quoted: bool,
    href: String,
    text: String,
}

/// All links, those nearer to the root first.
fn links(tree: &Tree) -> Vec<Link> {
    let mut links = Vec::new();
    let mut waiting = VecDeque::from([(ROOT, None, false)]);
    while let Some((parent, grandparent, is_quoted)) = waiting.pop_front() {
        let is_quoted = is_quoted || tree.tag(parent) == "blockquote";
        for &node in &tree[parent].children {
            waiting.push_back((node, Some(parent), is_quoted));
            if let Some(href) = href(tree, node).filter(|_| tree[node].is_link) {
                let text = tree[node].text.content.clone();
                links.push(Link { node, parent, grandparent, is_quoted, href: href.to_owned(), text });
            }
        }
    }
    links
}

/// Whether something below a node leads to an address: a link, or a mention of a channel or topic.
fn has_address(tree: &Tree, top: NodeId) -> bool {
    let mut waiting = vec![top];
    while let Some(node) = waiting.pop() {
        if href(tree, node).is_some() {
            return true;
        }
        waiting.extend(&tree[node].children);
    }
    false
}

/// Notes the links of a tree and adds their previews.
pub(super) fn add(context: &mut Context<'_>, tree: &mut Tree) {
    let links = links(tree);
    context.found.has_link |= has_address(tree, ROOT);
    context.found.uploads.extend(links.iter().filter_map(|link| media::path_id(&link.href)));
    let open: HashSet<&str> = links.iter().filter(|link| !link.is_quoted).map(|link| link.href.as_str()).collect();
    if open.len() > PREVIEWS_MAX || !context.previews {
        return;
    }
    let mut shown = HashSet::new();
    for link in &links {
        if open.contains(link.href.as_str()) && shown.insert(link.href.as_str()) {
            let text = Some(link.text.as_str()).filter(|text| !text.is_empty() && *text != link.href);
            if let Some(preview) = media::preview(context, tree, &link.href, text) {
                context.found.has_image |= preview.is_image;
                place(tree, link, &preview, text.is_none());
            }
        }
    }
}

/// Puts a preview where it belongs. A link that shows its own address and is alone gives way to a picture.
fn place(tree: &mut Tree, link: &Link, preview: &Preview, shows_address: bool) {
    let is_alone = match preview.link {
        Replaced::Never => false,
        Replaced::IfAddress => shows_address,
        Replaced::Always => true,
    };
    let is_alone = is_alone && tree[link.node].tail.content.is_empty();
    match (tree.tag(link.parent), link.grandparent) {
        _ if preview.is_last => tree[ROOT].children.push(preview.node),
        ("li", _) => {
            tree[link.parent].children.push(preview.node);
            if is_alone && tree[link.parent].text.content.is_empty() {
                tree[link.parent].children.retain(|child| *child != link.node);
            }
        }
        ("p", Some(grandparent)) => {
            let is_only = tree[link.parent].children.len() == 1;
            let is_empty = matches!(tree[link.parent].text.content.as_str(), "" | "\n");
            let at = index_behind(tree, grandparent, link.parent);
            tree[grandparent].children.insert(at, preview.node);
            if is_alone && is_only && is_empty {
                tree[grandparent].children.retain(|child| *child != link.parent);
            }
        }
        _ => tree[ROOT].children.push(preview.node),
    }
}

/// Where the next preview of a paragraph's links goes: behind those that it has already.
fn index_behind(tree: &Tree, grandparent: NodeId, paragraph: NodeId) -> usize {
    let siblings = &tree[grandparent].children;
    let Some(at) = siblings.iter().position(|child| *child == paragraph) else { return siblings.len() };
    let own = hrefs(tree, paragraph);
    let is_own = |node: &NodeId| {
        let is_preview = |(name, class): &(&str, String)| *name == "class" && class.contains("message_inline_");
        let is_preview = tree.tag(*node) == "div" && tree[*node].attributes.iter().any(is_preview);
        let link = tree[*node].children.first().filter(|_| is_preview);
        link.is_some_and(|link| href(tree, *link).is_some_and(|href| own.contains(href)))
    };
    at + 1 + siblings[at + 1..].iter().take_while(|node| is_own(node)).count()
}

fn href(tree: &Tree, node: NodeId) -> Option<&str> {
    tree[node].attributes.iter().find(|(name, _)| *name == "href").map(|(_, href)| href.as_str())
}

/// The addresses of all links below an element.
fn hrefs(tree: &Tree, node: NodeId) -> HashSet<&str> {
    let mut found = HashSet::new();
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        found.extend(href(tree, node));
        waiting.extend(&tree[node].children);
    }
    found
}
