// Faults: which are in force, how often they fired, and new ones without writing JSON.
import { handle, html, plural, useEffect, useLayoutEffect, useRef, useState } from "../lib.js";
import { attempt, toasts } from "../store.js";
import { control } from "../control.js";
import { Preset } from "../part/common.js";
import { Icon } from "../part/icons.js";
import { presets } from "../part/presets.js";
import { effectWords } from "../part/words.js";
import { Networks } from "./networks.js";

const EFFECTS = [
  ["error", "Fail with a status", "Nothing is done."],
  ["rate_limit", "Limit the rate", "429 with retry-after; nothing is done."],
  ["drop_after", "Lose the reply", "Carried out, then the connection closes."],
  ["drop_before", "Lose the request", "The connection closes; nothing is done."],
  ["delay", "Delay the reply", "Carried out at once; the reply comes later, in real time."],
  ["truncate", "Break the reply off", "The body ends in the middle."],
  ["garbage", "Answer with a proxy’s page", "Carried out; HTML instead of JSON."],
  ["gateway", "Answer with a gateway’s page", "502 and HTML, as while a server restarts; nothing is done."],
  ["pseudo_localize", "Translate failures", "Carried out; msg of a failed reply in accented letters."],
  ["lose_queue", "Lose the caller’s queues", "Then the request goes on."],
  ["repeat", "Repeat events", "For polls: acknowledged events come again."],
  ["hold", "Hold events back", "For polls: an empty reply; the events come with the next one."],
  ["one_by_one", "One event per reply", "For polls."],
  ["unknown", "An unknown event", "For polls: a type that no client knows."],
  ["bouncer", "Push relay unreachable", "For operations of pushes."],
];
let operations = null;

async function known() {
  operations ??= control("GET", "/openapi.json").then((document) =>
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.keys(methods).map((method) => method.toUpperCase()),
    ]),
  );
  return operations;
}

function effectOf(form) {
  const kind = form.get("effect");
  const number = (name, otherwise) => Number(form.get(name) || otherwise);
  return (
    {
      // What is left empty is that of the status.
      error: () => {
        const given = ["code", "msg"].filter((name) => form.get(name)).map((name) => [name, form.get(name)]);
        return { error: { status: number("status", 500), ...Object.fromEntries(given) } };
      },
      rate_limit: () => ({ rate_limit: { retry_after: number("retry", 5) } }),
      drop_after: () => ({ drop: "after" }),
      drop_before: () => ({ drop: "before" }),
      delay: () => ({ delay_ms: number("ms", 3000) }),
      truncate: () => ({ truncate_at: number("bytes", 20) }),
      garbage: () => ({ garbage: true }),
      gateway: () => ({ gateway: 502 }),
      pseudo_localize: () => ({ pseudo_localize: true }),
      lose_queue: () => ({ lose_queue: true }),
      bouncer: () => ({ bouncer: "unreachable" }),
    }[kind]?.() ?? { events: kind }
  );
}

function ruleOf(form) {
  const match = Object.fromEntries(
    ["user", "method", "path"].filter((name) => form.get(name)).map((name) => [name, form.get(name)]),
  );
  const params = (form.get("params") ?? "")
    .split("\n")
    .map((line) => line.match(/^\s*([^=:]+?)\s*[=:]\s*(.*)$/))
    .filter(Boolean);
  if (params.length) match.params = Object.fromEntries(params.map(([, name, text]) => [name, text]));
  return {
    ...(Object.keys(match).length ? { match } : {}),
    ...(form.get("after") ? { after: Number(form.get("after")) } : {}),
    ...(form.get("probability") ? { probability: Number(form.get("probability")) / 100 } : {}),
    ...(form.get("times") ? { times: Number(form.get("times")) } : {}),
    effect: effectOf(form),
  };
}

/** Fields of the form by what control says of a rule: the path of the value, or a key in it. */
const FIELDS = [
  [/^\$\.match\.(user|method|path|params)/, (found) => found[1]],
  [/^\$\.(times|after|probability)/, (found) => found[1]],
  [/^\$\.effect\.error/, () => "status"],
  [/^\$\.effect\.rate_limit/, () => "retry"],
  [/^\$\.effect\.delay_ms/, () => "ms"],
  [/^\$\.effect\.truncate_at/, () => "bytes"],
];

/** Shows a refusal at the field that it is about; false if there is none. */
function shownAtField(form, message) {
  const name = FIELDS.map(([pattern, of]) => (pattern.test(message) ? of(pattern.exec(message)) : null)).find(Boolean);
  const field = name && form.elements[name];
  if (!field) return false;
  field.setCustomValidity(message.replace(/^\$\S*: /, ""));
  form.addEventListener("input", () => field.setCustomValidity(""), { once: true });
  field.reportValidity();
  return true;
}

function inWords(rule) {
  const match = rule.match ?? {};
  const matched = [match.user ? handle(match.user) : "anybody", match.method ?? "", match.path ?? "anything"]
    .filter(Boolean)
    .join(" ");
  return {
    effect: effectWords(rule.effect),
    matched,
    params: match.params,
    often: [
      rule.times ? plural(rule.times, "time") : "until removed",
      rule.after && `after ${rule.after}`,
      rule.probability < 1 && `${Math.round(rule.probability * 100)} %`,
    ]
      .filter(Boolean)
      .join(", "),
  };
}

export function FaultsView({ world }) {
  const draft = world.faultDraft?.match ?? {};
  const [paths, setPaths] = useState([]);
  const [kind, setKind] = useState("error");
  useEffect(() => {
    known().then(setPaths, () => {});
  }, []);
  const formRef = useRef(null);
  useLayoutEffect(() => {
    if (!world.faultDraft) return;
    formRef.current.elements.method.value = draft.method ?? "";
    formRef.current.scrollIntoView({ block: "nearest" });
    formRef.current.elements.path.focus();
  }, [world.faultDraft]);
  const install = async (rule, form) => {
    const armed = () => world.call("POST", "/faults", rule);
    const reply = await attempt(async () => {
      if (!form) return armed();
      return armed().catch((error) => {
        if (!shownAtField(form, error.message)) throw error;
      });
    });
    if (reply) {
      toasts.show(`${reply.fault_id} is armed: ${inWords(rule).effect}`);
      world.refresh("faults", 0);
      world.faultDraft = null;
    }
  };
  const remove = async (path) => {
    if (await attempt(() => world.call("DELETE", path))) world.refresh("faults", 0);
  };
  const input = (name, label, more) => html`
    <label class="field">
      ${label}
      <input class="input" name=${name} ...${more} />
    </label>
  `;
  return html`
    <div class="page">
      <div class="page-head">
        <h1>Faults</h1>
        <span class="grow"></span>
        ${
          world.faults.length > 0 &&
          html`
            <button class="button" onClick=${() => remove("/faults")}>
              <${Icon} name="bin" size="14" />
              Remove all
            </button>
          `
        }
        <p class="about">
          Rules are tried in order; the first that fires applies, alone. Nothing else goes wrong here by itself.
        </p>
      </div>
      <div class="presets" role="group" aria-label="Presets">
        ${presets(world.level).map(
          ([name, rule, says]) => html`
            <${Preset} name=${name} says=${says} icon="faults" onClick=${() => install(rule)} />
          `,
        )}
      </div>
      ${
        world.faults.length > 0 &&
        html`
          <div class="card scrolls">
            <table class="list">
              <thead>
                <tr>
                  <th>Fault</th>
                  <th>Who and what</th>
                  <th>Effect</th>
                  <th>How often</th>
                  <th>Fired</th>
                  <th>Passed</th>
                  <th><span class="unseen">Actions</span></th>
                </tr>
              </thead>
              <tbody>
                ${world.faults.map((fault) => {
                  const said = inWords(fault);
                  const spent = fault.times && fault.fired >= fault.times;
                  return html`
                    <tr key=${fault.fault_id}>
                      <td>
                        <b>${fault.fault_id}</b>
                        ${" "}
                        <span class=${`tag ${spent ? "" : "warn"}`}>${spent ? "spent" : "armed"}</span>
                      </td>
                      <td class="mono">
                        ${said.matched}${
                          said.params &&
                          html`
                            <div class="soft tiny">${JSON.stringify(said.params)}</div>
                          `
                        }
                      </td>
                      <td>${said.effect}</td>
                      <td>${said.often}</td>
                      <td class="number"><b>${fault.fired}</b></td>
                      <td class="number">${fault.passed}</td>
                      <td>
                        <button
                          class="button little square"
                          aria-label=${`Remove ${fault.fault_id}`}
                          onClick=${() => remove(`/faults/${fault.fault_id}`)}
                        >
                          <${Icon} name="close" size="12" />
                        </button>
                      </td>
                    </tr>
                  `;
                })}
              </tbody>
            </table>
          </div>
        `
      }
      <${Networks} world=${world} />
      <form
        class="card"
        ref=${formRef}
        onSubmit=${(event) => {
          event.preventDefault();
          install(ruleOf(new FormData(event.target)), event.target);
        }}
      >
        <header><h2>New fault</h2></header>
        <div class="body stack">
          <div class="halves">
            <label class="field">
              Who
              <select class="input" name="user">
                <option value="">anybody</option>
                ${world.users.slice(0, 500).map(
                  (user) => html`
                    <option value=${user.email} selected=${handle(user.email) === draft.user}>${user.full_name}</option>
                  `,
                )}
              </select>
            </label>
            <label class="field">
              Method
              <select class="input" name="method">
                <option value="">any</option>
                ${["GET", "POST", "PATCH", "PUT", "DELETE"].map(
                  (method) => html`
                    <option value=${method}>${method}</option>
                  `,
                )}
              </select>
            </label>
            <label class="field">
              Operation or files
              <input
                class="input"
                name="path"
                list="operations"
                placeholder="/messages"
                defaultValue=${draft.path ?? ""}
                spellcheck="false"
              />
              <datalist id="operations">
                ${[
                  ...paths.map(
                    ([path, methods]) => html`
                      <option value=${path} label=${methods.join(", ")} />
                    `,
                  ),
                  ...["/user_uploads/*", "/user_avatars/*", "/avatar/*", "/static/*"].map(
                    (path) => html`
                      <option value=${path} />
                    `,
                  ),
                ]}
              </datalist>
            </label>
            <label class="field">
              Parameters, one per line
              <textarea class="input" name="params" rows="1" placeholder="topic=lunch"></textarea>
            </label>
          </div>
          <div class="halves">
            <label class="field">
              Effect
              <select class="input" name="effect" value=${kind} onChange=${(event) => setKind(event.target.value)}>
                ${EFFECTS.map(
                  ([name, text]) => html`
                    <option value=${name}>${text}</option>
                  `,
                )}
              </select>
            </label>
            ${
              kind === "error" &&
              html`
                ${input("status", "Status", { type: "number", min: 400, max: 599, defaultValue: 500 })}${input("code", "Code", { placeholder: "that of the status" })}${input("msg", "Message", { placeholder: "that of the status" })}
              `
            }
            ${kind === "rate_limit" && input("retry", "Retry after, seconds", { type: "number", defaultValue: 5, step: "any" })}${kind === "delay" && input("ms", "Milliseconds", { type: "number", defaultValue: 3000 })}${kind === "truncate" && input("bytes", "Bytes", { type: "number", defaultValue: 20 })}
          </div>
          <p class="soft small">${EFFECTS.find(([name]) => name === kind)[2]}</p>
          <div class="halves">
            ${input("times", "How often", { type: "number", min: 1, placeholder: "until removed" })}${input("after", "Let pass first", { type: "number", min: 0, placeholder: "0" })}${input("probability", "Chance, %", { type: "number", min: 1, max: 100, placeholder: "100" })}
          </div>
          <div class="row"><button class="button first">Arm it</button></div>
        </div>
      </form>
    </div>
  `;
}
