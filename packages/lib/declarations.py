"""Declares control's requests and replies in TypeScript and in Python, from control's OpenAPI document."""

import copy
import functools
import json
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
OF_DIALECTS = ("_extra_emoji", "_update_announcements_stream_id")
# What a closed set of values is merged with where there are others as well.
ANY = "any"
# Words that only older levels have: where their documents say nothing of a value, it is taken to have those of the newest one.
OLDER_WORDS = {("typing", "message_type"): {"private"}}
# Settings of the organization of which the keys in the register reply have no prefix.
UNPREFIXED_SETTINGS = {"max_file_upload_size_mib", "password_min_length", "password_min_guesses"}
# The types of the values that events about a single setting of the organization have.
SINGLE_VALUES = {"boolean", "null", "number", "string", "unknown"}


def event_keys(documents):
    """A module of the npm package with the keys of events, by the documents of the API: pairs of a level and a document."""
    types, message, words, settings = {}, {}, {}, {}
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
                unknown = ANY if level == "newest" else None
                words[kind] = merged(words.get(kind, NOTHING), values(schemas, schema, unknown))
                if level == "newest":
                    newest_types.setdefault(kind, set()).update(keys)
        for kind, names in setting_names(document).items():
            settings.setdefault(kind, set()).update(map(of_dialects, names))
        if level == "newest":
            newest_message |= schemas["Message"]["properties"].keys()
    older = {kind: keys.keys() - newest_types[kind] for kind, keys in types.items() if kind in newest_types}
    closed = {kind: without_any(keys) for kind, (_, keys) in words.items() if keys != ANY}
    for (kind, key), older_words in OLDER_WORDS.items():
        closed[kind][key] |= older_words
    for kind, names in settings.items():
        closed[kind]["property"] = names
    for keys in closed.values():
        del keys["type"]

    def listed(names):
        return ", ".join(f'"{name}"' for name in sorted(names))

    def rows(lists):
        return "".join(f"  {name}: [{listed(keys)}],\n" for name, keys in sorted(lists.items()) if keys)

    def lists(keys, indent):
        return "".join(f"{indent}{key}: [{listed(values)}],\n" for key, values in sorted(keys.items()))

    def groups(all_keys):
        return "".join(f"  {kind}: {{\n{lists(keys, '    ')}  }},\n" for kind, keys in sorted(all_keys.items()) if keys)

    def tree(keys, indent):
        inner = indent + "  "
        rows = (
            f"{inner}{json.dumps(key) if key == '*' else key}: "
            + (tree(value, inner) if isinstance(value, dict) else f"[{', '.join(map(json.dumps, sorted(value, key=str)))}]")
            + ",\n"
            for key, value in sorted(keys.items())
            if value
        )
        return f"{{\n{''.join(rows)}{indent}}}"

    def kinds(keys):
        return {key: kinds for key, kinds in keys.items()}

    return (
        "/** Keys of events, made from the API's OpenAPI documents by `packages/check --update types`. */\n\n"
        "/** The keys of events of each type, of all levels together, with the types of their values in JSON. */\n"
        f"export const EVENT_KEYS = {{\n{groups({kind: kinds(keys) for kind, keys in types.items()})}}} as const;\n"
        "/**\n * The words of the keys that have no other values, at any depth; an asterisk replaces what depends on the dialect, and as a"
        " key it\n * is any key. Elements of a list have those of the list.\n */\n"
        f"export const EVENT_WORDS = {tree(closed, '')} as const;\n"
        "/** The keys of the message in an event of the type `message`, with the types of their values in JSON. */\n"
        f"export const EVENT_MESSAGE_KEYS = {{\n{lists(kinds(message), '  ')}}} as const;\n"
        "/** Keys of events that the newest level lacks. */\n"
        f"export const OLDER_EVENT_KEYS = {{\n{rows(older)}}} as const;\n"
        "/** The keys of a message that the newest level lacks. */\n"
        f"export const OLDER_EVENT_MESSAGE_KEYS = [{listed(message.keys() - newest_message)}] as const;\n"
    )


def of_dialects(word):
    """A word, with an asterisk in place of what depends on the dialect."""
    ends = [end for end in OF_DIALECTS if isinstance(word, str) and word.endswith(end)]
    return f"*{ends[0]}" if ends else word


def collect(keys, schemas, schema, without):
    """Adds the keys of a schema, for each the types of its values."""
    for key, value in schema["properties"].items():
        if key in without:
            continue
        kinds = keys.get(key, set()) | json_types(schemas, value)
        # Documents of older levels say nothing of some values; an ID is a number at each level.
        if key.endswith("_id") and "number" in kinds:
            kinds -= {"unknown"}
        keys[key] = kinds


def resolved(schemas, schema):
    """The schema behind references."""
    while "$ref" in schema:
        schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
    return schema


def json_types(schemas, schema):
    """The types of a value in JSON, those of lists with the types of their elements."""
    schema = resolved(schemas, schema)
    if alternatives := schema.get("anyOf") or schema.get("oneOf"):
        return set().union(*(json_types(schemas, one) for one in alternatives))
    if listed := listed_values(schema):
        return {"string" if isinstance(one, str) else "number" for one in listed}
    types = schema.get("type", "unknown")
    kinds = {"number" if one == "integer" else one for one in ([types] if isinstance(types, str) else types)}
    if "array" in kinds:
        elements = json_types(schemas, schema.get("items", {}))
        kinds = kinds - {"array"} | {f"{element}[]" for element in elements}
    return kinds


def listed_values(schema):
    """The texts and numbers to which a value is limited, if it is."""
    return [one for one in ([schema["const"]] if "const" in schema else schema.get("enum", [])) if one is not None]


# A value that is neither a text, a number nor an object: a pair of its words, and of the keys of its objects.
NOTHING = (None, None)


def values(schemas, schema, unknown):
    """
    The words to which a value is limited, and the keys of its objects, each with such a pair; elements count as their list, and a
    value of which the document says nothing as `unknown`.
    """
    schema = resolved(schemas, schema)
    if alternatives := schema.get("anyOf") or schema.get("oneOf"):
        return functools.reduce(merged, (values(schemas, one, unknown) for one in alternatives))
    if listed := listed_values(schema):
        return {of_dialects(one) for one in listed}, None
    types = schema.get("type", "unknown")
    if types == "unknown":
        return unknown, unknown
    types = {types} if isinstance(types, str) else set(types)
    found = (ANY if types & {"string", "integer", "number"} else None), None
    if "array" in types:
        found = merged(found, values(schemas, schema.get("items", {}), unknown))
    if "object" in types:
        keys, others = schema.get("properties"), schema.get("additionalProperties")
        if not keys and isinstance(others, dict) and others:
            keys = {"*": others}
        found = merged(found, (None, {key: values(schemas, one, unknown) for key, one in keys.items()} if keys else ANY))
    return found


def merged(one, other):
    """What two values have together."""
    (words, keys), (more_words, more_keys) = one, other

    def joined(these, those, join):
        if these is None or those is None:
            return those if these is None else these
        return ANY if ANY in (these, those) else join(these, those)

    def join_keys(these, those):
        return {key: merged(these.get(key, NOTHING), those.get(key, NOTHING)) for key in {**these, **those}}

    return joined(words, more_words, set.union), joined(keys, more_keys, join_keys)


def without_any(keys):
    """The words of the keys that have no other values, and of those of their objects."""
    found = {}
    for key, (words, inner) in keys.items():
        if isinstance(words, set):
            found[key] = words
        elif isinstance(inner, dict) and (closed := without_any(inner)):
            found[key] = closed
    return found


def setting_names(document):
    """For the types of events about a setting, the names that `property` may have at the level of a document."""
    schemas = document["components"]["schemas"]
    reply = document["paths"]["/register"]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
    reply = resolved(schemas, reply)["properties"]
    prefix = "realm_"
    organization = {
        key.removeprefix(prefix)
        for key, value in reply.items()
        if (key.startswith(prefix) or key in UNPREFIXED_SETTINGS) and json_types(schemas, value) & SINGLE_VALUES
    }
    user = {
        key
        for group in ("user_settings", "realm_user_settings_defaults")
        for key, value in resolved(schemas, reply.get(group, {})).get("properties", {}).items()
        if json_types(schemas, value) & SINGLE_VALUES
    }

    def part_of(event, key):
        return resolved(schemas, schemas.get(event, {}).get("properties", {}).get(key, {}))

    pictures = part_of("event.realm.update_dict", "property")
    channel = part_of("event.stream.create", "streams").get("items", {})
    subscription = part_of("event.subscription.add", "subscriptions").get("items", {})
    return {
        "realm": organization | set(listed_values(pictures)),
        "realm_user_settings_defaults": user,
        "stream": resolved(schemas, channel).get("properties", {}).keys(),
        "subscription": resolved(schemas, subscription).get("properties", {}).keys(),
        "user_settings": user,
    }


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
