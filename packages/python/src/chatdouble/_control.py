"""Requests and replies of control, made from its OpenAPI document by `packages/check --update types`."""

from __future__ import annotations

import datetime
import os
from typing import Any, Dict, List, Literal, Mapping, TypedDict

from ._effects import Effect
from ._record import Record

__all__ = [
    "AgendaItem",
    "Assertion",
    "ClockMoved",
    "ClockState",
    "FaultMatch",
    "FaultRow",
    "FaultRule",
    "Finding",
    "FindingRequest",
    "Health",
    "Invariants",
    "JournalEntry",
    "Keep",
    "Method",
    "NetworkRow",
    "NetworkTerms",
    "PreviewDelays",
    "PreviewTerms",
    "Profile",
    "Push",
    "PushWire",
    "Queue",
    "RateLimitRow",
    "RateLimitTerms",
    "Report",
    "ReportedClient",
    "Severity",
    "Snapshot",
    "Violation",
    "WorldOptions",
    "WorldRow",
]


#: What a reset may leave as it is.
Keep = Literal["faults", "journal", "report"]


#: An HTTP method.
Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


#: A network by its name.
Profile = Literal["offline", "gprs", "edge", "3g", "4g", "wifi", "lossy"]


#: How much a finding matters.
Severity = Literal["error", "warning", "note"]


class AgendaItem(Record):
    """An item that falls due, or did."""

    #: reminder, scheduled_message, invite_expired, queue_expired, heartbeat, export, thumbnails or page_previews; the id of that kind is in the item as well.
    kind: str
    #: When it falls due, in Unix seconds of the world's clock.
    at: float
    #: The reminder that is sent.
    reminder_id: int | None
    #: The message that is sent.
    scheduled_message_id: int | None
    #: The invitation that expires.
    invite_id: int | None
    #: The event queue that expires, or whose waiting poll is answered with a heartbeat.
    queue_id: str | None
    #: The export that is completed.
    export_id: int | None
    #: The uploaded picture whose thumbnails are made.
    path_id: str | None
    #: The message that gets previews of the pages that it links.
    message_id: int | None
    #: The user of the item.
    user_id: int | None


class ClockState(Record):
    """The time, whether the clock runs, and the agenda."""

    #: The time, in Unix seconds of the world's clock.
    now: float
    #: Whether the clock runs with real time; otherwise it is frozen.
    running: bool
    #: Items that fall due, the next one first.
    agenda: List[AgendaItem]


class ClockMoved(Record):
    """The clock after a change, and the items that fell due."""

    #: The time after the change, in Unix seconds of the world's clock.
    now: float
    #: Whether the clock runs with real time; otherwise it is frozen.
    running: bool
    #: Items that still fall due, the next one first.
    agenda: List[AgendaItem]
    #: Milliseconds of real time for which the change waited for clients between two polls.
    waited_ms: float
    #: Ids of the queues that had no waiting poll even so.
    not_parked: List[str]
    #: Items that fell due, in their order.
    fired: List[AgendaItem]


class Health(Record):
    """The server's version, its feature level and its number of worlds."""

    #: Version of chatdouble.
    version: str
    #: The newest feature level of this version.
    feature_level: int
    #: Number of worlds.
    worlds: int


class WorldRow(Record):
    """A row of the list of worlds."""

    #: Name of the world, which paths of control take.
    name: str
    #: Base URL for clients, without a slash at the end and without /api/v1.
    url: str
    #: The text with which it was made, such as the name of a test.
    label: str | None
    #: The feature level that it emulates.
    feature_level: int
    #: neutral, zulip, or custom for a dialect of one's own.
    dialect: Literal["neutral", "zulip", "custom"]
    #: Number of accounts.
    users: int
    #: Number of channels.
    channels: int
    #: Number of messages.
    messages: int
    #: Number of event queues.
    queues: int
    #: The time, in Unix seconds of the world's clock.
    now: float
    #: When it was made, in Unix seconds of real time.
    created_at: float
    #: When it was last used, in Unix seconds of real time; null before the first request.
    last_request_at: float | None
    #: How long it may get no request, in real time, before it is deleted; null: for ever.
    idle_ttl_seconds: float | None


class FaultRow(Record):
    """An installed fault: its rule, and how often it fired."""

    #: The requests that it applies to, as they were given.
    match: Any
    #: Number of requests that pass first.
    after: int | None
    #: The probability that it fires, from 0 to 1.
    probability: float | None
    #: How many times it fires at most.
    times: int | None
    #: The effect, by its name, as it was given.
    effect: Any
    #: Id in control, which removing it takes, and which replies of the fault have as X-Chatdouble-Fault.
    fault_id: str
    #: Number of matching requests that passed because of `after`, or by chance.
    passed: int
    #: Number of requests on which it fired.
    fired: int
    #: The same as `fault_id`.
    id: str


class NetworkRow(Record):
    """A network that clients are on."""

    #: Address of the user whose network it is; null for all who have none of their own.
    user: str | None
    #: Name of the profile, if one was given.
    profile: str | None
    #: The delay of each reply, in milliseconds.
    latency_ms: int
    #: The largest random delay of a reply in addition, in milliseconds.
    jitter_ms: int
    #: Bytes of bodies that pass in a second, in either direction; null: no limit.
    bytes_per_second: int | None
    #: The share of requests whose connection breaks, from 0 to 1.
    loss: float


class RateLimitRow(Record):
    """A limit of requests."""

    #: Address of the user whose limit it is; null for all who have none of their own.
    user: str | None
    #: Requests of a whole budget.
    requests: int
    #: The time in which an empty budget becomes whole, by the world's clock.
    seconds: float


class PreviewDelays(Record):
    """The delays of previews, in seconds."""

    #: From the upload of a picture to its thumbnails, by the world's clock.
    thumbnail_seconds: float
    #: From a message to the previews of the pages that it links, by the world's clock; null: there are none.
    link_seconds: float | None


class JournalEntry(Record):
    """A request and its reply."""

    #: Number of the entry; it rises by one.
    id: int
    #: When it was answered, in Unix seconds of the world's clock.
    at: float
    #: HTTP method.
    method: str
    #: Path without /api/v1, with placeholders filled in.
    path: str
    #: Address in the credentials, which may be wrong; null without credentials.
    user: str | None
    #: Parameters by their neutral names, as text; the key of an incoming webhook is hidden.
    params: Dict[str, str]
    #: HTTP status; 0 if the connection was dropped.
    status: int
    #: The reply: JSON, or text if it is none.
    reply: Any
    #: Milliseconds of real time from the request to its reply.
    duration_ms: float
    #: Name of the client, without its version, from its X-Chatdouble-Client or User-Agent.
    client: str
    #: What would have worked: the value of the reply's header X-Chatdouble-Hint.
    hint: str | None
    #: Id of the fault that fired, or `network`.
    fault: str | None
    #: Positions in the world's log of the events that the request caused.
    events: List[int]
    #: True if a long parameter or reply was cut.
    truncated: bool | None


class Queue(Record):
    """An event queue of a client."""

    #: Id in the API.
    queue_id: str
    #: Address of its user; null for a spectator.
    user: str | None
    #: Name of the client that registered it, without its version.
    client: str
    #: Whether a poll waits on it.
    parked: bool
    #: Number of events that the client has not acknowledged.
    pending: int
    #: Id of its latest event; -1 if there is none.
    last_event_id: int
    #: Id of the last event that the client acknowledged; -1 if there is none.
    acknowledged: int
    #: The client_capabilities that the client has.
    capabilities: List[str]


class ReportedClient(Record):
    """A client with the rules that it broke."""

    #: Name of the world, in a report on several.
    world: str | None
    #: Label of that world, such as the name of the test that made it, in one line of 200 characters at most; absent without one.
    label: str | None
    #: Name and version: the first word of its User-Agent.
    client: str
    #: Address of its user; null without valid credentials.
    user: str | None
    #: Number of its requests.
    requests: int
    #: When it sent the first, in Unix seconds of the world's clock.
    first_at: float
    #: When it sent the last, in Unix seconds of the world's clock.
    last_at: float
    #: Rules that it broke, the most severe first.
    findings: List[Finding]


class Finding(Record):
    """A rule that a client broke."""

    #: Name of the rule, as `chatdouble rules` lists it.
    rule: str
    #: How much it matters.
    severity: Severity
    #: What the client did.
    message: str
    #: Number of requests that broke the rule.
    count: int
    #: The first request that broke the rule.
    first: FindingRequest
    #: The last request that broke the rule.
    last: FindingRequest
    #: Why a real server or its users suffer from it.
    why: str
    #: What to do instead.
    help: str


class FindingRequest(Record):
    """A request that a finding is about."""

    #: Id of the entry in the journal; null if the request was never answered.
    journal_id: int | None
    #: When it was sent, in Unix seconds of the world's clock.
    at: float
    #: The request in a line.
    request: str


class Report(Record):
    """What the clients of a world did wrong."""

    #: Clients that sent requests, with their findings.
    clients: List[ReportedClient]
    #: False if the report had to forget clients or findings.
    complete: bool


class Push(Record):
    """A push that was handed to the push relay."""

    #: Number of the push; it rises by one.
    id: int
    #: When it was handed to the relay, in Unix seconds of the world's clock.
    at: float
    #: What it is: message, remove, test and so on.
    kind: str
    #: Address of the user whose device it is for.
    user: str | None
    #: Id of the device, if it is registered with one.
    device_id: int | None
    #: The device's token, if it is registered with one of the older kind.
    token: str | None
    #: The notification in the clear.
    payload: Any
    #: What the relay passes on; null for registrations, which stay with it.
    wire: PushWire | None


class PushWire(Record):
    """A push as the push relay carries it."""

    #: The service of the device: fcm or apns.
    provider: str
    #: Id of the key with which it is encrypted.
    push_key_id: int | None
    #: The encrypted notification, in Base64.
    encrypted_data: str | None
    #: The message as the service takes it.
    envelope: Any


class Snapshot(Record):
    """A snapshot that was taken."""

    #: Name, which restoring it takes.
    name: str
    #: The time of the world's clock in it, in Unix seconds.
    at: float


class Violation(Record):
    """An invariant that does not hold."""

    #: Name of the invariant.
    invariant: str
    #: What does not hold, in words.
    what: str


class Invariants(Record):
    """The invariants that were checked, and their violations."""

    #: Names of the invariants that were checked.
    checked: List[str]
    #: What does not hold; empty in a sound world.
    violations: List[Violation]


class WorldOptions(TypedDict, total=False):
    """A world to create, from a fixture, from a state or as a fork."""

    #: 1 to 63 of a-z, 0-9 and '-', not '-' at either end; generated by default.
    name: str
    #: A built-in fixture's name, a fixture document or a state; the server's fixture by default.
    fixture: str | os.PathLike[str] | dict[str, Any]
    #: Name of the world to fork; can't be combined with `fixture`.
    fork_of: str
    #: Name of a snapshot of the world in `fork_of` to start with; its present state by default.
    snapshot: str
    #: The feature level that it emulates, from 0; that of the forked world or the server's by default.
    feature_level: int
    #: neutral, zulip or a dialect document; that of the forked world or the server's by default.
    dialect: str | dict[str, Any]
    #: How its clock starts. `frozen` stops it at the time that the world would start with otherwise.
    clock: float | str | datetime.datetime
    #: The seed of the world's random generator, from which keys and addresses follow.
    seed: int
    #: Whether the world is also served on a port of its own; false by default.
    listen: bool
    #: Any text, such as the name of a test.
    label: str
    #: How long it may have neither a request nor a parked poll, in real time, before it is deleted; at least 1 second.
    idle_ttl_seconds: float | str | datetime.timedelta
    #: Whether it may replace an existing world of its name; false by default.
    replace: bool


class FaultRule(TypedDict, total=False):
    """A failure to cause in the requests that match."""

    #: Which requests the fault is for; all by default.
    match: FaultMatch
    #: Number of matching requests that pass before the fault may fire; 0 by default.
    after: int
    #: The probability that it fires for a matching request, from 0 to 1; it always fires by default.
    probability: float
    #: How many times it fires at most, from 1; without limit by default.
    times: int
    #: Exactly one effect, by its name.
    effect: Effect


class FaultMatch(TypedDict, total=False):
    """The requests that a fault applies to."""

    #: HTTP method, in capitals.
    method: Method
    #: Path of an operation with its placeholders, or of a kind of files such as /static/*.
    path: str
    #: The caller, by email address or handle.
    user: str
    #: Parameters that a request must have, with their values as text.
    params: Mapping[str, str | float]


class NetworkTerms(TypedDict, total=False):
    """A network: a profile, numbers, or a profile with some numbers replaced."""

    #: Whose network, by email address or handle; by default that of all users who have none of their own.
    user: str
    #: The built-in profile for the numbers that are left out; without one, they limit nothing.
    profile: Profile
    #: The delay of each reply, in milliseconds of real time.
    latency_ms: int
    #: The largest random delay of a reply in addition, in milliseconds.
    jitter_ms: int
    #: Bytes of bodies that pass in a second, in either direction, from 1.
    bytes_per_second: int
    #: The share of requests whose connection breaks, from 0 to 1: half of them before they are carried out.
    loss: float


class RateLimitTerms(TypedDict, total=False):
    """A budget of requests that refills with the world's clock."""

    #: Whose requests, by email address or handle; by default those of each user without a limit of their own.
    user: str
    #: Number of requests in a full budget, from 1 to 1,000,000.
    requests: int
    #: The time in which an empty budget refills, by the world's clock; more than 0, and at most 100 years.
    seconds: float | str | datetime.timedelta


class PreviewTerms(TypedDict, total=False):
    """How long thumbnails and link previews take; a delay that is left out stays as it is."""

    #: Time from the upload of a picture to its thumbnails, by the world's clock; 0 at first.
    thumbnail_seconds: float | str | datetime.timedelta
    #: Time from a message to the previews of its links, by the world's clock; there are none until this is set.
    link_seconds: float | str | datetime.timedelta


class Assertion(TypedDict, total=False):
    """Which requests the journal must have, and how many."""

    #: HTTP method, in capitals.
    method: Method
    #: Path, filled in or with the placeholders of an operation; with or without `/api/v1` or `/json`.
    path: str
    #: The caller, by email address or handle.
    user: str
    #: Parameters that a request must have, with their values as text.
    params: Mapping[str, str | float]
    #: HTTP status of the reply; 0 for a dropped connection.
    status: int
    #: ID of the fault that fired for the request; `network` for losses of a network.
    fault: str
    #: The minimum number of such requests; 1 if neither `at_most` nor `exactly` is given.
    at_least: int
    #: The maximum number of such requests.
    at_most: int
    #: The exact number; can't be combined with `at_least` or `at_most`.
    exactly: int
