"""A bot author's day with the stock Python client, every reply and event asserted.

Takes the base URL of a server that speaks the dialect `zulip` and holds the built-in organization. Prints a line
`ok - …` for each check; ends at the first that fails with `not ok - …` and exit status 1.
"""

import argparse
import faulthandler
import os
import queue
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

import requests
import zulip

# The day takes no longer than this, even on a busy machine.
LONGEST_DAY_SECONDS = 180


class Failure(Exception):
    """A check that does not hold."""


def expect(holds, what, *seen):
    if not holds:
        raise Failure(f"{what}; seen: {', '.join(repr(value) for value in seen)}" if seen else what)


def expect_equal(seen, wanted, what):
    expect(seen == wanted, f"{what} should be {wanted!r}", seen)


def succeed(reply, what):
    expect_equal(reply.get("result"), "success", f"result of {what}, whose reply is {reply!r},")
    expect_equal(reply.get("msg"), "", f"msg of {what}")
    return reply


def fail(reply, code, msg, what):
    expect_equal(reply.get("result"), "error", f"result of {what}, whose reply is {reply!r},")
    expect_equal(reply.get("code"), code, f"code of {what}")
    expect_equal(reply.get("msg"), msg, f"msg of {what}")
    return reply


class ListeningClient(zulip.Client):
    """The stock client, which lets a thread know when its event loop has registered."""

    def __init__(self, *args, **kwargs):
        self.registered = threading.Event()
        self.received = queue.Queue()
        super().__init__(*args, **kwargs)

    def register(self, *args, **kwargs):
        reply = super().register(*args, **kwargs)
        self.registered.set()
        return reply

    def listen(self, seconds, event_types=None, callback=None):
        """Starts the client's own event loop in a thread; what it receives can be awaited from here on."""
        self.registered.clear()

        def run():
            try:
                self.call_on_each_event(
                    lambda event: (self.received.put(event), callback and callback(event)), event_types
                )
            except Exception:
                self.received.put({"type": "the loop ended", "why": traceback.format_exc()})

        threading.Thread(target=run, daemon=True).start()
        expect(self.registered.wait(seconds), f"{self.email} did not register a queue within {seconds} seconds")

    def await_event(self, seconds, kind, fits=lambda event: True):
        """The next event of a type for which `fits` holds; others are skipped."""
        deadline = time.monotonic() + seconds
        passed_over = []
        while True:
            try:
                event = self.received.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                seen = [f"{event['type']} {event.get('op', '')}".strip() for event in passed_over]
                raise Failure(
                    f"{self.email} received no such event {kind} within {seconds} seconds; seen: {seen}"
                ) from None
            if event["type"] == "the loop ended":
                raise Failure(f"the event loop of {self.email} ended: {event['why']}")
            if event["type"] == kind and fits(event):
                return event
            passed_over.append(event)


class Day:
    """Values that one check leaves for the next."""

    def __init__(self, site, patience):
        self.site = site
        self.patience = patience

    def client(self, handle, cls=zulip.Client):
        email = f"{handle}@chat.test"
        reply = requests.post(f"{self.site}/api/v1/dev_fetch_api_key", {"username": email}, timeout=15).json()
        succeed(reply, f"dev_fetch_api_key for {email}")
        expect_equal(reply["email"], email, "the address that belongs to the key")
        return cls(email=email, api_key=reply["api_key"], site=self.site)

    def await_message(self, client, content):
        return client.await_event(self.patience, "message", lambda event: event["message"]["content"] == content)

    # The checks, in the order of the day.

    def fetch_keys_and_connect(self):
        self.bot = self.client("build-bot", ListeningClient)
        self.mel = self.client("mel", ListeningClient)
        self.adam = self.client("adam")
        expect(self.bot.zulip_version, "the client should learn the server's version", self.bot.zulip_version)
        expect(self.bot.feature_level >= 277, "the level should not be refused by clients", self.bot.feature_level)

    def read_the_server_settings(self):
        settings = succeed(self.bot.get_server_settings(), "get_server_settings")
        expect_equal(settings["realm_name"], "Chatdouble", "realm_name")
        expect_equal(settings["realm_uri"], self.site, "realm_uri")
        expect_equal(settings["zulip_feature_level"], self.bot.feature_level, "zulip_feature_level")

    def read_ones_profile(self):
        profile = succeed(self.bot.get_profile(), "get_profile")
        expect_equal(profile["email"], "build-bot@chat.test", "email of the profile")
        expect_equal(profile["full_name"], "Build Bot", "full_name of the profile")
        expect(profile["is_bot"], "the profile should be a bot's", profile)
        self.bot_id = profile["user_id"]
        self.mel_id = succeed(self.mel.get_profile(), "get_profile")["user_id"]

    def list_the_members(self):
        members = succeed(self.bot.get_members(), "get_members")["members"]
        by_email = {member["email"]: member for member in members}
        expect_equal(by_email["mel@chat.test"]["user_id"], self.mel_id, "user_id of mel among the members")
        expect(not by_email["dana@chat.test"]["is_active"], "dana should be deactivated", by_email["dana@chat.test"])
        with_fields = self.bot.get_members({"client_gravatar": False, "include_custom_profile_fields": True})
        fields = {
            member["user_id"]: member.get("profile_data") for member in succeed(with_fields, "get_members")["members"]
        }
        expect(fields[self.mel_id], "mel should have filled profile fields", fields[self.mel_id])
        one = succeed(self.bot.get_user_by_id(self.mel_id, include_custom_profile_fields=True), "get_user_by_id")[
            "user"
        ]
        expect_equal(one["full_name"], "Mel Marsh", "full_name of mel by id")
        expect_equal(one["profile_data"], fields[self.mel_id], "profile_data of mel by id")

    def list_the_channels(self):
        streams = succeed(self.bot.get_streams(include_public=True), "get_streams")["streams"]
        self.channels = {stream["name"]: stream["stream_id"] for stream in streams}
        expect({"general", "engineering", "quiet"} <= self.channels.keys(), "public channels should be listed", streams)
        expect("leadership" not in self.channels, "a private channel should not be listed", streams)
        found = succeed(self.bot.get_stream_id("quiet"), "get_stream_id")
        expect_equal(found["stream_id"], self.channels["quiet"], "stream_id of quiet")

    def subscribe(self):
        before = self.subscribed("get_subscriptions")
        expect_equal(before, {"general", "engineering"}, "the bot's channels before")
        added = succeed(self.bot.add_subscriptions([{"name": "quiet"}, {"name": "general"}]), "add_subscriptions")
        expect_equal(set(map(tuple, added["subscribed"].values())), {("quiet",)}, "subscribed")
        expect_equal(set(map(tuple, added["already_subscribed"].values())), {("general",)}, "already_subscribed")
        expect_equal(
            self.subscribed("list_subscriptions"), {"general", "engineering", "quiet"}, "the bot's channels after"
        )
        members = succeed(self.bot.get_subscribers(stream="quiet"), "get_subscribers")["subscribers"]
        expect_equal(members, [self.bot_id], "subscribers of quiet")
        # The status of a person: older levels do not report that of a bot.
        status = succeed(
            self.bot.get_subscription_status(self.mel_id, self.channels["general"]), "get_subscription_status"
        )
        expect_equal(status["is_subscribed"], True, "is_subscribed")

    def subscribed(self, method):
        return {each["name"] for each in succeed(getattr(self.bot, method)(), method)["subscriptions"]}

    def unsubscribe(self):
        removed = succeed(self.bot.remove_subscriptions(["quiet"]), "remove_subscriptions")
        expect_equal(removed["removed"], ["quiet"], "removed")
        again = succeed(self.bot.remove_subscriptions(["quiet"]), "remove_subscriptions again")
        expect_equal(again["not_removed"], ["quiet"], "not_removed")
        expect_equal(self.subscribed("get_subscriptions"), {"general", "engineering"}, "the bot's channels at last")

    def register_a_queue(self):
        state = succeed(self.bot.register(event_types=["message"], narrow=[["stream", "engineering"]]), "register")
        expect(state["queue_id"], "register should give a queue", state)
        expect_equal(state["last_event_id"], -1, "last_event_id of a new queue")
        expect("zulip_feature_level" in state, "the state should have the level", sorted(state))
        nothing = self.bot.get_events(queue_id=state["queue_id"], last_event_id=-1, dont_block=True)
        expect_equal(succeed(nothing, "get_events")["events"], [], "events of a new queue")
        self.queue_id = state["queue_id"]

    def receive_what_others_send(self):
        self.bot.listen(self.patience, callback=self.answer)
        self.mel.listen(
            self.patience, ["message", "reaction", "update_message", "delete_message", "typing", "presence"]
        )
        content = "Is the build green?"
        sent = self.mel.send_message({"type": "stream", "to": "engineering", "topic": "builds", "content": content})
        self.question = succeed(sent, "send_message of mel to a channel")["id"]
        if self.bot.feature_level >= 508:
            ends = f"-engineering/topic/builds/near/{self.question}"
            expect(sent["message_url"].endswith(ends), f"the message's URL should end with {ends}", sent)
            label = "[#engineering > builds @ 💬]"
            expect_equal(sent["message_link"], f"{label}({sent['message_url']})", "the link to the message")
        # The client's loop does not ask for HTML.
        event = self.await_message(self.bot, content)
        message = event["message"]
        expect_equal(message["id"], self.question, "id of the message received")
        expect_equal(message["sender_email"], "mel@chat.test", "sender_email of the message received")
        expect_equal(message["display_recipient"], "engineering", "display_recipient of the message received")
        expect_equal(message["subject"], "builds", "subject of the message received")
        expect_equal(message["stream_id"], self.channels["engineering"], "stream_id of the message received")
        expect_equal(event["flags"], [], "flags of the message received")

    def answer(self, event):
        """The bot itself: reacts to questions of others, in its event loop's own thread."""
        if (
            event["type"] == "message"
            and event["message"]["content"].endswith("?")
            and event["message"]["sender_id"] != self.bot_id
        ):
            succeed(
                self.bot.add_reaction({"message_id": event["message"]["id"], "emoji_name": "octopus"}), "add_reaction"
            )

    def see_the_bots_reaction(self):
        event = self.mel.await_event(self.patience, "reaction", lambda event: event["message_id"] == self.question)
        expect_equal(event["op"], "add", "op of the reaction seen")
        expect_equal(event["emoji_name"], "octopus", "emoji_name of the reaction seen")
        expect_equal(event["emoji_code"], "1f419", "emoji_code of the reaction seen")
        expect_equal(event["reaction_type"], "unicode_emoji", "reaction_type of the reaction seen")
        expect_equal(event["user_id"], self.bot_id, "user_id of the reaction seen")
        again = self.bot.add_reaction({"message_id": self.question, "emoji_name": "octopus"})
        fail(again, "REACTION_ALREADY_EXISTS", "Reaction already exists.", "add_reaction again")

    def take_the_reaction_back(self):
        removed = self.bot.remove_reaction({"message_id": self.question, "emoji_name": "octopus"})
        succeed(removed, "remove_reaction")
        event = self.mel.await_event(self.patience, "reaction", lambda event: event["op"] == "remove")
        expect_equal(event["message_id"], self.question, "message_id of the reaction taken back")
        whole = {
            "message_id": self.question,
            "emoji_name": "zulip",
            "reaction_type": "zulip_extra_emoji",
            "emoji_code": "zulip",
        }
        succeed(self.bot.add_reaction(whole), "add_reaction of the extra emoji")
        event = self.mel.await_event(self.patience, "reaction", lambda event: event["op"] == "add")
        expect_equal(event["reaction_type"], "zulip_extra_emoji", "reaction_type of the extra emoji")

    def send_to_a_channel(self):
        content = "It is **green**."
        sent = self.bot.send_message(
            {"type": "channel", "to": self.channels["engineering"], "topic": "builds", "content": content}
        )
        self.reply_id = succeed(sent, "send_message to a channel by id")["id"]
        message = self.await_message(self.mel, content)["message"]
        expect_equal(message["id"], self.reply_id, "id of the bot's message")
        expect_equal(message["sender_id"], self.bot_id, "sender_id of the bot's message")

    def send_directly(self):
        for to, content in [
            (["mel@chat.test"], "by address"),
            ([self.mel_id], "by id"),
            ("mel@chat.test", "by plain address"),
        ]:
            sent = self.bot.send_message({"type": "private", "to": to, "content": content})
            self.direct_id = succeed(sent, f"send_message {content}")["id"]
            message = self.await_message(self.mel, content)["message"]
            expect_equal(message["id"], self.direct_id, f"id of the message {content}")
            expect_equal(message["type"], "private", f"type of the message {content}")
            people = {person["id"] for person in message["display_recipient"]}
            expect_equal(people, {self.bot_id, self.mel_id}, f"display_recipient of the message {content}")

    def fetch_messages(self):
        narrows = {
            "objects": [{"operator": "channel", "operand": "engineering"}, {"operator": "topic", "operand": "builds"}],
            "objects with the old name of channels": [
                {"operator": "stream", "operand": "engineering"},
                {"operator": "topic", "operand": "builds"},
            ],
            "pairs": [["stream", "engineering"], ["topic", "builds"]],
        }
        for form, narrow in narrows.items():
            found = self.bot.get_messages(
                {"anchor": "newest", "num_before": 2, "num_after": 0, "narrow": narrow, "apply_markdown": False}
            )
            succeed(found, f"get_messages narrowed by {form}")
            ids = [message["id"] for message in found["messages"]]
            expect_equal(ids, [self.question, self.reply_id], f"ids of the messages narrowed by {form}")
            expect_equal(found["messages"][1]["content"], "It is **green**.", f"content of the last narrowed by {form}")
            expect_equal(found["found_newest"], True, f"found_newest narrowed by {form}")
        direct = [{"operator": "dm", "operand": "mel@chat.test"}]
        found = self.bot.get_messages({"anchor": self.direct_id, "num_before": 0, "num_after": 5, "narrow": direct})
        contents = [message["content"] for message in succeed(found, "get_messages of a conversation")["messages"]]
        expect_equal(contents, ["<p>by plain address</p>"], "messages of the conversation from the last on")
        without = self.bot.get_messages(
            {
                "anchor": "newest",
                "num_before": 1,
                "num_after": 0,
                "narrow": [{"operator": "sender", "operand": "build-bot@chat.test", "negated": True}],
            }
        )
        expect_equal(
            succeed(without, "get_messages of others")["messages"][0]["sender_id"],
            self.mel_id,
            "sender of the newest of others",
        )
        raw = succeed(self.bot.get_raw_message(self.reply_id), "get_raw_message")
        expect_equal(raw["raw_content"], "It is **green**.", "raw_content")

    def edit_a_message(self):
        edited = self.bot.update_message({"message_id": self.reply_id, "content": "It is *red*."})
        succeed(edited, "update_message")
        event = self.mel.await_event(
            self.patience, "update_message", lambda event: event["message_id"] == self.reply_id
        )
        expect_equal(event["content"], "It is *red*.", "content of the edit")
        expect_equal(event["rendered_content"], "<p>It is <em>red</em>.</p>", "rendered_content of the edit")
        expect_equal(event["orig_content"], "It is **green**.", "orig_content of the edit")
        history = succeed(self.bot.get_message_history(self.reply_id), "get_message_history")["message_history"]
        expect_equal(
            [each["content"] for each in history], ["It is **green**.", "It is *red*."], "contents of the history"
        )

    def change_flags(self):
        change = {"messages": [self.question, self.reply_id], "op": "add", "flag": "starred"}
        changed = succeed(self.bot.update_message_flags(change), "update_message_flags")
        expect_equal(sorted(changed["messages"]), [self.question, self.reply_id], "messages that were starred")
        event = self.bot.await_event(self.patience, "update_message_flags", lambda event: event["flag"] == "starred")
        expect_equal(event["op"], "add", "op of the flags")
        expect_equal(sorted(event["messages"]), [self.question, self.reply_id], "messages of the event of flags")
        starred = self.bot.get_messages(
            {"anchor": "newest", "num_before": 9, "num_after": 0, "narrow": [["is", "starred"]]}
        )
        ids = [message["id"] for message in succeed(starred, "get_messages that are starred")["messages"]]
        expect_equal(ids, [self.question, self.reply_id], "messages that are starred")
        matched = self.bot.check_messages_match_narrow(
            msg_ids=[self.question, self.direct_id], narrow=[{"operator": "has", "operand": "reaction"}]
        )
        expect_equal(
            list(succeed(matched, "check_messages_match_narrow")["messages"]),
            [str(self.question)],
            "messages that match",
        )
        succeed(self.bot.mark_topic_as_read(self.channels["engineering"], "builds"), "mark_topic_as_read")
        succeed(self.bot.mark_stream_as_read(self.channels["engineering"]), "mark_stream_as_read")
        succeed(self.bot.mark_all_as_read(), "mark_all_as_read")

    def upload_and_download(self):
        content = bytes(range(256)) * 300 + b"\r\n"
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "Prüfung log.bin"
            file.write_bytes(content)
            with file.open("rb") as opened:
                uploaded = succeed(self.bot.upload_file(opened), "upload_file")
        address = uploaded["uri"]
        expect_equal(uploaded["url"], address, "url of the upload")
        expect(address.startswith("/user_uploads/"), "the upload's address should be relative", address)
        link = f"[log]({address})"
        sent = self.bot.send_message({"type": "stream", "to": "engineering", "topic": "builds", "content": link})
        succeed(sent, "send_message with the upload")
        self.await_message(self.mel, link)
        for client in (self.bot, self.mel):
            got = client.session.get(self.site + address, timeout=15)
            expect_equal(got.status_code, 200, f"status of the download by {client.email}")
            expect(
                got.content == content, f"the download by {client.email} should be what was uploaded", len(got.content)
            )
        refused = requests.get(self.site + address, timeout=15)
        expect(refused.status_code in (401, 403), "nobody should download without credentials", refused.status_code)
        temporary = succeed(self.mel.call_endpoint(url=address.lstrip("/"), method="GET"), "the temporary address")[
            "url"
        ]
        got = requests.get(self.site + temporary, timeout=15)
        expect_equal(got.status_code, 200, "status of the download from the temporary address")
        expect(
            got.content == content,
            "the download from the temporary address should be what was uploaded",
            len(got.content),
        )
        files = succeed(self.bot.get_attachments(), "get_attachments")["attachments"]
        expect(any(address.endswith(each["path_id"]) for each in files), "the upload should be listed", files)

    def be_present(self):
        now = time.time()
        reply = succeed(
            self.adam.update_presence({"status": "active", "ping_only": False, "new_user_input": True}),
            "update_presence",
        )
        expect(
            abs(reply["server_timestamp"] - now) < 60,
            "the server's clock should go with real time",
            reply["server_timestamp"],
        )
        expect("mel@chat.test" in reply["presences"], "presences should be keyed by address", sorted(reply["presences"]))
        one = succeed(self.mel.get_user_presence("adam@chat.test"), "get_user_presence")["presence"]
        expect_equal(one["aggregated"]["status"], "active", "aggregated status of adam")
        everyone = succeed(self.mel.get_realm_presence(), "get_realm_presence")["presences"]
        expect_equal(
            everyone["adam@chat.test"]["aggregated"]["status"], "active", "aggregated status of adam among all"
        )
        self.mel.await_event(
            self.patience, "presence", lambda event: event.get("email", "adam@chat.test") == "adam@chat.test"
        )

    def type_something(self):
        succeed(self.bot.set_typing_status({"op": "start", "to": [self.mel_id]}), "set_typing_status")
        event = self.mel.await_event(self.patience, "typing")
        expect_equal(event["op"], "start", "op of typing")
        expect_equal(event["message_type"], "direct", "message_type of typing")
        expect_equal(event["sender"]["user_id"], self.bot_id, "sender of typing")
        people = {person["user_id"] for person in event["recipients"]}
        expect_equal(people, {self.bot_id, self.mel_id}, "recipients of typing")
        succeed(self.bot.set_typing_status({"op": "stop", "to": [self.mel_id]}), "set_typing_status")
        self.mel.await_event(self.patience, "typing", lambda event: event["op"] == "stop")

    def render(self):
        rendered = succeed(self.bot.render_message({"content": "foo **bar** `baz`"}), "render_message")["rendered"]
        expect_equal(rendered, "<p>foo <strong>bar</strong> <code>baz</code></p>", "rendered")

    def delete_a_message(self):
        succeed(self.adam.delete_message(self.reply_id), "delete_message")
        event = self.mel.await_event(self.patience, "delete_message")
        expect(
            self.reply_id in event.get("message_ids", [event.get("message_id")]),
            "the deleted message should be named",
            event,
        )
        fail(
            self.bot.get_raw_message(self.reply_id),
            "BAD_REQUEST",
            "Invalid message(s)",
            "get_raw_message of what was deleted",
        )

    def poll_the_queue_by_hand(self):
        got = succeed(self.bot.get_events(queue_id=self.queue_id, last_event_id=-1), "get_events")["events"]
        kinds = {event["type"] for event in got}
        expect_equal(kinds, {"message"}, "types of the events on the narrow queue")
        expect(
            all(event["message"]["display_recipient"] == "engineering" for event in got), "the narrow should hold", got
        )
        ids = [event["id"] for event in got]
        expect_equal(ids, list(range(len(ids))), "ids of the events on the narrow queue")
        expect_equal(got[0]["message"]["id"], self.question, "the first message on the narrow queue")
        again = self.bot.get_events(queue_id=self.queue_id, last_event_id=ids[0], dont_block=True)
        expect_equal(succeed(again, "get_events")["events"], got[1:], "what was not acknowledged")
        succeed(self.bot.deregister(self.queue_id), "deregister")
        gone = self.bot.get_events(queue_id=self.queue_id, last_event_id=ids[-1])
        fail(gone, "BAD_EVENT_QUEUE_ID", f"Bad event queue ID: {self.queue_id}", "get_events after deregister")
        expect_equal(gone.get("queue_id"), self.queue_id, "queue_id of the failure")

    def get_errors_for_mistakes(self):
        stranger = zulip.Client(email="build-bot@chat.test", api_key="x" * 32, site=self.site)
        refusal = stranger.get_profile()
        expect_equal(refusal.get("result"), "error", "result of get_profile with a wrong key")
        expect(refusal.get("code") in ("UNAUTHORIZED", "INVALID_API_KEY"), "a wrong key should be refused with its code", refusal)
        unknown = self.bot.send_message({"type": "stream", "to": "nowhere", "topic": "lost", "content": "Hello?"})
        fail(unknown, "STREAM_DOES_NOT_EXIST", "Channel 'nowhere' does not exist", "send_message to an unknown channel")
        expect_equal(unknown.get("stream"), "nowhere", "stream of the failure")
        fail(
            self.bot.get_stream_id("nowhere"),
            "BAD_REQUEST",
            "Invalid channel name 'nowhere'",
            "get_stream_id of an unknown channel",
        )
        expect_equal(
            self.bot.call_endpoint("no_such_operation", "GET")["result"], "error", "result of an unknown operation"
        )
        missing = self.bot.send_message({"type": "stream", "to": "general", "topic": "lost"})
        expect_equal(missing.get("code"), "REQUEST_VARIABLE_MISSING", "code of send_message without content")

    CHECKS = [
        fetch_keys_and_connect,
        read_the_server_settings,
        read_ones_profile,
        list_the_members,
        list_the_channels,
        subscribe,
        unsubscribe,
        register_a_queue,
        receive_what_others_send,
        see_the_bots_reaction,
        take_the_reaction_back,
        send_to_a_channel,
        send_directly,
        fetch_messages,
        edit_a_message,
        change_flags,
        upload_and_download,
        be_present,
        type_something,
        render,
        delete_a_message,
        poll_the_queue_by_hand,
        get_errors_for_mistakes,
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", help="base URL of the server, without /api")
    parser.add_argument("--patience", type=float, default=15, help="seconds to wait for an event (default: 15)")
    options = parser.parse_args()
    faulthandler.dump_traceback_later(LONGEST_DAY_SECONDS, exit=True)
    day = Day(options.site.rstrip("/"), options.patience)
    for check in Day.CHECKS:
        name = check.__name__.replace("_", " ")
        try:
            check(day)
        except Failure as failure:
            print(f"not ok - {name}: {failure}", flush=True)
            return 1
        except Exception:
            print(f"not ok - {name}: {traceback.format_exc()}", flush=True)
            return 1
        print(f"ok - {name}", flush=True)
    return 0


if __name__ == "__main__":
    status = main()
    # Not sys.exit: the threads of the event loops are still parked in polls.
    sys.stderr.flush()
    os._exit(status)
