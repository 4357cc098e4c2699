"""Errors."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, TypeVar, cast

from ._line import request_line

__tracebackhide__ = True


Function = TypeVar("Function", bound=Callable[..., Any])


class Error(Exception):
    """Control refused a request, or a request got no reply.

    `status` is the HTTP status, 0 without a reply; `code` is control's, such as BAD_REQUEST; `body` is the reply.
    """

    # The name by which users import it, for the head of a traceback.
    __module__ = "chatdouble"

    def __init__(self, message: str, status: int = 0, code: str = "", body: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.body = body
        #: The error of the connection, if there was no reply.
        self._broken: Exception | None = None


class VerificationFailed(Error, AssertionError):
    """An assertion failed; `body` has `count` and `nearest`."""

    __module__ = "chatdouble"


class UnknownOption(Error, TypeError):
    """A helper does not take a keyword of this name."""

    __module__ = "chatdouble"


def of_caller(function: Function) -> Function:
    """Makes errors of a function follow what its caller was handling, and nothing that went wrong within it.

    Their traceback ends here, soon after the caller's line: runners other than pytest show all frames.
    """

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        handled = sys.exc_info()[1]
        try:
            return function(*arguments, **options)
        except Error as error:
            set_context(error, handled)
            raise error.with_traceback(None)

    return cast(Function, call)


def set_context(error: BaseException, handled: BaseException | None) -> None:
    """Makes an error show the one during whose handling it occurred, such as that of the test, and no other."""
    if error is not handled:
        error.__context__, error.__cause__, error.__suppress_context__ = handled, None, False


def refusal(status: int, body: Any, request: str) -> Error:
    """The error for a reply other than a success."""
    if not isinstance(body, dict) or "msg" not in body:
        return Error(f"{request}: {status}, which is no reply of chatdouble: {str(body)[:200]}", status, "", body)
    message, code = str(body["msg"]), str(body.get("code", ""))
    message = "\n".join([message, *_shown(body)])
    kind = VerificationFailed if code == "VERIFICATION_FAILED" else Error
    return kind(message, status, code, body)


def _shown(body: dict[str, Any]) -> list[str]:
    """What a failed assertion shows: the requests that match, and how those differ that come near."""
    near = body.get("nearest")
    listed = [one for one in near if isinstance(one, dict) and "diff" in one] if isinstance(near, list) else []
    lines: list[str] = []
    matching = [one["entry"] for one in listed if not str(one["diff"]).strip() and isinstance(one.get("entry"), dict)]
    if matching:
        lines.append("The requests that match:")
        lines += [f"  {request_line(entry)}".replace("\n", "\n  ") for entry in matching]
        more = body["count"] - len(matching) if isinstance(body.get("count"), int) else 0
        lines += [f"  and {more} more"] if more > 0 else []
    # Requests that differ in the same way are shown once.
    diffs = dict.fromkeys(str(one["diff"]) for one in listed if str(one["diff"]).strip())
    return lines + (["Differences from the nearest requests:", *diffs] if diffs else [])
