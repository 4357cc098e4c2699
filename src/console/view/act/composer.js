// Where a message is written, and files are chosen.
import { html, useEffect, useRef } from "../../lib.js";
import { Icon } from "../../part/icons.js";
import { hasScheduledMessages, typingParams } from "./place.js";

const TYPING_MS = 10_000;

/** `draft` is the text for the conversation `where`; `onDraft` is called with its key and what it becomes. */
export function Composer({ user, where, place, draft: text, onDraft, onLater, act, paramsFor, level }) {
  const typed = useRef(0);
  const file = useRef();
  const box = useRef();
  useEffect(() => {
    typed.current = 0;
  }, [place]);
  const typing = (op) => {
    const params = typingParams(where, op, level);
    if (params) act("POST", "/typing", params, { unrecorded: true });
  };
  const write = (event) => {
    onDraft(place, () => event.target.value);
    if (where && Date.now() - typed.current > TYPING_MS) {
      typed.current = Date.now();
      typing("start");
    }
  };
  const send = async () => {
    if (!text.trim() || !where) return;
    const content = text;
    onDraft(place, () => "");
    typed.current = 0;
    if (!(await act("POST", "/messages", paramsFor(where, content)))) onDraft(place, (now) => now || content);
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
      {
        form,
        file: isText ? { name: chosen.name, text: await chosen.text() } : undefined,
        unrecorded: !isText,
        omitted: `the upload of ${chosen.name}`,
      },
    );
    event.target.value = "";
    if (reply) onDraft(place, (now) => `${now}${now && " "}[${chosen.name}](${reply.url ?? reply.uri})`);
    // Whoever writes elsewhere meanwhile goes on there.
    const { activeElement: focused } = document;
    if (focused === document.body || box.current.contains(focused)) box.current.querySelector("textarea").focus();
  };
  return html`
    <div class="composer" ref=${box}>
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
      ${
        hasScheduledMessages(level) &&
        html`
          <button
            class="button square"
            aria-label="Schedule a message"
            title="Send it later, by the world's clock"
            disabled=${!where}
            onClick=${() => onLater(text)}
          >
            <${Icon} name="agenda" />
          </button>
        `
      }
      <button class="button first square" aria-label="Send" onClick=${send}><${Icon} name="send" /></button>
    </div>
  `;
}
