"""The helpers for event loops."""

import asyncio
import gc
import json
import os
import threading
import traceback
import urllib.parse
import urllib.request
from base64 import b64encode
from typing import Any, Awaitable, Callable, Coroutine, Dict, List, Optional

import pytest

from chatdouble import Error, UnknownOption, VerificationFailed, World, _start, aio


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def call(world: aio.World, user: Any, method: str, path: str, params: Optional[Dict[str, str]] = None) -> Any:
    form = urllib.parse.urlencode(params or {})
    url = f"{world.url}/api/v1{path}" + (f"?{form}" if method == "GET" else "")
    key = b64encode(f"{user.email}:{user.api_key}".encode()).decode()
    body = None if method == "GET" else form.encode()
    return json.load(urllib.request.urlopen(urllib.request.Request(url, body, {"Authorization": f"Basic {key}"}, method=method)))


def test_a_client_in_the_same_loop_goes_on_while_a_helper_waits() -> None:
    async def work() -> None:
        async with await aio.start_server(clock="frozen") as server, await server.create_world() as world:
            mel = await world.user("mel")

            async def client() -> None:
                await asyncio.sleep(0.05)
                message = {"type": "stream", "to": "general", "topic": "t", "content": "Hello"}
                await asyncio.to_thread(call, world, mel, "POST", "/messages", message)

            task = asyncio.create_task(client())
            assert await world.journal.wait_for(path="/messages", user="mel", exactly=1) == 1
            await task
            before = await world.clock.now()
            assert (await world.clock.advance("1d")).now == before + 86_400
            with pytest.raises(VerificationFailed):
                await world.journal.verify(path="/messages", exactly=2)

    run(work())


def test_each_call_is_there_by_the_same_name() -> None:
    from chatdouble import _server, _world

    for module, names in ((_server, ["Server"]), (_world, ["World", "Clock", "Faults", "Journal", "Queues", "Pushes", "Snapshots"])):
        for name in names:
            known = {one for one in vars(getattr(module, name)) if not one.startswith("_")}
            assert known and known <= set(vars(getattr(aio, name))), name


def test_faults_and_worlds_end_with_their_blocks() -> None:
    async def work() -> None:
        async with await aio.start_server() as server:
            async with await server.create_world(name="short") as world:
                async with await world.faults.add(effect={"garbage": True}):
                    assert len(await world.faults.list()) == 1
                assert await world.faults.list() == []
            assert [row.name for row in await server.worlds()] == ["default"]
            with pytest.raises(Error, match="the nearest is 'mel'"):
                await server.world().user("mell")
            with pytest.raises(UnknownOption, match="did you mean 'fixture'"):
                await server.create_world(fixtur="cast")  # type: ignore[call-arg]

    run(work())


def test_frames_arrive_while_the_loop_goes_on() -> None:
    async def work() -> None:
        async with await aio.start_server() as server:
            world = server.world()
            async with world.watch() as frames:
                first = asyncio.ensure_future(anext(frames))
                mel = await world.user("mel")
                while not first.done():
                    await asyncio.to_thread(call, world, mel, "GET", "/users/me")
                assert (await first).type == "request"

    run(work())


def test_a_watch_goes_on_after_a_frame_that_was_late() -> None:
    async def work() -> None:
        async with await aio.start_server(clock="frozen") as server, await server.create_world() as world:
            mel = await world.user("mel")
            async with world.watch(timeout_ms=300) as frames:
                for _ in range(2):
                    with pytest.raises(Error, match="/watch: no frame came within 300 ms"):
                        await anext(frames)
                    await asyncio.to_thread(call, world, mel, "GET", "/users/me")
                    assert (await anext(frames)).path == "/users/me"
                # The limit begins when a frame is asked for, not when the last one came.
                await asyncio.sleep(0.4)
                coming = asyncio.create_task(anext(frames))
                await asyncio.to_thread(call, world, mel, "GET", "/server_settings")
                assert (await coming).path == "/server_settings"
                # A wait that is canceled loses nothing either.
                coming = asyncio.create_task(anext(frames))
                await asyncio.sleep(0)
                coming.cancel()
                await asyncio.wait([coming])
                await asyncio.to_thread(call, world, mel, "GET", "/streams")
                assert coming.cancelled() and (await anext(frames)).path == "/streams"
            for _ in range(2):
                with pytest.raises(StopAsyncIteration):
                    await anext(frames)

    run(work())


def test_a_watch_that_nobody_uses_any_more_ends_its_thread() -> None:
    def readers() -> int:
        return sum(thread.name.endswith("(_read)") for thread in threading.enumerate())

    async def work() -> None:
        async with await aio.start_server() as server:
            frames = await server.world().watch(timeout_ms=20).__aenter__()
            with pytest.raises(Error, match="no frame came"):
                await anext(frames)
            assert readers() == before + 1
            del frames
            gc.collect()
            for _ in range(100):
                if readers() == before:
                    return
                await asyncio.sleep(0.02)
            raise AssertionError("the thread goes on")

    before = readers()
    run(work())


def test_a_watch_without_its_block_says_so() -> None:
    async def work() -> None:
        async with await aio.start_server() as server:
            world = server.world()
            with pytest.raises(TypeError, match="write `async with world.watch"):
                await world.watch()
            with pytest.raises(TypeError, match="within its block: write `async with world.watch"):
                await anext(world.watch())
            with pytest.raises(TypeError, match="within its block: write `async with world.watch"):
                async for _ in world.watch(timeout_ms=20):
                    pass
            with pytest.raises(TypeError, match="write `async with world.watch"):
                with world.watch():  # type: ignore[attr-defined]
                    pass
            with pytest.raises(TypeError, match="write `async for` within `async with world.watch"):
                for _ in world.watch():  # type: ignore[attr-defined]
                    pass

    run(work())


def test_a_call_without_await_is_an_error_of_its_block() -> None:
    async def work() -> None:
        async with await aio.start_server() as server:
            with pytest.raises(Error, match=r"without `await` does nothing: Journal.verify \(.*test_aio.py:\d+\)"):
                async with await server.create_world() as world:
                    world.journal.verify(path="/messages", exactly=7)  # type: ignore[unused-coroutine]
            # A call that is canceled before it begins was not forgotten.
            async with await server.create_world() as world:
                task = asyncio.create_task(world.clock.now())
                task.cancel()
                await asyncio.wait([task])
            assert task.cancelled()

    with pytest.warns(RuntimeWarning, match="never awaited"):
        run(work())


def test_a_call_without_await_fails_a_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import asyncio

        async def forgets(world):
            world.journal.verify(path="/messages", exactly=7)

        def test_forgets(chatdouble_aio_world):
            asyncio.run(forgets(chatdouble_aio_world))
        """
    )
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    outcome.assert_outcomes(passed=1, errors=1)
    outcome.stdout.fnmatch_lines(["*a call without `await` does nothing: Journal.verify (*:4)"])


FORGETS = '''
    import asyncio
    import pytest

    KEPT = []

    def failing(world):
        call = world.clock.now()
        raise ValueError("of the test")

    def in_info(world):
        with pytest.raises(ValueError) as info:
            failing(world)
        KEPT.append(info)

    def in_exception(world):
        try:
            failing(world)
        except ValueError as error:
            KEPT.append(error)

    def in_a_cycle(world):
        one = [world.clock.now()]
        one.append(one)

    def in_a_list(world):
        KEPT.append(world.clock.now())

    def in_a_list_of_calls(world):
        KEPT.extend([world.faults.add(effect={"garbage": True}), world.server.health()])

    @pytest.fixture
    def value(chatdouble_aio_world):
        return chatdouble_aio_world.clock.now()

    def test_value(chatdouble_aio_world, value):
        pass

    @pytest.mark.parametrize("forget", [in_info, in_exception, in_a_cycle, in_a_list, in_a_list_of_calls])
    def test_held(chatdouble_aio_world, forget):
        async def work():
            forget(chatdouble_aio_world)

        asyncio.run(work())

    def test_of_a_server(chatdouble_aio_server):
        KEPT.append(chatdouble_aio_server.worlds())

    def test_next(chatdouble_aio_world):
        pass
'''


def test_a_call_without_await_that_something_holds_fails_its_test(pytester: pytest.Pytester) -> None:
    path = pytester.makepyfile(FORGETS)
    line = {text: number for number, text in enumerate(path.read_text().splitlines(), 1)}
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-W", "error")
    outcome.assert_outcomes(passed=8, errors=7)
    said = [one.split("does nothing: ")[1].replace(f"{path}:", "") for one in outcome.outlines if one.startswith("chatdouble_aio_")]
    held = line["    call = world.clock.now()"]
    assert said == [
        f"Clock.now ({line['    return chatdouble_aio_world.clock.now()']})",
        f"Clock.now ({held})",
        f"Clock.now ({held})",
        f"Clock.now ({line['    one = [world.clock.now()]']})",
        f"Clock.now ({line['    KEPT.append(world.clock.now())']})",
        "Faults.add ({0}), Server.health ({0})".format(line['    KEPT.extend([world.faults.add(effect={"garbage": True}), world.server.health()])']),
        f"Server.worlds ({line['    KEPT.append(chatdouble_aio_server.worlds())']})",
    ], outcome.stdout.str()


def test_a_call_without_await_that_something_holds_is_an_error_of_its_world() -> None:
    async def work() -> None:
        async with await aio.start_server() as server:
            other = await server.create_world()
            kept: List[Any] = [other.clock.now(), server.health()]
            with pytest.raises(Error, match=r"^a call without `await` does nothing: Clock.now \(.*test_aio.py:\d+\)$"):
                async with await server.create_world() as world:
                    kept.append(world.clock.now())
            with pytest.raises(RuntimeError, match="Clock.now was not awaited before its world or its server ended"):
                await kept[2]
            world = await server.create_world()
            kept.append(world.journal.clear())
            with pytest.raises(Error, match="does nothing: Journal.clear "):
                await world.delete()
            # An error on its way matters more.
            world = await server.create_world()
            kept.append(world.journal.clear())
            with pytest.raises(ZeroDivisionError):
                try:
                    1 / 0
                finally:
                    await world.delete()
            kept.pop().close()
            # Those for others are awaited later.
            assert await kept[0] > 0 and (await kept[1]).worlds == 2
            kept.append(other.journal.entries())
            with pytest.raises(Error, match="does nothing: Journal.entries "):
                await server.stop()

    run(work())


def test_a_call_that_is_awaited_before_the_end_was_not_forgotten(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import asyncio

        KEPT = []

        def test_awaited(chatdouble_aio_world):
            async def work(world):
                later, calls = world.clock.now(), [world.journal.entries() for _ in range(4)]
                KEPT.extend([later, *calls])
                task = asyncio.create_task(calls[0])
                await asyncio.gather(calls[1], asyncio.shield(calls[2]))
                await asyncio.wait_for(later, 5)
                await task
                await asyncio.ensure_future(calls[3])

            asyncio.run(work(chatdouble_aio_world))

        def test_not_begun(chatdouble_aio_world):
            # The loop ends before the tasks begin.
            loop = asyncio.new_event_loop()
            async def work(world):
                calls = [world.clock.now(), world.clock.now()]
                KEPT.extend([*calls, asyncio.create_task(calls[0]), asyncio.gather(calls[1])])
                loop.stop()

            loop.create_task(work(chatdouble_aio_world))
            loop.run_forever()
            loop.close()
        """
    )
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    outcome.assert_outcomes(passed=2)


def test_a_failed_test_shows_the_calls_that_it_holds(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_forgets(chatdouble_aio_world):
            fault = chatdouble_aio_world.faults.add(effect={"garbage": True})
            assert False
        """
    )
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    outcome.assert_outcomes(failed=1)
    outcome.stdout.fnmatch_lines(["*calls without `await`*", "a call without `await` does nothing: Faults.add (*:2)"])


SHARED = '''
    import asyncio
    import pytest
    import pytest_asyncio
    from chatdouble import aio

    LOOPS, KEPT = set(), []

    @pytest_asyncio.fixture(scope="module", loop_scope="module")
    async def shared_world(chatdouble_server):
        server = aio.same_server(chatdouble_server)
        async with await server.create_world(label="shared") as world:
            yield world

    @pytest.mark.parametrize("number", range(2))
    @pytest.mark.asyncio
    async def test_shares(shared_world, number):
        LOOPS.add(id(asyncio.get_running_loop()))
        KEPT.append(asyncio.get_running_loop())
        assert (await shared_world.clock.advance("1h")).now
        assert len(await shared_world.server.worlds(prefix=shared_world.name)) == 1
        assert len(LOOPS) == number + 1

    @pytest.mark.asyncio
    async def test_forgets(shared_world):
        KEPT.append(shared_world.clock.now())

    @pytest.mark.asyncio
    async def test_server_goes_on(chatdouble_aio_server):
        await chatdouble_aio_server.health()
'''


def test_a_fixture_of_a_wider_scope_shares_a_server(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_asyncio")
    pytester.makepyfile(SHARED)
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    outcome.assert_outcomes(passed=4, errors=1)
    outcome.stdout.fnmatch_lines(["E * a call without `await` does nothing: Clock.now (*:25)"])


def test_a_watch_without_await_is_an_error_of_its_block() -> None:
    async def work() -> None:
        async with await aio.start_server() as server, await server.create_world() as world:
            for forget, name in ((anext, "Watch.anext"), (aio.Watch.aclose, "Watch.aclose")):
                with pytest.raises(Error, match=rf"without `await` does nothing: {name} \(.*test_aio.py:\d+\)"):
                    async with world.watch() as frames:
                        forget(frames)
            kept = []
            with pytest.raises(Error, match=r"without `await` does nothing: Watch.anext \(.*test_aio.py:\d+\)"):
                async with await world.fork() as fork, fork.watch() as frames:
                    kept.append(anext(frames))
            async with world.watch(timeout_ms=1) as frames:
                with pytest.raises(AttributeError, match=r"Watch.anext was not awaited, so there is no .type. yet"):
                    anext(frames).type  # type: ignore[attr-defined]

    with pytest.warns(RuntimeWarning, match="never awaited"), pytest.raises(Error, match="Watch.anext"):
        run(work())


def test_a_watch_begins_with_its_block() -> None:
    async def work() -> None:
        async with await aio.start_server() as server:
            world = server.world()
            mel = await world.user("mel")
            async with world.watch(timeout_ms=5_000) as frames:
                await asyncio.to_thread(call, world, mel, "GET", "/users/me")
                assert (await anext(frames)).path == "/users/me"
            with pytest.raises(StopAsyncIteration):
                await anext(frames)

    run(work())


def test_a_result_that_was_not_awaited_says_so() -> None:
    async def work() -> None:
        async with await aio.start_server() as server:
            world = server.world()
            with pytest.raises(AttributeError, match="World.user was not awaited"):
                world.user("mel").email  # type: ignore[attr-defined]
            with pytest.raises(TypeError, match="Faults.add was not awaited: write `async with await …add"):
                async with world.faults.add(effect={"garbage": True}):  # type: ignore[attr-defined]
                    pass
            with pytest.raises(TypeError, match="Faults.add was not awaited: write `async with await …add"):
                with world.faults.add(effect={"garbage": True}):  # type: ignore[attr-defined]
                    pass
            with pytest.raises(TypeError, match="Queues.list was not awaited: write `for … in await …list"):
                for _ in world.queues.list():  # type: ignore[attr-defined]
                    pass
            with pytest.raises(TypeError, match="Queues.list was not awaited: write `for … in await …list"):
                async for _ in world.queues.list():  # type: ignore[attr-defined]
                    pass
            with pytest.raises(TypeError, match=r"Queues.list was not awaited: write `\(await …list\(…\)\)\[0\]`"):
                world.queues.list()[0]  # type: ignore[index]
            with pytest.raises(TypeError, match="Queues.list was not awaited: write `… in await …list"):
                _ = 1 in world.queues.list()
            for wrong in (lambda: world.clock.now() > 0, lambda: world.clock.now() + 1, lambda: 1 + world.clock.now()):
                with pytest.raises(TypeError, match=r"Clock.now was not awaited: write `\(await …now\(…\)\)`"):
                    wrong()
            with pytest.raises(TypeError, match=r"Queues.list was not awaited: write `len\(await …list\(…\)\)`"):
                len(world.queues.list())  # type: ignore[arg-type]
            with pytest.raises(TypeError, match="Journal.verify was not awaited: write `await …verify"):
                assert world.journal.verify(path="/messages", exactly=0)
            call = world.journal.verify(path="/messages", exactly=0)
            assert repr(call) == "<call of Journal.verify, not awaited: put `await` before it>"
            assert await call == 0 and repr(call) == "<call of Journal.verify, awaited>"
            with pytest.raises(TypeError, match="takes a dictionary or keywords, such as path=.*, not '/messages'") as bare:
                await world.journal.verify("/messages")  # type: ignore[arg-type]
            assert not any("thread.py" in entry.path.name for entry in bare.traceback if hasattr(entry.path, "name"))
            with pytest.raises(Error, match="without `await`"):
                world._threads.refuse_forgotten("")

    with pytest.warns(RuntimeWarning, match="never awaited"):
        run(work())


def test_a_comparison_of_a_call_without_await_shows_the_remedy(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_forgets(chatdouble_aio_world):
            assert chatdouble_aio_world.journal.entries() == []
        """
    )
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    outcome.assert_outcomes(failed=1)
    outcome.stdout.fnmatch_lines(["E * <call of Journal.entries, not awaited: put `await` before it> == []*"])


def test_a_task_is_described_by_its_call(caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        async with await aio.start_server(clock="frozen") as server, await server.create_world() as world:
            task = asyncio.create_task(world.clock.advance("1h"))
            assert "coro=<Clock.advance()>" in repr(task)
            # As asyncio asks from Python 3.12 on, and as a test asks.
            asks = {"call": task.get_coro()}
            assert eval("bool(call)", {"__name__": "asyncio.base_tasks", **asks})
            with pytest.raises(TypeError, match="Clock.advance was not awaited: write `await …advance"):
                eval("bool(call)", {"__name__": "test_chat", **asks})
            await task
            future = asyncio.ensure_future(world.clock.now())
            assert "coro=<Clock.now()>" in repr(future)
            assert await asyncio.gather(future, world.journal.entries()) == [await world.clock.now(), []]
            # A task that nobody awaits: asyncio logs its error.
            lost = asyncio.create_task(world.journal.verify(path="/messages", exactly=7))
            await asyncio.wait([lost])
            del lost
            gc.collect()

    run(work())
    assert "never retrieved" in caplog.text and "coro=<Journal.verify()> exception=VerificationFailed(" in caplog.text


async def come_true(condition: Callable[[], Awaitable[bool]]) -> None:
    for _ in range(100):
        if await condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it stays")


async def canceled(made: Coroutine[Any, Any, Any], begun: threading.Event) -> None:
    """Cancels a call that its thread has begun, and whose result the loop has not taken."""
    task = asyncio.create_task(made)
    await asyncio.sleep(0)
    # It stops the loop.
    assert begun.wait(5)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()


@pytest.mark.parametrize("has_returned", [False, True])
def test_what_a_canceled_call_makes_ends(has_returned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, going_on = threading.Event(), threading.Event()
    run_call = aio._Making.run

    def slow(making: Any) -> Any:
        if has_returned:
            made = run_call(making)
            begun.set()
            return made
        begun.set()
        going_on.wait(5)
        return run_call(making)

    async def work() -> None:
        async with await aio.start_server(clock="frozen") as server, await server.create_world() as world:
            before = [row.name for row in await server.worlds()]

            async def is_gone() -> bool:
                return [row.name for row in await server.worlds()] == before and await world.faults.list() == []

            monkeypatch.setattr(aio._Making, "run", slow)
            calls: List[Callable[[], Coroutine[Any, Any, Any]]] = [
                lambda: server.create_world(name="canceled"),
                lambda: world.fork(name="canceled"),
                lambda: world.faults.add(effect={"garbage": True}),
            ]
            for make in calls:
                await canceled(make(), begun)
                begun.clear()
                going_on.set()
                await come_true(is_gone)
                going_on.clear()

    run(work())


def test_a_server_that_a_canceled_call_starts_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    started, begun = [], threading.Event()
    start = _start.start_server

    def slow(**options: Any) -> Any:
        begun.set()
        started.append(start(**options))
        return started[0]

    monkeypatch.setattr(_start, "start_server", slow)

    async def ended() -> bool:
        return bool(started) and not os.path.exists(f"/proc/{started[0].pid}")

    async def work() -> None:
        await canceled(aio.start_server(), begun)
        await come_true(ended)

    run(work())


def test_a_server_that_was_not_awaited_says_so() -> None:
    async def work() -> None:
        with pytest.raises(TypeError, match="aio.start_server was not awaited: write `async with await …start_server"):
            async with aio.start_server():  # type: ignore[attr-defined]
                pass
        with pytest.raises(AttributeError, match="aio.connect was not awaited, so there is no 'world' yet"):
            aio.connect("http://127.0.0.1:9").world()  # type: ignore[attr-defined]

    with pytest.warns(RuntimeWarning, match="'start_server' was never awaited"):
        run(work())
    server = run(aio.start_server())
    run(server.stop())


def test_a_server_that_does_not_run_is_asked_for() -> None:
    with pytest.raises(Error, match="refused; is a server running\\? `chatdouble serve` starts one$"):
        run(aio.connect("http://127.0.0.1:9"))


def test_an_asynchronous_test_without_a_plugin_fails_without_requests(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("async def test_it(chatdouble_aio_world): pass")
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:asyncio", "-p", "no:anyio")
    outcome.assert_outcomes(failed=1)
    text = outcome.stdout.str()
    assert "not natively supported" in text and "no request reached" not in text, text


def test_a_fault_is_waited_for() -> None:
    async def work() -> None:
        async with await aio.start_server(clock="frozen") as server, await server.create_world() as world:
            mel = await world.user("mel")
            async with await world.faults.add(match={"path": "/users/me"}, effect={"delay_ms": 1}) as fault:
                with pytest.raises(VerificationFailed, match="Expected at least 1 such request, found 0"):
                    await fault.wait_fired(timeout_ms=1)
                await asyncio.to_thread(call, world, mel, "GET", "/users/me")
                assert await fault.wait_fired() == 1
            assert await world.journal.verify(fault=fault.id, exactly=1) == 1

    run(work())


def test_many_calls_wait_at_the_same_time() -> None:
    async def work() -> None:
        async with await aio.start_server() as server, await server.create_world() as world:
            waits = [asyncio.create_task(world.journal.wait_for(path="/users/me", exactly=1)) for _ in range(40)]
            mel = await world.user("mel")
            await asyncio.to_thread(call, world, mel, "GET", "/users/me")
            assert await asyncio.gather(*waits) == [1] * 40

    run(work())


def test_a_test_in_a_loop_has_a_world_of_its_own(chatdouble_aio_world: aio.World, chatdouble_world: World) -> None:
    async def work() -> None:
        assert chatdouble_aio_world.name == chatdouble_world.name
        assert (await chatdouble_aio_world.user("mel")).email == chatdouble_world.user("mel").email

    run(work())


OWN_WORLDS = '''
    import asyncio
    import base64
    import urllib.request

    def leave_queue(world):
        mel = world.user("mel")
        key = base64.b64encode(f"{mel.email}:{mel.api_key}".encode()).decode()
        headers = {"Authorization": f"Basic {key}"}
        urllib.request.urlopen(urllib.request.Request(world.url + "/api/v1/register", b"", headers))

    def ask(world, path):
        try:
            urllib.request.urlopen(world.url + path)
        except OSError:
            pass

    def test_with_a_block(chatdouble_server):
        with chatdouble_server.create_world() as one, one.fork() as other:
            ask(one, "/api/v1/server_settings")
            ask(other, "/api/v1/users/me")
            assert False

    def test_in_a_loop(chatdouble_aio_server):
        async def work():
            async with await chatdouble_aio_server.create_world() as world:
                ask(world, "/api/v1/drafts")
                assert False

        asyncio.run(work())

    def test_without_a_block(chatdouble_server, chatdouble_world):
        world = chatdouble_server.create_world()
        ask(world, "/api/v1/messages")
        assert False

    def test_passes(chatdouble_server):
        with chatdouble_server.create_world() as world:
            leave_queue(world)
'''


def test_a_failed_test_shows_the_worlds_that_it_made(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(OWN_WORLDS)
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    outcome.assert_outcomes(passed=1, failed=3)
    text = outcome.stdout.str()
    for path in ("/server_settings", "/users/me", "/drafts", "/messages"):
        assert f"GET {path}" in text, text
    assert text.count("last requests to ") == 5 and "/register" not in text, text


def test_findings_in_worlds_that_a_test_made_fail_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(OWN_WORLDS)
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--chatdouble-fail-on", "note", "-k", "passes")
    outcome.assert_outcomes(passed=1, errors=1)
    outcome.stdout.fnmatch_lines(["the clients of world-* broke rules:", "*note queue-left-behind: *"])


def test_a_call_of_a_server_without_await_fails_a_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_forgets(chatdouble_aio_server):
            chatdouble_aio_server.health()
        """
    )
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    outcome.assert_outcomes(passed=1, errors=1)
    outcome.stdout.fnmatch_lines(["*chatdouble_aio_server: a call without `await` does nothing: Server.health (*:2)"])


def test_connections_are_closed_with_their_threads(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import asyncio
        import threading

        def test_one(chatdouble_aio_world):
            asyncio.run(chatdouble_aio_world.clock.advance("1h"))

        def test_another(chatdouble_aio_world, chatdouble_world):
            asyncio.run(chatdouble_aio_world.clock.advance("1h"))
            thread = threading.Thread(target=chatdouble_world.clock.now)
            thread.start()
            thread.join()

        def test_a_third(chatdouble_world):
            chatdouble_world.clock.now()
        """
    )
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-W", "error")
    outcome.assert_outcomes(passed=3)


def test_a_watch_of_a_world_that_is_deleted_ends_with_an_error() -> None:
    async def work() -> None:
        async with await aio.start_server() as server:
            world = await server.create_world()
            with pytest.raises(Error, match="ended: the world was deleted, or the server stopped"):
                async with world.watch(timeout_ms=5_000) as frames:
                    await world.delete()
                    async for _ in frames:
                        pass

    run(work())


def test_calls_after_the_end_say_that_the_server_ended() -> None:
    async def work() -> None:
        async with await aio.start_server() as server:
            await server.stop()
            with pytest.raises(Error, match="ended with status 0"):
                await server.create_world()
            with pytest.raises(TypeError, match="aio.World is for an event loop: write `async with`"):
                with server.world():  # type: ignore[attr-defined]
                    pass

    run(work())


def test_a_block_ends_what_is_gone_already() -> None:
    async def work() -> None:
        async with await aio.start_server() as server:
            for end in ("reset", "clear", "remove", "delete"):
                async with await server.create_world() as world:
                    async with await world.faults.add(effect={"garbage": True}) as fault:
                        await {"reset": world.reset, "clear": world.faults.clear, "remove": fault.remove, "delete": world.delete}[end]()
                    with pytest.raises(Error, match="There is no "):
                        await fault.remove()
            with pytest.raises(ZeroDivisionError):
                async with await server.create_world() as world, await world.faults.add(effect={"garbage": True}):
                    await server.stop()
                    1 / 0

    run(work())


def test_an_error_of_a_call_keeps_the_one_that_was_on_its_way() -> None:
    async def work() -> None:
        async with await aio.start_server() as server, await server.create_world() as world:
            async with world.watch(timeout_ms=1) as frames:
                calls = [
                    lambda: world.journal.verify(path="/messages"),
                    lambda: world.user("mell"),
                    lambda: aio.connect("http://127.0.0.1:9"),
                    lambda: frames.__anext__(),
                ]
                for call in calls:
                    own = ZeroDivisionError()
                    with pytest.raises(Error) as failed:
                        try:
                            raise own
                        finally:
                            await call()
                    assert failed.value.__context__ is own and not failed.value.__suppress_context__, failed.value
                    with pytest.raises(Error) as failed:
                        await call()
                    assert failed.value.__context__ is None
            # An end of time, too.
            with pytest.raises(Error) as failed:
                await asyncio.wait_for(verified_at_the_end(world), 0.05)
            context = failed.value.__context__
            # From Python 3.13 on, asyncio puts a TimeoutError between them.
            assert isinstance(context.__cause__ if isinstance(context, asyncio.TimeoutError) else context, asyncio.CancelledError)

    run(work())


def frames_of_package(error: BaseException) -> List[str]:
    """The functions of the package in a traceback, which begins with the test."""
    names = [one.f_code.co_filename for one, _ in traceback.walk_tb(error.__traceback__)]
    return [name for name in names if os.path.dirname(name) == os.path.dirname(aio.__file__)]


def test_a_traceback_has_one_frame_of_the_package(chatdouble_aio_world: aio.World, chatdouble_world: World) -> None:
    # Runners other than pytest show the frames that it hides.
    own: List[Callable[[], Any]] = [
        lambda: chatdouble_world.journal.verify(path="/messages"),
        lambda: chatdouble_world.user("mell"),
        lambda: chatdouble_world.snapshots.restore("none"),
        lambda: chatdouble_world.queues.wait_parked(timeout_ms=1),
        lambda: chatdouble_world.server.world("none").report(),
    ]
    for call in own:
        with pytest.raises(Error) as failed:
            call()
        assert len(frames_of_package(failed.value)) == 1

    async def work() -> None:
        world = chatdouble_aio_world
        async with world.watch(timeout_ms=1) as frames:
            awaited: List[Callable[[], Coroutine[Any, Any, Any]]] = [
                lambda: world.journal.verify(path="/messages"),
                lambda: world.user("mell"),
                lambda: world.snapshots.restore("none"),
                lambda: world.server.world("none").report(),
                frames.__anext__,  # type: ignore[list-item]
            ]
            for call in awaited:
                for made in (lambda: call(), lambda: asyncio.create_task(call())):
                    with pytest.raises(Error) as failed:
                        await made()
                    assert len(frames_of_package(failed.value)) == 1

    run(work())


async def verified_at_the_end(world: aio.World) -> None:
    try:
        await asyncio.sleep(60)
    finally:
        await world.journal.verify(path="/messages")


def test_a_loop_of_another_kind_is_refused_by_name() -> None:
    call = aio.start_server()
    with pytest.raises(Error, match="needs an event loop of asyncio, and none runs here: .* not trio$"):
        # What loops of another kind do.
        call.send(None)  # type: ignore[attr-defined]


def test_a_wait_names_the_limit_when_other_calls_had_no_thread() -> None:
    async def work() -> None:
        async with await aio.start_server() as server, await server.create_world() as world:
            waits = [world.journal.wait_for(path="/users/me", timeout_ms=300) for _ in range(aio.CALLS_MAX + 6)]
            failed = await asyncio.gather(*waits, return_exceptions=True)
            assert all("found 0" in str(one) for one in failed)
            assert sum(f"{aio.CALLS_MAX} calls of chatdouble.aio are made at a time" in str(one) for one in failed) == aio.CALLS_MAX + 6
            (alone,) = await asyncio.gather(world.journal.wait_for(path="/users/me", timeout_ms=1), return_exceptions=True)
            assert "at a time" not in str(alone)

    run(work())


def test_a_call_that_is_awaited_again_is_named() -> None:
    async def work() -> None:
        async with await aio.start_server() as server:
            world = server.world()
            call = world.clock.now()
            await call
            with pytest.raises(RuntimeError, match=r"^Clock.now was awaited already: keep its result, or write `await …now\(…\)` again$"):
                await call
            with pytest.raises(RuntimeError, match="Clock.now was awaited already"):
                await asyncio.create_task(call)
            call = world.clock.now()
            await asyncio.create_task(call)
            with pytest.raises(RuntimeError, match="Clock.now was awaited already"):
                await call

    run(work())
