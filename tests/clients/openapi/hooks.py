"""How Schemathesis encodes forms: values other than text travel as JSON (`encoding` in the document)."""

import json
import urllib.parse

import schemathesis


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Generates parameters whose text is JSON from the schema of that JSON."""
    for path in raw_schema["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", []) if isinstance(operation, dict) else []:
                if "contentSchema" in parameter.get("schema", {}):
                    schema = parameter.pop("schema")
                    parameter["content"] = {schema["contentMediaType"]: {"schema": schema["contentSchema"]}}


@schemathesis.serializer("application/x-www-form-urlencoded")
def form(context, value):
    if not isinstance(value, dict):
        return json.dumps(value).encode()
    texts = {name: item if isinstance(item, str) else json.dumps(item) for name, item in value.items()}
    return urllib.parse.urlencode(texts, errors="replace").encode()
