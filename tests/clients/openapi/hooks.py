"""What Schemathesis is told of this API: in forms, what is no text travels as JSON (`encoding` in the document)."""

import json
import urllib.parse

import schemathesis


@schemathesis.serializer("application/x-www-form-urlencoded")
def form(context, value):
    if not isinstance(value, dict):
        return json.dumps(value).encode()
    texts = {name: item if isinstance(item, str) else json.dumps(item) for name, item in value.items()}
    return urllib.parse.urlencode(texts, errors="replace").encode()
