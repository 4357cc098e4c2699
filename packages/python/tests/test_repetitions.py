"""Which requests aiohttp and httpx repeat by themselves when the reply is lost: the rows of docs/mobile.md."""

import asyncio
from base64 import b64encode

import pytest

from chatdouble import aio

aiohttp, httpx = pytest.importorskip("aiohttp"), pytest.importorskip("httpx")

REQUESTS = {
    "GET": ("/users/me", {}),
    "PUT": ("/bot_storage", {"storage": "{}"}),
    "DELETE": ("/bot_storage", {}),
    "PATCH": ("/settings", {"enter_sends": "true"}),
    "POST": ("/messages", {"type": "stream", "to": "general", "topic": "t", "content": "Hello"}),
}


async def by_aiohttp(urls, headers):
    async with aiohttp.ClientSession(headers=headers) as session:
        for method, url, form in urls:
            async with session.request(method, url, data=form or None) as reply:
                await reply.read()


async def by_httpx(urls, headers):
    async with httpx.AsyncClient(headers=headers) as session:
        for method, url, form in urls:
            await session.request(method, url, data=form or None)


async def lose(world, client, method, effect, is_used):
    """Loses the reply to a request; returns whether the client noticed, and how many requests came."""
    mel = await world.user("mel")
    key = b64encode(f"{mel.email}:{mel.api_key}".encode()).decode()
    path, form = REQUESTS[method]
    urls = [(method, f"{world.url}/api/v1{path}", form)]
    if is_used:
        urls.insert(0, ("GET", f"{world.url}/api/v1/server_settings", {}))
    async with await world.faults.add(match={"path": path}, times=1, effect=effect):
        try:
            await client(urls, {"Authorization": f"Basic {key}"})
            has_noticed = False
        except (aiohttp.ClientError, httpx.TransportError):
            has_noticed = True
    came = [entry for entry in await world.journal.entries() if entry.path != "/server_settings"]
    return has_noticed, len(came)


@pytest.mark.parametrize("is_used", [False, True])
@pytest.mark.parametrize("method", REQUESTS)
@pytest.mark.parametrize("drop", ["before", "after"])
def test_aiohttp_repeats_what_may_be_repeated_and_httpx_nothing(chatdouble_aio_world: aio.World, drop, method, is_used):
    async def work():
        world, effect = chatdouble_aio_world, {"drop": drop}
        may_be_repeated = method in ("GET", "PUT", "DELETE")
        for client, is_repeated in ((by_aiohttp, may_be_repeated), (by_httpx, False)):
            await world.journal.clear()
            assert await lose(world, client, method, effect, is_used) == (not is_repeated, 1 + is_repeated), client
            # With `retries`, each notices; with a reply that has begun, nothing is repeated.
            await world.journal.clear()
            lost = await lose(world, client, method, {"drop": drop, "retries": True}, is_used)
            assert lost == (True, 1 + is_repeated), client
            await world.journal.clear()
            assert await lose(world, client, method, {"truncate_at": 0}, is_used) == (True, 1), client

    asyncio.run(work())
