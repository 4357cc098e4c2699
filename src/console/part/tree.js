// A document as a tree of what one opens, with a search in all of it.
import { html, plural, useMemo, useState } from "../lib.js";

/** Entries of an object or list that are shown before one asks for more, and hits of a search. */
const PAGE = 100;
const HITS = 200;
const TEXT = 300;

/** What an element of a list is known by, so that one that was put in does not change all behind it. */
const keyOf = (value) =>
  value && typeof value === "object" ? (value.id ?? value.user_id ?? value.email ?? value.name) : undefined;

export function entriesOf(value) {
  if (Array.isArray(value)) {
    if (value.every((one) => Array.isArray(one) && one.length === 2 && typeof one[0] !== "object"))
      return value.map(([key, one]) => [String(key), one]);
    const keys = value.map(keyOf);
    const isKeyed = keys.every((key) => key !== undefined) && new Set(keys).size === keys.length;
    return value.map((one, at) => [isKeyed ? String(keys[at]) : String(at), one]);
  }
  return Object.entries(value);
}

export const isBranch = (value) => value !== null && typeof value === "object";

export const short = (value, most = TEXT) => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text === undefined ? "" : text.length > most ? `${text.slice(0, most)} …` : text;
};

/** Keys and values that contain a text, by their paths: the first of them, and whether there are more. */
export function search(root, text) {
  const wanted = text.toLocaleLowerCase("en");
  const hits = [];
  const contains = (one) => String(one).toLocaleLowerCase("en").includes(wanted);
  const walk = (value, path) => {
    for (const [key, child] of entriesOf(value)) {
      if (hits.length > HITS) return;
      const at = [...path, key];
      if (contains(key) || (!isBranch(child) && contains(child))) hits.push({ path: at, value: child });
      if (isBranch(child)) walk(child, at);
    }
  };
  if (wanted) walk(root, []);
  return { hits: hits.slice(0, HITS), isCut: hits.length > HITS };
}

const pathText = (path) => `/${path.join("/")}`;

function Branch({ name, value, path, open, toggle, changed }) {
  const [shown, setShown] = useState(PAGE);
  const id = pathText(path);
  const isOpen = open.has(id);
  const mark =
    changed.has(id) &&
    html`
      <span class="tag warn">changed</span>
    `;
  if (!isBranch(value))
    return html`
      <li class="leaf">
        <span class="mono tiny soft">${name}</span>
        <bdi class=${`mono tiny wrap ${typeof value}`}>${short(value)}</bdi>
        ${mark}
      </li>
    `;
  const entries = isOpen ? entriesOf(value) : [];
  const size = Array.isArray(value) ? plural(value.length, "element") : plural(Object.keys(value).length, "key");
  return html`
    <li>
      <button class="branch" aria-expanded=${isOpen} onClick=${() => toggle(id)}>
        <span class="mono tiny">${name}</span>
        <span class="soft tiny">${size}</span>
        ${mark}
      </button>
      ${
        isOpen &&
        html`
          <ul>
            ${entries.slice(0, shown).map(
              ([key, child]) => html`
                <${Branch}
                  key=${key}
                  name=${key}
                  value=${child}
                  path=${[...path, key]}
                  open=${open}
                  toggle=${toggle}
                  changed=${changed}
                />
              `,
            )}
            ${
              entries.length > shown &&
              html`
                <li>
                  <button class="button little" onClick=${() => setShown(shown + PAGE)}>
                    ${plural(entries.length - shown, "more element")}
                  </button>
                </li>
              `
            }
          </ul>
        `
      }
    </li>
  `;
}

/** The paths of what changed, with all that contains them. */
export function changedPaths(rows) {
  const found = new Set();
  for (const { path } of rows)
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) found.add(path.slice(0, end));
  return found;
}

/** `changes` are rows with a `path`, as `differences` finds them. */
export function Tree({ value, changes = [] }) {
  const [query, setQuery] = useState("");
  const [open, setOpen] = useState(() => new Set());
  const changed = useMemo(() => changedPaths(changes), [changes]);
  const found = useMemo(() => search(value, query.trim()), [value, query]);
  const toggle = (id) => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  const show = (path) => {
    setOpen(new Set([...open, ...path.map((_, at) => pathText(path.slice(0, at + 1)))]));
    setQuery("");
  };
  return html`
    <div class="body stack">
      <input
        class="input"
        type="search"
        data-search
        placeholder="Search keys and values"
        aria-label="Search keys and values"
        value=${query}
        onInput=${(event) => setQuery(event.target.value)}
      />
      ${
        query.trim()
          ? html`
              <p class="soft small" role="status">
                ${found.hits.length === 0 ? "Nothing is found" : `${plural(found.hits.length, "place")}${found.isCut ? ", and more" : ""}`}
              </p>
              <ul class="tree hits">
                ${found.hits.map(
                  ({ path, value: hit }) => html`
                    <li key=${pathText(path)}>
                      <button class="branch" onClick=${() => show(path)}>
                        <span class="mono tiny">${pathText(path)}</span>
                        ${
                          !isBranch(hit) &&
                          html`
                            <bdi class="mono tiny cut soft">${short(hit)}</bdi>
                          `
                        }
                      </button>
                    </li>
                  `,
                )}
              </ul>
            `
          : html`
              <ul class="tree">
                ${entriesOf(value).map(
                  ([key, child]) => html`
                    <${Branch}
                      key=${key}
                      name=${key}
                      value=${child}
                      path=${[key]}
                      open=${open}
                      toggle=${toggle}
                      changed=${changed}
                    />
                  `,
                )}
              </ul>
            `
      }
    </div>
  `;
}
