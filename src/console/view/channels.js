// Channels, topics, messages and groups: who is in, who may, who sees what.
import { html, moment, plural, save, saved, useEffect, useMemo, useState } from "../lib.js";
import { attempt, toasts } from "../store.js";
import { zoneNow } from "../bar.js";
import { Empty, Face, Name } from "../part/common.js";
import { Icon } from "../part/icons.js";
import { Rendered } from "../part/rendered.js";
import { Sideways } from "../part/sideways.js";
import { topicName } from "../part/words.js";

const PRIVACY = {
  web_public: "web-public",
  public: "public",
  private_shared_history: "private",
  private_protected_history: "private, protected history",
};

const Names = ({ ids, world, most = 14 }) => html`
  ${ids.slice(0, most).map(
    (id, at) => html`
      ${at ? ", " : ""}
      <bdi>${world.byId.get(id)?.full_name ?? id}</bdi>
    `,
  )}${ids.length > most ? ` and ${ids.length - most} more` : ""}${
    ids.length === 0
      ? html`
          <span class="soft">nobody</span>
        `
      : ""
  }
`;

function Messages({ world, channel, topic, viewer, isSource }) {
  const [list, setList] = useState(null);
  const filters = new URLSearchParams({
    channel: channel.channel_id,
    limit: 200,
    ...(isSource ? {} : { rendered: true }),
    ...(topic === null ? {} : { topic }),
    ...(viewer ? { seen_by: viewer } : {}),
  });
  useEffect(() => {
    let here = true;
    attempt(() => world.call("GET", `/messages?${filters}`)).then((reply) => here && reply && setList(reply.messages));
    return () => {
      here = false;
    };
  }, [world.channels, String(filters)]);
  if (!list) return null;
  if (list.length === 0)
    return html`
      <p class="soft pad">No messages here.</p>
    `;
  return html`
    <ol class="seen">
      ${[...list].reverse().map(
        (message) => html`
          <li key=${message.message_id} class=${`message ${message.visible === false ? "hidden-for" : ""}`}>
            <${Face} user=${world.byId.get(message.sender_id)} />
            <div class="grow">
              <div class="message-head">
                <b class="cut"><${Name}>${world.byId.get(message.sender_id)?.full_name ?? message.sender_id}<//></b>
                <span class="soft tiny cut">
                  ${
                    topic === null
                      ? html`
                          <bdi>${topicName(message.topic, world)}</bdi>
                          ,${" "}
                        `
                      : ""
                  }${moment(message.at, zoneNow())}${message.is_unread ? ", unread" : ""}
                </span>
              </div>
              ${
                message.rendered_content === undefined
                  ? html`
                      <div class="wrap message-text"><bdi>${message.content}</bdi></div>
                    `
                  : html`
                      <div class="message-text"><${Rendered} text=${message.rendered_content} /></div>
                    `
              }
              ${
                message.visible === false &&
                html`
                  <p class="reason small">
                    <b>Not visible.</b>
                    ${" "}${message.reason}
                  </p>
                `
              }
            </div>
          </li>
        `,
      )}
    </ol>
  `;
}

function Channel({ world, channel, viewer }) {
  const [topic, setTopic] = useState(null);
  const [isSource, setIsSource] = useState(saved("source", "") === "yes");
  const user = world.byEmail.get(viewer);
  const isIn = user && channel.subscribers.includes(user.user_id);
  const owner = world.users.find((one) => one.is_active && one.role === "owner" && !one.is_bot);
  const subscribe = async () => {
    const list = isIn ? [channel.name] : [{ name: channel.name }];
    const reply =
      owner &&
      (await attempt(() =>
        world.ask(owner, isIn ? "DELETE" : "POST", "/users/me/subscriptions", {
          subscriptions: list,
          principals: [user.user_id],
        }),
      ));
    if (reply) {
      toasts.show(`${user.full_name} is ${isIn ? "unsubscribed" : "subscribed"}, by ${owner.full_name}`);
      world.refresh("channels", 0);
    }
  };
  const topics = [...channel.topics].sort((one, other) => other.newest - one.newest);
  return html`
    <section class="channel stack" aria-label=${`Channel ${channel.name}`}>
      <div class="page-head">
        <h2 class="cut">
          #
          <${Name}>${channel.name}<//>
        </h2>
        <span class="tag">${PRIVACY[channel.privacy]}</span>
        ${
          channel.is_archived &&
          html`
            <span class="tag bad">archived</span>
          `
        }${
          channel.folder &&
          html`
            <span class="tag">${channel.folder}</span>
          `
        }
        ${
          viewer &&
          html`
            <span class=${`tag ${channel.visible ? "good" : "bad"}`}>
              ${channel.visible ? "visible" : "not visible"} for ${user?.full_name}
            </span>
            <button class="button little" onClick=${subscribe}>
              ${isIn ? "Unsubscribe" : "Subscribe"} ${user?.full_name}
            </button>
          `
        }
      </div>
      ${
        channel.description &&
        html`
          <div class="soft"><${Rendered} text=${channel.rendered_description} /></div>
        `
      }${
        channel.reason &&
        html`
          <p class="note warn">${channel.reason}</p>
        `
      }
      <details class="card fold">
        <summary>${plural(channel.subscribers.length, "subscriber")}</summary>
        <p class="body small"><${Names} ids=${channel.subscribers} world=${world} most=${200} /></p>
        ${
          !viewer &&
          html`
            <p class="body small soft">To subscribe or unsubscribe somebody, choose them in “As seen by”.</p>
          `
        }
      </details>
      <details class="card fold">
        <summary>Permissions</summary>
        <div class="scrolls">
          <table class="list">
            <thead>
              <tr>
                <th>Permission</th>
                <th>Held by</th>
                <th>Who that is now</th>
              </tr>
            </thead>
            <tbody>
              ${channel.permissions.map(
                (one) => html`
                  <tr>
                    <td class="mono">${one.name}</td>
                    <td>${one.holders || "nobody"}</td>
                    <td class="small"><${Names} ids=${one.users} world=${world} /></td>
                  </tr>
                `,
              )}
            </tbody>
          </table>
        </div>
      </details>
      <div class="card">
        <header class="topics">
          <button class="button little" aria-pressed=${topic === null} onClick=${() => setTopic(null)}>
            All topics
          </button>
          ${topics.slice(0, 40).map(
            (one) => html`
              <button
                key=${one.name}
                class="button little"
                aria-pressed=${topic === one.name}
                onClick=${() => setTopic(one.name)}
              >
                <bdi class="cut">${topicName(one.name, world)}</bdi>
                ${" "}
                <span class="soft number">${one.messages}</span>
              </button>
            `,
          )}
          <span class="grow"></span>
          <button
            class="button little"
            aria-pressed=${isSource}
            title="Show the Markdown instead of what clients show"
            onClick=${() => {
              save("source", isSource ? "" : "yes");
              setIsSource(!isSource);
            }}
          >
            Source
          </button>
        </header>
        <${Messages} world=${world} channel=${channel} topic=${topic} viewer=${viewer} isSource=${isSource} />
      </div>
    </section>
  `;
}

function Groups({ world }) {
  const [groups, setGroups] = useState([]);
  useEffect(() => {
    attempt(() => world.call("GET", "/groups")).then((reply) => reply && setGroups(reply.groups));
  }, [world.channels, world.users]);
  return html`
    <section class="channel stack">
      <h2>Groups</h2>
      <div class="card scrolls">
        <table class="list">
          <thead>
            <tr>
              <th>Group</th>
              <th>Groups in it</th>
              <th>Everybody in it, at any depth</th>
            </tr>
          </thead>
          <tbody>
            ${groups.map(
              (group) => html`
                <tr key=${group.group_id}>
                  <td>
                    <b><${Name}>${group.name}<//></b>
                    ${
                      !group.is_active &&
                      html`
                        ${" "}
                        <span class="tag bad">deactivated</span>
                      `
                    }
                    <div class="soft tiny"><bdi>${group.description}</bdi></div>
                  </td>
                  <td class="small">${group.subgroups.join(", ")}</td>
                  <td class="small">
                    <${Names} ids=${group.all_members} world=${world} />
                    ${" "}
                    <span class="soft number">(${group.all_members.length})</span>
                  </td>
                </tr>
              `,
            )}
          </tbody>
        </table>
      </div>
    </section>
  `;
}

export function ChannelsView({ world }) {
  const [viewer, setViewer] = useState("");
  const [chosen, setChosen] = useState(null);
  const [text, setText] = useState("");
  const [seen, setSeen] = useState(null);
  useEffect(() => {
    let here = true;
    if (!viewer) {
      setSeen(null);
      return undefined;
    }
    attempt(() => world.call("GET", `/channels?seen_by=${encodeURIComponent(viewer)}`)).then(
      (reply) => here && reply && setSeen(reply.channels),
    );
    return () => {
      here = false;
    };
  }, [viewer, world.channels]);
  const all = (viewer && seen) || world.channels;
  const channels = useMemo(() => all.filter((channel) => channel.name.toLowerCase().includes(text)), [all, text]);
  const current = all.find((channel) => channel.channel_id === chosen) ?? (chosen === "groups" ? null : channels[0]);
  return html`
    <${Sideways} class="live-bar">
      <h1 class="bar-title">Channels</h1>
      <label class="search">
        <${Icon} name="search" size="14" />
        <span class="unseen">Search</span>
        <input
          class="input"
          data-search
          placeholder="Search channels"
          onInput=${(event) => setText(event.target.value.toLowerCase())}
        />
      </label>
      <label class="row small">
        <span class="soft">As seen by</span>
        <select class="input" value=${viewer} onChange=${(event) => setViewer(event.target.value)}>
          <option value="">everybody at once</option>
          ${world.users
            .filter((user) => !user.is_system)
            .slice(0, 500)
            .map(
              (user) => html`
                <option value=${user.email}>${user.full_name}, ${user.is_bot ? "bot" : user.role}</option>
              `,
            )}
        </select>
      </label>
    <//>
    <div class="two">
      <${Sideways} tag="nav" class="channel-list" aria-label="Channels" shows=".here" at=${current?.channel_id}>
        ${channels.slice(0, 400).map(
          (channel) => html`
            <button
              key=${channel.channel_id}
              class=${`place ${current === channel ? "here" : ""} ${channel.visible === false ? "hidden-for" : ""}`}
              title=${channel.reason}
              aria-current=${current === channel ? "true" : undefined}
              onClick=${() => setChosen(channel.channel_id)}
            >
              <span class="row">
                <bdi class="cut grow">#${channel.name}</bdi>
                <span class="soft tiny number">${channel.messages}</span>
              </span>
              <span class="place-in cut">
                ${PRIVACY[channel.privacy]},${" "}${plural(channel.subscribers.length, "subscriber")}${channel.visible === false ? ", not visible" : ""}
              </span>
            </button>
          `,
        )}
        <hr />
        <button class=${`place ${chosen === "groups" ? "here" : ""}`} onClick=${() => setChosen("groups")}>
          User groups
        </button>
      <//>
      ${
        chosen === "groups"
          ? html`
              <${Groups} world=${world} />
            `
          : current
            ? html`
                <${Channel} key=${current.channel_id} world=${world} channel=${current} viewer=${viewer} />
              `
            : html`
                <${Empty} title="No channels">
                  <p>
                    An owner makes one with${" "}
                    <code>POST /users/me/subscriptions</code>
                    , or load the fixture${" "}
                    <code>default</code>
                    .
                  </p>
                <//>
              `
      }
    </div>
  `;
}
