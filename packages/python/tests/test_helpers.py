"""Tests the helpers against a running server. CHATDOUBLE_BINARY names the program."""

import asyncio
import copy
import datetime
import http.server
import inspect
import itertools
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from base64 import b64encode
from typing import get_args, get_type_hints

import pytest

import chatdouble
from chatdouble import _frame, _limit, _start, _watch

pytest_plugins = ["pytester"]
NOON = "2026-01-01T12:00:00Z"


@pytest.fixture(scope="module")
def server():
    with chatdouble.start_server(clock=NOON) as running:
        yield running


@pytest.fixture
def world(server):
    with server.create_world() as made:
        yield made


def api(world, user, method, path, **form):
    data = urllib.parse.urlencode(form)
    url = f"{world.url}/api/v1{path}" + (f"?{data}" if method == "GET" else "")
    key = b64encode(f"{user.email}:{user.api_key}".encode()).decode()
    request = urllib.request.Request(url, None if method == "GET" else data.encode(), {"Authorization": f"Basic {key}"}, method=method)
    try:
        return json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as refused:
        return json.load(refused)


def send(world, user, content):
    return api(world, user, "POST", "/messages", type="stream", to="general", topic="t", content=content)


def test_report(world):
    mel = world.user("mel")
    api(world, mel, "GET", "/users/me")
    assert [client.findings for client in world.report().clients] == [[]]
    api(world, mel, "GET", "/users/me", colour="red")

    report = world.report()

    (finding,) = report.clients[0].findings
    assert report.complete is True
    assert (finding.rule, finding.severity, finding.first.journal_id) == ("ignored-parameter", "warning", 2)
    world.reset(keep=["report"])
    assert world.report().clients[0].findings
    world.clear_report()
    assert world.report().clients == []


def test_findings_fail_tests(pytester):
    pytester.makepyfile(
        """
        import urllib.request, base64

        def ask(world, path):
            mel = world.user("mel")
            key = base64.b64encode(f"{mel.email}:{mel.api_key}".encode()).decode()
            urllib.request.urlopen(urllib.request.Request(f"{world.url}/api/v1{path}", headers={"Authorization": f"Basic {key}"})).read()

        def test_good(chatdouble_world):
            ask(chatdouble_world, "/users/me")

        def test_bad(chatdouble_world):
            ask(chatdouble_world, "/users/me?colour=red")
        """
    )
    assert pytester.runpytest_subprocess().ret == 0
    outcome = pytester.runpytest_subprocess("--chatdouble-fail-on", "warning")
    outcome.assert_outcomes(passed=2, errors=1)
    outcome.stdout.fnmatch_lines(["*warning ignored-parameter: Sent a parameter that is ignored: colour of GET /users/me*"])
    assert pytester.runpytest_subprocess("--chatdouble-fail-on", "error").ret == 0


def test_worlds(server):
    world = server.create_world(name="blue", label="a test", idle_ttl_seconds="10m")
    assert world.url == f"{server.url}/w/blue"
    (row,) = server.worlds(prefix="bl")
    assert (row.label, row["idle_ttl_seconds"]) == ("a test", 600)
    mel = world.user("mel")
    assert (mel.email, mel.api_key) == ("mel@chat.test", "melKey00000000000000000000000000")
    send(world, mel, "only here")
    with world.fork(label="a copy") as fork:
        count = lambda of: server.worlds(prefix=of.name)[0].messages
        assert count(fork) == count(world)
        world.reset(keep=["journal"])
        assert count(fork) == count(world) + 1
        assert len(world.journal.entries(path="/messages")) == 1
    assert server.delete_worlds("blue") == ["blue"]
    with pytest.raises(chatdouble.Error) as missing:
        fork.delete()
    assert (missing.value.status, missing.value.code) == (404, "NONEXISTENT_SUBDOMAIN")
    assert [one.name for one in server.worlds()] == ["default"]
    assert server.world().url == server.url
    assert server.health().worlds == 1


def test_users(server, world):
    assert server.world().user("build-bot").email == "build-bot@chat.test"
    assert world.user("mel@chat.test") == world.user("mel")
    mel, bot = world.user("mel"), world.user("build-bot")
    assert (mel.handle, mel.full_name, mel.role, mel.is_bot, mel.owner) == ("mel", "Mel Marsh", "member", False, None)
    assert (bot.handle, bot.is_bot, bot.owner) == ("build-bot", True, "mel@chat.test")
    for unknown, nearest in [("mell", "mel"), ("MEL", None), ("mell@chat.test", "mel@chat.test"), ("", None), ("größe", None)]:
        if unknown == "MEL":
            assert world.user(unknown).email == "mel@chat.test"
            continue
        with pytest.raises(chatdouble.Error) as refused:
            world.user(unknown)
        message = str(refused.value)
        assert f"there is no user '{unknown}' in this world" in message and "adam, " in message, message
        assert nearest is None or f"the nearest is '{nearest}'" in message, message
    with pytest.raises(chatdouble.Error, match="dana@chat.test is deactivated") as deactivated:
        world.user("dana")
    assert (deactivated.value.status, deactivated.value.code) == (403, "USER_DEACTIVATED")
    # The helper's own requests are not the test's.
    assert world.journal.entries() == []
    many = [{"handle": "olive", "full_name": "Olive", "role": "owner"}, *({"handle": f"user{number}", "full_name": "U"} for number in range(40))]
    with server.create_world(fixture={"users": many}) as large:
        with pytest.raises(chatdouble.Error, match=r" and \d+ more$"):
            large.user("nobody")


def test_a_world_with_its_own_port_gives_credentials(server):
    with server.create_world(listen=True) as world:
        assert not world.url.startswith(server.url)
        assert send(world, world.user("mel"), "Hello")["result"] == "success"


def test_the_clock(world):
    began = world.clock.now()
    assert began == datetime.datetime.fromisoformat(NOON.replace("Z", "+00:00")).timestamp()
    assert world.clock.to_next().fired[0].reminder_id == 1
    assert world.clock.advance("1d2h", wait_for_clients_ms=0).now == began + 3600 + 93600
    assert world.clock.advance(datetime.timedelta(hours=1)).not_parked == []
    there = datetime.datetime(2026, 1, 5, tzinfo=datetime.timezone.utc)
    assert world.clock.set(there).now == there.timestamp()
    assert world.clock.run().running and not world.clock.freeze().running
    with pytest.raises(chatdouble.Error, match="can't go back"):
        world.clock.set(0)
    with pytest.raises(chatdouble.Error, match="set takes a time, not .*; advance takes a duration"):
        world.clock.set(datetime.timedelta(hours=1))
    with pytest.raises(chatdouble.Error, match="advance takes a duration, not .*; set takes a time"):
        world.clock.advance(there)


def test_what_falls_due_by_itself(server):
    """As docs/python.md says."""
    with server.create_world(clock=NOON) as world:
        begin = world.clock.now()
        due = [(item.kind, item.at - begin) for item in world.clock.agenda()]
        hour, day = 3600, 86_400
        assert due == [
            ("reminder", hour),
            ("scheduled_message", 2 * hour),
            ("reminder", 2 * day),
            ("scheduled_message", 3 * day),
            ("invite_expired", 8 * day),
            ("invite_expired", 9 * day),
        ]
        world.clock.advance("3d")
        mel, max = world.user("mel").id, world.user("max").id
        note, morning, reminder, lunch = world.control("GET", "/messages?limit=4").messages
        assert mel in note.to and "Read the plan first" in note.content and max in reminder.to
        assert (morning.sender_id, morning.topic, morning.content) == (mel, "greetings", "Good morning, everyone!")
        assert (lunch.sender_id, lunch.to, lunch.content) == (max, [mel, max], "Lunch?")
    with server.create_world(fixture="cast") as world:
        assert world.clock.agenda() == []


def test_faults(world):
    mel = world.user("mel")
    error = {"status": 503, "code": "BUSY", "msg": "Later", "retry_at": 5}
    fault = world.faults.add(match={"path": "/messages", "params": {"topic": "t"}}, times=1, effect={"error": error})
    assert send(world, mel, "x")["retry_at"] == 5
    (listed,) = world.faults.list()
    assert (listed.id, listed.fired, listed.effect.error) == (fault.id, 1, error)
    fault.remove()
    with world.faults.add({"effect": {"rate_limit": {"retry_after": 3}}}):
        assert send(world, mel, "x")["retry-after"] == 3
    assert world.faults.list() == []
    assert send(world, mel, "x")["result"] == "success"
    world.faults.clear()


def test_changed_replies(world):
    mel = world.user("mel")
    with world.faults.add(effect={"change": {"id": None, "further": 3}}):
        reply = send(world, mel, "x")
    assert ("id" in reply, reply["further"]) == (False, 3)


def test_networks_and_rate_limits(world):
    mel = world.user("mel")
    world.network.set(user="mel", profile="wifi", latency_ms=120)
    (network,) = world.network.list()
    assert (network.user, network.profile, network.bytes_per_second) == (mel.email, "wifi", 5_000_000)
    began = time.monotonic()
    assert send(world, mel, "x")["result"] == "success"
    assert time.monotonic() - began >= 0.12
    world.network.set(profile="3g")
    world.network.clear(user="mel")
    assert [network.user for network in world.network.list()] == [None]
    world.network.clear()
    assert world.network.list() == []

    world.rate_limit.set(user="mel", requests=1, seconds=datetime.timedelta(seconds=30))
    (limit,) = world.rate_limit.list()
    assert (limit.user, limit.requests, limit.seconds) == (mel.email, 1, 30)
    assert [send(world, mel, "x").get("code") for _ in range(2)] == [None, "RATE_LIMIT_HIT"]
    world.rate_limit.set(requests=100, seconds=60)
    world.rate_limit.clear(user="mel")
    assert [limit.user for limit in world.rate_limit.list()] == [None]
    world.rate_limit.clear()
    assert world.rate_limit.list() == []


def test_previews(world):
    delays = world.previews.delays()
    assert (delays.thumbnail_seconds, delays.link_seconds) == (0, None)
    world.previews.set(thumbnail_seconds=datetime.timedelta(seconds=5), link_seconds="1m")
    world.previews.set(thumbnail_seconds=6)
    delays = world.previews.delays()
    assert (delays.thumbnail_seconds, delays.link_seconds) == (6, 60)
    with pytest.raises(chatdouble.Error, match="at least 0 seconds"):
        world.previews.set(link_seconds=-1)
    world.previews.clear()
    assert world.previews.delays().link_seconds is None


def test_the_journal(world):
    mel = world.user("mel")
    sender = threading.Thread(target=send, args=(world, mel, "once"))
    sender.start()
    assert world.journal.wait_for(path="/messages", user="mel", exactly=1) == 1
    sender.join()
    assert world.journal.verify({"path": "/messages", "params": {"content": "once"}}, exactly=1) == 1
    with pytest.raises(AssertionError) as refused:
        world.journal.verify(path="/messages", params={"content": "twice"})
    assert isinstance(refused.value, chatdouble.VerificationFailed)
    assert refused.value.body.count == 0 and '+    "content": "once"' in str(refused.value)
    # Numbers and truth values are compared as the texts that clients send.
    send(world, mel, "29")
    number = {"path": "/messages", "params": {"content": 29}}
    assert world.journal.verify(number) == world.journal.wait_for(**number) == 1
    fault = world.faults.add(match=number, effect={"drop": "before"})
    assert world.faults.list()[0].match["params"] == {"content": "29"}
    fault.remove()
    with pytest.raises(chatdouble.VerificationFailed, match='-    "content": "true"'):
        world.journal.verify(path="/messages", params={"content": True})
    world.journal.clear()
    send(world, mel, "once")
    # The one that came differs in nothing.
    found = "^Expected exactly 2 such requests, found 1\nThe requests that match:\n  200 POST /messages mel@chat.test content=once .*$"
    with pytest.raises(AssertionError, match=found):
        world.journal.verify(path="/messages", exactly=2)
    with pytest.raises(chatdouble.Error) as late:
        world.journal.wait_for(path="/typing", timeout_ms=10)
    assert late.value.status == 408
    assert world.journal.entries(path="/messages", limit=1)[0].params.content == "once"
    world.journal.clear()
    assert world.journal.entries() == []


def test_queues_and_pushes(world):
    mel = world.user("mel")
    queue = api(world, mel, "POST", "/register", event_types='["message"]')["queue_id"]
    replies = []
    poll = lambda: replies.append(api(world, mel, "GET", "/events", queue_id=queue, last_event_id=-1))
    polling = threading.Thread(target=poll)
    polling.start()
    assert world.queues.wait_parked(user="mel")[0].queue_id == queue
    world.queues.lose(queue)
    polling.join()
    assert replies[0]["code"] == "BAD_EVENT_QUEUE_ID" and world.queues.list() == []

    api(world, mel, "POST", "/mobile_push/e2ee/test_notification")
    (push,) = world.pushes.wait_for(user="mel")
    assert push.kind == "test" and world.pushes.list(since=push.id) == []
    world.pushes.clear()
    assert world.pushes.list() == []


def test_snapshots_states_levels(server):
    with server.create_world(feature_level=250) as world:
        world.snapshots.save("ready")
        send(world, world.user("mel"), "litter")
        world.snapshots.restore("ready")
        assert [one.name for one in world.snapshots.list()] == ["ready"]
        world.snapshots.remove("ready")
        state = world.state()
        with server.create_world(fixture=state) as other:
            other.put_state(state)
            assert other.state() == state
        assert world.invariants().violations == []
        world.upgrade(300)
        with pytest.raises(chatdouble.Error, match="from 300 on"):
            world.upgrade(250)


def test_watching(world):
    frames, seen = world.watch(), []
    ready = threading.Event()
    mel = world.user("mel")

    def read():
        for frame in frames:
            ready.set()
            seen.append(frame)
            if frame.type == "event":
                frames.close()
                return

    reader = threading.Thread(target=read)
    reader.start()
    # Frames from before the watching began are not sent.
    while not ready.wait(0.05):
        api(world, mel, "GET", "/server_settings")
    send(world, mel, "é" * 5000)
    reader.join(10)
    assert seen[0].type == "request" and seen[-1].event["type"]


def test_a_watch_goes_on_after_a_frame_that_was_late(world):
    mel = world.user("mel")
    with world.watch(timeout_ms=300) as frames:
        for _ in range(2):
            with pytest.raises(chatdouble.Error, match="/watch: no frame came within 300 ms"):
                next(frames)
            api(world, mel, "GET", "/users/me")
            assert next(frames).path == "/users/me"
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(frames)


class Slow:
    """A socket whose bytes come one at a time, each after a wait that is too long."""

    def __init__(self, sent):
        self.sent, self.is_late = iter(sent), True

    def settimeout(self, seconds):
        assert seconds is None or seconds > 0

    def recv(self, most):
        self.is_late = not self.is_late
        if not self.is_late:
            raise TimeoutError
        return bytes(itertools.islice(self.sent, 1))


@pytest.mark.parametrize("length", [0, 1, 125, 126, 70_000])
def test_a_frame_of_which_a_part_was_late_is_whole(length):
    long = b"\x7e" + length.to_bytes(2, "big") if length < 65_536 else b"\x7f" + length.to_bytes(8, "big")
    size = bytes([length]) if length < 126 else long
    payload = os.urandom(length)
    received, frames = _watch._Bytes(Slow((b"\x81" + size + payload) * 2)), []
    while True:
        try:
            frames.append(received.take(_watch._frame))
        except TimeoutError:
            continue
        except EOFError:
            break
    assert frames == [(_watch.TEXT, True, payload)] * 2


def test_where_a_server_is_found(monkeypatch):
    monkeypatch.delenv("CHATDOUBLE_URL", raising=False)
    with pytest.raises(chatdouble.Error, match="CHATDOUBLE_URL"):
        chatdouble.connect()
    with chatdouble.start_server(control_token="secret") as own:
        monkeypatch.setenv("CHATDOUBLE_URL", own.url + "/")
        with pytest.raises(chatdouble.Error) as refused:
            chatdouble.connect().worlds()
        assert refused.value.status == 401
        assert len(chatdouble.connect(control_token="secret").worlds()) == 1
    with pytest.raises(chatdouble.Error) as gone:
        own.worlds()
    assert gone.value.status == 0


def test_a_failed_start_says_what_the_program_says():
    with pytest.raises(chatdouble.Error, match="^nosuch"):
        chatdouble.start_server(fixture="nosuch")
    with pytest.raises(chatdouble.Error, match="^unexpected argument '--no-such-option"):
        chatdouble.start_server(no_such_option=1)
    with pytest.raises(chatdouble.Error, match="did you mean '--dialect'"):
        chatdouble.start_server(dialectt="zulip")


def test_a_failed_start_names_the_variable_that_is_to_blame(monkeypatch, tmp_path):
    def message(**options):
        with pytest.raises(chatdouble.Error) as failed:
            chatdouble.start_server(**options)
        return str(failed.value)

    for name, value in {"CLOCK": "frozn", "FIXTURE": "nosuch", "DIALECT": "zulp", "FEATURE_LEVEL": "many"}.items():
        with monkeypatch.context() as patch:
            patch.setenv(f"CHATDOUBLE_{name}", value)
            assert message().endswith(f"(from CHATDOUBLE_{name})")
    with monkeypatch.context() as patch:
        patch.setenv("CHATDOUBLE_CLOCK", "frozn")
        assert message(clock="froze").endswith("2026-01-01"), "the option comes before the variable"
        assert "CHATDOUBLE" not in message(clock="real", fixture="nosuch")
        patch.setenv("CHATDOUBLE_SEED", "2")
        patch.setenv("CHATDOUBLE_TLS", "false")
        assert "CHATDOUBLE" not in message(clock="real", fixture="nosuch")
        patch.setenv("CHATDOUBLE_STATE", "/no/such/folder/state.json")
        assert message(clock="real").endswith("(from CHATDOUBLE_STATE)")
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\nexit 7\n")
    other.chmod(0o755)
    for program, reason in {"/no/such": "No such file", str(tmp_path): "", str(other): "ended with status 7"}.items():
        with monkeypatch.context() as patch:
            patch.setenv("CHATDOUBLE_BINARY", program)
            said = message()
            assert reason in said and program in said and said.endswith("(from CHATDOUBLE_BINARY)")
    other.write_text("#!/bin/sh\necho 'other: unrecognized option' >&2\nexit 2\n")
    with monkeypatch.context() as patch:
        patch.setenv("CHATDOUBLE_BINARY", str(other))
        assert message() == f"{other} ended with status 2 before it was ready, and says: other: unrecognized option (from CHATDOUBLE_BINARY)"
    other.write_text("#!/bin/sh\necho \"error: unexpected argument '--exit-with-stdin' found\" >&2\nexit 2\n")
    monkeypatch.setenv("CHATDOUBLE_BINARY", str(other))
    assert message().endswith("(from CHATDOUBLE_BINARY)")


def test_a_server_that_can_not_be_reached_names_the_variable_with_its_address(monkeypatch, tmp_path):
    def message(call):
        with pytest.raises(chatdouble.Error) as failed:
            call()
        return str(failed.value)

    source = "(from CHATDOUBLE_URL; unset it to let the tests start a server)"
    monkeypatch.setenv("CHATDOUBLE_URL", "http://127.0.0.1:9")
    assert message(chatdouble.connect).endswith(source)
    assert message(lambda: chatdouble.connect("http://127.0.0.1:9")).endswith("is a server running? `chatdouble serve` starts one")
    monkeypatch.setenv("CHATDOUBLE_URL", "localhost:9")
    assert message(chatdouble.connect).endswith(source)
    monkeypatch.setenv("CHATDOUBLE_URL", "https://localhost:9")
    monkeypatch.setenv("CHATDOUBLE_TLS_CA", str(tmp_path / "nosuch.pem"))
    assert message(chatdouble.connect).endswith("(from CHATDOUBLE_TLS_CA)")
    (tmp_path / "empty.pem").write_text("no certificate")
    monkeypatch.setenv("CHATDOUBLE_TLS_CA", str(tmp_path / "empty.pem"))
    assert "no certificate in PEM" in message(chatdouble.connect)


def test_too_many_requests_are_shown_without_others(world):
    mel = world.user("mel")
    for content in ("one", "two"):
        send(world, mel, content)
    api(world, mel, "GET", "/users/me")
    with pytest.raises(chatdouble.VerificationFailed) as failed:
        world.journal.verify(path="/messages", exactly=1)
    lines = [f"  200 POST /messages mel@chat.test content={content} to=general topic=t type=stream" for content in ("one", "two")]
    assert str(failed.value).splitlines() == ["Expected exactly 1 such request, found 2", "The requests that match:", *lines]
    for _ in range(20):
        send(world, mel, "more")
    with pytest.raises(chatdouble.VerificationFailed, match="and 12 more$"):
        world.journal.verify(path="/messages", exactly=1)


@pytest.mark.parametrize("value", [2, 2.5, "1m30s"])
def test_a_rate_limit_takes_seconds_and_spans(world, value):
    mel = world.user("mel")
    with world.faults.add(effect={"rate_limit": {"retry_after": value}}):
        assert api(world, mel, "GET", "/users/me")["retry-after"] == {"1m30s": 90}.get(value, value)


def test_what_the_server_said_is_shown_at_its_end(capsys, monkeypatch):
    # As without the plugin.
    monkeypatch.setattr(_start, "listeners", _start.listeners[:1])
    with chatdouble.start_server() as own:
        meet(own.url)
    said = capsys.readouterr().err
    assert said.startswith("chatdouble: the client ZulipPython/0.9.1 looks for other names") and "--dialect zulip" in said


def meet(url):
    """Asks as a stock client does."""
    request = urllib.request.Request(f"{url}/api/v1/server_settings", headers={"User-Agent": "ZulipPython/0.9.1 (Linux)"})
    urllib.request.urlopen(request).close()


def test_a_misspelled_keyword_is_named_with_the_nearest(server, world):
    for nearest, mistaken in {
        "fixture": lambda: server.create_world(fixtur="cast"),
        "feature_level": lambda: world.fork(feature_levl=250),
        "control_token": lambda: chatdouble.connect(server.url, control_tokn="x"),
        "prefix": lambda: server.worlds(prefx="a"),
        "keep": lambda: world.reset(keeep=["faults"]),
        "wait_for_clients_ms": lambda: world.clock.advance(1, wait_for_client_ms=1),
        "match": lambda: world.faults.add(mtach={}, effect={"garbage": True}),
        "profile": lambda: world.network.set(profil="3g"),
        "exactly": lambda: world.journal.verify(exacly=1),
        "at_least": lambda: world.journal.wait_for(atleast=1),
        "limit": lambda: world.journal.entries(limitt=1),
        "user": lambda: world.queues.wait_parked(usr="mel"),
        "device_id": lambda: world.pushes.list(device=1),
    }.items():
        with pytest.raises(TypeError) as refused:
            mistaken()
        assert isinstance(refused.value, chatdouble.Error) and f"did you mean '{nearest}'?" in str(refused.value)


def test_clear_refuses_what_it_does_not_take(world):
    for clear in (world.network.clear, world.rate_limit.clear):
        with pytest.raises(TypeError, match="did you mean 'user'"):
            clear(usr="mel")
        with pytest.raises(TypeError):
            clear("mel")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("127.0.0.1:9991", "must begin with http:// or https://"),
        ("localhost:9991", "must begin with http:// or https://"),
        ("ftp://localhost", "must begin with http:// or https://"),
        ("http://", "names no host"),
        ("http://localhost:99999", "Port out of range"),
        ("http://[::1", "IPv6"),
    ],
)
def test_what_is_no_address_of_a_server(url, reason, monkeypatch):
    with pytest.raises(chatdouble.Error, match=reason) as refused:
        chatdouble.connect(url)
    assert repr(url) in str(refused.value)
    monkeypatch.setenv("CHATDOUBLE_URL", url)
    with pytest.raises(chatdouble.Error, match=reason):
        chatdouble.connect()


CALLS = {
    "worlds": lambda server, world: server.worlds(),
    "create_world": lambda server, world: server.create_world(),
    "delete_worlds": lambda server, world: server.delete_worlds("x"),
    "health": lambda server, world: server.health(),
    "user": lambda server, world: world.user("mel"),
    "state": lambda server, world: world.state(),
    "invariants": lambda server, world: world.invariants(),
    "clock.now": lambda server, world: world.clock.now(),
    "clock.agenda": lambda server, world: world.clock.agenda(),
    "clock.advance": lambda server, world: world.clock.advance(1),
    "faults.add": lambda server, world: world.faults.add(effect={"garbage": True}),
    "faults.list": lambda server, world: world.faults.list(),
    "network.list": lambda server, world: world.network.list(),
    "rate_limit.list": lambda server, world: world.rate_limit.list(),
    "journal.entries": lambda server, world: world.journal.entries(),
    "journal.verify": lambda server, world: world.journal.verify(),
    "journal.wait_for": lambda server, world: world.journal.wait_for(),
    "queues.list": lambda server, world: world.queues.list(),
    "queues.wait_parked": lambda server, world: world.queues.wait_parked(),
    "pushes.list": lambda server, world: world.pushes.list(),
    "pushes.wait_for": lambda server, world: world.pushes.wait_for(),
    "snapshots.list": lambda server, world: world.snapshots.list(),
}
NO_REPLIES = {
    "a list": b"[1,2]",
    "null": b"null",
    "a number": b"5",
    "a text": b'"x"',
    "brackets": b"[" * 100_000,
    "objects": b'{"a":' * 100_000,
    "no JSON": b"<html>",
    "nothing": b"",
    "bytes": b"\xff\xfe",
    "an empty success": b'{"result": "success", "msg": ""}',
    "odd lists": b'{"result": "success", "msg": "", "worlds": [1], "users": [null], "entries": {}, "faults": 5, "queues": [[]],'
    b' "pushes": "x", "snapshots": [1], "agenda": [2], "now": 1, "running": true, "checked": [], "violations": [3]}',
    "an odd refusal": b'{"result": "error", "msg": null, "code": 7, "nearest": [1, {"diff": 2}]}',
}


@pytest.fixture(scope="module")
def stranger():
    """A server that gives the same reply to every request."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def reply(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(200)
            self.send_header("Content-Length", str(len(self.server.body)))
            self.end_headers()
            self.wfile.write(self.server.body)

        do_GET = do_POST = do_PUT = do_DELETE = reply

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        serving.daemon_threads = True
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield serving
        serving.shutdown()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("body", NO_REPLIES)
def test_what_is_no_reply_of_chatdouble(stranger, body, call):
    stranger.body = NO_REPLIES[body]
    with chatdouble.Server(f"http://127.0.0.1:{stranger.server_port}") as server:
        with pytest.raises(chatdouble.Error) as refused:
            CALLS[call](server, server.world("x"))
    assert len(str(refused.value)) < 500


def test_an_error_of_a_wait_names_the_limit_that_ran_out(world, monkeypatch):
    fault = world.faults.add(effect={"garbage": True}, match={"user": "mel"})
    waits = [world.journal.wait_for, fault.wait_fired, world.queues.wait_parked, world.pushes.wait_for]
    for wait in waits:
        with pytest.raises(chatdouble.VerificationFailed, match=r"^Expected at least 1 .*, found 0 within 0.02 s\b"):
            wait(timeout_ms=20)
    # One limit counts for all that have none of their own.
    monkeypatch.setitem(_limit._limits, "timeout_ms", 3_000)
    chatdouble.set_default_timeout(50)
    for wait in waits:
        with pytest.raises(chatdouble.VerificationFailed, match=r", found 0 within 0.05 s\b"):
            wait()
    with pytest.raises(chatdouble.VerificationFailed, match=r"found 0 within 0.05 s.*\nfault.wait_fired blocked the event loop"):
        asyncio.run(_in_loop(fault.wait_fired))
    with pytest.raises(chatdouble.VerificationFailed, match=r", found 0 within 0.05 s\b"):
        asyncio.run(chatdouble.aio.same(world).queues.wait_parked())
    # There are too many before the end of the limit.
    meet(world.url)
    with pytest.raises(chatdouble.VerificationFailed, match="found 1\n"):
        world.journal.wait_for(exactly=0, timeout_ms=5_000)
    for wrong in (0, -5, "3s", None, True, 2.5):
        with pytest.raises(chatdouble.Error, match=f"^set_default_timeout takes a number of milliseconds .* not {wrong!r}$"):
            chatdouble.set_default_timeout(wrong)


async def _in_loop(call):
    return call()


@pytest.mark.parametrize("workers", [[], ["-n", "1"]])
def test_the_limit_of_waits_is_in_the_ini_file(pytester, workers):
    pytester.makepyfile("def test_it(chatdouble_world): chatdouble_world.queues.wait_parked(user='mel')")
    pytester.makeini("[pytest]\nchatdouble_timeout_ms = 40")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *workers)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Expected at least 1 parked queue of mel, found 0 within 0.04 s; *"])


def test_a_wait_in_an_event_loop_names_the_remedy(world):
    async def blocked(wait):
        wait()

    for wait in [
        lambda: world.queues.wait_parked(user="mel", timeout_ms=1),
        lambda: world.journal.wait_for(path="/typing", timeout_ms=1),
        lambda: world.pushes.wait_for(user="mel", timeout_ms=1),
    ]:
        with pytest.raises(chatdouble.Error, match="chatdouble.aio") as late:
            asyncio.run(blocked(wait))
        assert late.value.status == 408
        with pytest.raises(chatdouble.Error) as late:
            wait()
        assert "chatdouble.aio" not in str(late.value)

    async def watched():
        with world.watch(timeout_ms=1) as frames:
            next(frames)

    with pytest.raises(chatdouble.Error, match="no frame came within 1 ms\\nwatch blocked the event loop .* chatdouble.aio"):
        asyncio.run(watched())
    with world.watch(timeout_ms=1) as frames, pytest.raises(chatdouble.Error) as late:
        next(frames)
    assert "chatdouble.aio" not in str(late.value)

    async def polled():
        mel = world.user("mel")
        queue = api(world, mel, "POST", "/register", event_types='["message"]')["queue_id"]
        polling = asyncio.get_running_loop().run_in_executor(
            None, lambda: api(world, mel, "GET", "/events", queue_id=queue, last_event_id=-1)
        )
        (parked,) = await asyncio.to_thread(world.queues.wait_parked, user="mel")
        await asyncio.to_thread(world.queues.lose, parked.queue_id)
        return await polling

    assert asyncio.run(polled())["code"] == "BAD_EVENT_QUEUE_ID"


def test_replies_have_classes(server, world):
    mel = world.user("mel")
    assert isinstance(mel, chatdouble.types.User)
    assert isinstance(server.worlds()[0], chatdouble.types.WorldRow)
    state = world.clock.state()
    assert isinstance(state, chatdouble.types.ClockState) and isinstance(state.agenda[0], chatdouble.types.AgendaItem)
    # A key that this item lacks is None, and a key that no item has is an error.
    assert state.agenda[0].queue_id is None and state.agenda[0]["reminder_id"] == 1
    with pytest.raises(AttributeError, match="there are kind, at, reminder_id"):
        state.agenda[0].colour
    with pytest.raises(AttributeError, match="did you mean 'agenda'"):
        state.agend
    send(world, mel, "Hello")
    assert world.journal.entries()[-1].hint is None
    copied = copy.deepcopy(state)
    assert copied == state and pickle.loads(pickle.dumps(copied)) == state


def test_frames_have_the_class_of_their_type(world):
    mel = world.user("mel")
    with world.watch(timeout_ms=5_000) as frames, world.faults.add(effect={"delay_ms": 1}):
        world.network.set(profile="3g")
        world.rate_limit.set(requests=100, seconds=1)
        world.snapshots.save("s")
        api(world, mel, "POST", "/register")
        send(world, mel, "Hello")
        world.snapshots.restore("s")
        seen = {}
        while "clock" not in seen:
            frame = next(frames)
            seen.setdefault(frame.type, frame)
    assert {name: type(frame) for name, frame in seen.items()} == {name: _frame.KINDS[name] for name in seen}
    assert seen.keys() == {"request", "event", "queue", "fault", "network", "rate_limit", "clock"}
    for name, frame in seen.items():
        # Each key is declared, and those of other types are None.
        assert set(frame) - {"from"} <= get_type_hints(_frame.AnyFrame).keys(), name
        assert {key for key in get_type_hints(_frame.AnyFrame) if getattr(frame, key) is not None} <= frame.keys()
    assert (seen["clock"].cause, seen["clock"].snapshot, seen["request"].change) == ("restore", "s", None)
    assert pickle.loads(pickle.dumps(seen["event"])) == seen["event"]
    newer = _frame.framed({"type": "weather", "at": 1.0, "wind": 3})
    assert type(newer) is chatdouble.types.Frame and newer["wind"] == 3 and newer.path is None


def test_each_key_of_a_reply_has_a_text():
    for module in ("_control", "_record", "_effects", "_options"):
        lines = inspect.getsource(getattr(chatdouble, module)).splitlines()
        keys = [at for at, line in enumerate(lines) if re.match(r"    \w+: [A-Z\w].*[^:,(]$", line)]
        silent = [lines[at].strip() for at in keys if not lines[at - 1].startswith("    #: ")]
        assert not silent, module


def test_the_options_are_those_of_the_program(server):
    text = subprocess.run([_start.binary(), "serve", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    options = {name.replace("-", "_") for name in re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text, re.MULTILINE)}
    # The package gives these itself.
    options -= {"help", "exit_with_stdin", "exit_with_process"}
    assert set(chatdouble.types.StartOptions.__annotations__) == options
    keywords = inspect.signature(chatdouble.Server.create_world).parameters.keys() - {"self"}
    assert keywords == set(chatdouble.types.WorldOptions.__annotations__)
    verify = inspect.signature(chatdouble.World(server, "x", "", None).journal.verify).parameters.keys() - {"assertion"}
    assert verify == set(chatdouble.types.Assertion.__annotations__)
    add = inspect.signature(chatdouble.World(server, "x", "", None).faults.add).parameters.keys() - {"rule"}
    assert add == set(chatdouble.types.FaultRule.__annotations__)
    document = json.loads(subprocess.run([_start.binary(), "openapi", "--control"], stdout=subprocess.PIPE, check=True).stdout)
    effects = document["components"]["schemas"]["FaultRule"]["properties"]["effect"]["properties"]
    known = {key: hint for one in get_args(chatdouble.types.Effect) for key, hint in get_type_hints(one).items()}
    assert known.keys() == effects.keys()
    for key, effect in effects.items():
        assert "enum" not in effect or set(get_args(known[key])) == set(effect["enum"]), key


@pytest.mark.parametrize(
    "ending",
    [
        "os.kill(os.getpid(), 9)",
        "pass",
        "raise SystemExit(1)",
        # A forked child that outlives its parent.
        "time.sleep(60) if os.fork() == 0 else os.kill(os.getpid(), 9)",
    ],
)
def test_a_server_ends_within_2_seconds_of_its_starter(ending):
    script = f"import chatdouble, os, sys, time; print(chatdouble.start_server().pid, os.getpid(), flush=True); {ending}"
    with subprocess.Popen([sys.executable, "-c", script.replace("; time", "\ntime")], stdout=subprocess.PIPE, text=True, start_new_session=True) as starter:
        server, _ = map(int, starter.stdout.readline().split())
        starter.wait()
        began = time.monotonic()
        while _is_alive(server):
            assert time.monotonic() - began < 2, "it is still there"
            time.sleep(0.02)
        if "fork" in ending:
            os.killpg(starter.pid, signal.SIGKILL)


def _is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            # A process that has ended may still be a zombie.
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_plugin_gives_a_world_shows_the_journal_and_runs_levels(pytester):
    pytester.makepyfile(
        """
        import json, pytest, urllib.request

        def test_label(chatdouble_world):
            (row,) = chatdouble_world.server.worlds(prefix=chatdouble_world.name)
            assert row.label.endswith("test_label")

        @pytest.mark.chatdouble(feature_level=[200, 300], dialect=["neutral", "zulip"], fixture="cast")
        def test_levels(chatdouble_world, request):
            settings = json.load(urllib.request.urlopen(f"{chatdouble_world.url}/api/v1/server_settings"))
            name = "zulip_feature_level" if "zulip" in request.node.name else "service_feature_level"
            assert str(settings[name]) in request.node.name

        """
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=5)


def test_a_failed_test_says_why_requests_were_refused(pytester):
    pytester.makepyfile(
        """
        import urllib.request, urllib.error, base64, contextlib, json, pytest, threading

        def call(world, path, body=None):
            mel = world.user("mel")
            key = base64.b64encode(f"{mel.email}:{mel.api_key}".encode()).decode()
            request = urllib.request.Request(f"{world.url}/api/v1{path}", body, {"Authorization": f"Basic {key}"})
            return urllib.request.urlopen(request)

        def api(world, path, body=None):
            with pytest.raises(urllib.error.HTTPError):
                call(world, path, body)

        def test_refused(chatdouble_world):
            api(chatdouble_world, "/messages", b"type=stream&to=enginering&topic=t&content=x")
            api(chatdouble_world, "/mesages")
            chatdouble_world.journal.verify(path="/messages", exactly=2)

        def test_waiting(chatdouble_world):
            body = b'event_types=["message"]'
            queue = json.load(call(chatdouble_world, "/register", body))["queue_id"]
            poll = f"/events?queue_id={queue}&last_event_id=-1"
            threading.Thread(target=api, args=(chatdouble_world, poll), daemon=True).start()
            chatdouble_world.queues.wait_parked(user="mel")
            assert False

        def test_silent(chatdouble_world):
            chatdouble_world.user("mel")
            assert False

        def test_mistaken(chatdouble_world):
            chatdouble_world.faults.add(effect={"drop": "aftr"})

        def test_misspelled(chatdouble_world):
            chatdouble_world.jurnal.verify(path="/messages")

        def test_undefined(chatdouble_world):
            undefined.verify(path="/messages")

        def test_emptied(chatdouble_world):
            call(chatdouble_world, "/users/me")
            chatdouble_world.journal.clear()
            assert False

        @pytest.mark.parametrize("polls", [["mel"], ["mel", "max"], ["mel", "mel, which waits"]])
        def test_given_up(chatdouble_world, polls):
            for name in polls:
                name, *waits = name.split(", ")
                user = chatdouble_world.user(name)
                key = base64.b64encode(f"{user.email}:{user.api_key}".encode()).decode()
                ask = lambda path, body=None: urllib.request.Request(
                    f"{chatdouble_world.url}/api/v1{path}", body, {"Authorization": f"Basic {key}"}
                )
                queue = json.load(urllib.request.urlopen(ask("/register", b'event_types=["message"]')))["queue_id"]
                poll = ask(f"/events?queue_id={queue}&last_event_id=-1")
                if name == "max" or waits:
                    threading.Thread(target=urllib.request.urlopen, args=(poll,), daemon=True).start()
                    chatdouble_world.queues.wait_parked(user=name)
                else:
                    with pytest.raises(TimeoutError):
                        urllib.request.urlopen(poll, timeout=0.2)
                    with chatdouble_world.watch(timeout_ms=50) as frames:
                        while chatdouble_world.queues.list()[0].parked:
                            # A frame that comes ends the pause, too.
                            with contextlib.suppress(Exception):
                                next(frames)
            assert False
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-W", "ignore")
    result.assert_outcomes(failed=10)
    result.stdout.fnmatch_lines(["the journal of world-* at http://* is empty"])
    alone = "given up by the client: GET /events of mel@chat.test, 1 time, after 0.? s at most"
    result.stdout.fnmatch_lines(["200 POST /register mel*", alone])
    waits = ["200 POST /register max*", alone, "waiting: GET /events of max@chat.test"]
    result.stdout.fnmatch_lines(waits)
    waits = ["200 POST /register mel*", "200 POST /register mel*", alone, "waiting: GET /events of mel@chat.test"]
    result.stdout.fnmatch_lines(waits)
    result.stdout.fnmatch_lines(["*last requests to world-*", "200 POST /register *", "waiting: GET /events of mel@chat.test"])
    result.stdout.fnmatch_lines(
        [
            "*last requests to world-*",
            "400 POST /messages mel@chat.test content=x to=enginering topic=t type=stream",
            "    Channel 'enginering' does not exist*",
            "404 GET /mesages mel@chat.test",
            "    Unknown path",
            "    The nearest operation is GET /api/v1/messages.",
        ]
    )
    text = result.stdout.str()
    assert len(re.findall("^no request reached world-.* X-Chatdouble-Hint of the reply names the nearest world$", text, re.MULTILINE)) == 1 and "dev_fetch_api_key" not in text


def test_requests_that_differ_in_the_same_way_are_shown_once(world):
    mel = world.user("mel")
    for content in ("one", "one", "two"):
        send(world, mel, content)
    with pytest.raises(chatdouble.VerificationFailed) as refused:
        world.journal.verify(path="/messages", params={"content": "none"})
    assert [str(refused.value).count(f'+    "content": "{content}"') for content in ("one", "two")] == [1, 1]


def test_a_misspelled_attribute_names_the_nearest(server, world):
    for thing, given, wanted in (
        (world, "jurnal", "World has no attribute 'jurnal'; did you mean 'journal'?"),
        (world.queues, "wait_prked", "Queues has no attribute 'wait_prked'; did you mean 'wait_parked'?"),
        (server, "create_wrld", "Server has no attribute 'create_wrld'; did you mean 'create_world'?"),
        (chatdouble.aio.same(world), "jurnal", "World has no attribute 'jurnal'; did you mean 'journal'?"),
        (world, "colour", "World has no attribute 'colour'"),
    ):
        with pytest.raises(AttributeError, match=f"^{re.escape(wanted)}$"):
            getattr(thing, given)
    assert not hasattr(world, "__deepcopy__")


def test_tracebacks_end_at_the_test(pytester):
    pytester.makepyfile(
        """
        import pytest
        import chatdouble

        def test_refused(chatdouble_world):
            chatdouble_world.user("mell")

        def test_stopped():
            server = chatdouble.start_server()
            world = server.world()
            server.stop()
            world.clock.now()

        def test_no_url():
            chatdouble.connect("127.0.0.1:9991")

        def test_failed_start():
            chatdouble.start_server(fixture="nosuch")

        def test_misspelled(chatdouble_world):
            chatdouble_world.fork(labell="x")

        @pytest.mark.chatdouble(fixtur="cast")
        def test_marked(chatdouble_world):
            pass

        @pytest.mark.chatdouble(fixture="casst")
        def test_fixture(chatdouble_world):
            pass

        @pytest.mark.chatdouble(200)
        def test_unnamed(chatdouble_world):
            pass
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=5, errors=3)
    result.stdout.fnmatch_lines(["*takes keywords, such as feature_level=200, not 200"])
    text = result.stdout.str()
    assert "chatdouble/_" not in text and "socket.py" not in text and "pytest_plugin" not in text, text
    assert len(text.splitlines()) < 110, text
    assert "During handling" not in text and "traceback entries are hidden" not in text, text
    result.stdout.fnmatch_lines(["*the marker chatdouble has no option 'fixtur'; did you mean 'fixture'?*"])
    result.stdout.fnmatch_lines(["*chatdouble_world can't be made: *casst*"])
    result.stdout.fnmatch_lines(["E * chatdouble.Error: there is no user 'mell' in this world; the nearest is 'mel'"])


@pytest.mark.parametrize("choice", [(), ("-n", "2"), ("-n", "2", "--chatdouble-server=each")])
def test_the_summary_says_which_dialect_a_client_needs(pytester, choice):
    if choice:
        pytest.importorskip("xdist")
    pytester.makepyfile(
        """
        import urllib.request

        def test_stock(chatdouble_world):
            headers = {"User-Agent": "ZulipPython/0.9.1 (Linux)"}
            url = f"{chatdouble_world.url}/api/v1/server_settings"
            urllib.request.urlopen(urllib.request.Request(url, headers=headers)).close()
            assert False
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *choice)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*what chatdouble said*",
            "the client ZulipPython/0.9.1 looks for other names *: it needs --dialect zulip",
            "    in the ini file: chatdouble_options = dialect=zulip",
        ]
    )


@pytest.mark.parametrize("choice", [(), ("-n", "2")])
def test_a_server_that_can_not_be_started_is_one_short_message(pytester, monkeypatch, choice):
    if choice:
        pytest.importorskip("xdist")
    pytester.makepyfile("def test_it(chatdouble_world): pass")
    pytester.makeini("[pytest]\nchatdouble_options = fixture=nosuch")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *choice)
    text = result.stdout.str() + result.stderr.str()
    assert "chatdouble_server: nosuch: is neither" in text and "During handling" not in text, text
    assert "(from chatdouble_options in tox.ini)" in text, text
    assert "Traceback" not in text and "pytest_plugin" not in text and "_start.py" not in text, text
    monkeypatch.setenv("CHATDOUBLE_URL", "http://127.0.0.1:9")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *choice)
    result.assert_outcomes(errors=1)
    text = result.stdout.str()
    assert "(from CHATDOUBLE_URL; unset it to let the tests start a server)" in text and "pytest_plugin" not in text, text


OPTIONS_OF_A_SERVER = """
import json, pytest, urllib.request

def settings(world):
    found = json.load(urllib.request.urlopen(f"{world.url}/api/v1/server_settings"))
    return found.get("zulip_feature_level"), found.get("service_feature_level"), world.clock.now(), world.server.worlds(prefix=world.name)[0].channels > 0

def test_fork(chatdouble_world):
    assert settings(chatdouble_world) == (300, None, 1798761600, True)
    made = chatdouble_world.server.create_world(fork_of="default")
    assert settings(made) == settings(made.fork()) == (300, None, 1798761600, True)

@pytest.mark.chatdouble(fixture="empty", feature_level=301, dialect="neutral")
def test_own(chatdouble_world):
    assert settings(chatdouble_world) == (None, 301, 1798761600, False)
"""


def test_options_of_the_server_are_those_of_worlds_of_a_server_elsewhere(pytester, monkeypatch):
    pytester.makepyfile(OPTIONS_OF_A_SERVER)
    options = "[pytest]\nchatdouble_options =\n  dialect=zulip\n  feature-level=300\n  clock=2027-01-01\n  seed=3\n  control_token=secret\n"
    pytester.makeini(options)
    with chatdouble.start_server(control_token="secret") as server:
        monkeypatch.setenv("CHATDOUBLE_URL", server.url)
        pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=2)
        pytester.makeini(options + "  tls\n  webhooks=anywhere\n")
        result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(errors=2)
    refused = "chatdouble_options in tox.ini can't give tls, webhooks to the server at CHATDOUBLE_URL, which runs already: "
    assert f"{refused}start it with them, for tls by exec --tls, or unset CHATDOUBLE_URL" in result.stdout.str()


def test_a_server_elsewhere_that_speaks_https_is_one_with_tls(pytester, monkeypatch, tmp_path):
    pytester.makepyfile("def test_tls(chatdouble_world): assert chatdouble_world.server.tls_ca and chatdouble_world.user('mel').email")
    authority = tmp_path / "ca.pem"
    with chatdouble.start_server(tls=True) as server:
        authority.write_text(server.tls_ca)
        monkeypatch.setenv("CHATDOUBLE_URL", server.url)
        monkeypatch.setenv("CHATDOUBLE_TLS_CA", str(authority))
        pytester.makeini("[pytest]\nchatdouble_options =\n  tls\n")
        pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
        pytester.makeini("[pytest]\nchatdouble_options =\n  tls\n  tls-name=chat\n")
        result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(errors=1)
    assert "can't give tls_name to the server at CHATDOUBLE_URL, which runs already: start it with them, or unset" in result.stdout.str()


def test_a_call_names_how_the_server_ended():
    server = chatdouble.start_server()
    os.kill(server.pid, signal.SIGKILL)
    with pytest.raises(chatdouble.Error) as caught:
        server.create_world()
    assert f"(the server, process {server.pid}, was ended by signal 9)" in str(caught.value)
    server.stop()


def test_times_without_a_zone_are_in_utc(world):
    assert world.clock.set(datetime.datetime(2030, 1, 1, 12)).now == 1893499200
    assert world.clock.set(datetime.date(2031, 1, 1)).now == 1924992000


def test_what_is_no_json_is_refused_in_one_line(world):
    with pytest.raises(chatdouble.Error, match=r"^\{1\} can't be sent as JSON: its type is set$"):
        world.faults.add(effect={1})
    with pytest.raises(chatdouble.Error, match=r"reset takes a list such as keep=\['journal'\], not 'journal'"):
        world.reset(keep="journal")


def test_worlds_of_a_server_elsewhere_are_frozen(pytester, monkeypatch):
    pytester.makepyfile(
        """
import os

def test_clock(chatdouble_world):
    assert chatdouble_world.clock.state().running is ("CHATDOUBLE_CLOCK" in os.environ)
"""
    )
    with chatdouble.start_server() as server:
        monkeypatch.setenv("CHATDOUBLE_URL", server.url)
        pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
        monkeypatch.setenv("CHATDOUBLE_CLOCK", "real")
        pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_findings_of_the_end_fail_a_test(pytester):
    pytester.makepyfile(
        """
        import pytest, urllib.parse, urllib.request
        from base64 import b64encode

        @pytest.mark.chatdouble(name="used-again")
        @pytest.mark.parametrize("path", ["register", "typing"])
        def test_it(chatdouble_world, path):
            mel = chatdouble_world.user("mel")
            key = b64encode(f"{mel.email}:{mel.api_key}".encode()).decode()
            data = urllib.parse.urlencode({"event_types": '["message"]'} if path == "register" else {"to": "[8]", "op": "start"}).encode()
            urllib.request.urlopen(urllib.request.Request(f"{chatdouble_world.url}/api/v1/{path}", data, {"Authorization": f"Basic {key}"}))
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--chatdouble-fail-on=note")
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*note queue-left-behind: *"])
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "--chatdouble-fail-on=warning").assert_outcomes(passed=2)


def test_a_broken_invariant_fails_a_run_with_workers(pytester, monkeypatch):
    pytest.importorskip("xdist")
    # A program that ends with the status of a broken invariant.
    program = pytester.path / "broken"
    program.write_text('#!/bin/sh\nexec 3<&0\n"$REAL" "$@" <&3 & real=$!\ntrap "kill $real" TERM\nwait $real\nwait $real\nexit 3\n')
    program.chmod(0o755)
    monkeypatch.setenv("REAL", _start.binary())
    monkeypatch.setenv("CHATDOUBLE_BINARY", str(program))
    pytester.makepyfile("def test_it(chatdouble_world): pass")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-n", "1")
    text = result.stdout.str() + result.stderr.str()
    assert result.ret == pytest.ExitCode.TESTS_FAILED and "an invariant of a world was broken" in text, text
    assert "Traceback" not in text, text


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("chatdouble_fail_on = warn", "chatdouble_fail_on takes note, warning, error, not 'warn'; did you mean 'warning'?"),
        ("chatdouble_server = eech", "chatdouble_server takes shared, each, not 'eech'; did you mean 'each'?"),
        ("chatdouble_timeout_ms = 3s", "chatdouble_timeout_ms takes a number of milliseconds from 1 on, such as 10000, not '3s'"),
        ("chatdouble_timeout_ms = 0", "chatdouble_timeout_ms takes a number of milliseconds from 1 on, such as 10000, not '0'"),
    ],
)
def test_a_misspelled_setting_is_refused_before_any_test(pytester, setting, message):
    pytester.makepyfile("def test_it(): open('begun', 'w')")
    pytester.makeini(f"[pytest]\n{setting}")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert message in result.stderr.str() and not (pytester.path / "begun").exists()


@pytest.mark.parametrize(("choice", "servers"), [((), 1), (("--chatdouble-server=each",), 2)])
def test_workers_share_a_server_by_default(pytester, choice, servers):
    pytest.importorskip("xdist")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("number", range(12))
        def test_where(chatdouble_world, number):
            with open("urls", "a") as urls:
                urls.write(chatdouble_world.server.url + "\\n")
        """
    )
    pytester.runpytest_subprocess("-n", "2", *choice).assert_outcomes(passed=12)
    assert len(set((pytester.path / "urls").read_text().split())) == servers


def test_https_is_spoken_with_the_authority_that_the_server_made(tmp_path, monkeypatch):
    with chatdouble.start_server(tls=True, clock=NOON) as secured:
        assert secured.url.startswith("https://") and "BEGIN CERTIFICATE" in secured.tls_ca
        with secured.create_world() as world:
            assert world.user("mel").email == "mel@chat.test"
            frames = world.watch()
            threading.Timer(0.1, lambda: world.clock.advance("1h")).start()
            assert next(frames).type == "clock"
        with pytest.raises(chatdouble.Error):
            chatdouble.connect(secured.url).health()
        assert chatdouble.connect(secured.url, tls_ca=secured.tls_ca).health().worlds == 1
        file = tmp_path / "ca.pem"
        file.write_text(secured.tls_ca)
        monkeypatch.setenv("CHATDOUBLE_TLS_CA", str(file))
        assert chatdouble.connect(secured.url).health().worlds == 1


def test_workers_share_a_server_with_https(pytester):
    pytest.importorskip("xdist")
    pytester.makeini("[pytest]\nchatdouble_options =\n    tls\n    control_token=secret\n")
    pytester.makepyfile(
        """
        import pytest, ssl, urllib.request

        @pytest.mark.parametrize("number", range(4))
        def test_it(chatdouble_world, number):
            context = ssl.create_default_context(cadata=chatdouble_world.server.tls_ca)
            urllib.request.urlopen(f"{chatdouble_world.url}/api/v1/server_settings", context=context)
            chatdouble_world.journal.verify(path="/server_settings", exactly=1)
        """
    )
    pytester.runpytest_subprocess("-n", "2").assert_outcomes(passed=4)


class Own(Exception):
    """What a test fails with."""


def ends(world):
    """What makes the things of a block be gone before its end."""
    return {"reset": world.reset, "clear": world.faults.clear, "delete": world.delete}


@pytest.mark.parametrize("way", ["reset", "clear", "delete", "remove"])
def test_a_block_ends_what_is_gone_already(server, way):
    with server.create_world() as world:
        with world.faults.add(effect={"garbage": True}) as fault:
            {**ends(world), "remove": fault.remove}[way]()
        # Asked for a second time, it is an error.
        with pytest.raises(chatdouble.Error, match="There is no "):
            fault.remove()
        if way == "delete":
            with pytest.raises(chatdouble.Error, match="There is no world"):
                world.delete()
        with pytest.raises(Own), world.faults.add(effect={"garbage": True}) if way != "delete" else fault:
            raise Own


def test_a_block_of_a_server_that_is_gone_keeps_the_error_on_its_way():
    server = chatdouble.start_server()
    with pytest.raises(Own), server.create_world() as world, world.faults.add(effect={"garbage": True}):
        server.stop()
        raise Own
    server = chatdouble.start_server()
    with pytest.raises(chatdouble.Error, match="ended with status 0"), server.create_world():
        server.stop()


def test_an_error_of_a_helper_keeps_the_one_that_was_on_its_way(world):
    stopped = chatdouble.start_server()
    stopped.stop()
    calls = [
        lambda: world.journal.verify(path="/messages", exactly=1),
        lambda: world.user("mell"),
        lambda: world.queues.lose("nosuch"),
        lambda: stopped.health(),
        lambda: chatdouble.connect(stopped.url),
        lambda: chatdouble.connect("localhost"),
        lambda: stopped.world().watch(),
        lambda: next(world.watch(timeout_ms=1)),
        lambda: chatdouble.start_server(fixture="nosuch"),
        lambda: world.server.create_world(fixture="nosuch.json"),
    ]
    for call in calls:
        own = Own()
        with pytest.raises(chatdouble.Error) as failed:
            try:
                raise own
            finally:
                call()
        assert failed.value.__context__ is own and not failed.value.__suppress_context__, failed.value
        with pytest.raises(chatdouble.Error) as failed:
            call()
        assert failed.value.__context__ is None


def wait_for_file(path, seconds=20):
    began = time.monotonic()
    while not path.exists():
        assert time.monotonic() - began < seconds, f"there is no {path}"
        time.sleep(0.02)


HANGING = """
import os, pathlib, signal, time

def test_it_hangs(chatdouble_world):
    if "STOPPED" in os.environ:
        os.kill(int(os.environ["STOPPED"]), signal.SIGTERM)
    pathlib.Path("begun").write_text(str(chatdouble_world.server.pid))
    time.sleep(60)
"""


@pytest.mark.parametrize("elsewhere", [False, True])
def test_an_interrupted_run_ends_without_an_error_of_the_server(pytester, monkeypatch, elsewhere):
    pytester.makepyfile(HANGING)
    with chatdouble.start_server() as server:
        if elsewhere:
            # As where the terminal's Ctrl-C also ended the server that `chatdouble exec` started.
            monkeypatch.setenv("CHATDOUBLE_URL", server.url)
            monkeypatch.setenv("STOPPED", str(server.pid))
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True) as runner:
            wait_for_file(pytester.path / "begun")
            # A terminal sends Ctrl-C to all processes of the group in front.
            os.killpg(runner.pid, signal.SIGINT)
            text, _ = runner.communicate(timeout=20)
        if not elsewhere:
            assert not _is_alive(int((pytester.path / "begun").read_text()))
    assert runner.returncode == pytest.ExitCode.INTERRUPTED, text
    assert "KeyboardInterrupt" in text and "deleted" not in text and "refused" not in text, text
    assert len(text.splitlines()) < 25, text


@pytest.fixture
def team(tmp_path):
    """A fixture in a file, and its path."""
    path = tmp_path / "team.json"
    path.write_text(json.dumps({"users": [{"handle": "olive", "full_name": "Olive", "role": "owner"}, {"handle": "tea", "full_name": "Tea"}]}))
    return path


def test_a_world_has_the_fixture_in_a_file(server, team, monkeypatch):
    monkeypatch.chdir(team.parent)
    plain = team.parent / "plain"
    plain.write_text(team.read_text())
    for fixture in ("team.json", str(team), "./plain", plain):
        with server.create_world(fixture=fixture) as world:
            assert world.user("tea").email == "tea@chat.test"

    async def in_a_loop():
        async with await chatdouble.aio.same_server(server).create_world(fixture=team) as world:
            assert (await world.user("tea")).email == "tea@chat.test"

    asyncio.run(in_a_loop())
    (team.parent / "broken.json").write_text("{")
    (team.parent / "wrong.json").write_text('{"users": [{"handl": "olive"}]}')
    for fixture, message in {
        "nosuch.json": r"^fixture: nosuch.json can't be read: No such file or directory$",
        "broken.json": r"^fixture: broken.json is not JSON: .* line 1 column 2 ",
        "wrong.json": r"^\$.fixture.users\[0\].handl: .* \(in wrong.json\)$",
        "plain": r"There is no fixture 'plain'",
    }.items():
        with pytest.raises(chatdouble.Error, match=message):
            server.create_world(fixture=fixture)


FROM_A_FILE = """
import pytest

def test_own(chatdouble_world):
    chatdouble_world.user("tea")
    with chatdouble_world.server.create_world() as made:
        made.user("tea")

@pytest.mark.chatdouble(fixture="cast")
def test_other(chatdouble_world):
    chatdouble_world.user("mel")

@pytest.mark.chatdouble(fixture="team.json")
def test_marked(chatdouble_world):
    chatdouble_world.user("tea")
"""


@pytest.mark.parametrize("elsewhere", [False, True])
def test_the_fixture_of_the_settings_is_in_a_file(pytester, monkeypatch, team, tmp_path_factory, elsewhere):
    pytester.makepyfile(FROM_A_FILE)
    (pytester.path / "team.json").write_text(team.read_text())
    (pytester.path / "broken.json").write_text("{")
    pytester.makeini("[pytest]\nchatdouble_options = fixture=team.json\n")
    with monkeypatch.context() as patch, chatdouble.start_server() as server:
        if elsewhere:
            patch.setenv("CHATDOUBLE_URL", server.url)
        pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=3)
        for fixture, reason in {
            "nosuch.json": "*nosuch.json* No such file or directory*(from chatdouble_options in tox.ini)",
            "broken.json": "*broken.json*line 1 column *(from chatdouble_options in tox.ini)",
            "casst": "*casst* neither a built-in fixture (*) nor a readable file*did you mean 'cast'?*(from chatdouble_options in tox.ini)",
        }.items():
            pytester.makeini(f"[pytest]\nchatdouble_options = fixture={fixture}\n")
            result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
            result.assert_outcomes(errors=3)
            result.stdout.fnmatch_lines([reason])


LEAVING = """
def test_leaves(chatdouble_server):
    chatdouble_server.create_world(name="leaked")

def test_meets(chatdouble_server, chatdouble_world):
    with chatdouble_server.create_world(name="tidy"):
        chatdouble_server.create_world(name="leaked")
"""


@pytest.mark.parametrize("choice", [(), ("-n", "1")])
def test_the_summary_names_worlds_that_nobody_deleted(pytester, choice):
    if choice:
        pytest.importorskip("xdist")
    pytester.makepyfile(test_leaving=LEAVING)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *choice)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*There is a world called 'leaked' already", "*what chatdouble said*", "worlds that tests made and did not delete: leaked (test_leaving.py::test_leaves)"]
    )


MARKED = """
import pytest

@pytest.fixture
def team(chatdouble_world):
    return chatdouble_world

@pytest.fixture(params=["real", "double"])
def backend(request):
    return request.getfixturevalue("chatdouble_world") if request.param == "double" else None

@pytest.mark.chatdouble(feature_level=[100, 247])
def test_made(chatdouble_server):
    with chatdouble_server.create_world():
        pass

@pytest.mark.chatdouble(feature_level=100)
def test_made_in_a_loop(chatdouble_aio_server):
    pass

@pytest.mark.chatdouble(feature_level=100)
def test_nothing():
    pass

@pytest.mark.chatdouble(feature_levl=100)
def test_misspelled(chatdouble_server):
    pass

@pytest.mark.chatdouble(feature_levl=100)
def test_misspelled_with_world(chatdouble_world):
    pass

@pytest.mark.chatdouble(100)
def test_unnamed(chatdouble_server):
    pass

@pytest.mark.skip
@pytest.mark.chatdouble(feature_level=100)
def test_skipped():
    pass

@pytest.mark.chatdouble(feature_level=[100, 247])
def test_through_a_fixture(team):
    pass

@pytest.mark.chatdouble(feature_level=100)
def test_by_name(backend):
    pass

@pytest.mark.chatdouble(feature_level=100)
def test_in_a_loop(chatdouble_aio_world):
    pass

@pytest.mark.chatdouble(feature_level=100)
@pytest.mark.usefixtures("chatdouble_world")
def test_used():
    pass

@pytest.mark.chatdouble(feature_level=100)
class TestMarked:
    def test_world(self, chatdouble_world):
        pass

    def test_without_a_server(self):
        pass

    def test_server(self, chatdouble_server):
        pass
"""


def test_a_marker_without_effect_is_an_error(pytester, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    pytester.makepyfile(test_marked=MARKED)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-rE")
    result.assert_outcomes(passed=8, skipped=1, errors=7)
    text = result.stdout.str()
    neither = "the marker chatdouble is for chatdouble_world and chatdouble_aio_world, and this test has neither"
    for name, reason in {
        "test_made": neither,
        "test_made_in_a_loop": neither,
        "test_nothing": neither,
        "TestMarked::test_server": neither,
        "test_misspelled": "the marker chatdouble has no option 'feature_levl'; did you mean 'feature_level'?",
        "test_misspelled_with_world": "the marker chatdouble has no option 'feature_levl'; did you mean 'feature_level'?",
        "test_unnamed": "the marker chatdouble takes keywords, such as feature_level=200, not 100",
    }.items():
        assert f"ERROR test_marked.py::{name} - Failed: {reason}" in text, text
    assert "pytest_plugin.py" not in text, text


SHARED = """
import base64
import unittest
import urllib.request

import pytest

import chatdouble

def ask(world, path):
    mel = world.user("mel")
    key = base64.b64encode(f"{mel.email}:{mel.api_key}".encode()).decode()
    urllib.request.urlopen(urllib.request.Request(f"{world.url}/api/v1{path}", headers={"Authorization": f"Basic {key}"})).read()

@pytest.fixture(scope="session")
def organization(chatdouble_server):
    with chatdouble_server.create_world(name="organization") as world:
        yield world

@pytest.fixture(scope="module", params=["first", "second"])
def varied(chatdouble_server, request):
    # The same name each time.
    with chatdouble_server.create_world(name="varied") as world:
        yield world

@pytest.fixture(scope="class")
def undeleted(chatdouble_server):
    return chatdouble_server.create_world(name="undeleted")

@pytest.fixture(scope="module")
def elsewhere():
    with chatdouble.start_server() as server:
        yield server.create_world(name="elsewhere")

class TestUnit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = chatdouble.start_server()
        cls.addClassCleanup(cls.server.stop)
        cls.world = cls.server.create_world(name="unit")
        cls.addClassCleanup(cls.world.delete)

    def test_unit(self):
        ask(self.world, "/users/me?colour=red")

@pytest.fixture(scope="session")
def factory(chatdouble_server):
    return chatdouble_server.create_world

class TestClass:
    def test_undeleted(self, undeleted):
        ask(undeleted, "/users/me?colour=red")

    def test_undeleted_again(self, undeleted):
        pass

def test_factory(factory):
    with factory(name="made") as world:
        ask(world, "/users/me?colour=red")

def test_varied(varied, request):
    ask(varied, "/users/me?colour=red" if request.node.name == "test_varied[first]" else "/users/me")

def test_elsewhere(elsewhere):
    ask(elsewhere, "/users/me?colour=red")

def test_first(organization):
    ask(organization, "/users/me?colour=red")

def test_fails(organization):
    assert False

def test_fails_without():
    assert False
"""


def test_findings_in_worlds_of_fixtures_of_a_wider_scope_fail_the_last_test(pytester, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    pytester.makepyfile(test_shared=SHARED)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--chatdouble-fail-on", "warning", "-rE")
    result.assert_outcomes(passed=8, failed=2, errors=5)
    text = result.stdout.str()
    for test, world in {
        "TestClass::test_undeleted_again": "undeleted (made by the fixture undeleted)",
        "TestUnit::test_unit": "unit (made by setUpClass)",
        "test_factory": "made",
        # Its parameter changes while this test is set up, which fails at its end.
        "test_varied[second]": "varied (made by the fixture varied)",
        "test_fails_without": "organization (made by the fixture organization)",
    }.items():
        assert f"ERROR test_shared.py::{test} - Failed: the clients of {world} broke rules:" in text, text
    # The summary repeats the whole finding where CI is set, and its first line elsewhere.
    errors, _, _ = text.partition("short test summary info")
    assert errors.count("broke rules:\n  warning ignored-parameter") == 5, text
    unjudged = "worlds whose clients --chatdouble-fail-on did not judge: elsewhere (test_shared.py::test_elsewhere; its server did not answer)"
    result.stdout.fnmatch_lines(["*what chatdouble said*", unjudged])
    assert "pytest_plugin.py" not in text, text


def test_a_failed_test_shows_the_world_that_it_shares(pytester):
    pytester.makepyfile(test_shared=SHARED)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=8, failed=2)
    result.stdout.fnmatch_lines(["*last requests to organization (made by the fixture organization)*", "200 GET /users/me mel@chat.test colour=red"])
    assert result.stdout.str().count("last requests to ") == 1 and "did not judge" not in result.stdout.str()


SEVERAL = """
import urllib.error
import urllib.request
import pytest

def ask(world, path="/server_settings"):
    try:
        urllib.request.urlopen(world.url + "/api/v1" + path)
    except urllib.error.HTTPError:
        pass

@pytest.fixture
def worlds(chatdouble_server):
    made = [chatdouble_server.create_world(name=f"{name}-1", label=label) for name, label in [("a", None), ("b", "of Bo"), ("c", "of Cy"), ("d", None)]]
    for one in made:
        ask(one)
    ask(made[3], "/users/me")
    yield made
    for one in made:
        one.delete()

def test_of_a_call(chatdouble_world, worlds):
    worlds[1].journal.verify(path="/server_settings", exactly=7)

def test_of_a_call_in_a_loop(chatdouble_aio_server, worlds):
    import asyncio

    async def work():
        async with await chatdouble_aio_server.create_world(name="e-1") as world, await world.fork(name="f-1", label="of Fo") as fork:
            ask(fork)
            ask(world)
            await world.clock.now()
            await fork.journal.verify(path="/server_settings", exactly=7)

    asyncio.run(work())

def test_named(chatdouble_world, worlds):
    assert False, f"nothing came at {worlds[2].url}/api/v1"

def test_of_a_client(chatdouble_world, worlds):
    chatdouble_world.user("mel")
    ask(worlds[0])
    assert False

def test_misspelled(worlds):
    worlds[1].user("mell")
"""


def test_a_failed_test_shows_first_the_world_that_its_failure_is_about(pytester):
    pytester.makepyfile(SEVERAL)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=5)
    # Of each test, the headings below its traceback and what follows them, in turn.
    tests = re.split(r"(?m)^_{3,} (\w+) _{3,}$", result.stdout.str().split("= short test summary")[0])
    shown = {name: re.split(r"(?m)^-{3,} (.+) -{3,}$", text)[1:] for name, text in zip(tests[1::2], tests[2::2])}
    once, twice = "\n200 GET /server_settings\n", "\n200 GET /server_settings\n200 GET /server_settings\n"
    assert shown["test_of_a_call"][:3] == ["last requests to b-1 (of Bo)", once, "last requests to d-1"]
    assert shown["test_of_a_call_in_a_loop"][:4] == ["last requests to f-1 (of Fo)", once, "last requests to e-1", once]
    assert shown["test_named"][:3] == ["last requests to c-1 (of Cy)", once, "last requests to d-1"]
    assert shown["test_of_a_client"][:2] == ["last requests to a-1", twice]
    assert shown["test_misspelled"][:3] == ["last requests to b-1 (of Bo)", once, "last requests to d-1"]
    # The other worlds have a line each.
    assert re.fullmatch(r"\nc-1 \(of Cy\): 1 request\na-1: 1 request\nworld-\d+: no request\n", shown["test_of_a_call"][5])
    assert shown["test_of_a_client"][4:] == ["requests to other worlds", "\nd-1: 2 requests, 1 refused\nc-1 (of Cy): 1 request\nb-1 (of Bo): 1 request\n"]


def test_findings_of_an_interrupted_run_are_said_at_its_end(pytester):
    interrupts = "def test_interrupts(organization):\n    raise KeyboardInterrupt\n"
    pytester.makepyfile(test_interrupted=SHARED + interrupts)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--chatdouble-fail-on", "warning", "-k", "test_first or interrupts")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    said = ["the clients of organization (made by the fixture organization) broke rules:", "*warning ignored-parameter*"]
    result.stdout.fnmatch_lines(["*what chatdouble said*", *said, "*KeyboardInterrupt*"])


@pytest.mark.parametrize("choice", [(), ("-n", "1")])
def test_findings_in_worlds_outside_of_tests_fail_the_run(pytester, choice):
    if choice:
        pytest.importorskip("xdist")
    outside = 'outside = chatdouble.start_server().create_world(name="outside")\ndef test_passes():\n    ask(outside, "/users/me?colour=red")\n'
    pytester.makepyfile(test_outside=SHARED + outside)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--chatdouble-fail-on", "warning", "-k", "passes", *choice)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*what chatdouble said*", "the clients of outside broke rules:", "*warning ignored-parameter*"])


EXISTING = """
import os
import urllib.request

import pytest

pytestmark = pytest.mark.filterwarnings("ignore")

@pytest.mark.parametrize("number", range(2))
def test_existing(number):
    url = os.environ["CHATDOUBLE_URL"] + "/api/v1/server_settings?colour=red"
    assert urllib.request.urlopen(url).status == 200
"""
NO_WORLD = "--chatdouble-fail-on judged no world, since the tests made none; this judges all worlds of the server, also `default`: "


@pytest.mark.parametrize("choice", [(), ("-n", "2")])
def test_a_run_that_judged_no_world_says_so(pytester, choice, server, monkeypatch):
    if choice:
        pytest.importorskip("xdist")
    monkeypatch.setenv("CHATDOUBLE_URL", server.url)
    monkeypatch.setenv("COLUMNS", "300")
    pytester.makepyfile(test_existing=EXISTING)
    judging = ("-p", "no:cacheprovider", "--chatdouble-fail-on", "warning", *choice)

    result = pytester.runpytest_subprocess(*judging)

    result.assert_outcomes(passed=2)
    remedy = "chatdouble exec --report FILE --fail-on warning -- pytest"
    result.stdout.fnmatch_lines(["*what chatdouble said*", NO_WORLD + remedy])
    assert result.ret == pytest.ExitCode.OK and result.stdout.str().count("judged no world") == 1
    # No rules were asked for, no test ran, or one test made a world, whose worker is not the only one.
    made = EXISTING + "\ndef test_made(chatdouble_world): pass\n"
    for arguments, text in ((("-p", "no:cacheprovider", *choice), EXISTING), ((*judging, "-k", "other"), EXISTING), (judging, made)):
        pytester.makepyfile(test_existing=text)
        assert "judged no world" not in pytester.runpytest_subprocess(*arguments).stdout.str(), arguments


def test_the_report_of_exec_judges_the_world_default(pytester, monkeypatch):
    for name in ("CHATDOUBLE_URL", "CHATDOUBLE_CONTROL_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    pytester.makepyfile(test_existing=EXISTING)
    remedy = [_start.binary(), "exec", "--report", "report.txt", "--fail-on", "warning", "--", sys.executable, "-m", "pytest"]
    assert pytester.run(*remedy, "-p", "no:cacheprovider").ret == 4
    assert "ignored-parameter" in (pytester.path / "report.txt").read_text()


def test_the_frames_of_a_request_come_in_order(world):
    mel, max = world.user("mel"), world.user("max")
    with world.watch(timeout_ms=3000) as frames:
        queue = api(world, max, "POST", "/register", event_types='["message"]')["queue_id"]
        poll = threading.Thread(target=api, args=(world, max, "GET", "/events"), kwargs={"queue_id": queue, "last_event_id": -1})
        poll.start()
        world.queues.wait_parked(user="max")
        assert [(frame.type, frame.change) for frame in itertools.islice(frames, 3)] == [
            ("request", None),
            ("queue", "registered"),
            ("queue", "parked"),
        ]
        world.faults.add(match={"path": "/messages"}, effect={"drop": "after"}, times=1)
        with pytest.raises(OSError):
            send(world, mel, "Hello")
        poll.join()
        came = [next(frames)]
        while {("message", None), (None, "/events")} - {((one.event or {}).get("type"), one.path) for one in came}:
            came.append(next(frames))
    # Those of the poll that ends come before or after the events that it delivers.
    polls = [(one.type, one.change) for one in came if one.user == max.email]
    assert polls == [("queue", "answered"), ("request", None)]
    others = [one.type for one in came if one.user != max.email]
    assert others[:2] == ["request", "fault"] and set(others[2:]) == {"event"}


def test_a_call_of_control_without_a_helper(server, world):
    mel = world.user("mel")
    send(world, mel, "@**Out Bot** how are you?")
    hooks = world.control("GET", "/webhooks").webhooks
    assert [hook.user for hook in hooks] == ["out-bot@chat.test"] and "is not this machine" in hooks[0].error
    assert world.control("DELETE", "/webhooks") == {} and world.control("GET", "/webhooks")["webhooks"] == []
    shown = world.control("GET", "/messages?limit=2")
    assert len(shown.messages) == 2 and "result" not in shown
    ned = {"email": "new@example.com", "full_name": "New Ned"}
    made = world.control("POST", "/invites/everlastinglinkkeyaaaaaa/accept", ned).user_id
    assert world.user("new@example.com").id == made
    with pytest.raises(chatdouble.Error, match="No such invitation") as refused:
        world.control("POST", "/invites/no-such-key/accept", ned)
    assert (refused.value.status, refused.value.code) == (400, "BAD_REQUEST")

    async def listed():
        return await chatdouble.aio.same(world).control("GET", "/webhooks")

    assert asyncio.run(listed()) == {"webhooks": []}
    with pytest.raises(chatdouble.Error, match="what follows the world's name in a path, such as '/webhooks', not 'webhooks'"):
        world.control("GET", "webhooks")
