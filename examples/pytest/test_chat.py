"""Tests that a team may have for its client: here the client is the standard library's."""

import base64
import json
import threading
import urllib.error
import urllib.parse
import urllib.request

import pytest


def call(world, user, method, path, **params):
    form = urllib.parse.urlencode(params)
    url = f"{world.url}/api/v1{path}" + (f"?{form}" if method == "GET" else "")
    key = base64.b64encode(f"{user.email}:{user.api_key}".encode()).decode()
    body = None if method == "GET" else form.encode()
    try:
        request = urllib.request.Request(url, body, {"Authorization": f"Basic {key}"}, method=method)
        return json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as refused:
        return json.load(refused)


def send(world, user, content):
    return call(world, user, "POST", "/messages", type="stream", to="general", topic="greetings", content=content)


def test_a_message_arrives_in_the_client_that_waits_for_it(chatdouble_world):
    world, replies = chatdouble_world, []
    mel, max = world.user("mel"), world.user("max")
    queue = call(world, max, "POST", "/register", event_types='["message"]')["queue_id"]
    poll = threading.Thread(
        target=lambda: replies.append(call(world, max, "GET", "/events", queue_id=queue, last_event_id=-1))
    )
    poll.start()
    world.queues.wait_parked(user="max")
    send(world, mel, "Hello")
    poll.join()
    assert "Hello" in replies[0]["events"][0]["message"]["content"]
    world.journal.verify(method="POST", path="/messages", user="mel", exactly=1)


def test_a_reminder_comes_tomorrow(chatdouble_world):
    world = chatdouble_world
    mel = world.user("mel")
    message = send(world, mel, "Plan")["id"]
    due = int(world.clock.now()) + 86_400
    reminder = call(world, mel, "POST", "/reminders", message_id=message, scheduled_delivery_timestamp=due)
    assert reminder["result"] == "success", reminder["msg"]
    assert "reminder" in [item.kind for item in world.clock.advance("1d").fired]


def test_a_rate_limit_is_shown(chatdouble_world):
    world = chatdouble_world
    mel = world.user("mel")
    with world.faults.add(match={"path": "/messages"}, effect={"rate_limit": {"retry_after": 2}}):
        assert send(world, mel, "x")["code"] == "RATE_LIMIT_HIT"
    assert send(world, mel, "x")["result"] == "success"


@pytest.mark.chatdouble(feature_level=[200, 250, 300], dialect="zulip", fixture="cast")
def test_servers_of_older_levels(chatdouble_world):
    assert chatdouble_world.clock.agenda() == []
    with urllib.request.urlopen(f"{chatdouble_world.url}/api/v1/server_settings") as reply:
        assert json.load(reply)["zulip_feature_level"] in (200, 250, 300)
