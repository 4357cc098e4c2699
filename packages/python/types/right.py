"""What type checkers accept of the helpers."""

import datetime
from pathlib import Path
from typing import List

import chatdouble
from chatdouble.types import (
    Assertion,
    Drop,
    Effect,
    ErrorEffect,
    ErrorReply,
    FaultRule,
    FrameType,
    JournalEntry,
    Keep,
    Method,
    NetworkTerms,
    Profile,
    RequestFrame,
    Severity,
    StartOptions,
    WorldOptions,
)

options: StartOptions = {"clock": "frozen", "dialect": "zulip", "tls_name": ["a", "b"]}
ways: WorldOptions = {"fixture": {"users": []}, "idle_ttl_seconds": datetime.timedelta(minutes=10)}
lost: Effect = {"drop": "after", "retries": True}
rule: FaultRule = {"match": {"path": "/messages", "params": {"topic": "t"}}, "times": 1, "effect": lost}
busy: ErrorReply = {"status": 503}
failed: ErrorEffect = {"error": busy}
whenever: Drop = "before"
slow: Profile = "3g"
terms: NetworkTerms = {"profile": "edge", "loss": 0.1}
team: WorldOptions = {"fixture": Path("team.json")}
once: Assertion = {"method": "POST", "path": "/messages", "exactly": 1}
method: Method = "DELETE"
kept: List[Keep] = ["journal"]

with chatdouble.start_server(**options) as server, server.create_world(**ways) as world:
    number: int = world.user("mel").id
    text: str = world.user("mel").email
    handle: str = world.user("mel").handle
    is_bot: bool = world.user("mel").is_bot
    owner: "str | None" = world.user("build-bot").owner
    world.reset(keep=kept)
    world.reset(keep=["faults", "report"])
    world.journal.entries(method=method)
    matters: Severity = world.report().clients[0].findings[0].severity
    is_error: bool = matters == "error"
    is_zulip: bool = server.worlds()[0].dialect == "zulip"
    posts: object = world.control("GET", "/webhooks")["webhooks"][0]["status"]
    world.control("POST", "/invites/KEY/accept", {"email": "new@example.com"})
    world.faults.add(rule)
    world.faults.add(effect={"error": {"status": 503, "code": "BUSY", "msg": "Later", "retry_at": 5}})
    world.faults.add(effect={"error": {"status": 503}})
    world.faults.add(effect=failed)
    world.faults.add(effect={"drop": whenever})
    world.faults.add(effect={"rate_limit": {"retry_after": 2}}, match={"user": "mel"})
    world.faults.add(effect={"rate_limit": {"retry_after": "1m30s"}})
    world.network.set(user="mel", profile=slow)
    world.network.set(profile="offline")
    server.create_world(fixture="team.json").delete()
    server.create_world(fixture=Path("team.json")).delete()
    count: int = world.journal.verify(once)
    entries: List[JournalEntry] = world.journal.entries(limit=1)
    status: int = entries[0].status
    topic: str = entries[0].params["topic"]
    now: float = world.clock.advance("1d").now
    reminder: "int | None" = world.clock.to_next().fired[0].reminder_id
    queue: str = world.queues.wait_parked(user="mel")[0].queue_id
    device: "int | None" = world.pushes.wait_for(user="mel")[0].device_id
    name: str = world.snapshots.list()[0].name
    broken: str = world.invariants().violations[0].what
    labels: "List[str | None]" = [row.label for row in server.worlds()]
    fired: int = world.faults.list()[0].fired
    event: object = next(world.watch()).event
    about: FrameType = next(world.watch()).type
    is_queue: bool = about == "queue"
    frame = next(world.watch())
    if frame.type == "request":
        requested: RequestFrame = frame
        path: str = frame.path.removeprefix("/")
        refused: bool = frame.status >= 400
    elif frame.type == "event":
        about_message: bool = frame.event["type"] == "message" and len(frame.users) > 1
    elif frame.type == "queue":
        is_parked: bool = frame.change == "parked"
    elif frame.type == "clock":
        due: int = len(frame.fired)
    elif frame.type == "push":
        pushed: int = frame.push.id


async def in_a_loop() -> None:
    async with await chatdouble.aio.start_server(**options) as served, await served.create_world(**ways) as forked:
        address: str = (await forked.user("mel")).email
        moved: float = (await forked.clock.advance("1d")).now
        seen: List[JournalEntry] = await forked.journal.entries(limit=1)
        async with await forked.faults.add(rule):
            pass
        async with forked.watch() as frames:
            async for frame in frames:
                kind: str = frame.type
                if frame.type == "fault":
                    met: int = frame.journal_id
        await forked.network.set(profile=slow)
        await forked.reset(keep=kept)
        posted: object = (await forked.control("GET", "/webhooks"))["webhooks"]
        await served.create_world(fixture=Path("team.json"))
