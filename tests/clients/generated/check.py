"""The OpenAPI documents with other tools: linters find no error, and generated clients compile and work.

Generated files are in `out`, and are replaced each time.
"""

import os
import shutil
import subprocess
from pathlib import Path

from .control import check as control

HERE = Path(__file__).resolve().parent
OUT = HERE / "out"
LIMIT_SECONDS = 240
DOCUMENTS = {"api": ["--dialect", "zulip"], "neutral": [], "control": ["--control"]}
LINTERS = {
    "redocly": ["redocly", "lint", "--config", "redocly.yaml"],
    "spectral": ["spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "error"],
}
# The generators, with the script of each client.
CLIENTS = {"openapi-typescript": "fetch", "@hey-api/openapi-ts": "hey", "orval": "orval"}
IMPORT_ALL = """
import importlib, pkgutil, sys
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        importlib.import_module(module.name)
"""


def check(binary, tally, programs):
    """`programs` is the folder of the Python programs; those of Node.js are next to this file."""
    tools = HERE / "node_modules" / ".bin"
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()

    def run(*command, **environment):
        done = subprocess.run(
            [str(part) for part in command], cwd=HERE, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_SECONDS,
        )  # fmt: skip
        return done.returncode, done.stdout

    def succeeds(what, *command, **environment):
        status, output = run(*command, **environment)
        tally.expect(status == 0, what, f"status {status}\n{output}")

    def works(client, *command, **environment):
        served = [binary, "exec", "--dialect", "zulip", "--clock", "frozen", "--log", "warn", "--"]
        tally.take_over(client, *run(*served, *command, **environment))

    for name, options in DOCUMENTS.items():
        text = subprocess.run([binary, "openapi", *options], stdout=subprocess.PIPE, check=True).stdout
        (OUT / f"{name}.json").write_bytes(text)
        for linter, (program, *arguments) in LINTERS.items():
            succeeds(f"{linter} finds no error in the document {name}", tools / program, *arguments, f"out/{name}.json")

    for name in ("api", "control"):
        types = ["--output", f"out/types/{name}.ts", "--default-non-nullable", "false"]
        succeeds(f"openapi-typescript reads {name}", tools / "openapi-typescript", f"out/{name}.json", *types)
        hey = ["-i", f"./out/{name}.json", "-o", f"out/hey/{name}", "-c", "@hey-api/client-fetch"]
        succeeds(f"openapi-ts reads {name}", tools / "openapi-ts", *hey)
        python = ["--path", f"out/{name}.json", "--output-path", f"out/python/generated_{name}", "--meta", "none"]
        (OUT / "python").mkdir(exist_ok=True)
        succeeds(f"openapi-python-client reads {name}", programs / "openapi-python-client", "generate", *python)
    succeeds("orval reads both", tools / "orval", "--config", "orval.config.ts")
    succeeds("tsc --strict compiles the three clients", tools / "tsc", "--project", ".")
    for client, script in CLIENTS.items():
        bundle = ["--bundle", "--platform=node", "--format=esm", "--log-level=warning", f"--outfile=out/{script}.mjs"]
        succeeds(f"{client} is bundled", tools / "esbuild", f"{script}.ts", *bundle)
        works(client, "node", f"out/{script}.mjs")
    generated = ["generated_api", "generated_control"]
    environment = {"PYTHONPATH": str(OUT / "python"), "MYPYPATH": str(OUT / "python")}
    succeeds("each module of the Python client is imported", programs / "python", "-c", IMPORT_ALL, *generated, **environment)
    cache = ["--cache-dir", str(OUT / "mypy")]
    succeeds("mypy --strict finds nothing in its use", programs / "mypy", "--strict", *cache, "calls.py", **environment)
    control.check(tally, run, succeeds, works, OUT, programs)
    works("openapi-python-client", programs / "python", "calls.py", **environment)
