// What is asked before a message is edited or moved, and to begin a conversation.
import { html } from "../../lib.js";
import { Dialog, Keys } from "../../part/common.js";

export function PaneDialog({ dialog, world, session, onClose, act, moveTo, paramsFor, onPlace }) {
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
        <${Keys} does="saves it" />
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
      const all = [...new Set([...people, session.user.user_id])].sort((one, other) => one - other);
      onPlace(people.length ? `d ${all}` : `c ${there.channel} ${there.topic}`);
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
      <${Keys} does="sends it" />
    <//>
  `;
}
