// Why a request was refused: the rule, who could have, and the choice that is written down of it.
import { html, useEffect, useState } from '../lib.js';
import { Icon } from './icons.js';

const RULES = {
  UNAUTHORIZED: 'The request must say who sends it.', INVALID_API_KEY: 'Address and key must belong to the same account.', USER_DEACTIVATED: 'The account is deactivated; its requests and polls are refused.',
  BAD_EVENT_QUEUE_ID: 'The queue is gone: a client registers again.', NONEXISTENT_SUBDOMAIN: 'No world has this name.',
};
/** Refusals of which docs/assumptions.md has a row, with its number. */
const CHOICES = [
  [(entry) => ['INVALID_API_KEY', 'USER_DEACTIVATED', 'UNAUTHORIZED'].includes(entry.reply?.code), 'A-4'],
  [(entry) => (entry.status === 404 && entry.reply?.msg === 'Unknown path') || entry.status === 405, 'A-1'],
  [(entry) => 'idle_queue_timeout' in entry.params, 'A-8'], [(entry) => entry.reply?.code === 'PERMISSION_DENIED', 'A-9'],
];

let book = null;
/** The rows of docs/assumptions.md by number. */
function rows() {
  book ??= fetch('/console/files/assumptions.md').then((response) => response.text())
    .then((text) => new Map([...text.matchAll(/^\| (A-\d+) \| (.*) \|$/gm)].map(([, number, said]) => [number, said])));
  return book;
}

export function Why({ entry }) {
  const refused = entry.status >= 400 || entry.status === 0;
  const choice = refused && !entry.fault ? CHOICES.find(([is]) => is(entry))?.[1] : undefined;
  const [said, setSaid] = useState(null);
  useEffect(() => {
    setSaid(null);
    if (choice) rows().then((all) => setSaid(all.get(choice) ?? null), () => {});
  }, [choice]);
  if (!refused) return null;
  const reply = entry.reply ?? {};
  const rule = entry.fault ? `Fault ${entry.fault} made this reply.` : RULES[reply.code] ?? 'A rule of the API refused it; nothing was changed.';
  return html`<section class="why" aria-label="Why"><h3><${Icon} name="faults" size="13" /> Why</h3>
    <p><b>${entry.status === 0 ? 'The connection was closed without a reply.' : reply.msg ?? `Status ${entry.status}`}</b>${reply.code ? html` <code>${reply.code}</code>` : ''}</p>
    <p class="small">${rule}</p>${entry.hint && html`<p class="small">${entry.hint}</p>`}
    ${choice && html`<details class="small"><summary>${choice} in docs/assumptions.md</summary><p>${said}</p></details>`}</section>`;
}
