/** The client whose events are recorded, and what it never receives. */

import { ChatdoubleError } from "./error.js";
import { OLDER_EVENT_KEYS } from "./event-keys.gen.js";
import { EVENT_TYPES } from "./event-types.js";

/** A client of one user, or all clients: their events are recorded as for a client with all capabilities. */
export interface RecordedClient {
  /** Whether the recorder has the events of one user. */
  isOfUser: boolean;
  /** Whether it receives the contents of messages in HTML. */
  isHtml: boolean;
  /** The types of events that it receives, if it names some. */
  types: readonly string[] | undefined;
  /** Its capabilities: those of a client of one user, or null for all. */
  capabilities: Readonly<Record<string, unknown>> | null;
  /** The events of the world's level; undefined where no document declares them. */
  declared: () => Promise<DeclaredEvents | undefined>;
}

/** The events of a feature level. */
export interface DeclaredEvents {
  level: number;
  /** The keys of each type. */
  keys: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Keys of events that depend on a capability: type, key, capability, and whether the client needs it or must lack it. */
const KEYS_BY_CAPABILITY = [
  ["delete_message", "message_ids", "bulk_message_deletion", true],
  ["delete_message", "message_id", "bulk_message_deletion", false],
  ["presence", "presences", "simplified_presence_events", true],
  ["presence", "presence", "simplified_presence_events", false],
  ["presence", "user_id", "simplified_presence_events", false],
  ["presence", "email", "simplified_presence_events", false],
  ["presence", "server_timestamp", "simplified_presence_events", false],
] as const;

/** Throws for a key that only clients with other capabilities receive; `recorded` are the events that came. */
export function checkCapabilities(client: RecordedClient, pattern: object, recorded: readonly any[]): void {
  const { type, ...parts } = pattern as { type?: unknown };
  for (const [kind, key, capability, isNeeded] of KEYS_BY_CAPABILITY) {
    if (type !== kind || !(key in parts) || recorded.some((event) => event.type === type && key in event)) continue;
    const isGiven = client.capabilities === null || client.capabilities[capability] === true;
    if (isGiven === isNeeded) continue;
    const other = KEYS_BY_CAPABILITY.find((row) => row[0] === kind && row[3] === isGiven)?.[1];
    const whose = client.isOfUser
      ? `the recorded client has the capability ${capability} ${isGiven ? "on" : "off"}`
      : `recordEvents() of all users records events as for a client with ${capability}`;
    const remedy = client.isOfUser ? `, or give register: { client_capabilities: { ${capability}: ${isNeeded} } }` : "";
    throw new ChatdoubleError(
      `${whose}, so that its events of the type '${kind}' have no '${key}'; expect '${other}'${remedy}`,
    );
  }
}

/** Throws for a type or a key that the world's level does not have. */
export async function checkLevel(client: RecordedClient, pattern: object, recorded: readonly any[]): Promise<void> {
  const { type, message: _message, ...parts } = pattern as { type?: unknown; message?: unknown };
  if (!client.isOfUser || !(EVENT_TYPES as readonly unknown[]).includes(type)) return;
  const alike = recorded.filter((event) => event.type === type);
  if (alike.length > 0) return;
  const declared = await client.declared();
  if (declared === undefined) return;
  const known = declared.keys.get(type as string);
  if (known === undefined)
    throw new ChatdoubleError(`at feature level ${declared.level} there are no events of the type '${type}'`);
  const older: readonly string[] = OLDER_EVENT_KEYS[type as keyof typeof OLDER_EVENT_KEYS] ?? [];
  for (const key of Object.keys(parts))
    // Of keys that only older levels have, the documents do not know all.
    if (!known.has(key) && !older.includes(key))
      throw new ChatdoubleError(`at feature level ${declared.level} an event of the type '${type}' has no '${key}'`);
}

/** What the document of an API declares; undefined if it is none. */
export function declaredEvents(level: number, document: any): DeclaredEvents | undefined {
  const schemas: Record<string, any> | undefined = document?.components?.schemas;
  if (schemas === undefined) return undefined;
  const keys = new Map<string, Set<string>>();
  for (const [name, schema] of Object.entries(schemas)) {
    const [prefix, type] = name.split(".");
    if (prefix !== "event" || type === undefined) continue;
    const known = keys.get(type) ?? new Set<string>();
    for (const key of Object.keys(schema.properties ?? {})) known.add(key);
    keys.set(type, known);
  }
  return { level, keys };
}
