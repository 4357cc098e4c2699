"""The same names for event loops: each call is awaited, and the loop goes on meanwhile.

Made from the synchronous modules by `packages/check --update types`.
"""

from __future__ import annotations

import asyncio
import collections
import concurrent.futures
import contextlib
import datetime
import functools
import inspect
import itertools
import os
import sys
import threading
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Coroutine, Dict, Generator, Generic, List, Mapping, Sequence, Type, TypeVar, cast

from . import _server, _start, _watch, _world
from ._control import (
    AgendaItem,
    Assertion,
    ClockMoved,
    ClockState,
    FaultMatch,
    FaultRow,
    FaultRule,
    Health,
    Invariants,
    JournalEntry,
    Keep,
    Method,
    NetworkRow,
    PreviewDelays,
    Profile,
    Push,
    Queue,
    RateLimitRow,
    Report,
    Snapshot,
    WorldRow,
)
from ._effects import Effect
from ._error import Error, UnknownOption, VerificationFailed, set_context
from ._frame import AnyFrame, Frame
from ._keywords import Hinting, keywords
from ._loop import is_in_event_loop, running_loop
from ._record import Record, User
from ._server import DEFAULT
from ._world import TIMED_OUT

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import StartOptions

__all__ = [
    "Error",
    "Fault",
    "Record",
    "Server",
    "UnknownOption",
    "VerificationFailed",
    "World",
    "connect",
    "same",
    "same_server",
    "start_server",
]

__tracebackhide__ = True

Result = TypeVar("Result")
Class = TypeVar("Class", bound=Type[Any])
Function = TypeVar("Function", bound=Callable[..., Any])

# The most calls that wait at the same time for the programs under test.
CALLS_MAX = 64
# What a wait says that ended without a result while other calls had no thread.
CROWDED = f"{CALLS_MAX} calls of chatdouble.aio are made at a time, and there were more meanwhile: the others waited for one of these to return"


class _Threads:
    """The threads in which the calls of a server are made; each has its own connection."""

    def __init__(self) -> None:
        self._pool = concurrent.futures.ThreadPoolExecutor(CALLS_MAX, thread_name_prefix="chatdouble")
        self._forgotten: List[str] = []
        # All calls that are not collected, in their order.
        self._calls: weakref.WeakValueDictionary[int, _Call] = weakref.WeakValueDictionary()
        self._numbers = itertools.count()
        self._is_closed = False
        # Calls that are made and have not returned, and how often one was made when each thread had its call.
        self._pending = 0
        self._crowds = 0
        self._lock = threading.Lock()

    def follow(self, call: _Call) -> None:
        """Takes a call that is not awaited yet."""
        self._calls[next(self._numbers)] = call

    def note_forgotten(self, place: str) -> None:
        """Takes the place of a call that was collected and that nobody awaited."""
        self._forgotten.append(place)

    def take_held(self, ended: str) -> List[str]:
        """The places of calls without `await` that something still holds: those for a world, by its path in control, or all, by ""."""
        calls = [call for one in self._calls.valuerefs() if (call := one()) is not None]
        return [call.give_up() for call in calls if call.is_of(ended) and call.is_forgotten()]

    def refuse_forgotten(self, ended: str | None = None) -> None:
        """Raises an error if calls were made without `await`; those that something holds count once what they are for ended."""
        places, self._forgotten = self._forgotten, []
        if ended is not None:
            places += self.take_held(ended)
        if places:
            raise Error(unawaited(places))

    async def run(self, function: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
        handled = sys.exc_info()[1]
        loop = running_loop()
        call = functools.partial(function, *arguments, **options)
        crowds = self._crowds
        try:
            # The threads end with the server; a later call says that it ended.
            made = loop.run_in_executor(None, call) if self._is_closed else asyncio.wrap_future(self._submit(call))
            return await made
        except Exception as error:
            if isinstance(error, Error) and error.status == TIMED_OUT and self._crowds > crowds:
                error.message += f"\n{CROWDED}"
                error.args = (error.message,)
            # The frames of the other thread say nothing about the test.
            set_context(error, handled)
            raise error.with_traceback(None)

    async def make(self, end: Callable[[Result], None], function: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
        """Makes a call that makes an object, which is ended if the task that waits for it is canceled."""
        making = _Making(functools.partial(function, *arguments, **options), end)
        try:
            return await self.run(making.run)
        except (asyncio.CancelledError, GeneratorExit):
            making.abandon()
            raise

    def _submit(self, call: Callable[[], Result]) -> concurrent.futures.Future[Result]:
        """Hands a call to a thread, or lets it wait for one."""
        with self._lock:
            self._pending += 1
            self._crowds += self._pending > CALLS_MAX
        submitted = self._pool.submit(call)
        # A call whose task is canceled goes on in its thread.
        submitted.add_done_callback(self._note_returned)
        return submitted

    def _note_returned(self, _: concurrent.futures.Future[Any]) -> None:
        with self._lock:
            self._pending -= 1

    def close(self) -> None:
        self._is_closed = True
        self._pool.shutdown(wait=False)


def unawaited(places: Sequence[str]) -> str:
    """What is said of calls without `await`."""
    return f"a call without `await` does nothing: {', '.join(dict.fromkeys(places))}"


class _Making(Generic[Result]):
    """A call that makes an object, which is ended if nobody waits for it any more."""

    def __init__(self, call: Callable[[], Result], end: Callable[[Result], None]) -> None:
        self._call = call
        self._end = end
        # Set once the call returned, and once nobody waits.
        self._made: List[Result] = []
        self._is_abandoned = False
        self._lock = threading.Lock()

    def run(self) -> Result:
        """Makes the call, in its thread."""
        made = self._call()
        with self._lock:
            self._made = [made]
            is_abandoned = self._is_abandoned
        if is_abandoned:
            self._end_made()
        return made

    def abandon(self) -> None:
        """Ends the object: at once if it is made, otherwise when it is."""
        with self._lock:
            self._is_abandoned = True
            is_made = bool(self._made)
        if is_made:
            # The loop must not wait for it, and all threads of the server may have calls.
            threading.Thread(target=self._end_made, name="chatdouble-end").start()

    def _end_made(self) -> None:
        # It may be gone already, with its world or its server.
        with contextlib.suppress(Error):
            self._end(self._made[0])


class _Call(Coroutine[Any, Any, Any]):
    """A call that reports itself if it is never awaited."""

    def __init__(
        self, coroutine: Coroutine[Any, Any, Any], name: str, place: str = "", threads: _Threads | None = None, path: str = ""
    ) -> None:
        self._coroutine = coroutine
        self._name = name
        # By these, asyncio describes tasks.
        self.__name__ = name.split(".")[-1]
        self.__qualname__ = name
        self._place = place
        self._threads = threads
        # Of the world that it is for; empty for the server.
        self._path = path
        self._is_awaited = False
        self._is_given_up = False
        self._loop = running_loop() if is_in_event_loop() else None
        if threads is not None:
            threads.follow(self)

    def is_of(self, ended: str) -> bool:
        """Whether it is for what ended."""
        return ended in ("", self._path)

    def is_forgotten(self) -> bool:
        """Whether nobody awaits it: a task may have it that has not begun."""
        if self._is_awaited:
            return False
        loops = {self._loop, running_loop() if is_in_event_loop() else None} - {None}
        return not any(task.get_coro() is self for loop in loops for task in asyncio.all_tasks(loop))

    def give_up(self) -> str:
        """Ends it before it began, so that neither we nor Python report it later; returns its name and its place."""
        self._is_given_up = True
        self.close()
        return self._described()

    def _described(self) -> str:
        return f"{self._name} ({self._place})"

    def __await__(self) -> Generator[Any, Any, Any]:
        if self._is_awaited:
            raise self._reuse()
        self._is_awaited = True
        return self._awaited()

    def _awaited(self) -> Generator[Any, Any, Any]:
        try:
            return (yield from self._coroutine.__await__())
        except Error as error:
            # The frames of the package say nothing about the test, and runners other than pytest show them.
            raise error.with_traceback(None)

    def __repr__(self) -> str:
        state = "awaited" if self._is_awaited else "not awaited: put `await` before it"
        return f"<call of {self._name}, {state}>"

    def __bool__(self) -> bool:
        # From Python 3.12 on, asyncio asks it when it describes a task.
        if str(sys._getframe(1).f_globals.get("__name__")).startswith("asyncio."):
            return True
        raise self._refusal("")

    def __len__(self) -> int:
        raise self._refusal("len(", ")")

    def send(self, value: Any) -> Any:
        if inspect.getcoroutinestate(self._coroutine) == inspect.CORO_CLOSED:
            raise self._reuse()
        self._is_awaited = True
        try:
            return self._coroutine.send(value)
        except Error as error:
            raise error.with_traceback(None)

    def throw(self, *error: Any) -> Any:
        self._is_awaited = True
        try:
            return self._coroutine.throw(*error)
        except Error as failure:
            raise failure.with_traceback(None)

    def close(self) -> None:
        self._is_awaited = True
        self._coroutine.close()

    def _refusal(self, before: str, after: str = "") -> TypeError:
        """The error for a use of the result: with what to write before and after the call."""
        return TypeError(f"{self._name} was not awaited: write `{before}await …{self.__name__}(…){after}`")

    def _reuse(self) -> RuntimeError:
        """The error for a call that is awaited again, or too late."""
        if self._is_given_up:
            return RuntimeError(f"{self._name} was not awaited before its world or its server ended")
        return RuntimeError(f"{self._name} was awaited already: keep its result, or write `await …{self.__name__}(…)` again")

    async def __aenter__(self) -> Any:
        raise self._refusal("async with ")

    async def __aexit__(self, *_: Any) -> None:
        pass

    def __enter__(self) -> Any:
        raise self._refusal("async with ")

    def __exit__(self, *_: Any) -> None:
        pass

    def __iter__(self) -> Any:
        raise self._refusal("for … in ")

    def __aiter__(self) -> Any:
        raise self._refusal("for … in ")

    def __getitem__(self, key: Any) -> Any:
        raise self._refusal("(", f")[{key!r}]")

    def __contains__(self, item: Any) -> bool:
        raise self._refusal("… in ")

    def _refuse_operand(self, other: Any) -> Any:
        raise self._refusal("(", ")")

    __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __sub__ = __rsub__ = _refuse_operand

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{self._name} was not awaited, so there is no {name!r} yet: write `(await …).{name}`")

    def __del__(self) -> None:
        if not self._is_awaited and self._threads is not None:
            self._threads.note_forgotten(self._described())


def _watched(made: Class) -> Class:
    """Makes the calls of a class report themselves if they are never awaited."""
    for name, function in list(vars(made).items()):
        if (not name.startswith("_") or name == "__anext__") and inspect.iscoroutinefunction(inspect.unwrap(function)):
            setattr(made, name, _reporting(function))
    return made


def _reporting(function: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., _Call]:
    @functools.wraps(function)
    def call(self: Any, *arguments: Any, **options: Any) -> _Call:
        caller = sys._getframe(1)
        place = f"{caller.f_code.co_filename}:{caller.f_lineno}"
        # A part of a world has the path of the world.
        path = getattr(getattr(self._same, "_calls", None), "path", "")
        # `anext` is called without underscores.
        name = function.__qualname__.replace("__", "")
        return _Call(function(self, *arguments, **options), name, place, self._threads, path)

    return call


def _explained(function: Function) -> Function:
    """Makes a function say what to write where its result is used before it is awaited."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> _Call:
        return _Call(function(*arguments, **options), f"chatdouble.aio.{function.__name__}")

    return cast(Function, call)


@_watched
class Watch(AsyncIterator[Frame]):
    """The frames of a watch socket, from the beginning of its `async with` block on."""

    def __init__(self, world: _world.World, threads: _Threads, timeout_ms: int | None) -> None:
        self._same = world
        self._threads = threads
        self._timeout_ms = timeout_ms
        self._socket: _watch.Watch | None = None
        self._frames: collections.deque[Frame | Exception] = collections.deque()
        self._is_ended = False
        # Set when a frame came or the socket was closed.
        self._changed = asyncio.Event()

    def __del__(self) -> None:
        if self._socket is not None:
            self._socket.close()

    def _take(self, frame: Frame | Exception | None, is_ended: bool) -> None:
        if frame is not None:
            self._frames.append(frame)
        self._is_ended = is_ended
        self._changed.set()

    async def __anext__(self) -> Frame:
        opened = self._socket
        if opened is None:
            raise TypeError("watch has frames within its block: write `async with world.watch(…) as frames`")
        loop = running_loop()
        deadline = None if self._timeout_ms is None else loop.time() + self._timeout_ms / 1000
        while not self._frames and not self._is_ended:
            left = None if deadline is None else deadline - loop.time()
            if left is not None and left <= 0:
                raise opened.late(self._timeout_ms)
            self._changed.clear()
            waiting = loop.create_task(self._changed.wait())
            try:
                # It takes no frame, so that none is lost when it is canceled.
                await asyncio.wait([waiting], timeout=left)
            finally:
                waiting.cancel()
        if not self._frames:
            raise StopAsyncIteration
        frame = self._frames.popleft()
        if isinstance(frame, Exception):
            set_context(frame, sys.exc_info()[1])
            raise frame.with_traceback(None)
        return frame

    async def aclose(self) -> None:
        """Closes the socket, which ends the iteration."""
        if self._socket is not None:
            self._socket.close()

    async def __aenter__(self) -> Watch:
        self._socket = await self._threads.run(self._same.watch)
        # The thread must not hold the watch: one that nobody uses any more closes its socket, which ends the thread.
        arguments = (self._socket, running_loop(), weakref.WeakMethod(self._take))
        threading.Thread(target=_read, args=arguments, daemon=True).start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
        if error is None:
            self._threads.refuse_forgotten()

    # Type checkers must not take a watch for something to await.
    if not TYPE_CHECKING:

        def __await__(self) -> Any:
            raise TypeError("watch is not awaited: write `async with world.watch(…) as frames`")

        def __enter__(self) -> Any:
            raise TypeError("watch is for an event loop: write `async with world.watch(…) as frames`")

        def __exit__(self, *_: Any) -> None:
            pass

        def __iter__(self) -> Any:
            raise TypeError("watch is for an event loop: write `async for` within `async with world.watch(…) as frames`")


def _read(opened: _watch.Watch, loop: asyncio.AbstractEventLoop, taker: weakref.WeakMethod[Any]) -> None:
    """Hands the frames of a socket over to the loop, in a thread of its own."""
    is_ended = False
    while not is_ended:
        frame: Frame | Exception | None
        try:
            frame = next(opened, None)
        except Exception as error:
            frame = error
        # A frame that can't be read is an error of the package, after which the socket goes on.
        is_ended = not isinstance(frame, (AnyFrame, Error))
        take = taker()
        if take is None:
            return
        # A loop that is closed takes nothing more.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(take, frame, is_ended)
        del take


@_explained
async def start_server(**options: Unpack[StartOptions]) -> Server:
    """Starts a server that ends with this process, however the process ends.

    Options are those of `chatdouble serve` in snake case (`chatdouble.types.StartOptions`): clock, fixture,
    feature_level, dialect, seed, port (a free one by default), control_token, tls and so on.
    """
    threads = _Threads()
    return Server(await threads.make(_server.Server.stop, _start.start_server, **options), threads)


@_explained
@keywords
async def connect(url: str | None = None, control_token: str | None = None, *, tls_ca: str | None = None) -> Server:
    """Connects to a running server, at the given URL or at CHATDOUBLE_URL, and asks it whether it can answer."""
    threads = _Threads()
    return Server(await threads.run(_server.connect, url, control_token, tls_ca=tls_ca), threads)


def same(world: _world.World) -> World:
    """A world that a program without an event loop made, with calls to be awaited."""
    return World(world, _Threads())


def same_server(server: _server.Server) -> Server:
    """A server that a program without an event loop started, with calls to be awaited."""
    return Server(server, _Threads())


def held_calls(made: World | Server) -> List[str]:
    """The places of calls without `await` that something still holds, of the world, or of the server and its worlds."""
    return made._threads.take_held("")


def refuse_forgotten(made: World | Server) -> None:
    """Raises an error if calls of the world, or of the server and its worlds, were made without `await`."""
    made._threads.refuse_forgotten("")


@_watched
class World(Hinting):
    """A world; as a context manager, it is deleted at the end."""

    def __init__(self, same: _world.World, threads: _Threads) -> None:
        self._same = same
        self._threads = threads
        self.name = same.name
        self.url = same.url
        self.server = Server(same.server, threads)
        self.clock = Clock(same.clock, threads)
        self.faults = Faults(same.faults, threads)
        self.network = Networks(same.network, threads)
        self.rate_limit = RateLimits(same.rate_limit, threads)
        self.previews = Previews(same.previews, threads)
        self.journal = Journal(same.journal, threads)
        self.queues = Queues(same.queues, threads)
        self.pushes = Pushes(same.pushes, threads)
        self.snapshots = Snapshots(same.snapshots, threads)

    async def user(self, handle: str) -> User:
        """A user, by handle or address: id, handle, email, api_key, full_name, role, is_bot, owner."""
        return await self._threads.run(self._same.user, handle)

    @keywords
    async def fork(
        self,
        *,
        name: str | None = None,
        snapshot: str | None = None,
        feature_level: int | None = None,
        dialect: str | dict[str, Any] | None = None,
        clock: float | str | datetime.datetime | None = None,
        seed: int | None = None,
        label: str | None = None,
        listen: bool | None = None,
        idle_ttl_seconds: float | str | datetime.timedelta | None = None,
        replace: bool | None = None,
    ) -> World:
        """Makes a copy of the current state, or of a snapshot, without queues, faults, journal and snapshots."""
        return World(
            await self._threads.make(
                _world.World.delete,
                self._same.fork,
                name=name,
                snapshot=snapshot,
                feature_level=feature_level,
                dialect=dialect,
                clock=clock,
                seed=seed,
                label=label,
                listen=listen,
                idle_ttl_seconds=idle_ttl_seconds,
                replace=replace,
            ),
            self._threads,
        )

    @keywords
    async def reset(self, *, keep: Sequence[Keep] | None = None) -> None:
        """Resets data, clock, pushes, faults, journal and report; `keep` lists which of the last three are kept."""
        await self._threads.run(self._same.reset, keep=keep)

    async def report(self) -> Report:
        """What the clients of the world did that a real server would suffer from."""
        return await self._threads.run(self._same.report)

    async def clear_report(self) -> None:
        """Empties the report."""
        await self._threads.run(self._same.clear_report)

    async def delete(self) -> None:
        """Deletes the world."""
        await self._threads.run(self._same.delete)
        if sys.exc_info()[1] is None:
            self._threads.refuse_forgotten(self._same._calls.path)

    async def state(self) -> Dict[str, Any]:
        """The world as a fixture document."""
        return await self._threads.run(self._same.state)

    async def put_state(self, document: dict[str, Any]) -> None:
        """Replaces the state with that of a document; queues end."""
        await self._threads.run(self._same.put_state, document)

    async def invariants(self) -> Invariants:
        """The invariants that were checked, which must hold of every world, and their violations."""
        return await self._threads.run(self._same.invariants)

    async def upgrade(self, level: int) -> None:
        """Raises the feature level, as an upgrade of a server does."""
        await self._threads.run(self._same.upgrade, level)

    async def control(self, method: Method, path: str, body: Any = None) -> Record:
        """Makes a call of control below the world that has no helper, such as `control("GET", "/webhooks")`.

        The path is what follows the world's name, with filters if need be: `/messages?limit=5`. The body is sent as JSON.
        Returns the reply without `result` and `msg`.
        """
        return await self._threads.run(self._same.control, method, path, body)

    @keywords
    def watch(self, *, timeout_ms: int | None = None) -> Watch:
        """The frames of the watch socket, as they are broadcast, once the `async with` block or the iteration begins.

        If no frame comes within `timeout_ms`, `anext` raises an Error, and goes on with later frames when it is called again;
        without it there is no limit.
        """
        return Watch(self._same, self._threads, timeout_ms)

    async def __aenter__(self) -> World:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._threads.run(self._same.__exit__, kind, error, trace)
        if error is None:
            self._threads.refuse_forgotten(self._same._calls.path)

    # Type checkers refuse `with` by themselves.
    if not TYPE_CHECKING:

        def __enter__(self) -> Any:
            raise TypeError("aio.World is for an event loop: write `async with`")

        def __exit__(self, *_: Any) -> None:
            pass

    def __repr__(self) -> str:
        return f"<chatdouble.aio.World {self.url}>"


@_watched
class Clock(Hinting):
    """A world's clock and agenda."""

    def __init__(self, same: _world.Clock, threads: _Threads) -> None:
        self._same = same
        self._threads = threads

    async def now(self) -> float:
        """The time, in Unix seconds."""
        return await self._threads.run(self._same.now)

    async def agenda(self) -> List[AgendaItem]:
        """The items that fall due, the next one first."""
        return await self._threads.run(self._same.agenda)

    async def state(self) -> ClockState:
        """The time, whether the clock runs, and the agenda."""
        return await self._threads.run(self._same.state)

    @keywords
    async def advance(
        self,
        by: float | str | datetime.timedelta,
        *,
        wait_for_clients_ms: int | None = None,
    ) -> ClockMoved:
        """Advances by seconds or a span such as "1d2h30m"; all items that fall due are done before it returns."""
        return await self._threads.run(self._same.advance, by, wait_for_clients_ms=wait_for_clients_ms)

    @keywords
    async def set(self, to: datetime.datetime | str | float, *, wait_for_clients_ms: int | None = None) -> ClockMoved:
        """Advances to a time: an aware `datetime`, RFC 3339 text or Unix seconds."""
        return await self._threads.run(self._same.set, to, wait_for_clients_ms=wait_for_clients_ms)

    @keywords
    async def to_next(self, *, wait_for_clients_ms: int | None = None) -> ClockMoved:
        """Advances to the next item that falls due."""
        return await self._threads.run(self._same.to_next, wait_for_clients_ms=wait_for_clients_ms)

    async def run(self) -> ClockMoved:
        """Lets the clock run with real time."""
        return await self._threads.run(self._same.run)

    async def freeze(self) -> ClockMoved:
        """Freezes the clock."""
        return await self._threads.run(self._same.freeze)


@_watched
class Fault(Hinting):
    """An installed fault; as a context manager, it is removed at the end."""

    def __init__(self, same: _world.Fault, threads: _Threads) -> None:
        self._same = same
        self._threads = threads
        self.id = same.id

    @keywords
    async def wait_fired(self, *, times: int = 1, timeout_ms: int | None = None) -> int:
        """Waits until it fired at so many requests, for 3 seconds by default, and returns at how many it did.

        A rule meets the requests that arrive after it: a poll that waits already is not met.
        """
        return await self._threads.run(self._same.wait_fired, times=times, timeout_ms=timeout_ms)

    async def remove(self) -> None:
        """Removes the fault."""
        await self._threads.run(self._same.remove)

    async def __aenter__(self) -> Fault:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._threads.run(self._same.__exit__, kind, error, trace)
        if error is None:
            self._threads.refuse_forgotten()

    # Type checkers refuse `with` by themselves.
    if not TYPE_CHECKING:

        def __enter__(self) -> Any:
            raise TypeError("aio.Fault is for an event loop: write `async with`")

        def __exit__(self, *_: Any) -> None:
            pass


@_watched
class Faults(Hinting):
    """Failures on demand."""

    def __init__(self, same: _world.Faults, threads: _Threads) -> None:
        self._same = same
        self._threads = threads

    @keywords
    async def add(
        self,
        rule: FaultRule | None = None,
        /,
        *,
        effect: Effect | None = None,
        match: FaultMatch | None = None,
        after: int | None = None,
        probability: float | None = None,
        times: int | None = None,
    ) -> Fault:
        """Installs a rule, given as keywords or as a whole."""
        return Fault(
            await self._threads.make(
                _world.Fault.remove,
                self._same.add,
                rule,
                effect=effect,
                match=match,
                after=after,
                probability=probability,
                times=times,
            ),
            self._threads,
        )

    async def list(self) -> List[FaultRow]:
        """All installed rules, also spent ones, with how many requests each let pass and how often it fired."""
        return await self._threads.run(self._same.list)

    async def clear(self) -> None:
        """Removes all rules."""
        await self._threads.run(self._same.clear)


@_watched
class Networks(Hinting):
    """Networks between clients and the world."""

    def __init__(self, same: _world.Networks, threads: _Threads) -> None:
        self._same = same
        self._threads = threads

    @keywords
    async def set(
        self,
        *,
        user: str | None = None,
        profile: Profile | None = None,
        latency_ms: int | None = None,
        jitter_ms: int | None = None,
        bytes_per_second: int | None = None,
        loss: float | None = None,
    ) -> None:
        """Puts a user's client, or all that have no network of their own, on a network."""
        await self._threads.run(
            self._same.set,
            user=user,
            profile=profile,
            latency_ms=latency_ms,
            jitter_ms=jitter_ms,
            bytes_per_second=bytes_per_second,
            loss=loss,
        )

    async def list(self) -> List[NetworkRow]:
        """The networks, with all numbers."""
        return await self._threads.run(self._same.list)

    @keywords
    async def clear(self, *, user: str | None = None) -> None:
        """Ends the network of a user, or all networks."""
        await self._threads.run(self._same.clear, user=user)


@_watched
class RateLimits(Hinting):
    """Limits of requests, by the world's clock."""

    def __init__(self, same: _world.RateLimits, threads: _Threads) -> None:
        self._same = same
        self._threads = threads

    @keywords
    async def set(self, *, requests: int, seconds: float | str | datetime.timedelta, user: str | None = None) -> None:
        """Limits the requests of a user, or of each who has no limit of their own; budgets begin whole."""
        await self._threads.run(self._same.set, requests=requests, seconds=seconds, user=user)

    async def list(self) -> List[RateLimitRow]:
        """The limits."""
        return await self._threads.run(self._same.list)

    @keywords
    async def clear(self, *, user: str | None = None) -> None:
        """Ends the limit of a user, or all limits."""
        await self._threads.run(self._same.clear, user=user)


@_watched
class Previews(Hinting):
    """When thumbnails and previews of linked pages arrive."""

    def __init__(self, same: _world.Previews, threads: _Threads) -> None:
        self._same = same
        self._threads = threads

    @keywords
    async def set(
        self,
        *,
        thumbnail_seconds: float | str | datetime.timedelta | None = None,
        link_seconds: float | str | datetime.timedelta | None = None,
    ) -> None:
        """Delays previews, by the world's clock; a delay that is left out stays as it is."""
        await self._threads.run(self._same.set, thumbnail_seconds=thumbnail_seconds, link_seconds=link_seconds)

    async def delays(self) -> PreviewDelays:
        """The delays; `link_seconds` is None where links have no previews."""
        return await self._threads.run(self._same.delays)

    async def clear(self) -> None:
        """Ends the delays: thumbnails are there at once, and links have no previews."""
        await self._threads.run(self._same.clear)


@_watched
class Journal(Hinting):
    """The requests to the API, and their replies."""

    def __init__(self, same: _world.Journal, threads: _Threads) -> None:
        self._same = same
        self._threads = threads

    @keywords
    async def entries(
        self,
        *,
        method: Method | None = None,
        path: str | None = None,
        user: str | None = None,
        status: int | None = None,
        fault: str | None = None,
        since: int | None = None,
        limit: int | None = None,
    ) -> List[JournalEntry]:
        """Entries, newest last."""
        return await self._threads.run(
            self._same.entries,
            method=method,
            path=path,
            user=user,
            status=status,
            fault=fault,
            since=since,
            limit=limit,
        )

    @keywords
    async def verify(
        self,
        assertion: Assertion | None = None,
        /,
        *,
        method: Method | None = None,
        path: str | None = None,
        user: str | None = None,
        params: Mapping[str, str | float] | None = None,
        status: int | None = None,
        fault: str | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        exactly: int | None = None,
    ) -> int:
        """Asserts that there were such requests and returns their number; otherwise raises VerificationFailed."""
        return await self._threads.run(
            self._same.verify,
            assertion,
            method=method,
            path=path,
            user=user,
            params=params,
            status=status,
            fault=fault,
            at_least=at_least,
            at_most=at_most,
            exactly=exactly,
        )

    @keywords
    async def wait_for(
        self,
        assertion: Assertion | None = None,
        /,
        *,
        timeout_ms: int | None = None,
        method: Method | None = None,
        path: str | None = None,
        user: str | None = None,
        params: Mapping[str, str | float] | None = None,
        status: int | None = None,
        fault: str | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        exactly: int | None = None,
    ) -> int:
        """Waits until there are such requests, for 3 seconds by default, and returns their number; otherwise raises VerificationFailed."""
        return await self._threads.run(
            self._same.wait_for,
            assertion,
            timeout_ms=timeout_ms,
            method=method,
            path=path,
            user=user,
            params=params,
            status=status,
            fault=fault,
            at_least=at_least,
            at_most=at_most,
            exactly=exactly,
        )

    async def clear(self) -> None:
        """Empties the journal."""
        await self._threads.run(self._same.clear)


@_watched
class Queues(Hinting):
    """Event queues of clients."""

    def __init__(self, same: _world.Queues, threads: _Threads) -> None:
        self._same = same
        self._threads = threads

    async def list(self) -> List[Queue]:
        """All queues."""
        return await self._threads.run(self._same.list)

    @keywords
    async def lose(self, queue_id: str) -> None:
        """Loses the queue with this id, `queues.list()[0].queue_id`, as a restart of the server does."""
        await self._threads.run(self._same.lose, queue_id)

    @keywords
    async def wait_parked(
        self,
        *,
        user: str | None = None,
        count: int | None = None,
        timeout_ms: int | None = None,
    ) -> List[Queue]:
        """Waits until `count` queues (default: 1) of a user, or of any user, have a waiting poll; for 3 seconds by default."""
        return await self._threads.run(self._same.wait_parked, user=user, count=count, timeout_ms=timeout_ms)


@_watched
class Pushes(Hinting):
    """The pushes that were handed to the push relay."""

    def __init__(self, same: _world.Pushes, threads: _Threads) -> None:
        self._same = same
        self._threads = threads

    @keywords
    async def list(
        self,
        *,
        user: str | None = None,
        device_id: int | None = None,
        since: int | None = None,
    ) -> List[Push]:
        """Pushes, newest last."""
        return await self._threads.run(self._same.list, user=user, device_id=device_id, since=since)

    @keywords
    async def wait_for(
        self,
        *,
        user: str | None = None,
        device_id: int | None = None,
        since: int | None = None,
        at_least: int | None = None,
        timeout_ms: int | None = None,
    ) -> List[Push]:
        """Waits until there are such pushes, for 3 seconds by default, and returns them."""
        return await self._threads.run(
            self._same.wait_for,
            user=user,
            device_id=device_id,
            since=since,
            at_least=at_least,
            timeout_ms=timeout_ms,
        )

    async def clear(self) -> None:
        """Empties the list."""
        await self._threads.run(self._same.clear)


@_watched
class Snapshots(Hinting):
    """Named states to come back to."""

    def __init__(self, same: _world.Snapshots, threads: _Threads) -> None:
        self._same = same
        self._threads = threads

    async def save(self, name: str) -> None:
        """Takes a snapshot; one of the same name is replaced."""
        await self._threads.run(self._same.save, name)

    async def restore(self, name: str) -> None:
        """Goes back to a snapshot; queues end."""
        await self._threads.run(self._same.restore, name)

    async def list(self) -> List[Snapshot]:
        """All snapshots."""
        return await self._threads.run(self._same.list)

    async def remove(self, name: str) -> None:
        """Removes a snapshot."""
        await self._threads.run(self._same.remove, name)


@_watched
class Server(Hinting):
    """A server; as a context manager, it is stopped at the end."""

    def __init__(self, same: _server.Server, threads: _Threads) -> None:
        self._same = same
        self._threads = threads
        self.url = same.url
        self.control_token = same.control_token
        self.tls_ca = same.tls_ca
        self.pid = same.pid

    async def complete_worlds(self, completed: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Adds options to those of each new world; for the plugin of pytest, not for tests."""
        await self._threads.run(self._same.complete_worlds, completed)

    def world(self, name: str = DEFAULT) -> World:
        """An existing world; `default`, which always exists, if no name is given."""
        return World(self._same.world(name), self._threads)

    @keywords
    async def create_world(
        self,
        *,
        name: str | None = None,
        fork_of: str | None = None,
        snapshot: str | None = None,
        fixture: str | os.PathLike[str] | dict[str, Any] | None = None,
        feature_level: int | None = None,
        dialect: str | dict[str, Any] | None = None,
        clock: float | str | datetime.datetime | None = None,
        seed: int | None = None,
        label: str | None = None,
        listen: bool | None = None,
        idle_ttl_seconds: float | str | datetime.timedelta | None = None,
        replace: bool | None = None,
    ) -> World:
        """Makes a world: like `default` at the start, or as the options say.

        A fixture is a document, the name of a built-in one, or a file: a `Path`, or text with a slash or with `.json` at its end.
        """
        return World(
            await self._threads.make(
                _world.World.delete,
                self._same.create_world,
                name=name,
                fork_of=fork_of,
                snapshot=snapshot,
                fixture=fixture,
                feature_level=feature_level,
                dialect=dialect,
                clock=clock,
                seed=seed,
                label=label,
                listen=listen,
                idle_ttl_seconds=idle_ttl_seconds,
                replace=replace,
            ),
            self._threads,
        )

    @keywords
    async def worlds(self, *, prefix: str | None = None) -> List[WorldRow]:
        """Rows of all worlds, or of those whose names begin with `prefix`."""
        return await self._threads.run(self._same.worlds, prefix=prefix)

    async def delete_worlds(self, prefix: str) -> list[str]:
        """Deletes all worlds whose names begin with `prefix`, except `default`; returns their names."""
        return await self._threads.run(self._same.delete_worlds, prefix)

    async def health(self) -> Health:
        """The server's version, its feature level and its number of worlds."""
        return await self._threads.run(self._same.health)

    async def report(self) -> Report:
        """What the clients of all worlds did that a real server would suffer from, also those of deleted worlds."""
        return await self._threads.run(self._same.report)

    async def stop(self) -> None:
        """Closes the connection to the server, and stops it if it was started here."""
        try:
            await self._threads.run(self._same.stop)
        finally:
            self._threads.close()
        if sys.exc_info()[1] is None:
            self._threads.refuse_forgotten("")

    async def __aenter__(self) -> Server:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
        if error is None:
            self._threads.refuse_forgotten("")

    # Type checkers refuse `with` by themselves.
    if not TYPE_CHECKING:

        def __enter__(self) -> Any:
            raise TypeError("aio.Server is for an event loop: write `async with`")

        def __exit__(self, *_: Any) -> None:
            pass

    def __repr__(self) -> str:
        return f"<chatdouble.aio.Server {self.url}>"
