"""Phones of both services: each decrypts its pushes with NaCl and its own key.

Takes the base URL of a server that speaks the dialect `zulip` and holds the built-in organization. Prints a line
`ok - …` for each check; ends at the first that fails with `not ok - …` and exit status 1.
"""

import base64
import json
import sys

import nacl.exceptions
import nacl.secret
import nacl.utils
import requests
import zulip

URL = sys.argv[1]
CONTROL = f"{URL}/control/worlds/default"


def expect(holds, what, seen=None):
    if not holds:
        sys.exit(f"not ok - {what}; seen: {seen!r}")
    print(f"ok - {what}", flush=True)


def sign_in(handle):
    return zulip.Client(email=f"{handle}@chat.test", api_key=f"{handle}Key".ljust(32, "0"), site=URL)


def succeed(reply):
    if reply["result"] != "success":
        sys.exit(f"not ok - {reply}")
    return reply


class Phone:
    """A device with its own key, which it registers with the server as apps do."""

    def __init__(self, client, service, key_id):
        self.client, self.service, self.key_id = client, service, key_id
        self.secret = nacl.utils.random(nacl.secret.SecretBox.KEY_SIZE)
        self.device = succeed(client.call_endpoint("register_client_device", method="POST"))["device_id"]
        parameters = {
            "device_id": self.device,
            "push_key_id": key_id,
            "push_key": base64.b64encode(b"1" + self.secret).decode(),
            "token_kind": service,
            "token_id": base64.b64encode(nacl.utils.random(8)).decode(),
            "bouncer_public_key": base64.b64encode(nacl.utils.random(32)).decode(),
            "encrypted_push_registration": base64.b64encode(nacl.utils.random(64)).decode(),
        }
        succeed(client.call_endpoint("mobile_push/register", method="POST", request=parameters))

    def envelopes(self):
        pushes = requests.get(f"{CONTROL}/pushes", params={"device_id": self.device}, timeout=10).json()["pushes"]
        return [push["wire"]["envelope"] for push in pushes if push["wire"]]

    def open(self, envelope):
        """Decrypts the message of the service, as an app does."""
        data = envelope["data"] if self.service == "fcm" else envelope
        expect(int(data["push_key_id"]) == self.key_id, f"{self.service}: the message names the key", envelope)
        box = nacl.secret.SecretBox(self.secret)
        return json.loads(box.decrypt(base64.b64decode(data["encrypted_data"])))


max_, mel = sign_in("max"), sign_in("mel")
phones = [Phone(max_, "apns", 7), Phone(max_, "fcm", 9)]
succeed(max_.call_endpoint("mobile_push/e2ee/test_notification", method="POST"))
sent = succeed(mel.send_message({"type": "private", "to": ["max@chat.test"], "content": "a **secret**"}))["id"]
succeed(max_.update_message_flags({"messages": [sent], "op": "add", "flag": "read"}))

for phone in phones:
    envelopes = phone.envelopes()
    expect("secret" not in json.dumps(envelopes), f"{phone.service}: nothing is in the clear", envelopes)
    test, message, removal = (phone.open(envelope) for envelope in envelopes)
    expect(test["type"] == "test", f"{phone.service}: the test", test)
    received = (message["type"], message["message_id"], message["content"])
    expect(received == ("message", sent, "a secret"), f"{phone.service}: the message", message)
    received = (removal["type"], removal["message_ids"])
    expect(received == ("remove", [sent]), f"{phone.service}: the removal", removal)
    if phone.service == "apns":
        expect(envelopes[0]["aps"]["mutable-content"] == 1, "apns: the app may change what is shown", envelopes[0])

try:
    phones[1].open(phones[0].envelopes()[0] | {"data": {**phones[0].envelopes()[0], "push_key_id": 9}})
    expect(False, "another device's key opens nothing")
except nacl.exceptions.CryptoError:
    expect(True, "another device's key opens nothing")
