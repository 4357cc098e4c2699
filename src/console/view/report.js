// Report: what the clients of the world did that a real server would suffer from.
import { html, moment, plural, useEffect, useState } from "../lib.js";
import { attempt } from "../store.js";
import { zoneNow } from "../bar.js";
import { pathOf } from "../route.js";
import { Empty } from "../part/common.js";
import { Icon } from "../part/icons.js";

/** How often the report is read while it is shown. */
const LOOK_MS = 2_000;
const KINDS = { error: "bad", warning: "warn", note: "" };

/** A request of a finding; opens it in Live, unless it was never answered. */
function Request({ world, found }) {
  const line = html`
    <code class="wrap"><bdi>${found.request}</bdi></code>
    <span class="soft tiny number">${moment(found.at, zoneNow())}</span>
  `;
  if (!found.journal_id)
    return html`
      <span class="row">${line}</span>
    `;
  return html`
    <a class="row report-request" href=${`${pathOf(world.name, "live")}#r${found.journal_id}`}>${line}</a>
  `;
}

function Finding({ world, finding }) {
  const { rule, severity, message, count, first, last, why, help } = finding;
  return html`
    <li class="report-finding">
      <p class="row">
        <span class=${`tag ${KINDS[severity]}`}>${severity}</span>
        <b class="grow"><bdi>${message}</bdi></b>
        <span class="soft number">${plural(count, "time")}</span>
      </p>
      <${Request} world=${world} found=${first} />
      ${
        last.journal_id !== first.journal_id &&
        html`
          <${Request} world=${world} found=${last} />
        `
      }
      <p class="small">
        <b>Why</b>
        ${" "}${why}
      </p>
      <p class="small">
        <b>Instead</b>
        ${" "}${help}
      </p>
      <p class="soft tiny">${rule}</p>
    </li>
  `;
}

function Client({ world, client }) {
  return html`
    <section class="card report-client">
      <h2 class="row">
        <bdi>${client.client}</bdi>
        <span class="soft small">${client.user ?? "no user"}, ${plural(client.requests, "request")}</span>
      </h2>
      ${
        client.findings.length === 0
          ? html`
              <p class="soft">No findings.</p>
            `
          : html`
              <ul class="report-findings">
                ${client.findings.map(
                  (finding) => html`
                    <${Finding} key=${finding.rule + finding.message} world=${world} finding=${finding} />
                  `,
                )}
              </ul>
            `
      }
    </section>
  `;
}

export function ReportView({ world }) {
  const [report, setReport] = useState(null);
  const look = async () => {
    try {
      setReport(await world.call("GET", "/report"));
    } catch {
      /* The socket's end tells of it. */
    }
  };
  useEffect(() => {
    look();
    const timer = setInterval(() => document.hidden || look(), LOOK_MS);
    return () => clearInterval(timer);
  }, [world]);
  const clients = [...(report?.clients ?? [])].sort((one, other) => other.findings.length - one.findings.length);
  const found = clients.reduce((sum, client) => sum + client.findings.length, 0);
  return html`
    <div class="page">
      <div class="page-head">
        <h1>Report</h1>
        <span class="soft number" role="status">${plural(found, "finding")}</span>
        <span class="grow"></span>
        ${
          clients.length > 0 &&
          html`
            <button
              class="button"
              onClick=${async () => {
                if (await attempt(() => world.call("DELETE", "/report"))) look();
              }}
            >
              <${Icon} name="bin" size="14" />
              Clear
            </button>
          `
        }
        <p class="about">What the clients of this world do that a real server or its users would suffer from.</p>
      </div>
      ${
        report?.complete === false &&
        html`
          <p class="soft">Some clients or findings are missing: there were more than are remembered.</p>
        `
      }
      ${
        clients.length === 0
          ? html`
              <div class="card">
                <${Empty} title="No clients yet">
                  <p>Each request of a client is judged when it is answered.</p>
                <//>
              </div>
            `
          : clients.map(
              (client) => html`
                <${Client} key=${`${client.client} ${client.user}`} world=${world} client=${client} />
              `,
            )
      }
    </div>
  `;
}
