"""Tests the helpers against a running server. CHATDOUBLE_BINARY names the program."""

import datetime
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from base64 import b64encode

import pytest

import chatdouble

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


def test_users(server):
    assert server.world().user("build-bot").email == "build-bot@chat.test"
    with pytest.raises(chatdouble.Error):
        server.world().user("nobody")


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
        world.user("mel")
    send(world, mel, "é" * 5000)
    reader.join(10)
    assert seen[0].type == "request" and seen[-1].event["type"]


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
    with pytest.raises(chatdouble.Error, match="error: nosuch"):
        chatdouble.start_server(fixture="nosuch")
    with pytest.raises(chatdouble.Error, match="no-such-option"):
        chatdouble.start_server(no_such_option=1)


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
        import pytest

        def test_label(chatdouble_world):
            (row,) = chatdouble_world.server.worlds(prefix=chatdouble_world.name)
            assert row.label.endswith("test_label")

        @pytest.mark.chatdouble(feature_level=[200, 300], dialect=["neutral", "zulip"], fixture="cast")
        def test_levels(chatdouble_world, request):
            settings = chatdouble_world._calls.requests.api("GET", f"/w/{chatdouble_world.name}/api/v1/server_settings")
            name = "zulip_feature_level" if "zulip" in request.node.name else "service_feature_level"
            assert str(settings[name]) in request.node.name

        def test_fails(chatdouble_world):
            chatdouble_world.user("mel")
            chatdouble_world.journal.verify(path="/messages")
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(["*last requests to world-*", "200 POST /dev_fetch_api_key*username=mel@chat.test*"])


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
