"""Requests in a line, for people."""

from __future__ import annotations

from typing import Any, List, Mapping, Sequence

__tracebackhide__ = True

# The status of a request whose connection was dropped.
DROPPED = 0
# The most characters of a parameter that are shown.
SHOWN_CHARACTERS = 60


def request_line(entry: Mapping[str, Any]) -> str:
    """A request, and below it why it was refused."""
    params = " ".join(f"{name}={_short(str(value))}" for name, value in (entry.get("params") or {}).items())
    fault = f"({entry['fault']})" if entry.get("fault") else ""
    outcome = "no reply" if entry.get("status") == DROPPED else str(entry.get("status"))
    parts = [outcome, entry.get("method"), entry.get("path"), entry.get("user"), params, fault]
    reply = entry["reply"] if isinstance(entry.get("reply"), dict) else {}
    is_refused = isinstance(entry.get("status"), int) and entry["status"] >= 400
    reasons = [reply.get("msg") if is_refused else None, entry.get("hint")]
    return "\n    ".join([" ".join(str(part) for part in parts if part), *(str(one) for one in reasons if one)])


def waiting_lines(queues: Sequence[Mapping[str, Any]], shown: int) -> List[str]:
    """The polls that wait at event queues, which the journal has only when they are answered."""
    users = [queue.get("user") for queue in queues if queue.get("parked")]
    more = [f"waiting: {len(users) - shown} more"] if len(users) > shown else []
    return [f"waiting: GET /events of {user}" if user else "waiting: GET /events" for user in users[:shown]] + more


def given_up_line(times: int, seconds: str, user: str | None) -> str:
    """Polls of a user, or of anybody, whose client did not wait for the reply; the journal has none of them."""
    who = f" of {user}" if user else ""
    return f"given up by the client: GET /events{who}, {times} {'time' if times == 1 else 'times'}, after {seconds} s at most"


def _short(given: str) -> str:
    text = given.replace("\r", "\\r").replace("\n", "\\n")
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
