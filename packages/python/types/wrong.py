"""What type checkers refuse: exactly the lines that say so."""

# Mypy refuses such comparisons by itself.
# pyright: reportUnnecessaryComparison=true

import chatdouble
from chatdouble.types import Assertion, ErrorReply, FaultRule, NetworkTerms, Profile

server = chatdouble.start_server()
world = server.create_world()
chatdouble.start_server(colour=1)  # refused
chatdouble.start_server(feature_level="300")  # refused
chatdouble.connect(control_tokn="secret")  # refused
server.create_world(fixtur="cast")  # refused
world.fork(feature_levl=250)  # refused
text: str = world.user("mel").id  # refused
world.user("mel").key  # refused
world.clock.advance(1).fird  # refused
world.clock.agenda()[0].reminder  # refused
world.clock.advance(by="1d", wait_ms=1)  # refused
entry = world.journal.entries()[0]
entry.nope  # refused
late: str = entry.status  # refused
world.journal.entries(statuss=400)  # refused
world.journal.verify(exacly=1)  # refused
world.journal.verify({"pth": "/messages"})  # refused
once: Assertion = {"exactly": "1"}  # refused
world.faults.add(effect={"drop": "aftr"})  # refused
world.faults.add(effect={"delay": 5})  # refused
busy: ErrorReply = {"status": "503"}  # refused
busier: ErrorReply = {"status": 503, "mesage": "Later"}  # refused
world.faults.add(effect={"garbage": True}, match={"pth": "/messages"})  # refused
rule: FaultRule = {"time": 1}  # refused
world.faults.list()[0].firedd  # refused
world.queues.list()[0].park  # refused
world.queues.wait_parked(usr="mel")  # refused
world.pushes.list()[0].device  # refused
world.snapshots.list()[0].nam  # refused
world.invariants().broken  # refused
next(world.watch()).statuss  # refused
frame = next(world.watch())
is_queue = frame.type == "quue"  # refused
if frame.type == "request":
    frame.event["type"]  # refused
elif frame.type == "queue":
    is_parked = frame.change == "park"  # refused
world.network.set(profile="5g")  # refused
fast: Profile = "5g"  # refused
terms: NetworkTerms = {"profile": "5g"}  # refused
world.reset(keep=["fault"])  # refused
world.journal.entries(method="PSOT")  # refused
world.journal.verify({"method": "post"})  # refused
world.faults.add(effect={"garbage": True}, match={"method": "PSOT"})  # refused
world.control("PSOT", "/webhooks")  # refused
is_error = world.report().clients[0].findings[0].severity == "eror"  # refused
is_zulip = server.worlds()[0].dialect == "zulp"  # refused
number: int = world.user("mel").handle  # refused
world.user("mel").user_id  # refused
server.create_world(fixture=5)  # refused
late = next(world.watch()).change  # refused
world.watch(timeout=1)  # refused
server.worlds()[0].user  # refused
server.health().level  # refused


async def in_a_loop() -> None:
    await chatdouble.aio.start_server(colour=1)  # refused
    loop_server = await chatdouble.aio.start_server()
    await loop_server.create_world(fixtur="cast")  # refused
    await (await loop_server.create_world()).network.set(profile="5g")  # refused
    await (await loop_server.create_world()).reset(keep=["fault"])  # refused
    loop_world = await loop_server.create_world()
    (await loop_world.user("mel")).key  # refused
    loop_world.user("mel").email  # refused
