"""Runs Schemathesis, unmodified, on the OpenAPI document that is served: as a member and as an owner.

Within `chatdouble exec` this file is run as `check.py SCHEMATHESIS HANDLE`, which fetches that user's key and becomes
Schemathesis.
"""

import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The most that one user's run may take; schemathesis.toml sets how long it tests.
LIMIT_SECONDS = 240
# How many lines of its output are shown when it finds something.
SHOWN_LINES = 60
# A member, and an owner.
HANDLES = ("mel", "olive")


def check(binary, tally, schemathesis, folder):
    """Leaves what Schemathesis writes in `folder`."""
    for handle in HANDLES:
        command = [binary, "exec", "--log", "warn", "--", sys.executable, __file__]
        done = subprocess.run(
            [*command, schemathesis, handle],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_SECONDS,
        )
        status, output = done.returncode, done.stdout
        summary = next((line.strip() for line in output.splitlines() if "generated" in line), "")
        # Its findings are at the end, and a broken invariant (status 3) in the last line.
        end = "\n".join(output.splitlines()[-SHOWN_LINES:])
        tally.expect(status == 0, f"schemathesis finds nothing as {handle} ({summary})", f"status {status}\n{end}")


def become_schemathesis(schemathesis, handle):
    base = os.environ["CHATDOUBLE_URL"]
    form = urllib.parse.urlencode({"username": f"{handle}@chat.test"}).encode()
    with urllib.request.urlopen(f"{base}/api/v1/dev_fetch_api_key", form) as reply:
        account = json.load(reply)
    os.environ["SCHEMATHESIS_HOOKS"] = "hooks"
    os.environ["PYTHONPATH"] = str(HERE)
    arguments = [
        *("--config-file", str(HERE / "schemathesis.toml"), "--no-color"),
        *("run", f"{base}/control/openapi.json", "--url", f"{base}/api/v1", "--warnings", "off"),
        *("--auth", f"{account['email']}:{account['api_key']}"),
    ]
    os.execv(schemathesis, [schemathesis, *arguments])


if __name__ == "__main__":
    become_schemathesis(*sys.argv[1:])
