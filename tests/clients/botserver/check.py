"""The stock bot server, with a stock bot, answers the posts that it gets.

Takes the base URL of a server that speaks the dialect `zulip` and holds the built-in organization. Prints a line
`ok - …` for each check; ends at the first that fails with `not ok - …` and exit status 1.
"""

import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import requests
import zulip

SITE = sys.argv[1]
# How long an answer may take; three more tries come a second apart.
PATIENCE_SECONDS = 20


def expect(holds, what, seen=None):
    if not holds:
        sys.exit(f"not ok - {what}; seen: {seen!r}")
    print(f"ok - {what}", flush=True)


def succeed(reply):
    if reply["result"] != "success":
        sys.exit(f"not ok - {reply}")
    return reply


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


mel = zulip.Client(email="mel@chat.test", api_key="melKey".ljust(32, "0"), site=SITE)
port = free_port()
bot = succeed(
    mel.call_endpoint(
        "bots",
        method="POST",
        request={
            "full_name": "Hello",
            "short_name": "helloworld",
            "bot_type": 3,
            "payload_url": f'"http://127.0.0.1:{port}"',
            "interface_type": 1,
        },
    )
)
listed = succeed(mel.call_endpoint("register", method="POST", request={"event_types": '["realm_bot"]'}))["realm_bots"]
token = next(row for row in listed if row["user_id"] == bot["user_id"])["services"][0]["token"]
address = succeed(mel.call_endpoint(f"users/{bot['user_id']}", method="GET"))["user"]["email"]


def answer(narrow, since):
    """The first message in a narrow after one, or None when there is none in time."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        request = {"narrow": narrow, "anchor": since, "num_before": 0, "num_after": 10, "apply_markdown": False}
        later = [message for message in succeed(mel.get_messages(request))["messages"] if message["id"] > since]
        if later:
            return later[0]
        time.sleep(0.1)
    return None


def ask_in_channel(topic):
    sent = succeed(
        mel.send_message({"type": "stream", "to": "general", "topic": topic, "content": "@**Hello** how are you?"})
    )
    narrow = [{"operator": "channel", "operand": "general"}, {"operator": "topic", "operand": topic}]
    return answer(narrow, sent["id"])


def tries():
    return requests.get(f"{SITE}/control/worlds/default/webhooks", timeout=10).json()["webhooks"]


with tempfile.TemporaryDirectory() as folder:
    config = Path(folder) / "botserverrc"
    config.write_text(
        f"[helloworld]\nemail={address}\nkey={bot['api_key']}\nsite={SITE}\ntoken={token}\n"
    )
    program = Path(sys.executable).parent / "zulip-botserver"
    server = subprocess.Popen(
        [program, "--config-file", config, "--port", str(port)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline and server.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        said = ask_in_channel("bots")
        expect(said and said["sender_id"] == bot["user_id"], "a mention is answered by the bot", said)
        expect("beep boop" in said["content"], "the answer is the stock bot's own", said["content"])
        sent = succeed(mel.send_message({"type": "private", "to": [address], "content": "hello"}))
        said = answer([{"operator": "dm", "operand": [bot["user_id"]]}], sent["id"])
        expect(said and "beep boop" in said["content"], "a direct message is answered too", said)
        # The bot's answer arrives before the bot server's reply to the call.
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(tries()) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        server.terminate()
        complaints = server.communicate()[1]
        if said is None:
            print(complaints)

    said = ask_in_channel("silence")
    expect(said and said["content"].startswith("Failure!"), "without the bot server the bot says so", said)
    found = tries()
    expect(len(found) == 6 and found[-1]["error"], "each try is listed", found)
