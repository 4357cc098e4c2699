"""Frames of the watch socket."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from ._control import AgendaItem, NetworkRow, Push, RateLimitRow
from ._record import Record

#: What a frame is about.
FrameType = Literal["request", "event", "clock", "push", "queue", "fault", "network", "rate_limit", "lost"]


class Frame(Record):
    """A frame of the watch socket: the keys that are not of its type are None.

    A frame `clock` also has the former time, `frame["from"]`.
    """

    #: What it is about.
    type: FrameType
    #: The world's time, in Unix seconds.
    at: float
    #: Of a request: number of its journal entry. Of an event: its position in the world's log.
    id: int | None
    #: Of a request: HTTP method.
    method: str | None
    #: Of a request: path without /api/v1.
    path: str | None
    #: Of a request or a queue: address of the user; None without valid credentials.
    user: str | None
    #: Of a request: parameters as they were sent.
    params: Dict[str, str] | None
    #: Of a request: HTTP status; 0 if the connection was dropped.
    status: int | None
    #: Of a request: the reply, JSON or text.
    reply: Any
    #: Of a request: milliseconds of real time until its reply.
    duration_ms: float | None
    #: Of a request: the first word of its User-Agent.
    client: str | None
    #: Of a refused request: what would have worked.
    hint: str | None
    #: Of a request: id of the fault that fired, or `network`.
    fault: str | None
    #: Of a request: positions in the world's log of the events that it sent.
    events: List[int] | None
    #: Of an event: the event, as in the API.
    event: Dict[str, Any] | None
    #: Of an event: ids of the users who receive it.
    users: List[int] | None
    #: Of an event: handles of its users by id, `users`, and the name of its channel, `channel`.
    names: Dict[str, Any] | None
    #: Of an event: the only queue that receives it, if it is for one queue. Of a queue: its id.
    queue_id: str | None
    #: Of a queue: registered, parked, answered, expired, lost or deleted.
    change: str | None
    #: Of a fault: its id.
    fault_id: str | None
    #: Of a fault: number of the journal entry of the request that it met.
    journal_id: int | None
    #: Of a fault: what it did, as in its rule.
    effect: Dict[str, Any] | None
    #: Of a push: the push.
    push: Push | None
    #: Of a clock: the time after the change, in Unix seconds.
    now: float | None
    #: Of a clock: the items that fell due, in their order.
    fired: List[AgendaItem] | None
    #: Of a clock: name of the snapshot that was restored.
    snapshot: str | None
    #: Of a network: all networks from now on.
    networks: List[NetworkRow] | None
    #: Of a rate limit: all limits from now on.
    rate_limits: List[RateLimitRow] | None
    #: Of lost frames: how many frames a slow watcher missed.
    count: int | None
