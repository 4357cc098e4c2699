"""The stock Python client's own event loop, as mel: prints the text of each message that it receives."""

import sys

import zulip

client = zulip.Client(email="mel@chat.test", api_key="melKey00000000000000000000000000", site=sys.argv[1])
client.call_on_each_message(lambda message: print(message["content"], flush=True))
