"""A world: one whole organization with its clock, faults and journal."""

from __future__ import annotations

import datetime
import json
from types import TracebackType
from typing import TYPE_CHECKING, Any, Iterator, List, Sequence
from urllib.parse import quote

from ._error import Error
from ._http import Requests
from ._record import Record
from ._watch import texts

if TYPE_CHECKING:
    from ._server import Server

#: The default time to wait, in milliseconds.
PATIENCE_MS = 5_000
# Named here, since some classes have a method called `list`.
Rows = List[Record]
# The domain of the addresses in the built-in fixtures.
DOMAIN = "chat.test"


def given(arguments: dict[str, Any], *without: str) -> dict[str, Any]:
    """The arguments that were given, as values for control."""
    return {name: _plain(value) for name, value in arguments.items() if value is not None and name not in without}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    return value


class _Calls:
    """The calls of control for one world."""

    def __init__(self, requests: Requests, path: str) -> None:
        self.requests = requests
        self.path = path

    def get(self, path: str, filters: dict[str, Any] | None = None) -> Record:
        return self.requests.control("GET", self.path + path, filters=filters)

    def post(self, path: str, body: dict[str, Any] | None = None) -> Record:
        return self.requests.control("POST", self.path + path, body or {})

    def delete(self, path: str) -> Record:
        return self.requests.control("DELETE", self.path + path)


class World:
    """A world; as a context manager, it is deleted at the end."""

    def __init__(self, server: Server, name: str, url: str, requests: Requests) -> None:
        #: The server that holds the world.
        self.server = server
        #: The world's name in control.
        self.name = name
        #: Base URL for clients, without a slash at the end and without /api/v1.
        self.url = url
        self._calls = _Calls(requests, f"/worlds/{quote(name, safe='')}")
        self.clock = Clock(self._calls)
        self.faults = Faults(self._calls)
        self.journal = Journal(self._calls)
        self.queues = Queues(self._calls)
        self.pushes = Pushes(self._calls)
        self.snapshots = Snapshots(self._calls)

    def user(self, handle: str) -> Record:
        """A user's credentials, by handle or address: id, email, api_key. The journal has the request."""
        email = handle if "@" in handle else f"{handle}@{DOMAIN}"
        try:
            return self._fetch_key(email)
        except Error:
            elsewhere = None if "@" in handle else self._email_of(handle)
            if elsewhere is None or elsewhere == email:
                raise
            return self._fetch_key(elsewhere)

    def fork(
        self,
        *,
        name: str | None = None,
        snapshot: str | None = None,
        feature_level: int | None = None,
        dialect: str | dict[str, Any] | None = None,
        clock: Any = None,
        seed: int | None = None,
        label: str | None = None,
        listen: bool | None = None,
        idle_ttl_seconds: float | str | None = None,
        replace: bool | None = None,
    ) -> World:
        """Makes a copy of the current state, or of a snapshot, without queues, faults, journal and snapshots."""
        return self.server.create_world(fork_of=self.name, **given(locals(), "self"))

    def reset(self, *, keep: Sequence[str] | None = None) -> None:
        """Resets data, clock, pushes, faults and journal; `keep` lists which of the last two are kept."""
        self._calls.post("/reset", given({"keep": keep and list(keep)}))

    def delete(self) -> None:
        """Deletes the world."""
        self._calls.delete("")

    def state(self) -> Record:
        """The world as a fixture document."""
        document: Record = self._calls.get("/state").state
        return document

    def put_state(self, document: dict[str, Any]) -> None:
        """Replaces the state with that of a document; queues end."""
        self._calls.requests.control("PUT", f"{self._calls.path}/state", document)

    def invariants(self) -> Record:
        """Checks the invariants, which must hold of every world: checked, violations."""
        return self._calls.get("/invariants")

    def upgrade(self, level: int) -> None:
        """Raises the feature level, as an upgrade of a server does."""
        self._calls.post("/upgrade", {"to": level})

    def watch(self) -> Iterator[Record]:
        """The frames of the watch socket, as they are broadcast, from the first `next()` on."""
        for text in texts(self._calls.requests, f"/control{self._calls.path}/watch"):
            yield json.loads(text, object_hook=Record)

    def __enter__(self) -> World:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.delete()

    def __repr__(self) -> str:
        return f"<chatdouble.World {self.url}>"

    def _fetch_key(self, email: str) -> Record:
        path = self.url.removeprefix(self._calls.requests.url)
        if "://" in path:
            raise Error("a world that listens on its own port gives keys there: see its state")
        reply = self._calls.requests.api("POST", f"{path}/api/v1/dev_fetch_api_key", {"username": email})
        return Record(id=reply.user_id, email=reply.email, api_key=reply.api_key)

    def _email_of(self, handle: str) -> str | None:
        path = self.url.removeprefix(self._calls.requests.url)
        people = self._calls.requests.api("GET", f"{path}/api/v1/dev_list_users")
        emails = [person.email for person in [*people.direct_admins, *people.direct_users]]
        return next((email for email in emails if email.startswith(f"{handle}@")), None)


class Clock:
    """A world's clock and agenda."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    def now(self) -> float:
        """The time, in Unix seconds."""
        now: float = self.state().now
        return now

    def agenda(self) -> Rows:
        """The items that fall due, the next one first."""
        items: Rows = self.state().agenda
        return items

    def state(self) -> Record:
        """The time, whether the clock runs, and the agenda."""
        return self._calls.get("/clock")

    def advance(self, by: float | str | datetime.timedelta, *, wait_for_clients_ms: int | None = None) -> Record:
        """Advances by seconds or a span such as "1d2h30m"; all items that fall due are done before it returns."""
        return self._move(wait_for_clients_ms, advance_seconds=by)

    def set(self, to: datetime.datetime | str | float, *, wait_for_clients_ms: int | None = None) -> Record:
        """Advances to a time: RFC 3339, Unix seconds or a date."""
        return self._move(wait_for_clients_ms, set=to)

    def to_next(self, *, wait_for_clients_ms: int | None = None) -> Record:
        """Advances to the next item that falls due."""
        return self._move(wait_for_clients_ms, to_next=True)

    def run(self) -> Record:
        """Lets the clock run with real time."""
        return self._move(None, running=True)

    def freeze(self) -> Record:
        """Freezes the clock."""
        return self._move(None, running=False)

    def _move(self, wait_for_clients_ms: int | None, **change: Any) -> Record:
        return self._calls.post("/clock", given({**change, "wait_for_clients_ms": wait_for_clients_ms}))


class Fault:
    """An installed fault; as a context manager, it is removed at the end."""

    def __init__(self, calls: _Calls, id: str) -> None:
        self._calls = calls
        #: The fault's id in control.
        self.id = id

    def remove(self) -> None:
        """Removes the fault."""
        self._calls.delete(f"/faults/{quote(self.id, safe='')}")

    def __enter__(self) -> Fault:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


class Faults:
    """Failures on demand."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    def add(
        self,
        rule: dict[str, Any] | None = None,
        /,
        *,
        effect: dict[str, Any] | None = None,
        match: dict[str, Any] | None = None,
        after: int | None = None,
        probability: float | None = None,
        times: int | None = None,
    ) -> Fault:
        """Installs a rule, given as keywords or as a whole."""
        body = {**(rule or {}), **given(locals(), "self", "rule")}
        return Fault(self._calls, self._calls.post("/faults", body).fault_id)

    def list(self) -> Rows:
        """All installed rules, also spent ones, with how many requests each let pass and how often it fired."""
        return [Record(fault, id=fault.fault_id) for fault in self._calls.get("/faults").faults]

    def clear(self) -> None:
        """Removes all rules."""
        self._calls.delete("/faults")


class Journal:
    """The requests to the API, and their replies."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    def entries(
        self,
        *,
        method: str | None = None,
        path: str | None = None,
        user: str | None = None,
        status: int | None = None,
        since: int | None = None,
        limit: int | None = None,
    ) -> Rows:
        """Entries, newest last."""
        entries: Rows = self._calls.get("/journal", given(locals(), "self")).entries
        return entries

    def verify(
        self,
        assertion: dict[str, Any] | None = None,
        /,
        *,
        method: str | None = None,
        path: str | None = None,
        user: str | None = None,
        params: dict[str, str] | None = None,
        status: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        exactly: int | None = None,
    ) -> int:
        """Asserts that there were such requests and returns their number; otherwise raises VerificationFailed."""
        body = {**(assertion or {}), **given(locals(), "self", "assertion")}
        count: int = self._calls.post("/journal/verify", body).count
        return count

    def wait_for(
        self,
        assertion: dict[str, Any] | None = None,
        /,
        *,
        timeout_ms: int = PATIENCE_MS,
        method: str | None = None,
        path: str | None = None,
        user: str | None = None,
        params: dict[str, str] | None = None,
        status: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        exactly: int | None = None,
    ) -> int:
        """Waits until there are such requests and returns their number; otherwise raises VerificationFailed."""
        body = {**(assertion or {}), **given(locals(), "self", "assertion")}
        count: int = self._calls.post("/journal/wait", body).count
        return count

    def clear(self) -> None:
        """Empties the journal."""
        self._calls.delete("/journal")


class Queues:
    """Event queues of clients."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    def list(self) -> Rows:
        """All queues."""
        queues: Rows = self._calls.get("/queues").queues
        return queues

    def lose(self, id: str) -> None:
        """Loses a queue, as a restart of the server does."""
        self._calls.delete(f"/queues/{quote(id, safe='')}")

    def wait_parked(
        self, *, user: str | None = None, count: int | None = None, timeout_ms: int = PATIENCE_MS
    ) -> Rows:
        """Waits until `count` queues (default: 1) of a user, or of any user, have a waiting poll."""
        body = {**given(locals(), "self"), "parked": True}
        queues: Rows = self._calls.post("/queues/wait", body).queues
        return queues


class Pushes:
    """The pushes that were handed to the push relay."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    def list(self, *, user: str | None = None, device_id: int | None = None, since: int | None = None) -> Rows:
        """Pushes, newest last."""
        pushes: Rows = self._calls.get("/pushes", given(locals(), "self")).pushes
        return pushes

    def wait_for(
        self,
        *,
        user: str | None = None,
        device_id: int | None = None,
        since: int | None = None,
        at_least: int | None = None,
        timeout_ms: int = PATIENCE_MS,
    ) -> Rows:
        """Waits until there are such pushes, and returns them."""
        pushes: Rows = self._calls.post("/pushes/wait", given(locals(), "self")).pushes
        return pushes

    def clear(self) -> None:
        """Empties the list."""
        self._calls.delete("/pushes")


class Snapshots:
    """Named states to come back to."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    def save(self, name: str) -> None:
        """Takes a snapshot; one of the same name is replaced."""
        self._calls.post("/snapshots", {"name": name})

    def restore(self, name: str) -> None:
        """Goes back to a snapshot; queues end."""
        self._calls.post(f"/snapshots/{quote(name, safe='')}/restore")

    def list(self) -> Rows:
        """All snapshots."""
        snapshots: Rows = self._calls.get("/snapshots").snapshots
        return snapshots

    def remove(self, name: str) -> None:
        """Removes a snapshot."""
        self._calls.delete(f"/snapshots/{quote(name, safe='')}")
