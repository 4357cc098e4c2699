/** Code shared by the fixtures of all test runners. */

import { serverOfRun } from "./run.js";
import type { StartOptions } from "./start.js";
import type {
  Assertion,
  Finding,
  FindingFilter,
  JournalEntry,
  ReportedClient,
  Waiting,
  WorldOptions,
} from "./types.js";
import { ChatdoubleError } from "./error.js";
import type { World } from "./world.js";

/** How many journal entries a failed test shows. */
const SHOWN = 10;

/** Makes a world for a test: a fork of `default`, or as the options say. */
export async function worldFor(label: string, wanted: WorldOptions, serve: StartOptions = {}): Promise<World> {
  const server = await serverOfRun(serve);
  const origin = wanted.fixture === undefined ? { forkOf: "default" } : {};
  return server.createWorld({ label, ...origin, ...wanted });
}

/** Deletes a test's world; if the test failed, prints the last journal entries first. */
export async function end(world: World, failed: boolean, print: (text: string) => void): Promise<void> {
  if (failed) {
    const entries = await world.journal.entries({ limit: SHOWN }).catch(() => []);
    if (entries.length > 0)
      print(`The last requests to ${world.name}:\n${entries.map((entry) => `  ${line(entry)}`).join("\n")}`);
  }
  // A test may have deleted it.
  await world.delete().catch((error: ChatdoubleError) => {
    if (error.status !== 404) throw error;
  });
}

/** A request, and below it why it was refused. */
function line(entry: JournalEntry): string {
  const params = Object.entries(entry.params).map(([name, value]) => `${name}=${short(value)}`);
  const fault = entry.fault ? `(${entry.fault})` : "";
  const words = [entry.status, entry.method, entry.path, entry.user, ...params, fault];
  const reply = entry.reply as { msg?: unknown } | null;
  const reasons = [entry.status >= 400 ? reply?.msg : undefined, entry.hint].filter(Boolean);
  return [words.filter((word) => word !== null && word !== "").join(" "), ...reasons].join("\n      ");
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The matcher `toHaveReceived`: checks at once, or waits for the given time. */
export async function toHaveReceived(
  this: { isNot?: boolean },
  world: World,
  assertion: Assertion,
  waiting: Waiting = {},
): Promise<{ pass: boolean; message: () => string }> {
  const isAwaited = waiting.timeoutMs !== undefined && !this.isNot;
  try {
    const count = isAwaited ? await world.journal.waitFor(assertion, waiting) : await world.journal.verify(assertion);
    return { pass: true, message: () => `${world.name} received ${count} such requests: ${JSON.stringify(assertion)}` };
  } catch (error) {
    if (!(error instanceof ChatdoubleError) || error.code !== "VERIFICATION_FAILED") throw error;
    return { pass: false, message: () => `${error.message}\n${JSON.stringify(assertion)}` };
  }
}

const SEVERITIES: Finding["severity"][] = ["note", "warning", "error"];

/** The matcher `toHaveNoFindings`: what the world's clients did until now. */
export async function toHaveNoFindings(
  world: World,
  { severity = "warning", except = [] }: FindingFilter = {},
): Promise<{ pass: boolean; message: () => string }> {
  const counts = (finding: Finding) =>
    SEVERITIES.indexOf(finding.severity) >= SEVERITIES.indexOf(severity) && !except.includes(finding.rule);
  const { clients } = await world.report();
  const found = clients.flatMap((client) =>
    client.findings.filter(counts).map((finding) => findingText(client, finding)),
  );
  const message = () =>
    found.length > 0
      ? `${world.name} has findings:\n${found.join("\n")}`
      : `${world.name} has no findings, and should have some`;
  return { pass: found.length === 0, message };
}

function findingText(client: ReportedClient, finding: Finding): string {
  const { severity, rule, message, count, first, help } = finding;
  const id = first.journalId === null ? "" : ` (journal ${first.journalId})`;
  const who = `${client.client}${client.user ? ` (${client.user})` : ""}`;
  return `  ${severity} ${rule}: ${message}, ${count} times by ${who}\n      ${first.request}${id}\n      ${help}`;
}
