// Where one is: /console, /console/w/WORLD/VIEW.
const listeners = new Set();

/** A part of a path as text; as it is where it is no text. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function route() {
  const parts = location.pathname.split("/").filter(Boolean).map(decoded);
  if (parts[1] === "w" && parts[2]) return { world: parts[2], view: parts[3] ?? "live" };
  return { world: null, view: "worlds" };
}

export const pathOf = (world, view) => (world ? `/console/w/${encodeURIComponent(world)}/${view}` : "/console");

export function go(path, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  for (const listener of listeners) listener();
}

export function onRoute(listener) {
  listeners.add(listener);
  addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("popstate", listener);
  };
}

/** Follows links of the console without loading the page again. */
export function followLinks() {
  addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="/console"]');
    if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || link.target) return;
    event.preventDefault();
    go(link.getAttribute("href"));
  });
}
