// Messages as clients show them. The HTML of a message is parsed where nothing runs or loads, and built again from a list
// of elements; of the others only the text remains, or nothing.
import { html, useMemo } from "../lib.js";

/** Elements that are built again as they are; of their attributes, none. */
const KEPT = new Set(
  "p br strong em del code pre ul ol li blockquote hr table thead tbody tr th td span div time sub sup u".split(" "),
);
/** Elements whose content is no text of the message. */
const DROPPED = new Set(
  "script style template iframe frame object embed noscript svg math textarea select title link meta base form".split(
    " ",
  ),
);
const LINKS = /^(https?|mailto):/i;
/** The most elements of a message that are shown, and how deep they may be in each other. */
const MOST = 4_000;
const DEEPEST = 60;

/** The glyph of an emoji by the class that has its code points. */
function glyph(element) {
  const points = [...element.classList].find((name) => /^emoji-[0-9a-f-]+$/.test(name))?.slice("emoji-".length);
  if (!points) return null;
  try {
    return String.fromCodePoint(...points.split("-").map((point) => Number.parseInt(point, 16)));
  } catch {
    return null;
  }
}

const marked = (kind, inner, title) => html`
  <span class=${`md-${kind}`} title=${title}>${inner}</span>
`;

function built(node, depth, budget) {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  if (node.nodeType !== Node.ELEMENT_NODE) return null;
  const tag = node.localName;
  if (DROPPED.has(tag) && !node.classList.contains("katex")) return null;
  budget.left -= 1;
  if (budget.left < 0 || depth > DEEPEST) return node.textContent;
  const inner = () => [...node.childNodes].map((child) => built(child, depth + 1, budget));
  if (node.classList.contains("katex")) {
    const source = node.querySelector("annotation")?.textContent ?? node.textContent;
    return html`
      <code>${source}</code>
    `;
  }
  // Pictures would be requests in the journal of the world: their names are shown instead.
  if (tag === "img") return marked("picture", node.getAttribute("alt") || "[picture]", node.getAttribute("src"));
  if (tag === "a") return link(node, inner());
  if (node.classList.contains("emoji")) return marked("emoji", glyph(node) ?? inner(), node.getAttribute("title"));
  if (/user-(group-)?mention|channel-wildcard-mention|topic-mention/.test(node.className))
    return marked("mention", inner());
  if (/^h[1-6]$/.test(tag))
    return html`
      <p><strong>${inner()}</strong></p>
    `;
  if (node.classList.contains("spoiler-block")) return spoiler(node, depth, budget);
  if (!KEPT.has(tag)) return inner();
  if (tag === "br" || tag === "hr")
    return html`
      <${tag} />
    `;
  const start = tag === "ol" ? Number.parseInt(node.getAttribute("start"), 10) : Number.NaN;
  return html`
    <${tag} start=${Number.isNaN(start) ? undefined : start}>${inner()}<//>
  `;
}

function link(node, inner) {
  const to = node.getAttribute("href") ?? "";
  const text = inner.flat().some(Boolean) ? inner : to;
  if (!LINKS.test(to)) return marked("link", text, to);
  return html`
    <a href=${to} target="_blank" rel="noopener noreferrer nofollow" draggable=${false}>${text}</a>
  `;
}

function spoiler(node, depth, budget) {
  const part = (name) => {
    const found = node.querySelector(`.spoiler-${name}`);
    return found && [...found.childNodes].map((child) => built(child, depth + 1, budget));
  };
  return html`
    <details>
      <summary>${part("header")}</summary>
      ${part("content")}
    </details>
  `;
}

/** Browsers report each style that the policy of the page blocks, of which TeX has many. */
const withoutStyles = (text) => text.replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/ style="[^"]*"/g, ""));

/** What is shown of a message's HTML. */
export function Rendered({ text }) {
  const shown = useMemo(() => {
    // A document without a window: it runs no script and loads no picture.
    const { body } = new DOMParser().parseFromString(withoutStyles(text), "text/html");
    const budget = { left: MOST };
    return [...body.childNodes].map((node) => built(node, 0, budget));
  }, [text]);
  return html`
    <div class="md">${shown}</div>
  `;
}
