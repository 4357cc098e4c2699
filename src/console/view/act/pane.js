// One person: their conversations, what is said in one, and their event stream.
import { handle, html, save, saved, useEffect, useMemo, useReducer, useRef, useState, useStore } from "../../lib.js";
import { attempt, toasts } from "../../store.js";
import { refusalOf } from "../../control.js";
import { pathOf } from "../../route.js";
import { NETWORKS, RATE_LIMITS, personalPresets } from "../../part/presets.js";
import { Session } from "../../session.js";
import { Face, Item, Menu } from "../../part/common.js";
import { Icon } from "../../part/icons.js";
import { eventWords, topicName } from "../../part/words.js";
import { isDirect, placeOf, sendParams } from "./place.js";
import { Message } from "./message.js";
import { Composer } from "./composer.js";
import { PaneDialog } from "./dialogs.js";
import { Later } from "./later.js";

/** The client of a pane: the one that is there, unless it is somebody else's. */
function sessionOf(world, side, user, isSource) {
  const known = world.sessions[side];
  if (known?.user.email === user.email && known.user.api_key === user.api_key && known.isSource === isSource)
    return known;
  known?.close();
  world.sessions[side] = new Session(world.name, user, isSource, () => world.time());
  return world.sessions[side];
}

/** Says that a channel's messages do not come any more. */
function Lost({ channel, world, user, session }) {
  const { name = channel, is_archived: isArchived } = world.channelsById.get(channel) ?? {};
  const access = channel === undefined ? "subscribed" : isArchived ? "archived" : session?.accessTo(channel);
  if (!access || access === "subscribed") return null;
  const said = {
    archived: `#${name} is archived: nobody can write there.`,
    lost: `#${name} is not accessible to ${user.full_name} any more. What is shown came before.`,
    open: `${user.full_name} is not subscribed to #${name}: what others write there does not come.`,
  };
  return html`
    <p class="note warn" role="status">${said[access]}</p>
  `;
}

export function Pane({ world, recording, side, initial, onUser, onRecorded }) {
  const [user, setUser] = useState(initial);
  const [session, setSession] = useState(null);
  const [dialog, setDialog] = useState(null);
  const [over, setOver] = useState(null);
  const [isSource, setIsSource] = useState(saved(`source ${side}`, "") === "yes");
  const list = useRef();
  const [, drew] = useReducer((count) => count + 1, 0);
  const placeKey = `${side} ${user.email}`;
  const place = world.places.get(placeKey) ?? null;
  const setPlace = (key) => {
    world.places.set(placeKey, key);
    drew();
  };
  useEffect(() => setSession(sessionOf(world, side, user, isSource)), [user.email, user.api_key, isSource]);
  useEffect(() => onUser(side, user), [user.email, user.api_key]);
  useStore(session);
  const messages = session?.messages ?? [];
  const places = useMemo(() => {
    const found = new Map();
    for (const message of messages) {
      const key = placeOf(message);
      const unread = !message.flags.includes("read");
      const known = found.get(key) ?? { key, message, count: 0, unread: 0 };
      found.set(key, { ...known, message, count: known.count + 1, unread: known.unread + (unread ? 1 : 0) });
    }
    return [...found.values()].sort((one, other) => other.message.id - one.message.id);
  }, [messages]);
  const current = place ?? places.find((one) => !isDirect(one.message))?.key ?? places[0]?.key ?? null;
  const shown = messages.filter((message) => placeOf(message) === current);
  // What comes does not lead to another conversation than the one that was shown first.
  useEffect(() => {
    if (!place && current) setPlace(current);
  }, [place, current]);
  const draftKey = (key) => `${user.email} ${key}`;
  const write = (key, change) => {
    const text = change(world.drafts.get(draftKey(key)) ?? "");
    if (text) world.drafts.set(draftKey(key), text);
    else world.drafts.delete(draftKey(key));
    drew();
  };
  useEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [current, shown.length]);

  // What is sent after a choice of a fault or a network meets it, however slow the call that arms it is.
  const armed = useRef(Promise.resolve());
  const steer = (work) => {
    const done = attempt(work);
    armed.current = Promise.all([armed.current, done]);
    return done;
  };
  const act = async (method, path, params, options = {}) => {
    await armed.current;
    const step = { user: user.email, method, path, params, status: 200, began: Date.now(), file: options.file };
    try {
      step.reply = await session.call(method, path, params, options);
    } catch (error) {
      Object.assign(step, refusalOf(error));
      const said = error.message || "no reply";
      const status = error.status && !said.startsWith(error.status) ? [error.status] : [];
      if (options.onRefused) options.onRefused([said, error.hint].filter(Boolean).join(" "));
      else toasts.show(`${handle(user.email)}: ${[...status, said, error.hint].filter(Boolean).join(" ")}`, "bad");
    }
    if (!options.unrecorded) recording.request(step);
    else if (options.omitted) recording.omit(options.omitted);
    if (!options.unrecorded || options.omitted) onRecorded();
    return step.reply;
  };
  const ask = async (wanted) => {
    const source = wanted.edit && (await attempt(() => session.source(wanted.edit)));
    if (!wanted.edit) setDialog(wanted);
    else if (source !== undefined) setDialog({ edit: { ...wanted.edit, content: source } });
  };
  const arm = async (name, rule) => {
    const body = { ...rule, match: { ...rule.match, user: user.email } };
    if (!(await steer(() => world.call("POST", "/faults", body)))) return;
    toasts.show(`${handle(user.email)}: ${name}`, "", [["Faults", pathOf(world.name, "faults")]]);
    world.refresh("faults", 0);
  };
  const set = async (path, name, body) => {
    if (await steer(() => world.call("POST", path, { ...body, user: user.email })))
      toasts.show(`${handle(user.email)}: ${name}`, "", [["Faults", pathOf(world.name, "faults")]]);
  };
  const isOwn = (name) => [user.email, handle(user.email)].includes(name);
  const end = async (path, list) => {
    const reply = await world.call("GET", path);
    if (reply[list].some((one) => isOwn(one.user)))
      await world.call("DELETE", `${path}?user=${encodeURIComponent(user.email)}`);
  };
  const endAll = async () => {
    await steer(() => end("/network", "networks"));
    await steer(() => end("/rate_limit", "rate_limits"));
    for (const { fault_id: id } of world.faults.filter(({ match }) => isOwn(match?.user)))
      await steer(() => world.call("DELETE", `/faults/${id}`));
    world.refresh("faults", 0);
  };
  const target = () => {
    const last = shown.at(-1);
    if (!last && current?.startsWith("c ")) {
      const [, id, ...topic] = current.split(" ");
      return { channel: Number(id), topic: topic.join(" ") };
    }
    if (!last) return null;
    if (isDirect(last)) {
      const others = [...new Set(last.display_recipient.map((one) => one.id))];
      return { people: others.length > 1 ? others.filter((id) => id !== user.user_id) : others };
    }
    return { channel: last.stream_id, topic: last.subject };
  };
  const paramsFor = (there, content) =>
    sendParams(there, world.channelsById.get(there.channel)?.name, content, session.level);
  const moveTo = (id, there, mode = "change_one") => {
    const message = messages.find((one) => one.id === id);
    if (!message || isDirect(message) || (message.stream_id === there.channel && message.subject === there.topic))
      return;
    act("PATCH", `/messages/${id}`, {
      topic: there.topic,
      propagate_mode: mode,
      ...(message.stream_id === there.channel ? {} : { stream_id: there.channel }),
    });
  };
  const drop = (event, there) => {
    event.preventDefault();
    setOver(null);
    const id = Number(event.dataTransfer.getData("text/x-message"));
    if (!id) return;
    if (there) moveTo(id, there);
    else setDialog({ move: messages.find((one) => one.id === id) });
  };
  const dropping = (key, there) => ({
    onDragOver: (event) => {
      event.preventDefault();
      setOver(key);
    },
    onDragLeave: () => setOver(null),
    onDrop: (event) => drop(event, there),
  });
  const where = target();
  const unread = shown.filter((message) => !message.flags.includes("read")).map((message) => message.id);
  const typing = (session?.typists ?? [])
    .filter((id) => id !== user.user_id)
    .map((id) => world.byId.get(id)?.full_name ?? id);
  const listening = session?.state === "listening";
  return html`
    <section class="pane card" aria-label=${`Acting as ${user.full_name}`}>
      <header>
        <${Face} user=${user} />
        <select
          class="input grow"
          aria-label=${`Person ${side + 1}`}
          value=${user.email}
          onChange=${(event) => setUser(world.byEmail.get(event.target.value))}
        >
          ${world.users
            .filter((one) => !one.is_system)
            .slice(0, 500)
            .map(
              (one) => html`
                <option value=${one.email}>
                  ${one.full_name}, ${one.is_bot ? "bot" : one.role}${one.is_active ? "" : " (deactivated)"}
                </option>
              `,
            )}
        </select>
        <span class=${`tag ${listening ? "good" : "warn"} cut`} title=${session?.state}>
          <span class="dot"></span>
          ${listening ? (session.queues > 1 ? `listening, queue ${session.queues}` : "listening") : (session?.state ?? "")}
        </span>
        <${Menu} label=${`Arm a fault for ${user.full_name}`} icon="faults">
          ${personalPresets(world.level).map(
            ([name, rule, says]) => html`
              <${Item} icon="faults" says=${says} onClick=${() => arm(name, rule)}>${name}<//>
            `,
          )}
          <hr />
          ${NETWORKS.map(
            ([profile, says]) => html`
              <${Item} says=${says} onClick=${() => set("/network", `network ${profile}`, { profile })}>
                Network ${profile}
              <//>
            `,
          )}
          ${RATE_LIMITS.map(
            ([name, body, says]) => html`
              <${Item} says=${says} onClick=${() => set("/rate_limit", name, body)}>${name}<//>
            `,
          )}
          <hr />
          <${Item} onClick=${endAll}>End faults, network and rate limit<//>
        <//>
      </header>
      <div class="chat">
        <nav class="places" aria-label=${`Conversations of ${user.full_name}`}>
          ${places.slice(0, 60).map(
            (one) => html`
              <button
                key=${one.key}
                class=${`place ${one.key === current ? "here" : ""} ${over === one.key ? "over" : ""}`}
                aria-current=${one.key === current ? "true" : undefined}
                onClick=${() => setPlace(one.key)}
                ...${isDirect(one.message) ? {} : dropping(one.key, { channel: one.message.stream_id, topic: one.message.subject })}
              >
                <span class="place-in cut">
                  ${isDirect(one.message) ? "direct" : `#${world.channelsById.get(one.message.stream_id)?.name ?? one.message.stream_id}`}
                </span>
                <span class="row">
                  <bdi class="cut grow">
                    ${
                      isDirect(one.message)
                        ? one.message.display_recipient
                            .filter((person, at, all) => all.length === 1 || person.id !== user.user_id)
                            .map((person) => person.full_name)
                            .join(", ")
                        : topicName(one.message.subject, world)
                    }
                  </bdi>
                  ${
                    world.drafts.has(draftKey(one.key)) &&
                    html`
                      <span class="soft" role="img" aria-label="has a draft" title="Has a draft">
                        <${Icon} name="pen" size="12" />
                      </span>
                    `
                  }
                  ${
                    one.unread > 0 &&
                    html`
                      <span class="tag accent number">${one.unread}</span>
                    `
                  }
                </span>
              </button>
            `,
          )}
          <button
            class=${`place new ${over === "new" ? "over" : ""}`}
            onClick=${() => setDialog({ start: true })}
            ...${dropping("new", null)}
          >
            <${Icon} name="plus" size="13" />
            ${" "}New conversation
          </button>
        </nav>
        <div class="talk">
          <div class="messages" ref=${list} tabindex="0" role="log" aria-label=${`Messages, ${user.full_name}`}>
            ${
              shown.length === 0 &&
              html`
                <p class="soft small pad">${listening ? "No messages here." : session?.state}</p>
              `
            }
            ${shown.map(
              (message) => html`
                <${Message}
                  key=${message.id}
                  message=${message}
                  world=${world}
                  user=${user}
                  act=${act}
                  isSource=${session.isSource}
                  level=${session.level}
                  onDialog=${ask}
                />
              `,
            )}
          </div>
          <${Lost} channel=${where?.channel} world=${world} user=${user} session=${session} />
          <div class="talk-foot">
            ${
              typing.length > 0 &&
              html`
                <span class="soft tiny">${typing.join(", ")} types …</span>
              `
            }
            <span class="grow"></span>
            <button
              class="button plain little"
              aria-pressed=${isSource}
              title="Be a client that asks for Markdown instead of HTML; it registers again"
              onClick=${() => {
                save(`source ${side}`, isSource ? "" : "yes");
                setIsSource(!isSource);
              }}
            >
              Source
            </button>
            ${
              unread.length > 0 &&
              html`
                <button
                  class="button plain little"
                  onClick=${() => act("POST", "/messages/flags", { messages: unread, op: "add", flag: "read" })}
                >
                  Mark ${unread.length} read
                </button>
              `
            }
          </div>
          <${Composer}
            user=${user}
            where=${where}
            place=${current}
            draft=${world.drafts.get(draftKey(current)) ?? ""}
            onDraft=${write}
            onLater=${(text) => setDialog({ later: text, where, place: current })}
            act=${act}
            paramsFor=${paramsFor}
            level=${session?.level}
          />
        </div>
      </div>
      <details class="stream" open>
        <summary>
          Events${" "}
          <span class="soft number">${session?.events.length ?? 0}</span>
        </summary>
        <ol tabindex="0" aria-label=${`Events of ${user.full_name}`}>
          ${[...(session?.events ?? [])]
            .reverse()
            .slice(0, 50)
            .map(
              (event) => html`
                <li class="row small">
                  <span class="number soft mono">${event.id ?? ""}</span>
                  <span class="tag accent">${event.type}${event.op ? ` ${event.op}` : ""}</span>
                  <span class="cut grow">
                    <bdi>${event.text ?? eventWords(event, world)}</bdi>
                    ${event.count > 1 ? ` ×${event.count}` : ""}
                  </span>
                </li>
              `,
            )}
        </ol>
      </details>
      ${
        dialog?.later !== undefined &&
        html`
          <${Later}
            world=${world}
            where=${dialog.where}
            draft=${dialog.later}
            level=${session.level}
            act=${act}
            onSent=${() => write(dialog.place, (text) => (text === dialog.later ? "" : text))}
            onClose=${() => setDialog(null)}
          />
        `
      }
      ${
        dialog &&
        dialog.later === undefined &&
        html`
          <${PaneDialog}
            dialog=${dialog}
            world=${world}
            session=${session}
            onClose=${() => setDialog(null)}
            act=${act}
            moveTo=${moveTo}
            paramsFor=${paramsFor}
            onPlace=${setPlace}
          />
        `
      }
    </section>
  `;
}
