/** Fixtures and dialects in files, which worlds take as documents. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ChatdoubleError } from "./error.js";
import { nearest } from "./keys.js";
import type { WorldOptions } from "./types.js";

/** The names that need no file. */
export const BUILT_IN = {
  fixture: ["default", "cast", "empty", "hostile", "large"],
  dialect: ["neutral", "zulip"],
} as const;
/** The options of a world that may be in files. */
const IN_FILES = ["fixture", "dialect"] as const;

/** Whether a text can't be a name: it ends in `.json`, or has a separator of paths. */
function isFile(text: unknown): text is string {
  return typeof text === "string" && (text.endsWith(".json") || /[\\/]/.test(text));
}

/**
 * The options of a world with the documents of files in place of their names, which are relative to the current directory. Fails
 * for a file that is missing or no JSON object.
 */
export function withDocuments(options: WorldOptions, where = "", read = documentIn): WorldOptions {
  const found: WorldOptions = {};
  for (const name of IN_FILES) {
    const given = options[name];
    if (isFile(given)) found[name] = read(`${where}${name}`, given);
  }
  return { ...options, ...found };
}

/** The option of a server as one of worlds: a built-in name, or the document of the file that a started server would read. */
export function ofServer(name: (typeof IN_FILES)[number], given: unknown): unknown {
  const names: readonly string[] = BUILT_IN[name];
  if (typeof given !== "string" || names.includes(given)) return given;
  const setting = `serverOptions.${name}`;
  if (isFile(given)) return onceRead(setting, given);
  return onceRead(
    setting,
    given,
    `; it is no built-in ${name} either, of which the nearest is '${nearest(given, names)}'`,
  );
}

/** What this process has read for its tests, by path. */
const documents = new Map<string, object>();

/** The same as `documentIn`, which reads each file once. */
export function onceRead(setting: string, file: string, otherwise = ""): object {
  const path = resolve(file);
  const document = documents.get(path) ?? documentIn(setting, file, otherwise);
  documents.set(path, document);
  return document;
}

/** The JSON object in a file. */
function documentIn(setting: string, file: string, otherwise = ""): object {
  const path = resolve(file);
  const refused = (reason: string) => new ChatdoubleError(`${setting}: ${path} ${reason}${otherwise}`);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    // The message ends with the call and the path.
    throw refused(`can't be read: ${(error as Error).message.split(", ")[0]}`);
  }
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw refused(`is not JSON: ${(error as Error).message}`);
  }
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw refused("is not a JSON object");
  return document;
}
