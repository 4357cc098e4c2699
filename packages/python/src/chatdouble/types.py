"""Classes of replies, and dictionaries that the helpers take: for annotations."""

from ._control import *
from ._control import __all__ as _control
from ._effects import *
from ._effects import __all__ as _effects
from ._frame import (
    ClockCause,
    ClockFrame,
    EventFrame,
    FaultFrame,
    Frame,
    FrameType,
    LostFrame,
    NetworkFrame,
    PushFrame,
    QueueChange,
    QueueFrame,
    RateLimitFrame,
    RequestFrame,
)
from ._options import StartOptions
from ._record import User

__all__ = [
    *_control,
    *_effects,
    "ClockCause",
    "ClockFrame",
    "EventFrame",
    "FaultFrame",
    "Frame",
    "FrameType",
    "LostFrame",
    "NetworkFrame",
    "PushFrame",
    "QueueChange",
    "QueueFrame",
    "RateLimitFrame",
    "RequestFrame",
    "StartOptions",
    "User",
]
