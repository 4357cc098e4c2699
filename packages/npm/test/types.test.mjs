// Compiles programs that use the helpers, and asks for the texts that editors show.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const options = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ["lib.es2022.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts"],
  types: ["node"],
  skipLibCheck: true,
};
const programs = (name) => fileURLToPath(new URL(`types/${name}.ts`, import.meta.url));

/** The lines with an error, and their messages. */
function errors(file, further = {}) {
  const program = ts.createProgram([file], { ...options, ...further });
  return new Map(
    ts.getPreEmitDiagnostics(program).map((one) => {
      const place = one.file?.getLineAndCharacterOfPosition(one.start ?? 0).line ?? -1;
      return [place + 1, ts.flattenDiagnosticMessageText(one.messageText, "\n")];
    }),
  );
}

test("right programs compile", () => {
  assert.deepEqual([...errors(programs("right"))], []);
});

/** Checks that exactly those lines of a program are refused that say so. */
function checkRefused(lines, found) {
  const refused = lines.flatMap((line, at) => (line.endsWith("// refused") ? [at + 1] : []));
  assert.deepEqual(
    [...found.keys()].sort((one, other) => one - other),
    refused,
    [...found].map(([line, message]) => `${line}: ${message}`).join("\n"),
  );
}

test("with exactOptionalPropertyTypes, each key without a value is an error", () => {
  const exactly = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
  const file = programs("exact");
  checkRefused(readFileSync(file, "utf8").split("\n"), errors(file, exactly));
  assert.deepEqual([...errors(programs("right"), exactly)], []);
});

test("each misspelled name is an error", () => {
  const file = programs("wrong");
  const lines = readFileSync(file, "utf8").split("\n");
  const found = errors(file);
  checkRefused(lines, found);
  assert.match(
    found.get(lines.findIndex((line) => line.startsWith('own("a misspelled option"')) + 1),
    /NoSuchOption<"fixtur">/,
  );
  const valued = found.get(lines.findIndex((line) => line.startsWith('valued("a value of another type"')) + 1);
  assert.match(valued, /NoSuchValue<"featureLevel">/);
  const messageOf = (text) => found.get(lines.findIndex((line) => line.includes(text)) + 1);
  for (const effect of ['{ drop: "after", garbage: true }', "{ garbage: true, retries: true }"])
    assert.match(messageOf(effect), /a fault has one effect, with keys of its own/);
  assert.match(messageOf('{ type: "message", flags: [] }'), /flags are those of one user: world\.recordEvents/);
});

const PLACES = {
  startServer: "startServer({ | });",
  createWorld: "world.server.createWorld({ | });",
  fork: "world.fork({ | });",
  reset: "world.reset({ | });",
  "faults.add": "world.faults.add({ | });",
  "faults.add's match": "world.faults.add({ match: { | } });",
  "journal.verify": "world.journal.verify({ | });",
  "journal.entries": "world.journal.entries({ | });",
  "journal.waitFor": "world.journal.waitFor({}, { | });",
  "queues.waitParked": "world.queues.waitParked({ | });",
  "pushes.list": "world.pushes.list({ | });",
  "pushes.waitFor": "world.pushes.waitFor({ | });",
  "clock.advance": "world.clock.advance(1, { | });",
  extend: "test.extend({ | });",
  "extend's worldOptions": "test.extend({ worldOptions: { | } });",
  "extend's serverOptions": "test.extend({ serverOptions: { | } });",
  "extend in Jest": "jest.extend({ | });",
  "extend's worldOptions in Jest": "jest.extend({ worldOptions: { | } });",
  "extend's worldOptions in Node's runner": "node.extend({ worldOptions: { | } });",
  "Playwright's worldOptions": "page.use({ worldOptions: { | } });",
  "a world's row": "(await world.server.worlds())[0]!.|;",
  "the server's health": "(await world.server.health()).|;",
  "a user": "(await world.user('mel')).|;",
  "the clock": "(await world.clock.state()).|;",
  "a jump": "(await world.clock.advance(1)).|;",
  "an item of the agenda": "(await world.clock.agenda())[0]!.|;",
  "a journal entry": "(await world.journal.entries())[0]!.|;",
  "a fault": "(await world.faults.list())[0]!.|;",
  "a network": "(await world.network.list())[0]!.|;",
  "a rate limit": "(await world.rateLimit.list())[0]!.|;",
  previews: "(await world.previews.delays()).|;",
  "a queue": "(await world.queues.list())[0]!.|;",
  "a push": "(await world.pushes.list())[0]!.|;",
  "a push on the wire": "(await world.pushes.list())[0]!.wire!.|;",
  "a client of the report": "(await world.report()).clients[0]!.|;",
  "a finding": "(await world.report()).clients[0]!.findings[0]!.|;",
  "its first request": "(await world.report()).clients[0]!.findings[0]!.first.|;",
  "a snapshot": "(await world.snapshots.list())[0]!.|;",
  invariants: "(await world.invariants()).|;",
  "a violation": "(await world.invariants()).violations[0]!.|;",
  recordEvents: "world.recordEvents({ | });",
  "recordEvents's register": "world.recordEvents({ user: 'mel', register: { | } });",
  toHaveReceived: "expect(world).toHaveReceived({ | });",
  "the error of a fault": "world.faults.add({ effect: { error: { | } } });",
  "network.set": "world.network.set({ | });",
  "rateLimit.set": "world.rateLimit.set({ | });",
  "previews.set": "world.previews.set({ | });",
  "a world": "world.|;",
};

test("editors show a text for each option, and for each key of a reply", () => {
  const name = programs("completed");
  let text =
    "import { connect, startServer } from 'chatdouble';\nimport { expect, test } from 'chatdouble/vitest';\nimport { test as jest } from 'chatdouble/jest';\nimport { test as node } from 'chatdouble/node-test';\nimport { test as page } from 'chatdouble/playwright';\nconst world = connect().world();\n";
  const places = Object.entries(PLACES).map(([place, source]) => {
    const at = text.length + source.indexOf("|");
    text += `${source.replace("|", "")}\n`;
    return [place, at];
  });
  const service = ts.createLanguageService({
    getScriptFileNames: () => [name],
    getScriptVersion: () => "1",
    getScriptSnapshot: (file) => {
      const whole = file === name ? text : ts.sys.readFile(file);
      return whole === undefined ? undefined : ts.ScriptSnapshot.fromString(whole);
    },
    getCurrentDirectory: () => fileURLToPath(new URL("..", import.meta.url)),
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (file) => file === name || ts.sys.fileExists(file),
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  for (const [place, at] of places) {
    const { entries } = service.getCompletionsAtPosition(name, at, {});
    assert.ok(entries.length > 0 && entries.length < 40, `${place}: ${entries.length}`);
    for (const entry of entries) {
      const details = service.getCompletionEntryDetails(name, at, entry.name, {}, entry.source, {}, entry.data);
      assert.notEqual(ts.displayPartsToString(details.documentation), "", `${place}: ${entry.name} has no text`);
    }
  }
});
