// How an operation was compared with real servers.
import { html, plural, useEffect, useState } from "../lib.js";
import { control } from "../control.js";

let operations = null;
/** The rows of GET /control/fidelity; those without placeholders first. */
function rows() {
  operations ??= control("GET", "/fidelity").then(({ operations: list }) =>
    list.sort((one, other) => one.path.split("{").length - other.path.split("{").length),
  );
  return operations;
}

const fits = (route, path) => {
  const parts = route.split("/");
  const given = path.split("/");
  return (
    parts.length === given.length &&
    parts.every((part, at) =>
      /_id}$/.test(part) ? /^\d+$/.test(given[at]) : part.startsWith("{") || part === given[at],
    )
  );
};

const words = ({ feature_level: level, compared, differ }) =>
  `${plural(compared, "request")} at level ${level}, ${differ ? `${differ} differ` : "all alike"}`;

/** The comparison of the operation that a request is for; nothing where there is none. */
export function Fidelity({ method, path }) {
  const [row, setRow] = useState(null);
  useEffect(() => {
    let shown = true;
    rows()
      .then((list) => shown && setRow(list.find((one) => one.method === method && fits(one.path, path))))
      .catch(() => {});
    return () => {
      shown = false;
    };
  }, [method, path]);
  if (!row) return null;
  const reasons = row.recorded.flatMap((level) => level.differences.map((one) => ({ level, ...one })));
  return html`
    <dt>Compared</dt>
    <dd>
      ${row.recorded.length ? row.recorded.map(words).join("; ") : "by the specification only"}
      ${
        reasons.length > 0 &&
        html`
          <details class="small">
            <summary>${plural(reasons.length, "reason")}</summary>
            ${reasons.map(
              ({ level, kind, reason, assumption, requests }) => html`
                <p>
                  Level ${level.feature_level}, ${plural(requests, "request")}: ${reason}
                  <span class="soft">(${kind}${assumption ? ` ${assumption}` : ""})</span>
                </p>
              `,
            )}
          </details>
        `
      }
    </dd>
  `;
}
