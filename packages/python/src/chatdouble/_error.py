"""Errors."""

from __future__ import annotations

from typing import Any

__tracebackhide__ = True


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


class VerificationFailed(Error, AssertionError):
    """An assertion failed; `body` has `count` and `nearest`."""

    __module__ = "chatdouble"


class UnknownOption(Error, TypeError):
    """A helper does not take a keyword of this name."""

    __module__ = "chatdouble"


def refusal(status: int, body: Any, request: str) -> Error:
    """The error for a reply other than a success."""
    if not isinstance(body, dict) or "msg" not in body:
        return Error(f"{request}: {status}, which is no reply of chatdouble: {str(body)[:200]}", status, "", body)
    message, code = str(body["msg"]), str(body.get("code", ""))
    near = body.get("nearest")
    listed = [str(one.get("diff", "")) for one in near if isinstance(one, dict)] if isinstance(near, list) else []
    # A request of which there were too many differs in nothing.
    diffs = [diff for diff in listed if diff.strip()]
    if diffs:
        message = "\n".join([message, "Differences from the nearest requests:", *diffs])
    kind = VerificationFailed if code == "VERIFICATION_FAILED" else Error
    return kind(message, status, code, body)
