"""Fixtures for pytest: a server for the session, a world for each test."""

from __future__ import annotations

import inspect
import itertools
import os
from typing import Any, Generator, Iterator

import pytest

from . import aio
from ._error import Error
from ._keywords import refuse_unknown
from ._record import Record
from ._server import Server, connect
from ._start import start_server
from ._world import World

MARKER = "chatdouble(feature_level=N, dialect=NAME, fixture=NAME, ...): how chatdouble_world is made, with the keywords of create_world; a list of feature levels or dialects runs the test once for each"
# How many journal entries a failed test shows.
SHOWN = 10
# The most characters of a parameter that are shown.
SHOWN_CHARACTERS = 60
# How much findings matter, the least first.
SEVERITIES = ("note", "warning", "error")
# The keywords of the marker.
OPTIONS = [name for name in inspect.signature(Server.create_world).parameters if name != "self"]
_URL, _TOKEN, _CA = "chatdouble_url", "chatdouble_token", "chatdouble_tls_ca"
_shared = pytest.StashKey[Server]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("chatdouble")
    group.addoption(
        "--chatdouble-server",
        choices=["shared", "each"],
        help="with xdist: one server for all workers (shared, the default) or one for each worker (each)",
    )
    group.addoption(
        "--chatdouble-fail-on",
        choices=list(SEVERITIES),
        help="fail tests in whose world a client broke a rule of the report that is at least this severe",
    )
    parser.addini("chatdouble_fail_on", "as --chatdouble-fail-on")
    parser.addini("chatdouble_server", "as --chatdouble-server", default="shared")
    parser.addini("chatdouble_options", "options of serve, one per line, such as dialect=zulip", type="linelist")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Starts the server that xdist's workers share, in the process that distributes the tests to them."""
    config: pytest.Config = node.config
    is_shared = (config.getoption("chatdouble_server") or config.getini("chatdouble_server")) == "shared"
    if not is_shared or os.environ.get("CHATDOUBLE_URL"):
        return
    if _shared not in config.stash:
        config.stash[_shared] = _start(config)
    server = config.stash[_shared]
    node.workerinput[_URL], node.workerinput[_TOKEN] = server.url, server.control_token
    node.workerinput[_CA] = server.tls_ca


def pytest_unconfigure(config: pytest.Config) -> None:
    if _shared in config.stash:
        config.stash[_shared].stop()


def _start(config: pytest.Config) -> Server:
    options: dict[str, Any] = {} if os.environ.get("CHATDOUBLE_CLOCK") else {"clock": "frozen"}
    for line in config.getini("chatdouble_options"):
        name, _, value = line.partition("=")
        options[name.strip().replace("-", "_")] = value.strip() or True
    return start_server(**options)


@pytest.fixture(scope="session")
def chatdouble_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """The server at CHATDOUBLE_URL, or one that is started for the session and shared by xdist's workers."""
    shared = getattr(request.config, "workerinput", {})
    if os.environ.get("CHATDOUBLE_URL"):
        with connect() as server:
            yield server
    elif shared.get(_URL):
        with Server(shared[_URL], shared[_TOKEN], tls_ca=shared[_CA]) as server:
            yield server
    else:
        with _start(request.config) as server:
            yield server


@pytest.fixture
def chatdouble_world(request: pytest.FixtureRequest, chatdouble_server: Server) -> Iterator[World]:
    """A world for this test alone: a fork of `default`, or made as the marker says."""
    options = {**_marked(request.node), **getattr(request, "param", {})}
    if "fixture" not in options:
        options.setdefault("fork_of", "default")
    world = _made(chatdouble_server, {"label": request.node.nodeid, **options})
    if isinstance(world, Error):
        # Without a traceback: the mistake is in the marker.
        pytest.fail(f"chatdouble_world can't be made: {world}", pytrace=False)
    yield world
    findings = _findings(request.config, world)
    try:
        world.delete()
    except Error as error:
        # A test may have deleted it.
        if error.status != 404:
            raise
    if findings:
        # Without a traceback: the mistake is in what the test ran.
        pytest.fail("\n".join([f"the clients of {world.name} broke rules:", *findings]), pytrace=False)


@pytest.fixture
def chatdouble_aio_world(chatdouble_world: World) -> aio.World:
    """The world of `chatdouble_world`, for tests in an event loop."""
    return aio.same(chatdouble_world)


def _findings(config: pytest.Config, world: World) -> list[str]:
    """The findings of a test's world that are to fail it."""
    least = config.getoption("chatdouble_fail_on") or config.getini("chatdouble_fail_on")
    if not least:
        return []
    if least not in SEVERITIES:
        raise pytest.UsageError(f"chatdouble_fail_on takes {', '.join(SEVERITIES)}, not {least}")
    try:
        clients = world.report()["clients"]
    except Error:
        # A test may have deleted the world.
        return []
    counted = SEVERITIES[SEVERITIES.index(least) :]
    return [
        _finding_line(client, finding)
        for client in clients
        for finding in client["findings"]
        if finding["severity"] in counted
    ]


def _finding_line(client: Record, finding: Record) -> str:
    first = finding["first"]
    place = "" if first["journal_id"] is None else f" (journal {first['journal_id']})"
    who = f"{client['client']} ({client['user']})" if client["user"] else client["client"]
    return (
        f"  {finding['severity']} {finding['rule']}: {finding['message']}, {finding['count']} times by {who}\n"
        f"      {first['request']}{place}\n      {finding['help']}"
    )


def _made(server: Server, options: dict[str, Any]) -> World | Error:
    try:
        refuse_unknown(options, OPTIONS, "the marker chatdouble")
        return server.create_world(**options)
    except Error as error:
        return error


def _marked(node: pytest.Item) -> dict[str, Any]:
    """The keywords of the markers; the nearest marker wins."""
    options: dict[str, Any] = {}
    for marker in reversed(list(node.iter_markers("chatdouble"))):
        options.update(marker.kwargs)
    return options


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs a test once for each feature level and dialect that its marker lists."""
    if "chatdouble_world" not in metafunc.fixturenames:
        return
    listed = {
        name: value
        for name, value in _marked(metafunc.definition).items()
        if name in ("feature_level", "dialect") and isinstance(value, (list, tuple))
    }
    if listed:
        variants = [dict(zip(listed, values)) for values in itertools.product(*listed.values())]
        ids = ["-".join(str(value) for value in variant.values()) for variant in variants]
        metafunc.parametrize("chatdouble_world", variants, indirect=True, ids=ids)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Shows the last journal entries with a failed test."""
    report = yield
    world = getattr(item, "funcargs", {}).get("chatdouble_world")
    if report.when == "call" and report.failed and world is not None:
        try:
            entries = world.journal.entries(limit=SHOWN)
        except Error:
            return report
        if entries:
            report.sections.append((f"last requests to {world.name}", "\n".join(map(_line, entries))))
    return report


def _line(entry: Record) -> str:
    """A request, and below it why it was refused."""
    params = " ".join(f"{name}={_short(value)}" for name, value in entry["params"].items())
    fault = f"({entry['fault']})" if entry["fault"] else ""
    parts = [str(entry["status"]), entry["method"], entry["path"], entry["user"] or "", params, fault]
    reply = entry["reply"] if isinstance(entry["reply"], dict) else {}
    reasons = [reply.get("msg") if entry["status"] >= 400 else None, entry.get("hint")]
    return "\n    ".join([" ".join(part for part in parts if part), *(str(reason) for reason in reasons if reason)])


def _short(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
