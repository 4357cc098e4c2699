"""The client that openapi-python-client makes."""

import base64
import io
import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import TypeVar

from generated_api import AuthenticatedClient, Client
from generated_api.api.events import delete_queue, get_events
from generated_api.api.messages import edit_message, get_messages, send_message
from generated_api.api.reactions import add_reaction
from generated_api.api.register import register
from generated_api.api.server import dev_fetch_api_key, get_server_settings
from generated_api.api.uploads import upload_file
from generated_api.api.users import get_user
from generated_api.models.add_reaction_body import AddReactionBody
from generated_api.models.delete_queue_body import DeleteQueueBody
from generated_api.models.dev_fetch_api_key_body import DevFetchApiKeyBody
from generated_api.models.edit_message_body import EditMessageBody
from generated_api.models.error import Error
from generated_api.models.register_body import RegisterBody
from generated_api.models.send_message_body import SendMessageBody
from generated_api.models.send_message_body_type import SendMessageBodyType
from generated_api.models.upload_file_body import UploadFileBody
from generated_api.types import File
from generated_control import Client as Steering
from generated_control.api.clock import move_clock
from generated_control.api.journal import verify_journal
from generated_control.api.worlds import create_world, delete_world
from generated_control.models.assertion import Assertion
from generated_control.models.clock_change import ClockChange
from generated_control.models.error_reply import ErrorReply as SteeringError
from generated_control.models.world_options import WorldOptions

SITE = os.environ["CHATDOUBLE_URL"]
NAME = "generated-python"
Reply = TypeVar("Reply")
failures = 0


def given(reply: Reply | Error | SteeringError | None) -> Reply:
    """The reply, which must be a success."""
    assert reply is not None and not isinstance(reply, (Error, SteeringError)), reply
    return reply


def check(what: str, work: Callable[[], None]) -> None:
    global failures
    try:
        work()
        print(f"ok - openapi-python-client: {what}")
    except Exception:
        failures += 1
        print(f"not ok - openapi-python-client: {what}: {traceback.format_exc()}")


def main() -> None:
    steering, anybody = Steering(base_url=SITE), Client(base_url=f"{SITE}/api/v1")

    def creates() -> None:
        assert given(create_world.sync(client=steering, body=WorldOptions(name=NAME))).name == NAME

    def settles() -> None:
        assert given(get_server_settings.sync(client=anybody)).zulip_feature_level > 0

    check("create_world", creates)
    check("get_server_settings", settles)
    account = given(dev_fetch_api_key.sync(client=anybody, body=DevFetchApiKeyBody(username="mel@chat.test")))
    token = base64.b64encode(f"{account.email}:{account.api_key}".encode()).decode()
    mel = AuthenticatedClient(base_url=f"{SITE}/api/v1", token=token, prefix="Basic")
    print("ok - openapi-python-client: dev_fetch_api_key")
    queue = str(given(register.sync(client=mel, body=RegisterBody())).queue_id)
    print("ok - openapi-python-client: register")
    message = SendMessageBody(type_=SendMessageBodyType.CHANNEL, to="general", topic="greetings", content="from Python")
    sent = given(send_message.sync(client=mel, body=message)).id
    print("ok - openapi-python-client: send_message")

    def hears() -> None:
        events = given(get_events.sync(client=mel, queue_id=queue, last_event_id=-1)).events
        assert any(event.to_dict()["type"] == "message" for event in events)

    def reacts() -> None:
        given(add_reaction.sync(sent, client=mel, body=AddReactionBody(emoji_name="tada")))

    def edits() -> None:
        given(edit_message.sync(sent, client=mel, body=EditMessageBody(content="edited")))

    def reads() -> None:
        narrow = json.dumps([{"operator": "id", "operand": sent}])
        found = given(get_messages.sync(client=mel, anchor="newest", num_before=1, num_after=0, narrow=narrow))
        assert [one.content for one in found.messages] == ["<p>edited</p>"]

    def looks_up() -> None:
        assert given(get_user.sync("max@chat.test", client=mel)).user.full_name

    def uploads() -> None:
        file = File(payload=io.BytesIO(b"Hello"), file_name="hello.txt", mime_type="text/plain")
        assert given(upload_file.sync(client=mel, body=UploadFileBody(file=file))).url.startswith("/user_uploads/")

    def leaves() -> None:
        given(delete_queue.sync(client=mel, body=DeleteQueueBody(queue_id=queue)))

    def goes_on() -> None:
        assert given(move_clock.sync("default", client=steering, body=ClockChange(advance_seconds=86_400))).now > 0

    def asserts() -> None:
        assertion = Assertion(path="/messages", exactly=2)
        assert given(verify_journal.sync("default", client=steering, body=assertion)).count == 2

    def ends() -> None:
        given(delete_world.sync(NAME, client=steering))

    for what, work in {
        "get_events": hears,
        "add_reaction": reacts,
        "edit_message": edits,
        "get_messages": reads,
        "get_user": looks_up,
        "upload_file": uploads,
        "delete_queue": leaves,
        "move_clock": goes_on,
        "verify_journal": asserts,
        "delete_world": ends,
    }.items():
        check(what, work)
    sys.exit(1 if failures else 0)


main()
