// Keys that hold everywhere; views listen for `console:key` to move within their lists.
import { useEffect, useLayoutEffect } from "../lib.js";
import { go, pathOf } from "../route.js";

export const isTyping = (target) => target.closest?.("input, textarea, select, [contenteditable]");

export function Keys({ world, views, onHelp }) {
  useEffect(() => {
    const pressed = (event) => {
      if (event.metaKey || event.ctrlKey || event.altKey || document.querySelector("dialog[open]")) return;
      if (isTyping(event.target)) {
        if (event.key === "Escape") event.target.blur();
        return;
      }
      const number = Number(event.key);
      if (event.key === "/") document.querySelector("[data-search]")?.focus();
      else if (event.key === "?") onHelp();
      else if (event.key === "w") go("/console");
      else if (world && number >= 1 && number <= views.length) go(pathOf(world, views[number - 1]));
      else if (["j", "k", "Enter", "Escape", " ", "n"].includes(event.key)) {
        if (["Enter", " "].includes(event.key) && event.target.closest("button, a, summary")) return;
        const forwarded = new CustomEvent("console:key", { detail: event.key, cancelable: true });
        if (dispatchEvent(forwarded)) return;
      } else return;
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [world, views, onHelp]);
  return null;
}

/** Calls back for a key that the frame does not use itself; true says that it was used. */
export function useKeys(callback) {
  // Before the page is shown: a key that follows at once has to find what the one before it chose.
  useLayoutEffect(() => {
    const handled = (event) => {
      if (callback(event.detail)) event.preventDefault();
    };
    addEventListener("console:key", handled);
    return () => removeEventListener("console:key", handled);
  });
}
