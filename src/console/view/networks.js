// Networks and rate limits: the users of each, and new ones with a click.
import { html, useEffect, useState } from "../lib.js";
import { attempt, toasts } from "../store.js";
import { Preset } from "../part/common.js";
import { Icon } from "../part/icons.js";
import { NETWORKS, RATE_LIMITS, networkWords, rateLimitWords, who } from "../part/presets.js";

/** How often they are read while they are shown. */
const READ_EVERY_MS = 3_000;

export function Networks({ world }) {
  const [found, setFound] = useState({ networks: [], limits: [] });
  const [user, setUser] = useState("");
  const read = async () => {
    try {
      const [{ networks }, { rate_limits: limits }] = await Promise.all(
        ["/network", "/rate_limit"].map((path) => world.call("GET", path)),
      );
      setFound({ networks, limits });
    } catch {
      /* The socket's end tells of it. */
    }
  };
  useEffect(() => {
    read();
    const timer = setInterval(() => document.hidden || read(), READ_EVERY_MS);
    return () => clearInterval(timer);
  }, [world]);
  const set = async (path, name, body) => {
    if (!(await attempt(() => world.call("POST", path, { ...body, ...(user ? { user } : {}) })))) return;
    toasts.show(`${who(user)}: ${name}`);
    read();
  };
  const end = async (path, one) => {
    const query = one.user ? `?user=${encodeURIComponent(one.user)}` : "";
    // One for everybody ends with all others; those of single users are set again.
    const others = one.user ? [] : (path === "/network" ? found.networks : found.limits).filter((other) => other.user);
    if (!(await attempt(() => world.call("DELETE", `${path}${query}`)))) return;
    for (const other of others) await attempt(() => world.call("POST", path, other));
    read();
  };
  const rows = [
    ...found.networks.map((one) => ["/network", one, networkWords(one)]),
    ...found.limits.map((one) => ["/rate_limit", one, rateLimitWords(one)]),
  ];
  return html`
    <section class="card" aria-label="Networks and rate limits">
      <header><h2>Networks and rate limits</h2></header>
      <div class="body stack">
        <p class="soft small">
          A network delays the replies of one user's clients, or of everybody's, and may lose some; a rate limit answers
          what is beyond it with 429.
        </p>
        <label class="field">
          For
          <select
            class="input"
            aria-label="For these users"
            value=${user}
            onChange=${(event) => setUser(event.target.value)}
          >
            <option value="">everybody</option>
            ${world.users.slice(0, 500).map(
              (one) => html`
                <option value=${one.email}>${one.full_name}</option>
              `,
            )}
          </select>
        </label>
        <div class="presets" role="group" aria-label="Networks">
          ${NETWORKS.map(
            ([profile, says]) => html`
              <${Preset}
                name=${profile}
                says=${says}
                onClick=${() => set("/network", `network ${profile}`, { profile })}
              />
            `,
          )}
        </div>
        <div class="presets" role="group" aria-label="Rate limits">
          ${RATE_LIMITS.map(
            ([name, body, says]) => html`
              <${Preset} name=${name} says=${says} onClick=${() => set("/rate_limit", name, body)} />
            `,
          )}
        </div>
        ${
          rows.length > 0 &&
          html`
            <ul class="agenda">
              ${rows.map(
                ([path, one, words]) => html`
                  <li class="row">
                    <span class="grow">
                      <b>${who(one.user)}</b>
                      ${" "}${words}
                    </span>
                    <button
                      class="button little square"
                      aria-label=${`End ${path === "/network" ? "the network" : "the rate limit"} of ${who(one.user)}`}
                      onClick=${() => end(path, one)}
                    >
                      <${Icon} name="close" size="12" />
                    </button>
                  </li>
                `,
              )}
            </ul>
          `
        }
      </div>
    </section>
  `;
}
