//! Adds previews of links to the tree: after the link's paragraph, in its list item or at the end. A preview can
//! replace a link that is alone in its paragraph.

use super::context::Context;
use super::media::{self, LinkReplacement, Preview};
use super::tree::{NodeId, ROOT, Tree};
use std::collections::{HashSet, VecDeque};

/// Messages with more different URLs outside of quotes have no previews.
const MAX_PREVIEWS: usize = 24;

/// A link and its position in the tree.
struct Link {
    node: NodeId,
    parent: NodeId,
    grandparent: Option<NodeId>,
    is_quoted: bool,
    href: String,
    text: String,
}

/// Returns the links that may have a preview, in breadth-first order.
fn find_links(tree: &Tree) -> Vec<Link> {
    let mut links = Vec::new();
    let mut pending = VecDeque::from([(ROOT, None, false)]);
    while let Some((parent, grandparent, is_quoted)) = pending.pop_front() {
        let is_quoted = is_quoted || tree.tag(parent) == "blockquote";
        for &node in &tree[parent].children {
            pending.push_back((node, Some(parent), is_quoted));
            if let Some(href) = href(tree, node).filter(|_| tree[node].is_link) {
                let text = tree[node].text.content.clone();
                links.push(Link { node, parent, grandparent, is_quoted, href: href.to_owned(), text });
            }
        }
    }
    links
}

/// Whether an element or one below it has the attribute `href`: a link to a URL, channel or topic.
fn has_href(tree: &Tree, element: NodeId) -> bool {
    let mut pending = vec![element];
    while let Some(node) = pending.pop() {
        if href(tree, node).is_some() {
            return true;
        }
        pending.extend(&tree[node].children);
    }
    false
}

/// Records the links of a tree and adds their previews.
pub(super) fn add_previews(context: &mut Context<'_>, tree: &mut Tree) {
    let links = find_links(tree);
    context.rendered.has_link |= has_href(tree, ROOT);
    context.rendered.uploads.extend(links.iter().filter_map(|link| media::path_id(&link.href)));
    let unquoted_hrefs: HashSet<&str> =
        links.iter().filter(|link| !link.is_quoted).map(|link| link.href.as_str()).collect();
    if unquoted_hrefs.len() > MAX_PREVIEWS || !context.shows_previews {
        return;
    }
    let mut previewed_hrefs = HashSet::new();
    for link in &links {
        if unquoted_hrefs.contains(link.href.as_str()) && previewed_hrefs.insert(link.href.as_str()) {
            let title = Some(link.text.as_str()).filter(|text| !text.is_empty() && *text != link.href);
            if let Some(preview) = media::create_preview(context, tree, &link.href, title) {
                context.rendered.has_image |= preview.is_image;
                insert_preview(tree, link, &preview, title.is_none());
            }
        }
    }
}

/// Inserts a preview, and removes the link that it replaces.
fn insert_preview(tree: &mut Tree, link: &Link, preview: &Preview, shows_url: bool) {
    let may_replace = match preview.replacement {
        LinkReplacement::Never => false,
        LinkReplacement::IfUrl => shows_url,
        LinkReplacement::Always => true,
    };
    let replaces_link = may_replace && tree[link.node].tail.content.is_empty();
    match (tree.tag(link.parent), link.grandparent) {
        _ if preview.is_last => tree[ROOT].children.push(preview.node),
        ("li", _) => {
            tree[link.parent].children.push(preview.node);
            if replaces_link && tree[link.parent].text.content.is_empty() {
                tree[link.parent].children.retain(|child| *child != link.node);
            }
        }
        ("p", Some(grandparent)) => {
            let is_only_child = tree[link.parent].children.len() == 1;
            let is_text_empty = matches!(tree[link.parent].text.content.as_str(), "" | "\n");
            let index = preview_index(tree, grandparent, link.parent);
            tree[grandparent].children.insert(index, preview.node);
            if replaces_link && is_only_child && is_text_empty {
                tree[grandparent].children.retain(|child| *child != link.parent);
            }
        }
        _ => tree[ROOT].children.push(preview.node),
    }
}

/// The index for the next preview of a paragraph's links: after the previews that it has already.
fn preview_index(tree: &Tree, grandparent: NodeId, paragraph: NodeId) -> usize {
    let siblings = &tree[grandparent].children;
    let Some(index) = siblings.iter().position(|child| *child == paragraph) else { return siblings.len() };
    let paragraph_hrefs = collect_hrefs(tree, paragraph);
    let is_preview_of_paragraph = |node: &NodeId| {
        let is_preview_class = |(name, class): &(&str, String)| *name == "class" && class.contains("message_inline_");
        let is_preview = tree.tag(*node) == "div" && tree[*node].attributes.iter().any(is_preview_class);
        let link = tree[*node].children.first().filter(|_| is_preview);
        link.is_some_and(|link| href(tree, *link).is_some_and(|href| paragraph_hrefs.contains(href)))
    };
    index + 1 + siblings[index + 1..].iter().take_while(|node| is_preview_of_paragraph(node)).count()
}

fn href(tree: &Tree, node: NodeId) -> Option<&str> {
    tree[node].attributes.iter().find(|(name, _)| *name == "href").map(|(_, href)| href.as_str())
}

/// The URLs of all links in an element, itself included.
fn collect_hrefs(tree: &Tree, node: NodeId) -> HashSet<&str> {
    let mut hrefs = HashSet::new();
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        hrefs.extend(href(tree, node));
        pending.extend(&tree[node].children);
    }
    hrefs
}
