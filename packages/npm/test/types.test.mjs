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
function errors(file) {
  const program = ts.createProgram([file], options);
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

test("each misspelled name is an error", () => {
  const file = programs("wrong");
  const lines = readFileSync(file, "utf8").split("\n");
  const refused = lines.flatMap((line, at) => (line.endsWith("// refused") ? [at + 1] : []));
  const found = errors(file);
  assert.deepEqual(
    [...found.keys()].sort((one, other) => one - other),
    refused,
    [...found].map(([line, message]) => `${line}: ${message}`).join("\n"),
  );
  assert.match(
    found.get(lines.findIndex((line) => line.startsWith('own("a misspelled option"')) + 1),
    /fixtur|no option/,
  );
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
  toHaveReceived: "expect(world).toHaveReceived({ | });",
};

test("editors show a text for each option", () => {
  const name = programs("completed");
  let text =
    "import { connect, startServer } from 'chatdouble';\nimport { expect } from 'chatdouble/vitest';\nconst world = connect().world();\n";
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
