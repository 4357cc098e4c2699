// Bars that scroll sideways where there is no room: what is cut off is marked at that side.
import { html, useLayoutEffect, useRef } from "../lib.js";

/** How many pixels may be missing before a side counts as cut off. */
const TOLERANCE = 2;

function mark(element) {
  const rest = element.scrollWidth - element.clientWidth;
  const sides = [element.scrollLeft > TOLERANCE && "start", element.scrollLeft < rest - TOLERANCE && "end"];
  element.dataset.more = sides.filter(Boolean).join(" ");
}

/** `tag` with children; `shows` selects the child that is scrolled into view whenever `at` changes. */
export function Sideways({ tag = "div", shows, at, children, ...rest }) {
  const box = useRef();
  useLayoutEffect(() => mark(box.current));
  useLayoutEffect(() => {
    const resized = new ResizeObserver(() => mark(box.current));
    resized.observe(box.current);
    return () => resized.disconnect();
  }, []);
  useLayoutEffect(() => {
    const child = shows && box.current.querySelector(shows);
    if (!child || box.current.scrollWidth <= box.current.clientWidth) return;
    box.current.scrollLeft = child.offsetLeft - (box.current.clientWidth - child.offsetWidth) / 2;
    mark(box.current);
  }, [at]);
  return html`
    <${tag} ...${rest} ref=${box} onScroll=${(event) => mark(event.currentTarget)}>${children}<//>
  `;
}
