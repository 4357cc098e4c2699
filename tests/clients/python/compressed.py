"""The stock Python client receives compressed replies.

Takes the base URL of a server that speaks the dialect `zulip` and holds the built-in organization. Prints a line
`ok - …`, or `not ok - …` and ends with exit status 1.
"""

import sys

import zulip


def main():
    client = zulip.Client(email="mel@chat.test", api_key="melKey00000000000000000000000000", site=sys.argv[1])
    client.ensure_session()
    encodings = []
    client.session.hooks["response"].append(lambda reply, **_: encodings.append(reply.headers.get("Content-Encoding")))
    members = client.get_members().get("members", [])
    is_whole = any(member["email"] == "mel@chat.test" for member in members)
    if not is_whole or encodings not in (["gzip"], ["br"]):
        print(f"not ok - receive compressed replies: {len(members)} members, encodings {encodings}")
        return 1
    print("ok - receive compressed replies")
    return 0


if __name__ == "__main__":
    sys.exit(main())
