"""The clock jumps by days while a client runs: the client loses no event and no queue.

Stock clients and a page in a browser poll in loops of their own and print the text of each message that they receive.
Here, a message wakes the poll, and the clock jumps while the client is still about to poll again.
"""

import json
import subprocess
import threading
import time
import urllib.parse
import urllib.request

MAX = ("max@chat.test", "maxKey00000000000000000000000000")
DAY_SECONDS = 86_400
READY_SECONDS = 60
LAST_SECONDS = 30


def post(url, data, key=None):
    """Posts a form to the API, with a key, or JSON to control; returns the reply."""
    body = urllib.parse.urlencode(data) if key else json.dumps(data)
    request = urllib.request.Request(url, body.encode())
    if key:
        passwords = urllib.request.HTTPPasswordMgrWithPriorAuth()
        passwords.add_password(None, url, *key, is_authenticated=True)
        opener = urllib.request.build_opener(urllib.request.HTTPBasicAuthHandler(passwords))
    else:
        opener = urllib.request.build_opener()
    with opener.open(request, timeout=60) as reply:
        return json.load(reply)


def get(url):
    with urllib.request.urlopen(url, timeout=60) as reply:
        return json.load(reply)


class Received(threading.Thread):
    """The lines that a client prints."""

    def __init__(self, client):
        super().__init__(daemon=True)
        self.client, self.lines = client, []
        self.start()

    def run(self):
        self.lines.extend(iter(self.client.stdout.readline, ""))

    def texts(self, beginning):
        return [line.strip() for line in self.lines if line.startswith(beginning)]


def wait(holds, seconds):
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()


def check(name, command, url, tally, jumps):
    """Lets a client listen as mel while the world's clock jumps."""
    world = f"{url}/control/worlds/default"
    client = subprocess.Popen([*command, url], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        received = Received(client)
        parked = {"user": "mel", "parked": True, "timeout_ms": READY_SECONDS * 1000}
        post(f"{world}/queues/wait", parked)
        began, late = time.monotonic(), []
        for day in range(jumps):
            tomorrow = {"type": "direct", "to": '["mel@chat.test"]', "content": f"due {day}"}
            now = get(f"{world}/clock")["now"]
            post(
                f"{url}/api/v1/scheduled_messages",
                {**tomorrow, "to": "[4]", "scheduled_delivery_timestamp": int(now) + DAY_SECONDS // 2},
                MAX,
            )
            post(f"{url}/api/v1/messages", {**tomorrow, "content": f"day {day}"}, MAX)
            reply = post(f"{world}/clock", {"advance_seconds": DAY_SECONDS})
            late += reply["not_parked"]
        took = time.monotonic() - began
        post(f"{url}/api/v1/messages", {"type": "direct", "to": '["mel@chat.test"]', "content": "the end"}, MAX)
        wait(lambda: received.texts("the end"), LAST_SECONDS)
        report = f"{jumps} jumps in {took:.1f} s, {len(late)} late\n{''.join(received.lines[-20:])}"
        for beginning in ("day", "due"):
            seen = [line for line in received.texts(beginning)]
            whole = seen == [f"{beginning} {day}" for day in range(jumps)]
            tally.expect(whole, f"{name} receives each message, once and in order ({beginning})", report)
        registered = get(f"{world}/journal?method=POST&path=/register&user=mel")["entries"]
        refused = get(f"{world}/journal?path=/events&user=mel&status=400")["entries"]
        tally.expect(len(registered) == 1 and not refused, f"{name} keeps its queue over {jumps} days", report)
        print(f"  {name}: {report.splitlines()[0]}", flush=True)
    finally:
        client.kill()
        client.wait()
