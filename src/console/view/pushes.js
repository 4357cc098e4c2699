// Pushes as phones would show them, and invitations to follow.
import { clock, copy, handle, html, moment, plural, useState } from "../lib.js";
import { attempt, toasts } from "../store.js";
import { api } from "../control.js";
import { zoneNow } from "../bar.js";
import { Dialog, Empty, Json } from "../part/common.js";
import { Icon } from "../part/icons.js";

function Phone({ push, onOpen }) {
  const { payload = {} } = push;
  const title =
    payload.sender_full_name ??
    { test: "Test notification", removal: "Taken back", registration: "Device registered" }[push.kind] ??
    push.kind;
  const place =
    (payload.channel_name ?? payload.stream)
      ? `#${payload.channel_name ?? payload.stream} › ${payload.topic ?? ""}`
      : "";
  const text =
    payload.content ??
    payload.message ??
    {
      test: "This device gets notifications.",
      removal: `Messages ${(payload.message_ids ?? payload.zulip_message_ids ?? []).join(", ")} were read elsewhere.`,
    }[push.kind] ??
    "";
  return html`
    <button class=${`phone ${push.kind}`} onClick=${onOpen}>
      <img src="/console/files/icon.svg" alt="" width="22" height="22" />
      <span class="grow">
        <span class="row">
          <b class="cut grow"><bdi>${title}</bdi></b>
          <span class="soft tiny number">${clock(push.at, zoneNow()).slice(0, 5)}</span>
        </span>
        ${
          place &&
          html`
            <span class="cut soft small"><bdi>${place}</bdi></span>
          `
        }
        <span class="small wrap"><bdi>${text}</bdi></span>
        <span class="soft tiny">to ${handle(push.user)}, ${push.kind}</span>
      </span>
    </button>
  `;
}

/** From this feature level on, encrypted pushes can be tried. */
const TEST_LEVEL = 420;

export function PushesView({ world }) {
  const [invites, setInvites] = useState([]);
  const [asked, ask] = useState(null);
  const isTested = world.level === null || world.level >= TEST_LEVEL;
  const owner = world.users.find((user) => user.is_active && user.role === "owner" && !user.is_bot);
  // Invitations are what an owner sees over the public API: the request is in the journal.
  const look = async () => {
    const reply = owner && (await attempt(() => api(world.name, owner, "GET", "/invites")));
    if (reply) setInvites(reply.invites.filter((one) => one.link_url));
  };
  const follow = async (form) => {
    const key = asked.follow.link_url.split("/").filter(Boolean).at(-1);
    const reply = await attempt(() =>
      world.call("POST", `/invites/${key}/accept`, { email: form.get("email"), full_name: form.get("name") }),
    );
    if (reply) {
      toasts.show(`${form.get("name")} has joined as user ${reply.user_id}`);
      ask(null);
      world.refresh("users", 0);
    }
  };
  const shown = [...world.pushes].reverse().slice(0, 200);
  return html`
    <div class="page">
      <div class="page-head">
        <h1>Pushes</h1>
        <span class="soft number">${plural(world.pushes.length, "push", "pushes")}</span>
        <span class="grow"></span>
        ${
          world.pushes.length > 0 &&
          html`
            <button
              class="button"
              onClick=${async () => {
                if (await attempt(() => world.call("DELETE", "/pushes"))) {
                  world.pushes = [];
                  world.changed();
                }
              }}
            >
              <${Icon} name="bin" size="14" />
              Clear
            </button>
          `
        }
        <p class="about">Pushes that were handed to the relay for users' devices. Nothing leaves the program.</p>
      </div>
      ${
        shown.length === 0
          ? html`
              <div class="card">
                <${Empty} title="No pushes yet">
                  <p>
                    Somebody with a registered device is mentioned, or gets a direct message while away.
                    ${isTested && " To see one now:"}
                  </p>
                  ${
                    isTested &&
                    html`
                      <button
                        class="button"
                        onClick=${() => {
                          const mel = world.byEmail.get("mel@chat.test") ?? owner;
                          attempt(() => world.ask(mel, "POST", "/mobile_push/e2ee/test_notification"));
                        }}
                      >
                        Send mel a test notification
                      </button>
                    `
                  }
                <//>
              </div>
            `
          : html`
              <div class="phones">
                ${shown.map(
                  (push) => html`
                    <${Phone} key=${push.id} push=${push} onOpen=${() => ask({ push })} />
                  `,
                )}
              </div>
            `
      }
      <div class="page-head">
        <h2>Invitations</h2>
        <span class="grow"></span>
        <button class="button little" onClick=${look}>Look them up${owner ? ` as ${handle(owner.email)}` : ""}</button>
      </div>
      ${
        invites.length > 0 &&
        html`
          <div class="card scrolls">
            <table class="list">
              <thead>
                <tr>
                  <th>Link</th>
                  <th>By</th>
                  <th>Expires</th>
                  <th><span class="unseen">Actions</span></th>
                </tr>
              </thead>
              <tbody>
                ${invites.map(
                  (one) => html`
                    <tr key=${one.id}>
                      <td class="mono tiny">${one.link_url}</td>
                      <td>${world.byId.get(one.invited_by_user_id)?.full_name ?? ""}</td>
                      <td>${one.expiry_date ? moment(one.expiry_date, zoneNow()) : "never"}</td>
                      <td><button class="button little" onClick=${() => ask({ follow: one })}>Follow …</button></td>
                    </tr>
                  `,
                )}
              </tbody>
            </table>
          </div>
        `
      }
      ${
        asked?.push &&
        html`
          <${Dialog} title=${`Push ${asked.push.id}`} onClose=${() => ask(null)}>
            <h3>In the clear</h3>
            <${Json} value=${asked.push.payload} />
            ${
              asked.push.wire &&
              html`
                <h3>As the relay carries it</h3>
                <${Json} value=${asked.push.wire} />
                <button
                  type="button"
                  class="button"
                  onClick=${() => copy(asked.push.wire.encrypted_data ?? JSON.stringify(asked.push.wire), toasts.show, "Sealed form")}
                >
                  <${Icon} name="copy" size="14" />
                  Copy the sealed form
                </button>
              `
            }
          <//>
        `
      }
      ${
        asked?.follow &&
        html`
          <${Dialog} title="Follow the invitation" submit="Join" onClose=${() => ask(null)} onSubmit=${follow}>
            <label class="field">
              Address
              <input class="input" type="email" name="email" required placeholder="new@example.com" />
            </label>
            <label class="field">
              Name
              <input class="input" name="name" required />
            </label>
          <//>
        `
      }
    </div>
  `;
}
