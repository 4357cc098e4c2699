// Act as: two people side by side, each over the public API alone; what is clicked is recorded.
import {
  clock as clockText,
  copy,
  download,
  handle,
  html,
  plural,
  span,
  useEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from "../lib.js";
import { toasts } from "../store.js";
import { zoneNow } from "../bar.js";
import { Recording, scenarioOf } from "../record.js";
import { Session } from "../session.js";
import { Dialog, Face, Item, Menu, Name } from "../part/common.js";
import { Icon } from "../part/icons.js";
import { eventWords, topicName } from "../part/words.js";

const EMOJI = ["thumbs_up", "heart", "tada", "working_on_it", "octopus"];
const GLYPHS = {
  thumbs_up: "👍",
  "+1": "👍",
  heart: "❤️",
  tada: "🎉",
  working_on_it: "🛠️",
  octopus: "🐙",
  smile: "😄",
  wave: "👋",
};
const TYPING_MS = 10_000;
const isDirect = (message) => message.type === "private" || message.type === "direct";
const recordings = new Map();

function recordingOf(world) {
  if (!recordings.has(world.name)) recordings.set(world.name, new Recording());
  return recordings.get(world.name);
}

/** A place to talk in: a topic of a channel, or some people. */
const placeOf = (message) =>
  isDirect(message)
    ? `d ${[...new Set(message.display_recipient.map((one) => one.id))].sort((a, b) => a - b)}`
    : `c ${message.stream_id} ${message.subject}`;

function Pane({ world, recording, side, initial, onUser, onRecorded }) {
  const [user, setUser] = useState(initial);
  const [, again] = useReducer((count) => count + 1, 0);
  const [session, setSession] = useState(null);
  const [place, setPlace] = useState(null);
  const [dialog, setDialog] = useState(null);
  const [over, setOver] = useState(null);
  const list = useRef();
  useEffect(() => {
    const opened = new Session(world.name, user, again);
    setSession(opened);
    setPlace(null);
    onUser(side, user);
    return () => opened.close();
  }, [user.email, user.api_key]);
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
  useEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [current, shown.length]);

  const act = async (method, path, params, options = {}) => {
    const step = { user: user.email, method, path, params, status: 200, began: Date.now(), file: options.file };
    try {
      step.reply = await session.call(method, path, params, options);
    } catch (error) {
      Object.assign(step, { status: error.status ?? 0, code: error.code });
      toasts.show(
        `${handle(user.email)}: ${error.hint ? `${error.message} ${error.hint}` : error.message || "no reply"}`,
        "bad",
      );
    }
    if (!options.unrecorded) {
      recording.request(step);
      onRecorded();
    }
    return step.reply;
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
    there.people
      ? { type: "direct", to: there.people, content }
      : {
          type: "channel",
          to: world.channelsById.get(there.channel)?.name ?? there.channel,
          topic: there.topic,
          content,
        };
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
  const unread = shown.filter((message) => !message.flags.includes("read")).map((message) => message.id);
  const typing = [...(session?.typing ?? [])]
    .filter(([id]) => id !== user.user_id)
    .map(([id]) => world.byId.get(id)?.full_name ?? id);
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
          ${listening ? "listening" : (session?.state ?? "")}
        </span>
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
                        : topicName(one.message.subject)
                    }
                  </bdi>
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
                <p class="soft small pad">
                  ${listening ? "Nothing here yet. Write the first message." : session?.state}
                </p>
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
                  onDialog=${setDialog}
                />
              `,
            )}
          </div>
          <div class="talk-foot">
            ${
              typing.length > 0 &&
              html`
                <span class="soft tiny">${typing.join(", ")} types …</span>
              `
            }
            <span class="grow"></span>
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
          <${Composer} user=${user} where=${target()} act=${act} paramsFor=${paramsFor} />
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
                  <span class="cut grow"><bdi>${event.text ?? eventWords(event, world)}</bdi></span>
                </li>
              `,
            )}
        </ol>
      </details>
      ${
        dialog &&
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

function Message({ message, world, user, act, onDialog }) {
  const sender = world.byId.get(message.sender_id) ?? {
    full_name: message.sender_full_name,
    user_id: message.sender_id,
    is_active: true,
  };
  const mine = message.sender_id === user.user_id;
  const grouped = new Map();
  for (const one of message.reactions)
    grouped.set(one.emoji_name, [...(grouped.get(one.emoji_name) ?? []), one.user_id]);
  const react = (name) => {
    const has = grouped.get(name)?.includes(user.user_id);
    act(has ? "DELETE" : "POST", `/messages/${message.id}/reactions`, { emoji_name: name });
  };
  return html`
    <article
      class=${`message ${message.flags.includes("read") ? "" : "unread"}`}
      draggable=${!isDirect(message)}
      data-message=${message.id}
      onDragStart=${(event) => {
        event.dataTransfer.setData("text/x-message", String(message.id));
        event.dataTransfer.effectAllowed = "move";
      }}
    >
      <${Face} user=${sender} />
      <div class="grow">
        <div class="message-head">
          <b class="cut"><${Name}>${sender.full_name}<//></b>
          <span class="soft tiny number">
            ${clockText(message.timestamp, zoneNow()).slice(0, 5)}${message.last_edit_timestamp ? ", edited" : ""}
          </span>
        </div>
        <div class="wrap message-text"><bdi>${message.content}</bdi></div>
        ${
          grouped.size > 0 &&
          html`
            <div class="rows reactions">
              ${[...grouped].map(
                ([name, ids]) => html`
                  <button
                    class="reaction"
                    aria-pressed=${ids.includes(user.user_id)}
                    title=${name}
                    onClick=${() => react(name)}
                  >
                    ${GLYPHS[name] ?? `:${name}:`} ${ids.length}
                  </button>
                `,
              )}
            </div>
          `
        }
      </div>
      <${Menu} label=${`Act on message ${message.id}`} icon="down">
        <div class="rows pad-s">
          ${EMOJI.map(
            (name) => html`
              <button
                class="button plain little square"
                aria-label=${`React with ${name}`}
                onClick=${() => react(name)}
              >
                ${GLYPHS[name]}
              </button>
            `,
          )}
        </div>
        ${
          !isDirect(message) &&
          html`
            <${Item} icon="next" onClick=${() => onDialog({ move: message })}>Move …<//>
          `
        }
        <${Item} icon="pen" onClick=${() => onDialog({ edit: message })}>Edit …<//>
        <${Item}
          icon="live"
          onClick=${() => act("POST", "/messages/flags", { messages: [message.id], op: message.flags.includes("read") ? "remove" : "add", flag: "read" })}
        >
          ${message.flags.includes("read") ? "Mark unread" : "Mark read"}
        <//>
        <${Item}
          icon="agenda"
          onClick=${() => act("POST", "/reminders", { message_id: message.id, scheduled_delivery_timestamp: Math.floor(world.time()) + 3600 }, { unrecorded: true })}
        >
          Remind in one hour
        <//>
        <${Item} icon="bin" bad onClick=${() => act("DELETE", `/messages/${message.id}`, {})}>
          Delete${mine ? "" : " (not one’s own)"}
        <//>
      <//>
    </article>
  `;
}

function Composer({ user, where, act, paramsFor }) {
  const [text, setText] = useState("");
  const typed = useRef(0);
  const file = useRef();
  const typing = (op) => {
    const place = where.people
      ? { type: "direct", to: where.people }
      : { type: "channel", stream_id: where.channel, topic: where.topic };
    act("POST", "/typing", { op, ...place }, { unrecorded: true });
  };
  const write = (event) => {
    setText(event.target.value);
    if (where && Date.now() - typed.current > TYPING_MS) {
      typed.current = Date.now();
      typing("start");
    }
  };
  const send = async () => {
    if (!text.trim() || !where) return;
    const content = text;
    setText("");
    typed.current = 0;
    if (!(await act("POST", "/messages", paramsFor(where, content)))) setText((now) => now || content);
  };
  const upload = async (event) => {
    const [chosen] = event.target.files;
    if (!chosen) return;
    const form = new FormData();
    form.set("file", chosen, chosen.name);
    const isText = /^text\//.test(chosen.type) && chosen.size < 4096;
    const reply = await act(
      "POST",
      "/user_uploads",
      {},
      { form, file: isText ? { name: chosen.name, text: await chosen.text() } : undefined, unrecorded: !isText },
    );
    event.target.value = "";
    if (reply) setText((now) => `${now}${now && " "}[${chosen.name}](${reply.url})`);
  };
  return html`
    <div class="composer">
      <textarea
        class="input grow"
        rows="1"
        aria-label=${`Message as ${user.full_name}`}
        placeholder=${where ? "Write a message, Enter sends" : "Choose a conversation"}
        value=${text}
        onInput=${write}
        onKeyDown=${(event) => {
          if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            send();
          }
        }}
      ></textarea>
      <input type="file" hidden ref=${file} onChange=${upload} />
      <button class="button square" aria-label="Upload a file" onClick=${() => file.current.click()}>
        <${Icon} name="clip" />
      </button>
      <button class="button first square" aria-label="Send" onClick=${send}><${Icon} name="send" /></button>
    </div>
  `;
}

function PaneDialog({ dialog, world, session, onClose, act, moveTo, paramsFor, onPlace }) {
  const channels = session.channels;
  const choice = (value) => html`
    <label class="field">
      Channel
      <select class="input" name="channel">
        ${channels.map(
          (one) => html`
            <option value=${one.id} selected=${one.id === value}>${one.name}</option>
          `,
        )}
      </select>
    </label>
  `;
  if (dialog.edit) {
    return html`
      <${Dialog}
        title="Edit message"
        submit="Save"
        onClose=${onClose}
        onSubmit=${async (form) => {
          await act("PATCH", `/messages/${dialog.edit.id}`, { content: form.get("content") });
          onClose();
        }}
      >
        <label class="field">
          Text
          <textarea class="input" name="content" rows="5" defaultValue=${dialog.edit.content}></textarea>
        </label>
      <//>
    `;
  }
  if (dialog.move) {
    return html`
      <${Dialog}
        title="Move message"
        submit="Move"
        onClose=${onClose}
        onSubmit=${(form) => {
          moveTo(dialog.move.id, { channel: Number(form.get("channel")), topic: form.get("topic") }, form.get("mode"));
          onClose();
        }}
      >
        ${choice(dialog.move.stream_id)}
        <label class="field">
          Topic
          <input class="input" name="topic" defaultValue=${dialog.move.subject} />
        </label>
        <label class="field">
          Which
          <select class="input" name="mode">
            <option value="change_one">this message</option>
            <option value="change_later">this and later ones</option>
            <option value="change_all">all of the topic</option>
          </select>
        </label>
      <//>
    `;
  }
  const start = async (form) => {
    const people = form.getAll("people").map(Number);
    const there = people.length ? { people } : { channel: Number(form.get("channel")), topic: form.get("topic") };
    const reply = await act("POST", "/messages", paramsFor(there, form.get("content")));
    if (reply) {
      onPlace(people.length ? null : `c ${there.channel} ${there.topic}`);
      onClose();
    }
  };
  return html`
    <${Dialog} title="New conversation" submit="Send" onClose=${onClose} onSubmit=${start}>
      ${choice(channels[0]?.id)}
      <label class="field">
        Topic
        <input class="input" name="topic" defaultValue="something new" />
      </label>
      <label class="field">
        or direct, to
        <select class="input tall" name="people" multiple size="4">
          ${world.users
            .filter((one) => one.is_active && !one.is_system)
            .slice(0, 300)
            .map(
              (one) => html`
                <option value=${one.user_id}>${one.full_name}</option>
              `,
            )}
        </select>
      </label>
      <label class="field">
        Message
        <textarea class="input" name="content" rows="3" required></textarea>
      </label>
    <//>
  `;
}

function Export({ world, recording, observer, onClose }) {
  const [title, setTitle] = useState("A story from the console");
  const [whole, setWhole] = useState(false);
  const began = recording.state;
  const name =
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || "story";
  const text = scenarioOf(recording, world, {
    title,
    before: began?.messages ?? [],
    observer,
    fixture: whole && began?.document ? `${name}.json` : null,
    now: new Date((began?.now ?? world.time()) * 1000).toISOString().replace(/\.\d+Z$/, "Z"),
  });
  const save = () => {
    download(`${name}.md`, text, "text/markdown");
    if (whole && began?.document) download(`${name}.json`, JSON.stringify(began.document), "application/json");
  };
  return html`
    <${Dialog} title="Export as scenario" onClose=${onClose}>
      <label class="field">
        Title
        <input class="input" value=${title} onInput=${(event) => setTitle(event.target.value)} />
      </label>
      <label class="check">
        <input type="checkbox" checked=${whole} onChange=${(event) => setWhole(event.target.checked)} />
        With the world as it was when the recording began, in a second file
      </label>
      <p class="soft small">
        Without it the story is played in the built-in organization. What ${handle(observer)} was told is what is
        expected.
      </p>
      <pre class="code export" tabindex="0">${text}</pre>
      <div class="row">
        <button type="button" class="button first" onClick=${save}>Download</button>
        <button type="button" class="button" onClick=${() => copy(text, toasts.show, "Scenario")}>
          <${Icon} name="copy" size="14" />
          Copy
        </button>
        <code class="soft cut">chatdouble scenario run ${name}.md</code>
      </div>
    <//>
  `;
}

export function ActView({ world }) {
  const recording = recordingOf(world);
  const [, again] = useReducer((count) => count + 1, 0);
  const [exports, setExports] = useState(false);
  const people = world.users.filter((user) => user.is_active && !user.is_bot);
  const chosen = useRef([]);
  const first = useMemo(() => {
    const asked = world.actAs && world.byEmail.get(world.actAs);
    const members = [...people.filter((user) => user.role === "member"), ...people];
    const one = asked ?? members[0];
    return [one, members.find((user) => user !== one) ?? one];
  }, []);
  const begin = async () => {
    const [{ messages }, { state }] = await Promise.all([
      world.call("GET", "/messages?limit=1000"),
      world.call("GET", "/state"),
    ]);
    recording.state = { messages, document: world.row.messages > 20_000 ? null : state, now: world.time() };
    again();
  };
  useEffect(() => {
    let was = world.time();
    const timer = setInterval(() => {
      was = world.time();
    }, 500);
    if (!recording.state) begin().catch(() => {});
    world.onMoved = (body) => {
      if (body.running === undefined) {
        recording.jump(world.time() - was);
        was = world.time();
        again();
      }
    };
    return () => {
      clearInterval(timer);
      world.onMoved = null;
    };
  }, []);
  if (!first[0])
    return html`
      <div class="empty">
        <h2>Nobody to act as</h2>
        <p>This world has no active people.</p>
      </div>
    `;
  return html`
    <div class="act-bar">
      <h1>Act as</h1>
      <span class=${`tag ${recording.steps.length ? "bad" : ""}`}>
        <${Icon} name="record" size="11" />
        ${recording.steps.length ? plural(recording.steps.length, "step") : "recording"}
      </span>
      <span class="soft small cut grow">
        ${recording.steps.length ? describe(recording.steps.at(-1)) : "Send, drag a message onto another conversation, react, jump. What you do is recorded."}
      </span>
      <button
        class="button little"
        disabled=${!recording.steps.length}
        onClick=${() => {
          recording.clear();
          begin();
          again();
        }}
      >
        <${Icon} name="bin" size="13" />
        Forget
      </button>
      <button class="button little first" disabled=${!recording.steps.length} onClick=${() => setExports(true)}>
        Export as scenario
      </button>
    </div>
    <div class="panes">
      ${first.map(
        (user, side) => html`
          <${Pane}
            key=${side}
            side=${side}
            world=${world}
            recording=${recording}
            initial=${user}
            onRecorded=${again}
            onUser=${(at, one) => {
              chosen.current[at] = one;
            }}
          />
        `,
      )}
    </div>
    ${
      exports &&
      html`
        <${Export}
          world=${world}
          recording=${recording}
          observer=${(chosen.current[1] ?? first[1]).email}
          onClose=${() => setExports(false)}
        />
      `
    }
  `;
}

const describe = (step) =>
  step.kind === "jump"
    ? `Last: jumped ${span(step.seconds)}`
    : `Last: ${handle(step.user)} ${step.method} ${step.path}${step.status === 200 ? "" : ` refused, ${step.status}`}`;
