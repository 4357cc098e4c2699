"""A world: one whole organization with its clock, faults and journal."""

from __future__ import annotations

import datetime
import json
import re
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Sequence
from urllib.parse import quote

from ._control import (
    AgendaItem,
    Assertion,
    ClockMoved,
    ClockState,
    FaultMatch,
    FaultRow,
    FaultRule,
    Invariants,
    JournalEntry,
    Keep,
    Method,
    NetworkRow,
    PreviewDelays,
    Profile,
    Push,
    Queue,
    RateLimitRow,
    Report,
    Snapshot,
)
from ._effects import Effect
from ._error import Error, UnknownOption, of_caller
from ._http import Requests
from ._keywords import Hinting, keywords
from ._listener import listeners
from ._limit import default_timeout_ms
from ._loop import is_in_event_loop, remedy
from ._record import Record, User, part, rows, typed
from ._watch import Watch

if TYPE_CHECKING:
    from ._server import Server

__tracebackhide__ = True

# How many handles the error for an unknown user lists.
LISTED_HANDLES = 30
# The status of what is not there, or not any more.
NOT_FOUND = 404
# The status of a wait that ended without a result, and what its message says of the number that it waited for.
TIMED_OUT = 408
FOUND = re.compile(r"\bfound \d+")


def given(arguments: dict[str, Any], *without: str) -> dict[str, Any]:
    """The arguments that were given, as values for control."""
    return {name: _plain(value) for name, value in arguments.items() if value is not None and name not in without}


def with_texts(wanted: dict[str, Any]) -> dict[str, Any]:
    """What requests are compared with; the numbers of its parameters as the texts that clients send."""
    params = wanted.get("params")
    if not isinstance(params, Mapping):
        return wanted
    texts = {name: json.dumps(value) if isinstance(value, (int, float)) else value for name, value in params.items()}
    return {**wanted, "params": texts}


def rule_or_none(value: Any, call: str, example: str) -> dict[str, Any]:
    """A rule that was given as a whole, or an empty one."""
    if value is None or isinstance(value, dict):
        return value or {}
    raise UnknownOption(f"{call} takes a dictionary or keywords, such as {example}, not {value!r}")


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        # A time without a zone is one of UTC on every machine.
        zoned = value if value.tzinfo else value.replace(tzinfo=datetime.timezone.utc)
        return zoned.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    return value


def leave(end: Callable[[], None], error: BaseException | None) -> None:
    """Ends what a block holds, unless it is gone already: removed, deleted, or with the server after another error."""
    try:
        end()
    except Error as failure:
        is_lost = error is not None and failure._broken is not None
        if failure.status != NOT_FOUND and not is_lost:
            raise


class _Calls:
    """The calls of control for one world."""

    def __init__(self, requests: Requests, path: str) -> None:
        self.requests = requests
        self.path = path
        #: When the last of them ended, in Unix seconds; 0 before the first.
        self.ended_at = 0.0

    def get(self, path: str, filters: dict[str, Any] | None = None) -> Record:
        return self.make("GET", path, filters=filters)

    def post(self, path: str, body: dict[str, Any] | None = None) -> Record:
        return self.make("POST", path, body or {})

    def delete(self, path: str, filters: dict[str, Any] | None = None) -> Record:
        return self.make("DELETE", path, filters=filters)

    def make(self, method: str, path: str, body: Any = None, filters: dict[str, Any] | None = None) -> Record:
        try:
            return self.requests.control(method, self.path + path, body, filters)
        finally:
            self.ended_at = time.time()

    @of_caller
    def wait(self, path: str, body: dict[str, Any], helper: str) -> Record:
        """Makes a call that waits for the program under test."""
        body.setdefault("timeout_ms", default_timeout_ms())
        began = time.monotonic()
        try:
            return self.post(path, body)
        except Error as error:
            if error.status != TIMED_OUT:
                raise
            message = error.message
            # A wait for at most so many ends before its limit, when there are more.
            if time.monotonic() - began >= body["timeout_ms"] / 1000:
                message = FOUND.sub(rf"\g<0> within {body['timeout_ms'] / 1000:g} s", message, count=1)
            if is_in_event_loop():
                message += "\n" + remedy(helper, "await the call of the same name")
            raise type(error)(message, error.status, error.code, error.body)


class World(Hinting):
    """A world; as a context manager, it is deleted at the end."""

    def __init__(self, server: Server, name: str, url: str, requests: Requests) -> None:
        #: The server that holds the world.
        self.server = server
        #: The world's name in control.
        self.name = name
        #: Base URL for clients, without a slash at the end and without /api/v1.
        self.url = url
        #: The text with which it was made here.
        self._label: str | None = None
        self._calls = _Calls(requests, f"/worlds/{quote(name, safe='')}")
        self.clock = Clock(self._calls)
        self.faults = Faults(self._calls)
        self.network = Networks(self._calls)
        self.rate_limit = RateLimits(self._calls)
        self.previews = Previews(self._calls)
        self.journal = Journal(self._calls)
        self.queues = Queues(self._calls)
        self.pushes = Pushes(self._calls)
        self.snapshots = Snapshots(self._calls)

    @of_caller
    def user(self, handle: str) -> User:
        """A user, by handle or address: id, handle, email, api_key, full_name, role, is_bot, owner."""
        try:
            (found,) = self._users(user=handle)
        except Error as error:
            if error.status != 400:
                raise
            raise Error(self._unknown(error.message), error.status, error.code, error.body)
        email = part(found, "email")
        if not part(found, "is_active"):
            raise Error(f"{email} is deactivated: the API refuses its key", 403, "USER_DEACTIVATED")
        same = {name: part(found, name) for name in ("api_key", "full_name", "role", "is_bot", "owner")}
        return User(id=part(found, "user_id"), handle=str(email).split("@")[0], email=email, **same)

    @keywords
    def fork(
        self,
        *,
        name: str | None = None,
        snapshot: str | None = None,
        feature_level: int | None = None,
        dialect: str | dict[str, Any] | None = None,
        clock: float | str | datetime.datetime | None = None,
        seed: int | None = None,
        label: str | None = None,
        listen: bool | None = None,
        idle_ttl_seconds: float | str | datetime.timedelta | None = None,
        replace: bool | None = None,
    ) -> World:
        """Makes a copy of the current state, or of a snapshot, without queues, faults, journal and snapshots."""
        return self.server.create_world(fork_of=self.name, **given(locals(), "self"))

    @keywords
    def reset(self, *, keep: Sequence[Keep] | None = None) -> None:
        """Resets data, clock, pushes, faults, journal and report; `keep` lists which of the last three are kept."""
        if isinstance(keep, str):
            raise Error(f"reset takes a list such as keep=['journal'], not {keep!r}")
        self._calls.post("/reset", given({"keep": keep and list(keep)}))

    def report(self) -> Report:
        """What the clients of the world did that a real server would suffer from."""
        return typed(Report, self._calls.get("/report"))

    def clear_report(self) -> None:
        """Empties the report."""
        self._calls.delete("/report")

    def delete(self) -> None:
        """Deletes the world."""
        for listener in listeners:
            listener.ending(self)
        self._calls.delete("")

    def state(self) -> Dict[str, Any]:
        """The world as a fixture document."""
        document: Dict[str, Any] = part(self._calls.get("/state"), "state")
        return document

    def put_state(self, document: dict[str, Any]) -> None:
        """Replaces the state with that of a document; queues end."""
        self._calls.make("PUT", "/state", document)

    def invariants(self) -> Invariants:
        """The invariants that were checked, which must hold of every world, and their violations."""
        return typed(Invariants, self._calls.get("/invariants"))

    def upgrade(self, level: int) -> None:
        """Raises the feature level, as an upgrade of a server does."""
        self._calls.post("/upgrade", {"to": level})

    def control(self, method: Method, path: str, body: Any = None) -> Record:
        """Makes a call of control below the world that has no helper, such as `control("GET", "/webhooks")`.

        The path is what follows the world's name, with filters if need be: `/messages?limit=5`. The body is sent as JSON.
        Returns the reply without `result` and `msg`.
        """
        if not path.startswith("/"):
            raise Error(f"control takes what follows the world's name in a path, such as '/webhooks', not {path!r}")
        return self._calls.make(method, path, body)

    @keywords
    def watch(self, *, timeout_ms: int | None = None) -> Watch:
        """The frames of the watch socket, as they are broadcast from now on.

        If no frame comes within `timeout_ms`, `next` raises an Error, and goes on with later frames when it is called again;
        without it there is no limit, but that of 3 seconds in an event loop, which this call blocks.
        """
        return Watch(self._calls.requests, f"/control{self._calls.path}/watch", timeout_ms)

    def __enter__(self) -> World:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            for listener in listeners:
                listener.failed(self)
        leave(self.delete, error)

    def __repr__(self) -> str:
        return f"<chatdouble.World {self.url}>"

    def _users(self, **filters: str) -> List[Record]:
        return rows(Record, part(self._calls.get("/users", filters), "users"))

    def _unknown(self, message: str) -> str:
        """The message for an unknown user, with the handles that there are."""
        handles = [str(user.get("email", "")).split("@")[0] for user in self._users() if user.get("is_active")]
        shown = handles[:LISTED_HANDLES]
        more = f" and {len(handles) - len(shown)} more" if len(handles) > len(shown) else ""
        return f"{message.removeprefix('user: ')}\nThe active users of {self.name}: {', '.join(shown)}{more}"


class Clock(Hinting):
    """A world's clock and agenda."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    def now(self) -> float:
        """The time, in Unix seconds."""
        return self.state().now

    def agenda(self) -> List[AgendaItem]:
        """The items that fall due, the next one first."""
        return self.state().agenda

    def state(self) -> ClockState:
        """The time, whether the clock runs, and the agenda."""
        return typed(ClockState, self._calls.get("/clock"))

    @keywords
    def advance(self, by: float | str | datetime.timedelta, *, wait_for_clients_ms: int | None = None) -> ClockMoved:
        """Advances by seconds or a span such as "1d2h30m"; all items that fall due are done before it returns."""
        if isinstance(by, datetime.datetime):
            raise Error(f"advance takes a duration, not {by!r}; set takes a time")
        return self._move(wait_for_clients_ms, advance_seconds=by)

    @keywords
    def set(self, to: datetime.datetime | str | float, *, wait_for_clients_ms: int | None = None) -> ClockMoved:
        """Advances to a time: an aware `datetime`, RFC 3339 text or Unix seconds."""
        if isinstance(to, datetime.timedelta):
            raise Error(f"set takes a time, not {to!r}; advance takes a duration")
        return self._move(wait_for_clients_ms, set=to)

    @keywords
    def to_next(self, *, wait_for_clients_ms: int | None = None) -> ClockMoved:
        """Advances to the next item that falls due."""
        return self._move(wait_for_clients_ms, to_next=True)

    def run(self) -> ClockMoved:
        """Lets the clock run with real time."""
        return self._move(None, running=True)

    def freeze(self) -> ClockMoved:
        """Freezes the clock."""
        return self._move(None, running=False)

    def _move(self, wait_for_clients_ms: int | None, **change: Any) -> ClockMoved:
        body = given({**change, "wait_for_clients_ms": wait_for_clients_ms})
        return typed(ClockMoved, self._calls.post("/clock", body))


class Fault(Hinting):
    """An installed fault; as a context manager, it is removed at the end."""

    def __init__(self, calls: _Calls, id: str) -> None:
        self._calls = calls
        #: The fault's id in control.
        self.id = id

    @keywords
    def wait_fired(self, *, times: int = 1, timeout_ms: int | None = None) -> int:
        """Waits until it fired at so many requests, for 3 seconds by default, and returns at how many it did.

        A rule meets the requests that arrive after it: a poll that waits already is not met.
        """
        body = given({"fault": self.id, "at_least": times, "timeout_ms": timeout_ms})
        count: int = part(self._calls.wait("/journal/wait", body, "fault.wait_fired"), "count")
        return count

    def remove(self) -> None:
        """Removes the fault."""
        self._calls.delete(f"/faults/{quote(self.id, safe='')}")

    def __enter__(self) -> Fault:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        leave(self.remove, error)


class Faults(Hinting):
    """Failures on demand."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    @keywords
    def add(
        self,
        rule: FaultRule | None = None,
        /,
        *,
        effect: Effect | None = None,
        match: FaultMatch | None = None,
        after: int | None = None,
        probability: float | None = None,
        times: int | None = None,
    ) -> Fault:
        """Installs a rule, given as keywords or as a whole."""
        body = {**rule_or_none(rule, "faults.add", 'effect={"drop": "after"}'), **given(locals(), "self", "rule")}
        if isinstance(body.get("match"), dict):
            body["match"] = with_texts(body["match"])
        return Fault(self._calls, part(self._calls.post("/faults", body), "fault_id"))

    def list(self) -> List[FaultRow]:
        """All installed rules, also spent ones, with how many requests each let pass and how often it fired."""
        listed = rows(Record, part(self._calls.get("/faults"), "faults"))
        return [typed(FaultRow, {**fault, "id": fault.get("fault_id")}) for fault in listed]

    def clear(self) -> None:
        """Removes all rules."""
        self._calls.delete("/faults")


class Networks(Hinting):
    """Networks between clients and the world."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    @keywords
    def set(
        self,
        *,
        user: str | None = None,
        profile: Profile | None = None,
        latency_ms: int | None = None,
        jitter_ms: int | None = None,
        bytes_per_second: int | None = None,
        loss: float | None = None,
    ) -> None:
        """Puts a user's client, or all that have no network of their own, on a network."""
        self._calls.post("/network", given(locals(), "self"))

    def list(self) -> List[NetworkRow]:
        """The networks, with all numbers."""
        return rows(NetworkRow, part(self._calls.get("/network"), "networks"))

    @keywords
    def clear(self, *, user: str | None = None) -> None:
        """Ends the network of a user, or all networks."""
        self._calls.delete("/network", given(locals(), "self"))


class RateLimits(Hinting):
    """Limits of requests, by the world's clock."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    @keywords
    def set(self, *, requests: int, seconds: float | str | datetime.timedelta, user: str | None = None) -> None:
        """Limits the requests of a user, or of each who has no limit of their own; budgets begin whole."""
        self._calls.post("/rate_limit", given(locals(), "self"))

    def list(self) -> List[RateLimitRow]:
        """The limits."""
        return rows(RateLimitRow, part(self._calls.get("/rate_limit"), "rate_limits"))

    @keywords
    def clear(self, *, user: str | None = None) -> None:
        """Ends the limit of a user, or all limits."""
        self._calls.delete("/rate_limit", given(locals(), "self"))


class Previews(Hinting):
    """When thumbnails and previews of linked pages arrive."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    @keywords
    def set(
        self,
        *,
        thumbnail_seconds: float | str | datetime.timedelta | None = None,
        link_seconds: float | str | datetime.timedelta | None = None,
    ) -> None:
        """Delays previews, by the world's clock; a delay that is left out stays as it is."""
        self._calls.post("/previews", given(locals(), "self"))

    def delays(self) -> PreviewDelays:
        """The delays; `link_seconds` is None where links have no previews."""
        return typed(PreviewDelays, self._calls.get("/previews"))

    def clear(self) -> None:
        """Ends the delays: thumbnails are there at once, and links have no previews."""
        self._calls.delete("/previews")


class Journal(Hinting):
    """The requests to the API, and their replies."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    @keywords
    def entries(
        self,
        *,
        method: Method | None = None,
        path: str | None = None,
        user: str | None = None,
        status: int | None = None,
        fault: str | None = None,
        since: int | None = None,
        limit: int | None = None,
    ) -> List[JournalEntry]:
        """Entries, newest last."""
        return rows(JournalEntry, part(self._calls.get("/journal", given(locals(), "self")), "entries"))

    @keywords
    def verify(
        self,
        assertion: Assertion | None = None,
        /,
        *,
        method: Method | None = None,
        path: str | None = None,
        user: str | None = None,
        params: Mapping[str, str | float] | None = None,
        status: int | None = None,
        fault: str | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        exactly: int | None = None,
    ) -> int:
        """Asserts that there were such requests and returns their number; otherwise raises VerificationFailed."""
        whole = rule_or_none(assertion, "journal.verify", 'path="/messages"')
        body = with_texts({**whole, **given(locals(), "self", "assertion", "whole")})
        count: int = part(self._calls.post("/journal/verify", body), "count")
        return count

    @keywords
    def wait_for(
        self,
        assertion: Assertion | None = None,
        /,
        *,
        timeout_ms: int | None = None,
        method: Method | None = None,
        path: str | None = None,
        user: str | None = None,
        params: Mapping[str, str | float] | None = None,
        status: int | None = None,
        fault: str | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        exactly: int | None = None,
    ) -> int:
        """Waits until there are such requests, for 3 seconds by default, and returns their number; otherwise raises VerificationFailed."""
        whole = rule_or_none(assertion, "journal.wait_for", 'path="/messages"')
        body = with_texts({**whole, **given(locals(), "self", "assertion", "whole")})
        count: int = part(self._calls.wait("/journal/wait", body, "journal.wait_for"), "count")
        return count

    def clear(self) -> None:
        """Empties the journal."""
        self._calls.delete("/journal")


class Queues(Hinting):
    """Event queues of clients."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    def list(self) -> List[Queue]:
        """All queues."""
        return rows(Queue, part(self._calls.get("/queues"), "queues"))

    @of_caller
    @keywords
    def lose(self, queue_id: str) -> None:
        """Loses the queue with this id, `queues.list()[0].queue_id`, as a restart of the server does."""
        try:
            self._calls.delete(f"/queues/{quote(str(queue_id), safe='')}")
        except Error as error:
            if error.status != NOT_FOUND:
                raise
            message = f"{error.message}\nqueues.lose takes the id of a queue, such as queues.list()[0].queue_id"
            raise Error(message, error.status, error.code, error.body)

    @keywords
    def wait_parked(
        self, *, user: str | None = None, count: int | None = None, timeout_ms: int | None = None
    ) -> List[Queue]:
        """Waits until `count` queues (default: 1) of a user, or of any user, have a waiting poll; for 3 seconds by default."""
        body = {**given(locals(), "self"), "parked": True}
        return rows(Queue, part(self._calls.wait("/queues/wait", body, "queues.wait_parked"), "queues"))


class Pushes(Hinting):
    """The pushes that were handed to the push relay."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    @keywords
    def list(self, *, user: str | None = None, device_id: int | None = None, since: int | None = None) -> List[Push]:
        """Pushes, newest last."""
        return rows(Push, part(self._calls.get("/pushes", given(locals(), "self")), "pushes"))

    @keywords
    def wait_for(
        self,
        *,
        user: str | None = None,
        device_id: int | None = None,
        since: int | None = None,
        at_least: int | None = None,
        timeout_ms: int | None = None,
    ) -> List[Push]:
        """Waits until there are such pushes, for 3 seconds by default, and returns them."""
        body = given(locals(), "self")
        return rows(Push, part(self._calls.wait("/pushes/wait", body, "pushes.wait_for"), "pushes"))

    def clear(self) -> None:
        """Empties the list."""
        self._calls.delete("/pushes")


class Snapshots(Hinting):
    """Named states to come back to."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    def save(self, name: str) -> None:
        """Takes a snapshot; one of the same name is replaced."""
        self._calls.post("/snapshots", {"name": name})

    def restore(self, name: str) -> None:
        """Goes back to a snapshot; queues end."""
        self._calls.post(f"/snapshots/{quote(name, safe='')}/restore")

    def list(self) -> List[Snapshot]:
        """All snapshots."""
        return rows(Snapshot, part(self._calls.get("/snapshots"), "snapshots"))

    def remove(self, name: str) -> None:
        """Removes a snapshot."""
        self._calls.delete(f"/snapshots/{quote(name, safe='')}")
