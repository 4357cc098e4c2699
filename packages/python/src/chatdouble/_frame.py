"""Frames of the watch socket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Type, Union

from ._control import AgendaItem, NetworkRow, Push, RateLimitRow
from ._record import Record, typed

__tracebackhide__ = True

#: What a frame is about.
FrameType = Literal["request", "event", "clock", "push", "queue", "fault", "network", "rate_limit", "lost"]


#: What happened to a queue.
QueueChange = Literal["registered", "parked", "answered", "expired", "lost", "deleted"]
#: How a world returned to another state.
ClockCause = Literal["restore", "reset", "state"]


class AnyFrame(Record):
    """A frame of the watch socket: the keys that are not of its type are None."""

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
    #: Of a request: true if a long parameter or reply was cut.
    truncated: bool | None
    #: Of an event: the event, as in the API.
    event: Dict[str, Any] | None
    #: Of an event: ids of the users who receive it.
    users: List[int] | None
    #: Of an event: handles of its users by id, `users`, and the name of its channel, `channel`.
    names: Dict[str, Any] | None
    #: Of an event: the only queue that receives it, if it is for one queue. Of a queue: its id.
    queue_id: str | None
    #: Of a queue: registered, parked, answered, expired, lost or deleted.
    change: QueueChange | None
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
    #: Of a clock that another state brought: restore, reset or state.
    cause: ClockCause | None
    #: Of a clock: name of the snapshot that was restored.
    snapshot: str | None
    #: Of a network: all networks from now on.
    networks: List[NetworkRow] | None
    #: Of a rate limit: all limits from now on.
    rate_limits: List[RateLimitRow] | None
    #: Of lost frames: how many frames a slow watcher missed.
    count: int | None


class RequestFrame(AnyFrame):
    """A request with its reply, as in the journal."""

    type: Literal["request"]
    id: int
    method: str
    path: str
    params: Dict[str, str]
    status: int
    duration_ms: float
    client: str
    events: List[int]


class EventFrame(AnyFrame):
    """An event that the world sent."""

    type: Literal["event"]
    id: int
    event: Dict[str, Any]
    users: List[int]
    names: Dict[str, Any]


class QueueFrame(AnyFrame):
    """What happened to an event queue."""

    type: Literal["queue"]
    queue_id: str
    change: QueueChange


class FaultFrame(AnyFrame):
    """A fault that fired."""

    type: Literal["fault"]
    fault_id: str
    journal_id: int
    effect: Dict[str, Any]


class PushFrame(AnyFrame):
    """A push that was handed to the push relay."""

    type: Literal["push"]
    push: Push


class ClockFrame(AnyFrame):
    """A change of the clock; `frame["from"]` is the time before it."""

    type: Literal["clock"]
    now: float
    fired: List[AgendaItem]


class NetworkFrame(AnyFrame):
    """All networks, after one of them changed."""

    type: Literal["network"]
    networks: List[NetworkRow]


class RateLimitFrame(AnyFrame):
    """All limits of requests, after one of them changed."""

    type: Literal["rate_limit"]
    rate_limits: List[RateLimitRow]


class LostFrame(AnyFrame):
    """Frames that were left out because they came too fast for this watcher."""

    type: Literal["lost"]
    count: int


# Checkers tell the members of a union by the literal of an attribute; at run time, frames are of a class, also of newer types.
if TYPE_CHECKING:
    Frame = Union[
        RequestFrame, EventFrame, QueueFrame, FaultFrame, PushFrame, ClockFrame, NetworkFrame, RateLimitFrame, LostFrame
    ]
else:
    Frame = AnyFrame

KINDS: Dict[str, Type[AnyFrame]] = {
    "request": RequestFrame,
    "event": EventFrame,
    "queue": QueueFrame,
    "fault": FaultFrame,
    "push": PushFrame,
    "clock": ClockFrame,
    "network": NetworkFrame,
    "rate_limit": RateLimitFrame,
    "lost": LostFrame,
}


def framed(value: Any) -> Frame:
    """A frame as the class of its type."""
    kind = KINDS.get(str(value.get("type")), AnyFrame) if isinstance(value, dict) else AnyFrame
    made: Any = typed(kind, value)
    frame: Frame = made
    return frame
