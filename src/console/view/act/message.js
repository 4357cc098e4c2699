// A message, with what can be done about it.
import { clock as clockText, day, html } from "../../lib.js";
import { zoneNow } from "../../bar.js";
import { Face, Item, Menu, Name } from "../../part/common.js";
import { Rendered } from "../../part/rendered.js";
import { hasReminders, isDirect } from "./place.js";

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

/** The day of a message that is not of the world's present one. */
function dayUnlessToday(timestamp, world) {
  const said = day(timestamp, zoneNow());
  return said === day(world.time(), zoneNow()) ? "" : `${said}, `;
}

export function Message({ message, world, user, act, isSource, level, onDialog }) {
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
            ${dayUnlessToday(message.timestamp, world)}${clockText(message.timestamp, zoneNow()).slice(0, 5)}${message.last_edit_timestamp ? ", edited" : ""}
          </span>
        </div>
        ${
          isSource
            ? html`
                <div class="wrap message-text"><bdi>${message.content}</bdi></div>
              `
            : html`
                <div class="message-text"><${Rendered} text=${message.content} /></div>
              `
        }
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
      <${Menu} label=${`Act on message ${message.id}`} icon="down" floats>
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
        ${
          hasReminders(level) &&
          html`
            <${Item}
              icon="agenda"
              onClick=${() => act("POST", "/reminders", { message_id: message.id, scheduled_delivery_timestamp: Math.floor(world.time()) + 3600 })}
            >
              Remind in one hour
            <//>
          `
        }
        <${Item} icon="bin" bad onClick=${() => act("DELETE", `/messages/${message.id}`, {})}>
          Delete${mine ? "" : " (not one’s own)"}
        <//>
      <//>
    </article>
  `;
}
