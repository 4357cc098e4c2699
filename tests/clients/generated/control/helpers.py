"""The helpers for Swift and Dart, which are not compiled here, call what control has: each path, key and field is in its document."""

import json
import re

HELPERS = ("swift/ChatdoubleWorld.swift", "dart/chatdouble_world.dart")
CALL = re.compile(r"""call\(\s*["'](GET|POST|PUT|DELETE)["'], ["']([^"']+)["']((?:[^()]|\([^()]*\))*)\)""")
KEY = re.compile(r"""["'](\w+)["']:""")
READ = re.compile(r"""(reply|found)\[["'](\w+)["']\]""")
# Keys that are put into a body before the call that takes it.
BODY = re.compile(r"""(?:merging\(\[|\{\.\.\.\w+, )["'](\w+)["']:""")
# What refusals have.
ENVELOPE = {"result", "msg", "code", "nearest", "diff"}
# How many calls a helper makes at least; fewer would mean that they are not recognized.
LEAST_CALLS = 16


def check(tally, document, examples):
    control = json.loads(document.read_text())

    def resolved(schema):
        while "$ref" in schema:
            schema = control["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        return schema

    def keys(schema):
        """The keys of a schema and, one level down, of the lists in it."""
        properties = resolved(schema).get("properties", {})
        inner = [resolved(resolved(one).get("items", {})).get("properties", {}) for one in properties.values()]
        return set(properties).union(*inner)

    for helper in HELPERS:
        text, wrong, calls = (examples / helper).read_text(), [], 0
        found = list(CALL.finditer(text))
        for number, call in enumerate(found):
            method, path, arguments = call.groups()
            operation = control["paths"].get(f"/control{path}", {}).get(method.lower())
            if operation is None:
                wrong.append(f"{method} {path}")
                continue
            calls += 1
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            queries = {one["name"] for one in operation["parameters"] if one["in"] == "query"}
            start = found[number - 1].end() if number else 0
            end = found[number + 1].start() if number + 1 < len(found) else len(text)
            given = {*KEY.findall(arguments), *BODY.findall(text[start : call.start()])}
            wrong += [f"{method} {path} takes no {key}" for key in given - keys(body) - queries]
            reply = operation["responses"]["200"]["content"]["application/json"]["schema"]
            read = {key for _, key in READ.findall(text[call.end() : end])}
            wrong += [f"{method} {path} gives no {key}" for key in read - keys(reply) - ENVELOPE]
        shown = [*KEY.findall("\n".join(line for line in text.splitlines() if line.lstrip().startswith("//")))]
        known = {key for schema in control["components"]["schemas"].values() for key in every(schema)}
        wrong += [f"a comment has the key {key}" for key in shown if key not in known]
        tally.expect(not wrong and calls >= LEAST_CALLS, f"examples/{helper} makes {calls} calls that control has", "\n".join(wrong))


def every(schema):
    """All keys in a schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for inner in schema.values():
            yield from every(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from every(inner)
