"""Declares control's requests and replies in TypeScript and in Python, from control's OpenAPI document."""

import copy
import re

# Schemas of values that are a number or text, whichever way the document writes that.
NUMBER_OR_TEXT = {"Clock", "Instant", "Seconds"}


def foreign(names_source):
    """Keys whose values keep their names, as the npm package lists them."""
    (listed,) = re.findall(r"export type Foreign =([^;]+);", names_source)
    return set(re.findall(r'"(\w+)"', listed))


def camel_case(document, keep):
    """The document with the keys of requests and replies in camel case, except inside the values of the keys in `keep`."""

    def renamed(name):
        return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)

    def walk(value):
        if isinstance(value, list):
            return [walk(one) for one in value]
        if not isinstance(value, dict):
            return value
        # Formats such as uint64 would only be noise in the texts that editors show.
        parts = {key: inner for key, inner in value.items() if not (key == "format" and isinstance(inner, str))}
        changed = {key: inner if key in ("default", "example") else walk(inner) for key, inner in parts.items()}
        if isinstance(value.get("properties"), dict):
            properties = value["properties"].items()
            changed["properties"] = {renamed(key): inner if key in keep else walk(inner) for key, inner in properties}
            changed["required"] = [renamed(key) for key in value.get("required", [])]
        if value.get("in") == "query":
            changed["name"] = renamed(value["name"])
        return changed

    document = copy.deepcopy(document)
    for name in NUMBER_OR_TEXT & document["components"]["schemas"].keys():
        about = document["components"]["schemas"][name].get("description")
        document["components"]["schemas"][name] = {"type": ["number", "string"], "description": about}
    return walk(document)


def plain(declared):
    """TypeScript whose comments are plain text: editors show a tag such as `@description` as one."""
    return declared.replace("@description ", "")


# Keys of messages that those in events lack.
NOT_IN_EVENTS = {"flags", "match_content", "match_subject"}
# How words end for which a dialect of one's own may have any other beginning.
OF_DIALECTS = "_extra_emoji"


def event_keys(documents):
    """A module of the npm package with the keys of events, by the documents of the API: pairs of a level and a document."""
    types, message = {}, {}
    newest_types, newest_message = {}, set()
    for level, document in documents:
        schemas = document["components"]["schemas"]
        collect(message, schemas, schemas["Message"], NOT_IN_EVENTS)
        for name, schema in schemas.items():
            # A schema without further properties declares events whose keys it does not know.
            if name.startswith("event.") and schema.get("additionalProperties") is False:
                # Recorded events have no id: each queue numbers its own.
                kind, keys = name.split(".")[1], schema["properties"].keys() - {"id"}
                collect(types.setdefault(kind, {}), schemas, schema, {"id"})
                if level == "newest":
                    newest_types.setdefault(kind, set()).update(keys)
        if level == "newest":
            newest_message |= schemas["Message"]["properties"].keys()
    older = {kind: keys.keys() - newest_types[kind] for kind, keys in types.items() if kind in newest_types}
    words = {
        kind: {key: {of_dialects(word) for word in words} for key, (_, words) in keys.items() if words and key != "type"}
        for kind, keys in types.items()
    }

    def listed(names):
        return ", ".join(f'"{name}"' for name in sorted(names))

    def rows(lists):
        return "".join(f"  {name}: [{listed(keys)}],\n" for name, keys in sorted(lists.items()) if keys)

    def lists(keys, indent):
        return "".join(f"{indent}{key}: [{listed(values)}],\n" for key, values in sorted(keys.items()))

    def groups(all_keys):
        return "".join(f"  {kind}: {{\n{lists(keys, '    ')}  }},\n" for kind, keys in sorted(all_keys.items()) if keys)

    def kinds(keys):
        return {key: kinds for key, (kinds, _) in keys.items()}

    return (
        "/** Keys of events, made from the API's OpenAPI documents by `packages/check --update types`. */\n\n"
        "/** The keys of events of each type, of all levels together, with the types of their values in JSON. */\n"
        f"export const EVENT_KEYS = {{\n{groups({kind: kinds(keys) for kind, keys in types.items()})}}} as const;\n"
        "/** The words of the keys that have no other values; an asterisk replaces what depends on the dialect. */\n"
        f"export const EVENT_WORDS = {{\n{groups(words)}}} as const;\n"
        "/** The keys of the message in an event of the type `message`, with the types of their values in JSON. */\n"
        f"export const EVENT_MESSAGE_KEYS = {{\n{lists(kinds(message), '  ')}}} as const;\n"
        "/** Keys of events that the newest level lacks. */\n"
        f"export const OLDER_EVENT_KEYS = {{\n{rows(older)}}} as const;\n"
        "/** The keys of a message that the newest level lacks. */\n"
        f"export const OLDER_EVENT_MESSAGE_KEYS = [{listed(message.keys() - newest_message)}] as const;\n"
    )


def of_dialects(word):
    """A word, with an asterisk in place of what depends on the dialect."""
    return f"*{OF_DIALECTS}" if word.endswith(OF_DIALECTS) else word


def collect(keys, schemas, schema, without):
    """Adds the keys of a schema: for each the types of its values, and its words, or none if it has other values as well."""
    for key, value in schema["properties"].items():
        if key in without:
            continue
        kinds, words = json_types(schemas, value)
        known_kinds, known_words = keys.get(key, (set(), words))
        kinds = known_kinds | kinds
        # Documents of older levels say nothing of some values; an ID is a number at each level.
        if key.endswith("_id") and "number" in kinds:
            kinds -= {"unknown"}
        keys[key] = kinds, known_words | words if known_words and words else set()


def json_types(schemas, schema):
    """The types of a value in JSON, those of lists with the types of their elements, and the words to which it is limited."""
    while "$ref" in schema:
        schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
    if alternatives := schema.get("anyOf") or schema.get("oneOf"):
        kinds, words = zip(*(json_types(schemas, one) for one in alternatives))
        return set().union(*kinds), set().union(*words) if all(words) else set()
    values = [schema["const"]] if "const" in schema else schema.get("enum", [])
    words = set(values) if all(isinstance(one, str) for one in values) else set()
    if words:
        return {"string"}, words
    types = schema.get("type", "unknown")
    kinds = {"number" if one == "integer" else one for one in ([types] if isinstance(types, str) else types)}
    if "array" in kinds:
        elements, _ = json_types(schemas, schema.get("items", {}))
        kinds = kinds - {"array"} | {f"{element}[]" for element in elements}
    return kinds, words


# Python's names for replies, and where the document has them: an operation, and the key of a list in its reply, if any.
RECORDS = {
    "AgendaItem": ("GET /control/worlds/{name}/clock", "agenda", "An item that falls due, or did."),
    "ClockState": ("GET /control/worlds/{name}/clock", None, "The time, whether the clock runs, and the agenda."),
    "ClockMoved": ("POST /control/worlds/{name}/clock", None, "The clock after a change, and the items that fell due."),
    "Health": ("GET /control/health", None, "The server's version, its feature level and its number of worlds."),
    "WorldRow": ("GET /control/worlds", "worlds", "A row of the list of worlds."),
    "FaultRow": ("GET /control/worlds/{name}/faults", "faults", "An installed fault: its rule, and how often it fired."),
    "NetworkRow": ("GET /control/worlds/{name}/network", "networks", "A network that clients are on."),
    "RateLimitRow": ("GET /control/worlds/{name}/rate_limit", "rate_limits", "A limit of requests."),
    "PreviewDelays": ("GET /control/worlds/{name}/previews", None, "The delays of previews, in seconds."),
    "JournalEntry": ("GET /control/worlds/{name}/journal", "entries", "A request and its reply."),
    "Queue": ("GET /control/worlds/{name}/queues", "queues", "An event queue of a client."),
    "ReportedClient": ("GET /control/worlds/{name}/report", "clients", "A client with the rules that it broke."),
    "Finding": ("GET /control/worlds/{name}/report", "clients.findings", "A rule that a client broke."),
    "FindingRequest": ("GET /control/worlds/{name}/report", "clients.findings.first", "A request that a finding is about."),
    "Report": ("GET /control/worlds/{name}/report", None, "What the clients of a world did wrong."),
    "Push": ("GET /control/worlds/{name}/pushes", "pushes", "A push that was handed to the push relay."),
    "PushWire": ("GET /control/worlds/{name}/pushes", "pushes.wire", "A push as the push relay carries it."),
    "Snapshot": ("GET /control/worlds/{name}/snapshots", "snapshots", "A snapshot that was taken."),
    "Violation": ("GET /control/worlds/{name}/invariants", "violations", "An invariant that does not hold."),
    "Invariants": ("GET /control/worlds/{name}/invariants", None, "The invariants that were checked, and their violations."),
}
# Keys that the package adds to replies.
ADDED = {"FaultRow": {"id": "str"}}
# Python's names for request bodies; keys that other parameters give; and those whose type the package says itself.
DICTIONARIES = {
    "WorldOptions": ("POST /control/worlds", set(), {"fixture": "str | os.PathLike[str] | dict[str, Any]", "dialect": "str | dict[str, Any]", "clock": "float | str | datetime.datetime", "idle_ttl_seconds": "float | str | datetime.timedelta"}),
    "FaultRule": ("POST /control/worlds/{name}/faults", set(), {"match": "FaultMatch", "effect": "Effect"}),
    "FaultMatch": ("POST /control/worlds/{name}/faults", set(), {"params": "Mapping[str, str | float]"}),
    "NetworkTerms": ("POST /control/worlds/{name}/network", set(), {}),
    "RateLimitTerms": ("POST /control/worlds/{name}/rate_limit", set(), {"seconds": "float | str | datetime.timedelta"}),
    "PreviewTerms": ("POST /control/worlds/{name}/previews", set(), {"thumbnail_seconds": "float | str | datetime.timedelta", "link_seconds": "float | str | datetime.timedelta"}),
    "Assertion": ("POST /control/worlds/{name}/journal/verify", {"timeout_ms"}, {"params": "Mapping[str, str | float]"}),
}  # fmt: skip
INSIDE = {"FaultMatch": "match"}
# Python's names for words, and where the document lists them: the path to their schema within an operation.
WORDS = {
    "Keep": ("POST /control/worlds/{name}/reset", "body keep", "What a reset may leave as it is."),
    "Method": ("POST /control/worlds/{name}/journal/verify", "body method", "An HTTP method."),
    "Profile": ("POST /control/worlds/{name}/network", "body profile", "A network by its name."),
    "Severity": ("GET /control/worlds/{name}/report", "reply clients.findings.severity", "How much a finding matters."),
}
HEADER = '''"""Requests and replies of control, made from its OpenAPI document by `packages/check --update types`."""

from __future__ import annotations

import datetime
import os
from typing import Any, Dict, List, Literal, Mapping, TypedDict

from ._effects import Effect
from ._record import Record

__all__ = [
'''


class Document:
    def __init__(self, document):
        self.document = document

    def resolved(self, schema):
        """The schema behind references, without the alternative null."""
        while True:
            if "$ref" in schema:
                schema = self.document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
            elif len(others := [one for one in schema.get("anyOf", []) if one != {"type": "null"}]) == 1:
                schema = others[0]
            else:
                return schema

    def operation(self, name):
        method, path = name.split(" ")
        return self.document["paths"][path][method.lower()]

    def reply(self, operation, key):
        schema = self.operation(operation)["responses"]["200"]["content"]["application/json"]["schema"]
        for part in key.split(".") if key else []:
            schema = self.resolved(self.resolved(schema)["properties"][part])
            schema = self.resolved(schema.get("items", schema))
        return self.resolved(schema)

    def body(self, operation):
        return self.resolved(self.operation(operation)["requestBody"]["content"]["application/json"]["schema"])

    def words(self, operation, place):
        """The values that the document lists for a key of a request body or of a reply."""
        side, key = place.split(" ")
        schema = self.resolved(self.body(operation)["properties"][key]) if side == "body" else self.reply(operation, key)
        return self.listed(schema.get("items", schema))

    def listed(self, schema):
        """The texts to which a value is limited, if it is."""
        values = [one for one in schema.get("enum", []) if one is not None]
        return values if all(isinstance(one, str) for one in values) else []

    def python(self, schema, records, words):
        """The Python type of a value."""
        names = schema.get("$ref", "").rsplit("/", 1)[-1] in NUMBER_OR_TEXT
        if names:
            return "float | str"
        if "anyOf" in schema:
            return " | ".join(dict.fromkeys(self.python(one, records, words) for one in schema["anyOf"]))
        resolved = self.resolved(schema)
        for name, known in records.items():
            if known is resolved:
                return name
        kinds = resolved.get("type")
        if listed := self.listed(resolved):
            known = [name for name, values in words.items() if values == listed]
            return " | ".join([*known, *(["None"] if None in resolved["enum"] else [])]) if known else literal(listed)
        if isinstance(kinds, list):
            return " | ".join(self.python({**resolved, "type": kind}, records, words) for kind in kinds)
        if kinds == "array":
            return f"List[{self.python(resolved.get('items', {}), records, words)}]"
        if kinds == "object" and isinstance(resolved.get("additionalProperties"), dict):
            return f"Dict[str, {self.python(resolved['additionalProperties'], records, words)}]"
        simple = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
        return simple.get(kinds, "Dict[str, Any]" if kinds == "object" else "Any")


def literal(values):
    """The type of a text that is one of these."""
    return f"Literal[{', '.join(f'{chr(34)}{one}{chr(34)}' for one in values)}]"


def python(document):
    """The module of the Python package that declares requests and replies."""
    whole = Document(document)
    records = {name: whole.reply(operation, key) for name, (operation, key, _) in RECORDS.items()}
    parts = []
    words = {name: whole.words(operation, place) for name, (operation, place, _) in WORDS.items()}
    for name, (_, _, about) in WORDS.items():
        parts.append(f"#: {about}\n{name} = {literal(words[name])}")
    for name, (_, _, about) in RECORDS.items():
        schema = records[name]
        lines = [f"class {name}(Record):", f'    """{about}"""', ""]
        for key, value in schema["properties"].items():
            if key in ("result", "msg"):
                continue
            kind = whole.python(value, records, words)
            if key not in schema.get("required", []) and "None" not in kind.split(" | ") and kind != "Any":
                kind += " | None"
            lines += described(value, whole) + [f"    {key}: {kind}"]
        for key, kind in ADDED.get(name, {}).items():
            lines += ["    #: The same as `fault_id`.", f"    {key}: {kind}"]
        parts.append("\n".join(lines))
    for name, (operation, without, own) in DICTIONARIES.items():
        schema = whole.body(operation)
        if name in INSIDE:
            schema = whole.resolved(schema["properties"][INSIDE[name]])
        about = schema.get("description") or "The requests that a fault applies to."
        lines = [f"class {name}(TypedDict, total=False):", f'    """{about}"""', ""]
        for key, value in schema["properties"].items():
            if key not in without:
                kinds = own.get(key) or whole.python(value, records, words)
                kinds = " | ".join(kind for kind in kinds.split(" | ") if kind != "None")
                lines += described(value, whole) + [f"    {key}: {kinds}"]
        parts.append("\n".join(lines))
    names = sorted([*RECORDS, *DICTIONARIES, *WORDS])
    listed = "".join(f'    "{name}",\n' for name in names)
    return HEADER + listed + "]\n\n\n" + "\n\n\n".join(parts) + "\n"


def described(schema, whole):
    about = schema.get("description") or (whole.resolved(schema).get("description") if "$ref" in schema else None)
    return [f"    #: {about}"] if about else []
