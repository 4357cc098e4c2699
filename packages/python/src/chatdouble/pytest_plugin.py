"""Fixtures for pytest: a server for the session, a world for each test."""

from __future__ import annotations

import difflib
import inspect
import itertools
import os
import re
from pathlib import Path
from types import CodeType
from typing import Any, Callable, Dict, Generator, Iterator, List, Set, Tuple, TypeVar

import pytest

from . import _start, aio
from ._control import JournalEntry, Queue, ReportedClient
from ._error import Error, VerificationFailed
from ._fixture import fixture_of_setting
from ._keywords import refuse_unknown
from ._limit import set_default_timeout
from ._line import given_up_line, request_line, waiting_lines
from ._listener import listeners
from ._record import Record
from ._server import Server, connect
from ._world import NOT_FOUND, World

MARKER = "chatdouble(feature_level=N, dialect=NAME, fixture=NAME, ...): how chatdouble_world is made, with the keywords of create_world; a list of feature levels or dialects runs the test once for each"
# How many journal entries a failed test shows.
SHOWN = 10
# Of how many worlds a failed test shows these entries, and how many others it names.
SHOWN_WORLDS = 2
SHOWN_OTHERS = 20
# Up to how many entries of a world are counted.
COUNTED = 1_000
# How many worlds that nobody deleted the end of the run names.
SHOWN_LEFT = 5
# More polls than any client makes: an assertion about so many fails, and says how many were given up.
COUNTLESS = 1_000_000_000
# How much findings matter, the least first.
SEVERITIES = ("note", "warning", "error")
# The keywords of the marker.
OPTIONS = [name for name in inspect.signature(Server.create_world).parameters if name != "self"]
_URL, _TOKEN, _CA = "chatdouble_url", "chatdouble_token", "chatdouble_tls_ca"
_SAID, _FAILED, _MADE = "chatdouble_said", "chatdouble_failed", "chatdouble_made"
SERVERS = ("shared", "each")
AIO_FIXTURES = ("chatdouble_aio_server", "chatdouble_aio_world")
# Options of a server that the worlds of tests can have instead.
OF_WORLDS = ("clock", "dialect", "feature_level", "fixture", "seed")
Result = TypeVar("Result")
_shared = pytest.StashKey[Server]()
_said = pytest.StashKey["_Said"]()
_own = pytest.StashKey["_OwnWorlds"]()
_fixture = pytest.StashKey[Any]()


class _Said:
    """What the servers said that were started here."""

    def __init__(self) -> None:
        self.lines: List[str] = []
        #: Whether the run failed for it, also where all tests passed.
        self.is_failed = False
        #: Whether a worker made worlds, or ended without saying so.
        self.has_worlds = False

    def take(self, lines: List[str]) -> None:
        self.lines += lines


class _OwnWorld:
    """A world that a test or a fixture made."""

    def __init__(self, world: World, fixture: pytest.FixtureDef[Any] | None, maker: str) -> None:
        self.world = world
        #: The fixture that made it, if it is one that outlives a test, and the test that ran.
        self.fixture = fixture
        self.maker = maker
        #: Its clients when it was deleted.
        self.clients: List[ReportedClient] | None = None
        #: What was known of it when an error deleted it.
        self.known: _Requests | None = None

    @property
    def title(self) -> str:
        # The label of a test's own world is the name of the test.
        notes = [self.world._label] if self.world._label and self.world._label != self.maker else []
        if self.fixture is not None:
            # Functions such as setUpClass are fixtures of pytest's own.
            function = re.match(r"_(?:xunit|unittest)_(\w+?)_fixture_", self.fixture.argname)
            notes.append(f"made by {function[1] if function else f'the fixture {self.fixture.argname}'}")
        return f"{self.world.name} ({'; '.join(notes)})" if notes else self.world.name

    def requests(self) -> _Requests | None:
        """What its clients asked; None if it was deleted, or its server does not answer."""
        if self.known is None:
            found = _tried(lambda: _Requests(self.world))
            self.known = None if isinstance(found, Error) else found
        return self.known

    def is_same(self, world: World) -> bool:
        return (self.world.name, self.world.server.url) == (world.name, world.server.url)


class _Requests:
    """The requests to a world that a failed test shows."""

    def __init__(self, world: World) -> None:
        #: When a helper asked it last, and a helper or a client, in Unix seconds.
        self.helped_at = world._calls.ended_at
        last = [row.last_request_at or 0 for row in world.server.worlds(prefix=world.name) if row.name == world.name]
        self.used_at = max([self.helped_at, *last])
        entries = world.journal.entries(limit=COUNTED)
        queues = world.queues.list()
        waiting = waiting_lines(queues, SHOWN)
        self.lines = [*map(request_line, entries[-SHOWN:]), *_given_up_lines(world, queues), *waiting]
        self.summary = _summary(entries, sum(bool(queue.parked) for queue in queues))


class _OwnWorlds:
    """The worlds that tests and fixtures made."""

    def __init__(self) -> None:
        #: Whether findings fail tests: what clients did is then kept when a world is deleted.
        self.is_judging = False
        #: Whether any world was made.
        self.has_worlds = False
        #: Those of the running test and its fixtures.
        self.worlds: List[_OwnWorld] = []
        #: Those of fixtures that outlive a test, and those that were made outside of tests and fixtures.
        self.lasting: List[_OwnWorld] = []
        #: The fixtures that are set up at present, the innermost last.
        self.fixtures: List[pytest.FixtureDef[Any]] = []
        #: Whether an error at the end of a fixture belongs to the test that has just run.
        self.is_blaming = False
        #: What the end of the running test, or of the run, says of fixtures that ended at another time.
        self.held: List[str] = []
        #: Worlds whose clients nobody could judge.
        self.unjudged: List[str] = []
        #: The running test, and the tests that made worlds, by the server's URL and the world's name.
        self.test = ""
        self.makers: Dict[Tuple[str, str], str] = {}

    def begin(self, test: str) -> None:
        """Follows the worlds of a test from now on."""
        self.test, self.worlds, self.is_blaming = test, [], False

    def forget(self, world: World) -> None:
        """Leaves a world to its fixture, which judges it."""
        self.worlds = [one for one in self.worlds if not one.is_same(world)]

    def made(self, world: World) -> None:
        self.has_worlds = True
        within = self.fixtures[-1] if self.fixtures else None
        fixture = within if within is not None and within.scope != "function" else None
        is_lasting = fixture is not None or (within is None and not self.test)
        (self.lasting if is_lasting else self.worlds).append(_OwnWorld(world, fixture, self.test))
        self.makers[world.server.url, world.name] = self.test

    def ending(self, world: World) -> None:
        for one in [*self.worlds, *self.lasting] if self.is_judging else []:
            if one.clients is None and one.is_same(world):
                clients = _tried(lambda: world.report().clients)
                one.clients = None if isinstance(clients, Error) else clients

    def failed(self, world: World) -> None:
        for one in [*self.worlds, *self.lasting]:
            if one.is_same(world):
                one.requests()

    def judged(self, worlds: List[_OwnWorld], least: str) -> List[str]:
        """What the clients of worlds did that is to fail tests: a text for each world."""
        texts = []
        for one in worlds if least else []:
            clients = _tried(lambda: _clients_of(one, least))
            if isinstance(clients, Error):
                self.unjudged.append(f"{one.world.name} ({one.maker or 'made outside of tests'}; its server did not answer)")
                continue
            findings = _findings(clients, least)
            texts += ["\n".join([f"the clients of {one.title} broke rules:", *findings])] if findings else []
        return texts

    def end(self, fixture: pytest.FixtureDef[Any], least: str) -> None:
        """Judges the worlds of a fixture that outlives a test, when it ended."""
        ended = [one for one in self.lasting if one.fixture is fixture]
        texts = self.judged(ended, least)
        self.lasting = [one for one in self.lasting if one not in ended]
        if texts and self.is_blaming:
            pytest.fail("\n".join(texts), pytrace=False)
        self.held += texts

    def accounted(self, least: str) -> List[str]:
        """What the end of the run says, also of worlds that no test and no fixture made."""
        self.held += self.judged([one for one in self.lasting if one.fixture is None], least)
        unjudged = [f"worlds whose clients --chatdouble-fail-on did not judge: {', '.join(self.unjudged)}"]
        return [*self.held, *(unjudged if self.unjudged else [])]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("chatdouble")
    group.addoption(
        "--chatdouble-server",
        choices=list(SERVERS),
        help="with xdist: one server for all workers (shared, the default) or one for each worker (each)",
    )
    group.addoption(
        "--chatdouble-fail-on",
        choices=list(SEVERITIES),
        help="fail tests in whose world a client broke a rule of the report that is at least this severe",
    )
    parser.addini("chatdouble_fail_on", "as --chatdouble-fail-on")
    parser.addini("chatdouble_server", "as --chatdouble-server", default="shared")
    parser.addini("chatdouble_timeout_ms", "for how long helpers wait that are given no timeout_ms", default="")
    parser.addini("chatdouble_options", "options of serve, one per line, such as dialect=zulip", type="linelist")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)
    for name, known in (("chatdouble_fail_on", SEVERITIES), ("chatdouble_server", SERVERS)):
        _check_word(name, config.getini(name), known)
    _set_timeout(config.getini("chatdouble_timeout_ms"))
    config.stash[_said] = said = _Said()
    _start.listeners.append(said.take)
    config.stash[_own] = own = _OwnWorlds()
    own.is_judging = bool(_least(config))
    listeners.append(own)


def _check_word(name: str, given: str | None, known: tuple[str, ...]) -> None:
    """Refuses a word in the ini file before any test runs."""
    if given and given not in known:
        nearest = difflib.get_close_matches(given, known, 1)
        meant = f"; did you mean {nearest[0]!r}?" if nearest else ""
        raise pytest.UsageError(f"{name} takes {', '.join(known)}, not {given!r}{meant}")


def _set_timeout(given: str) -> None:
    """Sets the limit of waits that the ini file has; a conftest.py may have set one."""
    if given and not (given.isdecimal() and int(given)):
        raise pytest.UsageError(f"chatdouble_timeout_ms takes a number of milliseconds from 1 on, such as 10000, not {given!r}")
    if given:
        set_default_timeout(int(given))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Starts the server that xdist's workers share, in the process that distributes the tests to them."""
    config: pytest.Config = node.config
    is_shared = (config.getoption("chatdouble_server") or config.getini("chatdouble_server")) == "shared"
    if not is_shared or os.environ.get("CHATDOUBLE_URL"):
        return
    if _shared not in config.stash:
        try:
            config.stash[_shared] = _started(config)
        except Error as error:
            raise pytest.UsageError(f"chatdouble_server: {error}") from None
    server = config.stash[_shared]
    node.workerinput[_URL], node.workerinput[_TOKEN] = server.url, server.control_token
    node.workerinput[_CA] = server.tls_ca


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes what the servers of a worker said."""
    said, output = node.config.stash[_said], getattr(node, "workeroutput", {})
    said.take(output.get(_SAID, []))
    said.is_failed |= output.get(_FAILED, False)
    said.has_worlds |= output.get(_MADE, True)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, None, None]:
    config = session.config
    own = config.stash[_own]
    # Fixtures of a run that was interrupted end within the call, where an error would end pytest.
    own.is_blaming = False
    yield
    said = config.stash[_said]
    said.take(own.accounted(_least(config)))
    said.is_failed |= bool(own.held)
    if said.is_failed and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    if _shared in config.stash:
        server = config.stash[_shared]
        # It is stopped once, also where that fails.
        del config.stash[_shared]
        try:
            server.stop()
        except Error as error:
            config.stash[_said].take([str(error)])
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
    if hasattr(config, "workeroutput"):
        config.workeroutput.update({_SAID: said.lines, _FAILED: said.is_failed, _MADE: own.has_worlds})


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Shows what the servers said that were started here, such as the dialect that a client needs."""
    lines = list(dict.fromkeys([*config.stash[_said].lines, *_unused_rules(terminalreporter, config)]))
    if not lines:
        return
    terminalreporter.section("what chatdouble said")
    for line in lines:
        terminalreporter.line(line)
        needed = re.search(r"it needs --(dialect) (\w+)$", line)
        if needed:
            terminalreporter.line(f"    in the ini file: chatdouble_options = {needed[1]}={needed[2]}")


def _unused_rules(terminalreporter: Any, config: pytest.Config) -> List[str]:
    """A line if findings are to fail tests and there was no world to judge, so that the run does not seem to keep the rules."""
    least = _least(config)
    has_run = any(terminalreporter.stats.get(outcome) for outcome in ("passed", "failed"))
    if not least or not has_run or config.stash[_own].has_worlds or config.stash[_said].has_worlds:
        return []
    return [
        "--chatdouble-fail-on judged no world, since the tests made none; this judges all worlds of the server, also `default`: "
        f"chatdouble exec --report FILE --fail-on {least} -- pytest"
    ]


def pytest_unconfigure(config: pytest.Config) -> None:
    if _said in config.stash:
        _start.listeners.pop()
        listeners.pop()
    if _shared in config.stash:
        config.stash[_shared].stop()


def _started(config: pytest.Config) -> Server:
    own = _own_options(config)
    try:
        return _start.start_server(**{**_default_clock(), **own})
    except Error as error:
        place = _place(config)
        message = _start.with_source(error.message, {name: (place, str(value)) for name, value in own.items()})
    raise Error(message)


def _default_clock() -> dict[str, Any]:
    return {} if os.environ.get("CHATDOUBLE_CLOCK") else {"clock": "frozen"}


def _own_options(config: pytest.Config) -> dict[str, Any]:
    """The options of `serve` in the ini file."""
    own: dict[str, Any] = {}
    for line in config.getini("chatdouble_options"):
        name, _, value = line.partition("=")
        own[name.strip().replace("-", "_")] = value.strip() or True
    return own


def _place(config: pytest.Config) -> str:
    return f"chatdouble_options in {config.inipath.name if config.inipath else 'the ini file'}"


def _elsewhere(config: pytest.Config) -> Server:
    """The server at CHATDOUBLE_URL; options that only a start can give are refused."""
    own = _own_options(config)
    is_secured = os.environ["CHATDOUBLE_URL"].lower().startswith("https:")
    used = (*OF_WORLDS, "control_token", *(["tls"] if is_secured else []))
    unused = [name for name in own if name not in used]
    if unused:
        source = "it with them, for tls by exec --tls," if "tls" in unused else "it with them,"
        raise Error(
            f"{_place(config)} can't give {', '.join(unused)} to the server at CHATDOUBLE_URL, which runs already: "
            f"start {source} or unset CHATDOUBLE_URL"
        )
    server = connect(control_token=own.get("control_token"))
    if "fixture" in own:
        # A mistake in the settings is one error of the server, also where each test has a fixture of its own.
        _own_fixture(own["fixture"], config)
    server.complete_worlds(lambda options: _completed(options, config))
    return server


def _own_fixture(given: Any, config: pytest.Config) -> Any:
    """The fixture of the ini file, a file as its document: a server that runs already may have another folder."""
    if _fixture not in config.stash:
        found = _tried(lambda: fixture_of_setting(str(given)))
        if isinstance(found, Error):
            raise Error(f"{found.message} (from {_place(config)})")
        config.stash[_fixture] = found
    return config.stash[_fixture]


def _completed(options: dict[str, Any], config: pytest.Config) -> dict[str, Any]:
    """The options of a world, with those of the ini file where the test says nothing and the server runs already."""
    if not os.environ.get("CHATDOUBLE_URL") or options.get("fork_of", "default") != "default":
        return options
    own = {name: value for name, value in _own_options(config).items() if name in OF_WORLDS}
    if "fork_of" in options or "snapshot" in options or "fixture" in options:
        own.pop("fixture", None)
    elif "fixture" in own:
        own["fixture"] = _own_fixture(own["fixture"], config)
    for name in ("feature_level", "seed"):
        if str(own.get(name)).isdecimal():
            own[name] = int(own[name])
    return {**_default_clock(), **own, **options}


@pytest.fixture(scope="session")
def chatdouble_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """The server at CHATDOUBLE_URL, or one that is started for the session and shared by xdist's workers."""
    server = _tried(lambda: _server_of(request.config))
    if isinstance(server, Error):
        # Without a traceback: the mistake is in the configuration.
        pytest.fail(f"chatdouble_server: {server}", pytrace=False)
    yield server
    config = request.config
    config.stash[_said].take(_left_behind(server, config.stash[_own].makers))
    broken = _tried(server.stop)
    if isinstance(broken, Error):
        pytest.fail(f"chatdouble_server: {broken}", pytrace=False)


def _left_behind(server: Server, makers: Dict[Tuple[str, str], str]) -> List[str]:
    """A line about the worlds that tests made and nobody deleted."""
    rows = _tried(server.worlds)
    names = [] if isinstance(rows, Error) else [row.name for row in rows if (server.url, row.name) in makers]
    shown = [f"{name} ({makers[server.url, name] or 'before the first test'})" for name in names[:SHOWN_LEFT]]
    more = [f"{len(names) - SHOWN_LEFT} more"] if len(names) > SHOWN_LEFT else []
    return [f"worlds that tests made and did not delete: {', '.join(shown + more)}"] if names else []


def _server_of(config: pytest.Config) -> Server:
    shared = getattr(config, "workerinput", {})
    if os.environ.get("CHATDOUBLE_URL"):
        return _elsewhere(config)
    if shared.get(_URL):
        source = " (the server that xdist's workers share; it ran when the tests began)"
        return Server(shared[_URL], shared[_TOKEN], tls_ca=shared[_CA], source=source)
    return _started(config)


@pytest.fixture
def chatdouble_world(request: pytest.FixtureRequest, chatdouble_server: Server) -> Iterator[World]:
    """A world for this test alone: a fork of `default`, or made as the marker says."""
    marked = {**_marked(request.node), **getattr(request, "param", {})}
    completed = _tried(lambda: _completed(marked, request.config))
    if isinstance(completed, Error):
        pytest.fail(f"chatdouble_world can't be made: {completed}", pytrace=False)
    options = completed
    if "fixture" not in options:
        options.setdefault("fork_of", "default")
    world = _tried(lambda: _made(chatdouble_server, {"label": request.node.nodeid, **options}))
    if isinstance(world, Error):
        # Without a traceback: the mistake is in the marker.
        pytest.fail(f"chatdouble_world can't be made: {world}", pytrace=False)
    request.config.stash[_own].forget(world)
    yield world
    least = _least(request.config)
    report = _last_report(world) if least else []
    try:
        world.delete()
    except Error as error:
        # A test may have deleted it, and Ctrl-C ends a server that has the same terminal.
        is_lost = request.session.exitstatus == pytest.ExitCode.INTERRUPTED and error._broken is not None
        if error.status != NOT_FOUND and not is_lost:
            pytest.fail(f"chatdouble_world can't be deleted: {error}", pytrace=False)
    findings = _findings(_with_end(world, report) if least == SEVERITIES[0] else report, least)
    if findings:
        # Without a traceback: the mistake is in what the test ran.
        pytest.fail("\n".join([f"the clients of {world.name} broke rules:", *findings]), pytrace=False)


def _least(config: pytest.Config) -> str:
    """The severity from which on findings fail tests; empty if none does."""
    least: str = config.getoption("chatdouble_fail_on") or config.getini("chatdouble_fail_on")
    return least


@pytest.fixture(autouse=True)
def _chatdouble_own_worlds(request: pytest.FixtureRequest) -> Iterator[None]:
    """Refuses a marker without effect, and fails a test for what the clients did of worlds that it made itself."""
    mistake = _mistake_in_marker(request)
    if mistake:
        pytest.fail(mistake, pytrace=False)
    yield
    own = request.config.stash[_own]
    texts = [*own.held, *own.judged(own.worlds, _least(request.config))]
    own.held = []
    if texts:
        pytest.fail("\n".join(texts), pytrace=False)


def _mistake_in_marker(request: pytest.FixtureRequest) -> str:
    """What is wrong with the markers of a test; empty if nothing is."""
    markers = list(request.node.iter_markers("chatdouble"))
    for marker in markers:
        if marker.args:
            return f"the marker chatdouble takes keywords, such as feature_level=200, not {marker.args[0]!r}"
        unknown = _tried(lambda: refuse_unknown(marker.kwargs, OPTIONS, "the marker chatdouble"))
        if isinstance(unknown, Error):
            return unknown.message
    # The marker of a module or a class may be for its other tests, if this one has no world at all.
    is_meant = any(marker in request.node.own_markers for marker in markers) or "chatdouble_server" in request.fixturenames
    if not markers or not is_meant or "chatdouble_world" in request.fixturenames or _may_ask_for_more(request.node):
        return ""
    return (
        "the marker chatdouble is for chatdouble_world and chatdouble_aio_world, and this test has neither: "
        "let it take one of them, or give the options to create_world"
    )


def _may_ask_for_more(item: pytest.Item) -> bool:
    """Whether a test or one of its fixtures takes fixtures by name while it runs, as those for several servers do."""
    defined = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    functions = [getattr(item, "function", None), *(one.func for ones in defined.values() for one in ones)]
    codes = [getattr(inspect.unwrap(one), "__code__", None) for one in functions if one is not None]
    return any(code is not None and "getfixturevalue" in _names(code) for code in codes)


def _names(code: CodeType) -> Set[str]:
    """The names that a function uses, also within functions of its own."""
    inner = [_names(one) for one in code.co_consts if isinstance(one, CodeType)]
    return {*code.co_names, *itertools.chain.from_iterable(inner)}


@pytest.fixture
def chatdouble_aio_server(chatdouble_server: Server) -> Iterator[aio.Server]:
    """The server of `chatdouble_server`, for tests in an event loop; a call without `await` fails the test."""
    server = aio.same_server(chatdouble_server)
    yield server
    forgotten = _tried(lambda: aio.refuse_forgotten(server))
    if isinstance(forgotten, Error):
        pytest.fail(f"chatdouble_aio_server: {forgotten}", pytrace=False)


@pytest.fixture
def chatdouble_aio_world(chatdouble_world: World) -> Iterator[aio.World]:
    """The world of `chatdouble_world`, for tests in an event loop; a call without `await` fails the test."""
    world = aio.same(chatdouble_world)
    yield world
    forgotten = _tried(lambda: aio.refuse_forgotten(world))
    if isinstance(forgotten, Error):
        pytest.fail(f"chatdouble_aio_world: {forgotten}", pytrace=False)


def _last_report(world: World) -> list[ReportedClient]:
    """The clients of a world before it is deleted."""
    try:
        return world.report().clients
    except Error:
        # A test may have deleted the world.
        return []


def _clients_of(made: _OwnWorld, least: str) -> list[ReportedClient]:
    """The clients of a world, which may be deleted."""
    world = made.world
    if made.clients is None:
        return _last_report(world) or [one for one in world.server.report().clients if one.world == world.name]
    known = made.clients
    ended = _tried(lambda: _with_end(world, known)) if least == SEVERITIES[0] else known
    # A server may have ended with its world.
    return known if isinstance(ended, Error) else ended


def _with_end(world: World, clients: list[ReportedClient]) -> list[ReportedClient]:
    """The clients with what the end of the world added: what they left behind, which is no more than a note."""
    ended = {(one.client, one.user): one for one in world.server.report().clients if one.world == world.name}
    # The last one counts: an earlier world may have had the same name.
    return [ended.get((one.client, one.user), one) for one in clients]


def _findings(clients: list[ReportedClient], least: str) -> list[str]:
    """The findings that are to fail a test."""
    if not clients:
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
    times = "time" if finding["count"] == 1 else "times"
    return (
        f"  {finding['severity']} {finding['rule']}: {finding['message']}, {finding['count']} {times} by {who}\n"
        f"      {first['request']}{place}\n      {finding['help']}"
    )


def _made(server: Server, options: dict[str, Any]) -> World:
    refuse_unknown(options, OPTIONS, "the marker chatdouble")
    return server.create_world(**options)


def _tried(call: Callable[[], Result]) -> Result | Error:
    """What a call returns, or its error: a failure that is reported later does not show it as its cause."""
    try:
        return call()
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


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Follows the worlds that a test and its fixtures make."""
    item.config.stash[_own].begin(item.nodeid)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Lets the test have the errors of fixtures that end with it."""
    item.config.stash[_own].is_blaming = True


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Generator[None, Any, Any]:
    """Notes which fixture makes worlds, and judges those of a fixture that outlives a test when it ended."""
    __tracebackhide__ = True
    own = request.config.stash[_own]
    if fixturedef.scope != "function":
        # What is added first is called last: the fixture has ended then.
        fixturedef.addfinalizer(lambda: own.end(fixturedef, _least(request.config)))
    own.fixtures.append(fixturedef)
    try:
        return (yield)
    finally:
        own.fixtures.pop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Shows the last journal entries of its worlds with a failed test."""
    report = yield
    if report.when != "call" or not report.failed or _lacks_plugin(call):
        return report
    arguments = getattr(item, "funcargs", {})
    # A failure keeps the calls that were to be awaited after it: they are no error of their own.
    held = [place for name in AIO_FIXTURES if name in arguments for place in aio.held_calls(arguments[name])]
    if held:
        report.sections.append(("calls without `await`", aio.unawaited(held)))
    world = arguments.get("chatdouble_world")
    own = item.config.stash[_own]
    names = getattr(item, "fixturenames", ())
    lasting = [one for one in own.lasting if one.fixture is not None and one.fixture.argname in names]
    worlds = [*([] if world is None else [_OwnWorld(world, None, item.nodeid)]), *own.worlds, *lasting]
    error = call.excinfo.value if call.excinfo else None
    # A test that a refused call ended may not have come to its client yet.
    is_early = (isinstance(error, Error) and not isinstance(error, VerificationFailed)) or _is_misspelled(item, call)
    found = [(one, requests) for one in worlds if (requests := one.requests()) and (requests.lines or not is_early)]
    found = _by_relevance(found, error)
    for one, requests in found[:SHOWN_WORLDS]:
        text = "\n".join(requests.lines) or _silence(one.world)
        report.sections.append((f"last requests to {one.title}", text))
    others = [f"{one.title}: {requests.summary}" for one, requests in found[SHOWN_WORLDS:]]
    if others:
        more = [f"{len(others) - SHOWN_OTHERS} more worlds"] if len(others) > SHOWN_OTHERS else []
        report.sections.append(("requests to other worlds", "\n".join(others[:SHOWN_OTHERS] + more)))
    return report


Found = List[Tuple[_OwnWorld, _Requests]]


def _by_relevance(found: Found, error: BaseException | None) -> Found:
    """Worlds with their requests, first those that a failure is most likely about."""
    if isinstance(error, Error):
        # It is about the world of its call, and may name others, such as one that got the requests instead.
        last = max((requests.helped_at for _, requests in found), default=0.0)
        return sorted(found, key=lambda one: (one[1].helped_at == last, _is_named(one[0], error), one[1].used_at), reverse=True)
    return sorted(found, key=lambda one: (_is_named(one[0], error), one[1].used_at), reverse=True)


def _is_named(one: _OwnWorld, error: BaseException | None) -> bool:
    """Whether the text of an error has the name of a world, which alone counts only where it is no usual word."""
    name = re.escape(one.world.name)
    before = r"(?<![\w-])" if re.search(r"\d", one.world.name) else "(?:/w/|['\"`])"
    return error is not None and re.search(rf"{before}{name}(?![\w-])", str(error)) is not None


def _summary(entries: List[JournalEntry], polls: int) -> str:
    """A line about the requests to a world."""
    if not entries and not polls:
        return "no request"
    counted = f"{COUNTED} or more" if len(entries) == COUNTED else str(len(entries))
    refused = sum(entry.status >= 400 for entry in entries)
    parts = [f"{counted} request{'' if len(entries) == 1 else 's'}", *([f"{refused} refused"] if refused else [])]
    return ", ".join([*parts, *([f"{polls} poll{' waits' if polls == 1 else 's wait'}"] if polls else [])])


def _given_up_lines(world: World, queues: List[Queue]) -> List[str]:
    """The polls whose clients did not wait for the reply, which the journal does not have."""
    # Control tells them of one user, or of all users at once.
    owners = sorted({queue.user for queue in queues if queue.user})
    users: List[str | None] = [*owners[:SHOWN]] or [None]
    lines = []
    for user in users:
        refused = _tried(lambda: world.journal.verify(path="/events", user=user, at_least=COUNTLESS))
        found = re.search(r"(\d+) polls? (?:was|were) given up by the client, after ([\d.]+) s", str(refused))
        lines += [given_up_line(int(found[1]), found[2], user)] if found else []
    return lines


def _silence(world: World) -> str:
    """What is known of a world whose journal is empty."""
    clients = _tried(world.report)
    if isinstance(clients, Error) or clients.clients:
        return f"the journal of {world.name} at {world.url} is empty"
    hint = "if a client asked another address, the header X-Chatdouble-Hint of the reply names the nearest world"
    return f"no request reached {world.name} at {world.url}; {hint}"


def _is_misspelled(item: pytest.Item, call: pytest.CallInfo[None]) -> bool:
    """Whether a line of the test's own file uses a name that is not there, which says nothing about requests."""
    if call.excinfo is None or not isinstance(call.excinfo.value, (AttributeError, NameError)):
        return False
    package = Path(__file__).parent
    files = [Path(entry.path) for entry in call.excinfo.traceback if package not in Path(entry.path).parents]
    return bool(files) and files[-1] == item.path


def _lacks_plugin(call: pytest.CallInfo[None]) -> bool:
    """Whether pytest refused to run an asynchronous test, for which it needs a plugin."""
    refusal = "async def functions are not natively supported"
    return call.excinfo is not None and str(call.excinfo.value).startswith(refusal)
