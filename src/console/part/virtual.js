// A list of which only what is in sight is in the page: ten thousand rows cost as much as thirty.
import { html, useLayoutEffect, useRef, useState } from "../lib.js";

const SPARE = 8;

/**
 * `rows` have a `key`; all are `height` pixels high. With `follows`, the list stays at its end while one is there, and
 * does not move under one's eyes while one is not.
 */
export function VirtualList({ rows, height, render, follows = false, label, chosen = -1, foot }) {
  const box = useRef();
  const [scroll, setScroll] = useState({ top: 0, size: 600 });
  const atEnd = useRef(true);
  const first = useRef(null);

  useLayoutEffect(() => {
    const element = box.current;
    const resized = new ResizeObserver(() => setScroll({ top: element.scrollTop, size: element.clientHeight }));
    resized.observe(element);
    return () => resized.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    if (follows && atEnd.current) {
      element.scrollTop = element.scrollHeight;
    } else if (follows && first.current !== null && rows.length && rows[0].key !== first.current) {
      const shift = rows.findIndex((row) => row.key === first.current);
      if (shift > 0) element.scrollTop += shift * height;
    }
    first.current = rows[0]?.key ?? null;
    setScroll((old) =>
      old.top === element.scrollTop && old.size === element.clientHeight
        ? old
        : { top: element.scrollTop, size: element.clientHeight },
    );
  }, [rows, follows, height]);

  useLayoutEffect(() => {
    if (chosen < 0) return;
    const element = box.current;
    if (chosen * height < element.scrollTop) element.scrollTop = chosen * height;
    else if ((chosen + 1) * height > element.scrollTop + element.clientHeight)
      element.scrollTop = (chosen + 1) * height - element.clientHeight;
  }, [chosen, height]);

  const onScroll = () => {
    // Browsers tell of the last scroll after the list has left the page.
    const element = box.current;
    if (!element) return;
    atEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - height;
    setScroll({ top: element.scrollTop, size: element.clientHeight });
  };
  const from = Math.max(0, Math.floor(scroll.top / height) - SPARE);
  const to = Math.min(rows.length, Math.ceil((scroll.top + scroll.size) / height) + SPARE);
  return html`
    <div class="virtual" ref=${box} onScroll=${onScroll} tabindex="0" role="region" aria-label=${label}>
      <div style=${{ height: `${rows.length * height}px`, position: "relative" }}>
        <div style=${{ position: "absolute", insetInline: 0, top: `${from * height}px` }}>
          ${rows.slice(from, to).map((row, index) => render(row, from + index))}
        </div>
      </div>
      ${foot}
    </div>
  `;
}
