"""Effects of faults: dictionaries with exactly one of these keys."""

from __future__ import annotations

from typing import Any, Dict, Literal, TypedDict, Union

__all__ = [
    "BouncerEffect",
    "ChangeEffect",
    "DelayEffect",
    "Drop",
    "DropEffect",
    "Effect",
    "ErrorEffect",
    "ErrorReply",
    "EventsEffect",
    "GarbageEffect",
    "GatewayEffect",
    "LoseQueueEffect",
    "PseudoLocalizeEffect",
    "RateLimit",
    "RateLimitEffect",
    "TruncateEffect",
]


class DelayEffect(TypedDict):
    """The request is carried out at once, the reply comes later."""

    #: Milliseconds of real time.
    delay_ms: int


class _ErrorWords(TypedDict, total=False):
    #: By which clients tell errors apart, such as `BAD_REQUEST`; that of the status by default.
    code: str
    #: What users see; the words of the status by default.
    msg: str


class ErrorReply(_ErrorWords):
    """A failed reply: a status alone, or with more."""

    #: The HTTP status, from 400 to 599.
    status: int


class ErrorEffect(TypedDict):
    """The reply is an error; nothing is done."""

    #: The failed reply; a dictionary that is no `ErrorReply` has further keys of the reply, too.
    error: ErrorReply | Dict[str, Any]


class RateLimit(TypedDict):
    """How long the client has to wait."""

    #: Seconds, also a part of one, or a span such as `1m30s`.
    retry_after: float | str


class RateLimitEffect(TypedDict):
    """429, the error of a rate limit; nothing is done."""

    #: The reply is 429 and says when the client may ask again.
    rate_limit: RateLimit


class ChangeEffect(TypedDict):
    """The request is carried out, and keys of a successful reply are changed."""

    #: The values of top-level keys; a key with None is left out.
    change: Dict[str, Any]


class PseudoLocalizeEffect(TypedDict):
    """The words of a failed reply are in accented letters, as from a server that translates."""

    #: `msg` of a failed reply is in accented letters, so that a client that compares its text fails.
    pseudo_localize: Literal[True]


#: When the connection closes: before or after the request is carried out.
Drop = Literal["before", "after"]


class _Retries(TypedDict, total=False):
    #: Whether repetitions of the request are dropped too.
    retries: bool


class DropEffect(_Retries):
    """The connection closes without a reply."""

    #: Before or after the request is carried out.
    drop: Drop


class TruncateEffect(TypedDict):
    """The request is carried out, and the body of the reply breaks off."""

    #: Bytes that the client receives.
    truncate_at: int


class GarbageEffect(TypedDict):
    """The request is carried out, and the reply is a proxy's HTML page."""

    #: The status is 200, and the body is a proxy's HTML page.
    garbage: Literal[True]


class GatewayEffect(TypedDict):
    """The reply is a gateway's HTML page, as while a server restarts; nothing is done."""

    #: HTTP status, from 400 to 599, such as 502.
    gateway: int


class LoseQueueEffect(TypedDict):
    """The caller's event queues are lost, then the request is carried out."""

    #: The next poll is refused with BAD_EVENT_QUEUE_ID.
    lose_queue: Literal[True]


class EventsEffect(TypedDict):
    """What a poll of an event queue receives."""

    #: Acknowledged events again; none though some are pending; one at a time; or an unknown type and fields as well.
    events: Literal["repeat", "hold", "one_by_one", "unknown"]


class BouncerEffect(TypedDict):
    """Operations that call the push relay fail with its error."""

    #: The error of the relay: it does not answer, it fails, or its administrator has to act.
    bouncer: Literal["unreachable", "server_error", "admin_action_required"]


Effect = Union[
    DelayEffect,
    ErrorEffect,
    RateLimitEffect,
    ChangeEffect,
    PseudoLocalizeEffect,
    DropEffect,
    TruncateEffect,
    GarbageEffect,
    GatewayEffect,
    LoseQueueEffect,
    EventsEffect,
    BouncerEffect,
]
