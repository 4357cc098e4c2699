// Faces, dialogs, toasts, menus: what several views use.
import { html, useEffect, useLayoutEffect, useRef, useState, useStore } from "../lib.js";
import { toasts } from "../store.js";
import { Icon } from "./icons.js";

/** The first two letters of a name: initials are the same for many, such as Mel Marsh, Max Mercer and Mona Maddox. */
const letters = (name) => [...name.replace(/[\s.-]+/g, "")].slice(0, 2).join("").toLocaleUpperCase("en") || "?";

/** Somebody's letters on a colour of their own: pictures of the world would be requests in its journal. */
export const Face = ({ user, big }) => html`
  <span
    class=${`face c${(user?.user_id ?? 0) % 8} ${big ? "big" : ""} ${user?.is_bot ? "bot" : ""}
  ${user && !user.is_active ? "gone" : ""}`}
    aria-hidden="true"
  >
    ${letters(user?.full_name ?? "?")}
  </span>
`;

/** A name as its owner wrote it, whichever way it runs. */
export const Name = ({ children }) => html`
  <bdi>${children}</bdi>
`;

/** In texts of several lines, Enter alone begins another one. */
const isSending = ({ key, ctrlKey, metaKey, repeat, target }) =>
  key === "Enter" && (ctrlKey || metaKey) && !repeat && target.localName === "textarea";

/** What the keys do in the texts of a dialog. */
export const Keys = ({ does }) => html`
  <p class="soft small">Enter makes a new line, Ctrl+Enter (Cmd+Enter on a Mac) ${does}.</p>
`;

export function Dialog({ title, onClose, onSubmit, submit = "Done", kind = "first", children }) {
  const dialog = useRef();
  const leaves = useRef(false);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    element.showModal();
    const first = element.querySelector(":is(.body, footer) :is(input, textarea, select, button, a, [tabindex])");
    first?.focus();
    // Whoever changes a text goes on at its end.
    if (first?.localName === "textarea") first.setSelectionRange(first.value.length, first.value.length);
    // The browser gives the focus back when a dialog is closed, but not when it leaves the page while it is open.
    return () => {
      leaves.current = true;
      element.close();
      if (before?.isConnected) before.focus();
    };
  }, []);
  const sent = async (event) => {
    event.preventDefault();
    await onSubmit?.(new FormData(event.target));
  };
  return html`
    <dialog
      ref=${dialog}
      aria-label=${title}
      onClose=${() => leaves.current || onClose()}
      onClick=${(event) => event.target === dialog.current && dialog.current.close()}
    >
      <form
        onSubmit=${sent}
        onKeyDown=${(event) => {
          if (!isSending(event)) return;
          event.preventDefault();
          event.currentTarget.requestSubmit();
        }}
      >
        <header>
          <h2 class="grow">${title}</h2>
          <button type="button" class="button plain square" aria-label="Close" onClick=${() => dialog.current.close()}>
            <${Icon} name="close" />
          </button>
        </header>
        <div class="body">${children}</div>
        ${
          onSubmit &&
          html`
            <footer>
              <button type="button" class="button" onClick=${() => dialog.current.close()}>Cancel</button>
              <button class=${`button ${kind}`}>${submit}</button>
            </footer>
          `
        }
      </form>
    </dialog>
  `;
}

/** A field with its label; `refused` says below it why what was entered is not taken, and gives it the focus. */
export function Field({ as = "input", label, refused, children, ...more }) {
  const field = useRef();
  const id = `refused-${more.name}`;
  // Before the browser paints: a key pressed when the refusal is seen reaches the field.
  useLayoutEffect(() => {
    if (refused) field.current.focus();
  }, [refused]);
  return html`
    <div class="field-box">
      <label class="field">
        ${label}
        <${as}
          class="input"
          ref=${field}
          aria-invalid=${refused ? "true" : undefined}
          aria-describedby=${refused ? id : undefined}
          ...${more}
        >
          ${children}
        <//>
      </label>
      ${
        refused &&
        html`
          <p class="refused small" id=${id} role="alert">${refused}</p>
        `
      }
    </div>
  `;
}

export function Toasts() {
  useStore(toasts);
  return html`
    <div class="toasts" role="status" aria-live="polite">
      ${toasts.list.map(
        (toast) => html`
          <div class=${`toast ${toast.kind}`} key=${toast.id}>
            <div class="grow">
              <span class="toast-text" title=${toast.text}>${toast.text}</span>
              ${toast.count > 1 ? ` ×${toast.count}` : ""}${toast.links.map(
                ([text, href]) => html`
                  ${" "}
                  <a href=${href}>${text}</a>
                `,
              )}
            </div>
            <button class="button plain little square" aria-label="Dismiss" onClick=${() => toasts.drop(toast.id)}>
              <${Icon} name="close" size="12" />
            </button>
          </div>
        `,
      )}
    </div>
  `;
}

/** The room between a menu's list, its button and the edge of the window, in pixels. */
const LIST_GAP = 5;

/** Puts a list over whatever cuts it off, below its button or, where there is more room, above it. */
function float(list, button) {
  const { right, ...edges } = button.getBoundingClientRect().toJSON();
  // The button may be scrolled out of sight.
  const [top, bottom] = [edges.top, edges.bottom].map((edge) => Math.max(0, Math.min(edge, innerHeight)));
  const below = innerHeight - bottom - 2 * LIST_GAP;
  const above = top - 2 * LIST_GAP;
  list.style.maxHeight = "";
  const isBelow = list.scrollHeight <= below || below >= above;
  const most = parseFloat(getComputedStyle(list).maxHeight);
  Object.assign(list.style, {
    position: "fixed",
    inset: "auto",
    right: `${document.documentElement.clientWidth - right}px`,
    ...(isBelow ? { top: `${bottom + LIST_GAP}px` } : { bottom: `${innerHeight - top + LIST_GAP}px` }),
    maxHeight: `${Math.min(most, isBelow ? below : above)}px`,
  });
}

/** A button that opens a list of actions; with `floats`, what is around it does not cut the list off. */
export function Menu({ label, icon, text, children, end = true, floats = false }) {
  const [open, setOpen] = useState(false);
  const root = useRef();
  useLayoutEffect(() => {
    if (!open || !floats) return undefined;
    const put = () => float(root.current.querySelector(".menu-list"), root.current.querySelector("button"));
    put();
    addEventListener("scroll", put, true);
    addEventListener("resize", put);
    return () => {
      removeEventListener("scroll", put, true);
      removeEventListener("resize", put);
    };
  }, [open, floats]);
  useEffect(() => {
    if (!open) return undefined;
    const outside = (event) => root.current?.contains(event.target) || setOpen(false);
    const escape = (event) => {
      if (event.key !== "Escape") return;
      if (root.current?.contains(document.activeElement)) root.current.querySelector("button").focus();
      setOpen(false);
    };
    addEventListener("pointerdown", outside);
    addEventListener("keydown", escape);
    return () => {
      removeEventListener("pointerdown", outside);
      removeEventListener("keydown", escape);
    };
  }, [open]);
  return html`
    <div class="menu" ref=${root}>
      <button
        class=${`button ${text ? "" : "square"}`}
        aria-label=${label}
        aria-expanded=${open}
        onClick=${() => setOpen(!open)}
      >
        ${
          icon &&
          html`
            <${Icon} name=${icon} />
          `
        }${
          text &&
          html`
            <span class="menu-text">${text}</span>
          `
        }${
          text &&
          html`
            <${Icon} name="down" size="12" />
          `
        }
      </button>
      ${
        open &&
        html`
          <div
            class=${`menu-list ${end ? "end" : ""}`}
            onClick=${(event) => {
              if (event.target.closest("[data-stays]")) return;
              // The item leaves the page: the focus goes to what opened the menu.
              root.current.querySelector("button").focus();
              setOpen(false);
            }}
          >
            ${children}
          </div>
        `
      }
    </div>
  `;
}

/** An action of a menu; `says` what comes of it. */
export const Item = ({ icon, bad, says, onClick, children }) => html`
  <button class=${`menu-item ${bad ? "bad" : ""}`} title=${says} onClick=${onClick}>
    ${
      icon &&
      html`
        <${Icon} name=${icon} size="15" />
      `
    }
    <span class="grow">
      ${children}
      ${
        says &&
        html`
          <span class="says soft tiny">${says}</span>
        `
      }
    </span>
  </button>
`;

/** A button with what comes of it below. */
export const Preset = ({ name, says, icon, onClick }) => html`
  <div class="preset">
    <button class="button" title=${says} aria-describedby=${`says ${name}`.replaceAll(" ", "-")} onClick=${onClick}>
      ${
        icon &&
        html`
          <${Icon} name=${icon} size="14" />
        `
      }
      ${name}
    </button>
    <p class="soft small" id=${`says ${name}`.replaceAll(" ", "-")}>${says}</p>
  </div>
`;

export const Empty = ({ title, children }) => html`
  <div class="empty">
    <h2>${title}</h2>
    ${children}
  </div>
`;

/** JSON as it is read best: indented, in full. */
export const Json = ({ value }) => html`
  <pre class="code wraps" tabindex="0">${typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre>
`;
