"""A test double of team-chat servers that speak the Zulip REST API, which tests start and steer."""

from . import aio, types
from ._error import Error, UnknownOption, VerificationFailed
from ._limit import set_default_timeout
from ._record import Record
from ._server import Server, connect
from ._start import start_server
from ._world import Fault, World

__all__ = [
    "Error",
    "Fault",
    "Record",
    "Server",
    "UnknownOption",
    "VerificationFailed",
    "World",
    "aio",
    "connect",
    "set_default_timeout",
    "start_server",
    "types",
]
