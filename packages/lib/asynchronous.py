"""Makes the Python package's module for event loops from its synchronous modules: the same names, to be awaited."""

import ast

HEAD = '''"""The same names for event loops: each call is awaited, and the loop goes on meanwhile.

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
%(records)s
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
%(all)s
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
                error.message += f"\\n{CROWDED}"
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
    """%(start)s"""
    threads = _Threads()
    return Server(await threads.make(_server.Server.stop, _start.start_server, **options), threads)


@_explained
@keywords
async def connect(%(connect_signature)s) -> Server:
    """%(connect)s"""
    threads = _Threads()
    return Server(await threads.run(_server.connect, %(connect_arguments)s), threads)


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
'''

EXIT = '''
    async def __aenter__(self) -> {name}:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await {end}
        if error is None:
            self._threads.refuse_forgotten({ended})

    # Type checkers refuse `with` by themselves.
    if not TYPE_CHECKING:

        def __enter__(self) -> Any:
            raise TypeError("aio.{name} is for an event loop: write `async with`")

        def __exit__(self, *_: Any) -> None:
            pass
'''

INIT = '''
@_watched
class {name}(Hinting):
    """{doc}"""

    def __init__(self, same: {module}.{name}, threads: _Threads) -> None:
        self._same = same
        self._threads = threads
'''

WATCH = '''
    @keywords
    def watch(self, *, timeout_ms: int | None = None) -> Watch:
        """The frames of the watch socket, as they are broadcast, once the `async with` block or the iteration begins.

        If no frame comes within `timeout_ms`, `anext` raises an Error, and goes on with later frames when it is called again;
        without it there is no limit.
        """
        return Watch(self._same, self._threads, timeout_ms)
'''

# The call that ends an object which a context manager holds.
ENDS = {
    "Server": "self.stop()",
    # The world's listeners learn of the error.
    "World": "self._threads.run(self._same.__exit__, kind, error, trace)",
    "Fault": "self._threads.run(self._same.__exit__, kind, error, trace)",
}
# What ends with such an object, by its path: calls for it that nobody awaited are reported, also those that something holds.
ENDED = {"Server": '""', "World": "self._same._calls.path"}
# How an object is ended whose call was canceled while it was made.
UNDONE = {"World": "_world.World.delete", "Fault": "_world.Fault.remove"}
# Decorators that are for the synchronous call alone.
OWN = {"of_caller"}
# Calls that end an object by name.
ENDING = {("Server", "stop"), ("World", "delete")}
# Calls that ask the server for nothing.
IMMEDIATE = {("Server", "world")}
# The attributes of each class that are no calls.
ATTRIBUTES = {
    "Server": ["url", "control_token", "tls_ca", "pid"],
    "World": ["name", "url"],
    "Fault": ["id"],
}


WIDTH = 120


def wrapped(begin, parts, end, indent):
    """Parts between brackets on a line, or on a line each where they don't fit."""
    line = f"{begin}({', '.join(parts)}){end}"
    if len(indent + line) <= WIDTH:
        return indent + line
    # A star and a slash stand for no argument, but are parts as well.
    inner = "".join(f"{indent}    {one},\n" for one in parts)
    return f"{indent}{begin}(\n{inner}{indent}){end}"


def declared_arguments(function):
    """A call's arguments as they are declared, one text each."""
    at = function.args
    both = at.posonlyargs + at.args
    defaults = [None] * (len(both) - len(at.defaults)) + at.defaults

    def text(argument, default):
        kind = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
        return argument.arg + kind + (f" = {ast.unparse(default)}" if default else "")

    found = [text(*one) for one in zip(both, defaults)]
    if at.posonlyargs:
        found.insert(len(at.posonlyargs), "/")
    if at.kwonlyargs:
        found += ["*", *(text(*one) for one in zip(at.kwonlyargs, at.kw_defaults))]
    return found


def arguments_of(function):
    """A call's arguments, as they are handed on."""
    at = function.args
    named = [f"{one.arg}={one.arg}" for one in at.kwonlyargs]
    return [one.arg for one in at.posonlyargs + at.args if one.arg != "self"] + named


def returned(function, made):
    """The class of objects with calls that a call returns, if it does."""
    text = ast.unparse(function.returns)
    return text if text in made else None


def method(of, function, made):
    """A call, as one that is awaited."""
    doc = ast.get_docstring(function, clean=False)
    if function.name == "watch":
        return WATCH
    decorated = "".join(f"    @{ast.unparse(one)}\n" for one in function.decorator_list if ast.unparse(one) not in OWN)
    is_immediate = (of, function.name) in IMMEDIATE
    handed = arguments_of(function)
    kind = returned(function, made)
    is_none = ast.unparse(function.returns) == "None"
    inner, indent = ("    " if kind else ""), "        "
    if is_immediate:
        call = wrapped(f"self._same.{function.name}", handed, "", "")
    else:
        same = [*([UNDONE[kind]] if kind else []), f"self._same.{function.name}", *handed]
        call = wrapped(f"await self._threads.{'make' if kind else 'run'}", same, "", indent + inner).strip()
    result = f"{kind}({call}, self._threads)" if kind else call
    if kind and len(result) > WIDTH - 16:
        result = f"{kind}(\n{indent}    {call},\n{indent}    self._threads,\n{indent})"
    body = f"{indent}{'' if is_none else 'return '}{result}\n"
    if (of, function.name) == ("Server", "stop"):
        body = f"{indent}try:\n    {body}{indent}finally:\n{indent}    self._threads.close()\n"
    if (of, function.name) in ENDING:
        # An error on its way matters more.
        body += f"{indent}if sys.exc_info()[1] is None:\n{indent}    self._threads.refuse_forgotten({ENDED[of]})\n"
    begin = "def" if is_immediate else "async def"
    head = wrapped(f"{begin} {function.name}", declared_arguments(function), f" -> {ast.unparse(function.returns)}:", "    ")
    return f'\n{decorated}{head}\n        """{doc}"""\n{body}'


def one_class(node, module, made):
    """A class whose calls are awaited."""
    text = "\n" + INIT.format(name=node.name, doc=ast.get_docstring(node, clean=False), module=module)
    text += "".join(f"        self.{name} = same.{name}\n" for name in ATTRIBUTES.get(node.name, []))
    if node.name == "World":
        text += "        self.server = Server(same.server, threads)\n"
        parts = [one for one in made if one not in ("Server", "World", "Fault")]
        attributes = {"Networks": "network", "RateLimits": "rate_limit"}
        for part in parts:
            attribute = attributes.get(part, part.lower())
            text += f"        self.{attribute} = {part}(same.{attribute}, threads)\n"
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
            text += method(node.name, one, made)
    if node.name in ENDS:
        text += EXIT.format(name=node.name, end=ENDS[node.name], ended=ENDED.get(node.name, ""))
    if node.name in ("Server", "World"):
        text += f'\n    def __repr__(self) -> str:\n        return f"<chatdouble.aio.{node.name} {{self.url}}>"\n'
    return text


def asynchronous(server, world, start):
    """The module, from the sources of the modules of servers, of worlds and of starting."""
    trees = {name: ast.parse(text) for name, text in (("_server", server), ("_world", world), ("_start", start))}
    classes = [
        (module, node)
        for module in ("_world", "_server")
        for node in trees[module].body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    functions = {node.name: node for tree in trees.values() for node in tree.body if isinstance(node, ast.FunctionDef)}
    made = [node.name for _, node in classes]
    bodies = "".join(one_class(node, module, made) for module, node in classes)
    imported = next(
        node.names for node in trees["_world"].body if isinstance(node, ast.ImportFrom) and node.module == "_control"
    )
    used = sorted({name.name for name in imported} | {"Health", "WorldRow"})
    records = [name for name in used if name in bodies]
    connect = functions["connect"]
    everything = sorted(["Error", "Fault", "Record", "Server", "UnknownOption", "VerificationFailed", "World", "connect", "same", "same_server", "start_server"])
    head = HEAD % {
        "records": "\n".join(f"    {name}," for name in records),
        "all": "\n".join(f'    "{name}",' for name in everything),
        "start": ast.get_docstring(functions["start_server"], clean=False),
        "connect": ast.get_docstring(connect, clean=False),
        "connect_signature": ", ".join(declared_arguments(connect)),
        "connect_arguments": ", ".join(arguments_of(connect)),
    }
    return head + bodies
