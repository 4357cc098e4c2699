"""Tests of clients that poll in an event loop, by aiohttp and by httpx."""

import asyncio
import base64
import contextlib
import json
from typing import Any, AsyncGenerator, AsyncIterator, Callable, Protocol

import aiohttp
import httpx
import pytest
from chatdouble import aio
from chatdouble.types import Effect, User


class Client(Protocol):
    """What the two clients have in common."""

    async def call(self, method: str, path: str, **params: str) -> Any: ...


class Lost(Exception):
    """The connection broke before the whole reply came."""


class AiohttpClient:
    def __init__(self, site: str, user: User) -> None:
        # A poll may be quiet for long; aiohttp ends every request after five minutes by default.
        limits = aiohttp.ClientTimeout(total=None, connect=5)
        self.http = aiohttp.ClientSession(f"{site}/api/v1/", headers=credentials(user), timeout=limits)

    async def call(self, method: str, path: str, **params: str) -> Any:
        sent = {"params": params} if method == "GET" else {"data": params}
        try:
            async with self.http.request(method, path, **sent) as reply:  # type: ignore[arg-type]
                return checked(reply.status, await reply.json(), reply.headers.get("X-Chatdouble-Hint"))
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError) as error:
            raise Lost from error

    async def close(self) -> None:
        await self.http.close()


class HttpxClient:
    def __init__(self, site: str, user: User) -> None:
        # A poll may be quiet for long; httpx waits for five seconds by default.
        limits = httpx.Timeout(5, read=None)
        self.http = httpx.AsyncClient(base_url=f"{site}/api/v1/", headers=credentials(user), timeout=limits)

    async def call(self, method: str, path: str, **params: str) -> Any:
        sent = {"params": params} if method == "GET" else {"data": params}
        try:
            reply = await self.http.request(method, path, **sent)  # type: ignore[arg-type]
        except httpx.RemoteProtocolError as error:
            raise Lost from error
        return checked(reply.status_code, reply.json(), reply.headers.get("X-Chatdouble-Hint"))

    async def close(self) -> None:
        await self.http.aclose()


def credentials(user: User) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{user.email}:{user.api_key}".encode()).decode()}


def checked(status: int, reply: Any, hint: str | None) -> Any:
    """A reply, or an error with the reason and the hint."""
    if reply["result"] != "success":
        raise RuntimeError(f"{status}: {reply['msg']} {hint or ''}")
    return reply


async def messages(client: Client, losses: list[Lost] | None = None) -> AsyncGenerator[str, None]:
    """The messages that arrive from now on; `losses` gets each reply that was lost."""
    registered = await client.call("POST", "register", event_types='["message"]', fetch_event_types="[]")
    queue, last = registered["queue_id"], registered["last_event_id"]
    try:
        while True:
            try:
                polled = await client.call("GET", "events", queue_id=queue, last_event_id=str(last))
            except Lost as error:
                if losses is not None:
                    losses.append(error)
                # The same poll again, since the lost events are not acknowledged; not at once, for a server that is in trouble.
                await asyncio.sleep(0.1)
                continue
            for event in polled["events"]:
                last = event["id"]
                if event["type"] == "message":
                    yield event["message"]["content"]
    finally:
        # Also when it is canceled: the server would have to keep the queue.
        await client.call("DELETE", "events", queue_id=queue)


@contextlib.asynccontextmanager
async def opened(kind: Callable[[str, User], Any], world: aio.World, handle: str) -> AsyncIterator[Any]:
    client = kind(world.url, await world.user(handle))
    try:
        yield client
    finally:
        await client.close()


@pytest.fixture(params=[AiohttpClient, HttpxClient])
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param


async def test_a_message_arrives(chatdouble_aio_world: aio.World, kind: Any) -> None:
    world = chatdouble_aio_world
    async with opened(kind, world, "mel") as mel, opened(kind, world, "max") as max:
        arriving = messages(max)
        first = asyncio.ensure_future(anext(arriving))
        await world.queues.wait_parked(user="max")
        await mel.call("POST", "messages", type="stream", to="general", topic="t", content="Hello")
        # A client that hangs fails the test, with its last requests, instead of stopping the run.
        assert "Hello" in await asyncio.wait_for(first, 5)
        await arriving.aclose()
    assert await world.queues.list() == []


async def test_it_survives_a_lost_connection(chatdouble_aio_world: aio.World, kind: Any) -> None:
    world = chatdouble_aio_world
    losses: list[Lost] = []
    async with opened(kind, world, "mel") as mel, opened(kind, world, "max") as max:
        arriving = messages(max, losses)
        first = asyncio.ensure_future(anext(arriving))
        await world.queues.wait_parked(user="max")
        # The reply breaks off after its head. aiohttp would repeat a GET without any reply by itself, and tell nobody.
        effect: Effect = {"truncate_at": 0}
        async with await world.faults.add(match={"path": "/events"}, times=1, effect=effect) as fault:
            await world.clock.advance("2m")
            await world.queues.wait_parked(user="max")
            # The poll that waits now has met the fault, and its reply is lost.
            await mel.call("POST", "messages", type="stream", to="general", topic="t", content="Hello")
            await fault.wait_fired()
        assert "Hello" in await asyncio.wait_for(first, 5)
        assert len(losses) == 1
        await world.journal.verify(path="/events", fault=fault.id, exactly=1)
        await arriving.aclose()


async def test_a_client_that_is_canceled_ends_its_queue(chatdouble_aio_world: aio.World, kind: Any) -> None:
    world = chatdouble_aio_world
    async with opened(kind, world, "mel") as mel:
        polling = asyncio.create_task(shown(mel))
        await world.queues.wait_parked(user="mel")
        polling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(polling, 5)
    assert await world.queues.list() == []
    await world.journal.verify(method="DELETE", path="/events", exactly=1)


async def test_a_client_that_hangs_is_noticed(chatdouble_aio_world: aio.World, kind: Any) -> None:
    world = chatdouble_aio_world
    await world.faults.add(match={"path": "/users/me"}, effect={"delay_ms": 60_000})
    async with opened(kind, world, "mel") as mel:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(mel.call("GET", "users/me"), 0.2)


async def test_the_hint_of_a_refusal_is_in_the_error(chatdouble_aio_world: aio.World, kind: Any) -> None:
    user = await chatdouble_aio_world.user("mel")
    client = kind(f"{chatdouble_aio_world.server.url}/w/no-such-world", user)
    try:
        with pytest.raises(RuntimeError, match="no-such-world"):
            await client.call("GET", "users/me")
    finally:
        await client.close()


async def test_a_bridge_between_two_organizations(chatdouble_aio_server: aio.Server, kind: Any) -> None:
    async with (
        await chatdouble_aio_server.create_world(label="from") as one,
        await chatdouble_aio_server.create_world(label="to", feature_level=250) as other,
        opened(kind, one, "mel") as mel,
        opened(kind, one, "max") as bridge,
        opened(kind, other, "max") as post,
    ):
        arriving = messages(bridge)
        first = asyncio.ensure_future(anext(arriving))
        await one.queues.wait_parked(user="max")
        await mel.call("POST", "messages", type="stream", to="general", topic="t", content="Hello")
        await post.call(
            "POST", "messages", type="stream", to="general", topic="t", content=await asyncio.wait_for(first, 5)
        )
        await other.journal.verify(method="POST", path="/messages", user="max", exactly=1)
        await one.journal.verify(method="POST", path="/messages", user="max", exactly=0)
        await arriving.aclose()


async def shown(client: Client) -> None:
    async for content in messages(client):
        print(json.dumps(content))
