"""Declares control's requests and replies in Kotlin, from control's OpenAPI document and Python's options of a server."""

import ast
import re

from declarations import ADDED, DICTIONARIES, INSIDE, RECORDS, Document, NUMBER_OR_TEXT

HEADER = """// Requests and replies of control, made from its OpenAPI document by `packages/check --update types`.

package chatdouble

import com.google.gson.JsonElement
"""
# The query of a call, as a class.
FILTERS = {"JournalFilter": ("GET /control/worlds/{name}/journal", "Which journal entries are listed.")}
# Values that are several things, and how the texts say so.
MANY = {
    "fixture": "text or a map",
    "dialect": "text or a map",
    "clock": "text, Unix seconds or an `Instant`",
    "idle_ttl_seconds": "seconds, a span or a `Duration`",
    "seconds": "seconds, a span or a `Duration`",
}
OWN = {"match": "FaultMatch", "effect": "Effect"}


def camel(name):
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


def is_long(name):
    """Whether a whole number may be larger than a count is: ids, and what is compared to them."""
    return name in ("id", "seed", "since") or name.endswith("_id")


class Kotlin(Document):
    def __init__(self, document):
        super().__init__(document)
        self.records = {name: self.reply(operation, key) for name, (operation, key, _) in RECORDS.items()}

    def kind(self, schema):
        """A schema's type without null, and whether null is allowed; `None` is any value."""
        resolved = self.resolved(schema)
        kinds = resolved.get("type", "string" if "enum" in resolved else None)
        kinds = [kinds] if isinstance(kinds, str) else kinds or []
        nullable = "null" in kinds or {"type": "null"} in schema.get("anyOf", [])
        plain = [kind for kind in kinds if kind != "null"]
        return resolved, plain[0] if len(plain) == 1 else None, nullable

    def value(self, name, schema):
        """The Kotlin type of a value in a reply, its reader, and whether it may be null."""
        resolved, kind, nullable = self.kind(schema)
        for record, known in self.records.items():
            if known is resolved:
                return record, f"::{record}", nullable
        if kind == "array":
            inner, reader, _ = self.value("id", resolved.get("items", {}))
            return f"List<{inner}>", f"Read.list({reader})", nullable
        if kind == "object" and isinstance(resolved.get("additionalProperties"), dict):
            inner, reader, _ = self.value(name, resolved["additionalProperties"])
            return f"Map<String, {inner}>", f"Read.map({reader})", nullable
        if kind == "integer":
            return ("Long", "Read::long", nullable) if is_long(name) else ("Int", "Read::int", nullable)
        simple = {"string": ("String", "Read::text"), "number": ("Double", "Read::double"), "boolean": ("Boolean", "Read::boolean")}
        return (*simple.get(kind, ("JsonElement", "Read::any")), nullable)

    def sent(self, name, schema):
        """The Kotlin type of a value in a request."""
        if name in OWN:
            return OWN[name]
        names = {one.get("$ref", "").rsplit("/", 1)[-1] for one in (schema, *schema.get("anyOf", []))}
        if name in MANY or names & NUMBER_OR_TEXT:
            return "Any"
        return self.value(name, schema)[0]


def about(schema, whole, indent):
    text = schema.get("description") or (whole.resolved(schema).get("description") if "$ref" in schema else None)
    # A comment would begin or end within the text.
    plain = (text or "").replace("/*", "/&#42;").replace("*/", "&#42;/")
    return [f"{indent}/** {plain} */"] if text else []


def record(name, schema, text, whole):
    lines = [f"/** {text} */", f"public class {name} internal constructor(json: JsonElement) : Reply(json) {{"]
    for key, value in schema["properties"].items():
        if key in ("result", "msg"):
            continue
        kind, reader, nullable = whole.value(key, value)
        is_required = key in schema.get("required", [])
        lines += about(value, whole, "    ")
        # What may be any value is null as JSON's null.
        if is_required and (not nullable or kind == "JsonElement"):
            lines.append(f'    @JvmField public val {camel(key)}: {kind} = required("{key}", {reader})')
        else:
            lines.append(f'    @JvmField public val {camel(key)}: {kind}? = optional("{key}", {reader})')
    for key in ADDED.get(name, {}):
        lines += ["    /** The same as `faultId`. */", f"    @JvmField public val {key}: String = faultId"]
    return "\n".join([*lines, "}"])


def options(name, text, keys):
    """A class of options; `keys` has for each its type, whether it is required, and its comment."""
    first = [key for key, (_, is_required, _) in keys.items() if is_required]
    ordered = [*first, *(key for key in keys if key not in first)]
    constructor = " @JvmOverloads constructor" if first else ""
    lines = [f"/** {text} */", f"public data class {name}{constructor}("]
    for key in ordered:
        kind, is_required, comment = keys[key]
        lines += comment + [f"    @JvmField var {camel(key)}: {kind}{'' if is_required else '? = null'},"]
    lines.append(") : Options() {")
    for key in ordered:
        kind, _, comment = keys[key]
        lines += comment + [f"    public fun {camel(key)}(value: {kind}): {name} = apply {{ {camel(key)} = value }}"]
    pairs = ", ".join(f'"{key}" to {camel(key)}' for key in keys)
    lines += ["", f"    override fun entries(): Map<String, Any?> = mapOf({pairs})", "}"]
    return "\n".join(lines)


def start_options(source):
    """Python's options of a server: their types, their comments."""
    (declared,) = (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef))
    lines, found = source.splitlines(), {}
    for node in declared.body:
        if isinstance(node, ast.AnnAssign):
            comment = lines[node.lineno - 2].strip().removeprefix("#: ")
            found[node.target.id] = (ast.unparse(node.annotation), comment)
    return ast.get_docstring(declared), found


START_KINDS = {"str": "String", "int": "Int", "bool": "Boolean", "str | Sequence[str]": "List<String>"}


def kotlin(document, python_options):
    """The file of the Kotlin package that declares requests and replies."""
    whole = Kotlin(document)
    parts = [record(name, whole.records[name], text, whole) for name, (_, _, text) in RECORDS.items()]
    for name, (operation, without, _) in DICTIONARIES.items():
        schema = whole.body(operation)
        if name in INSIDE:
            schema = whole.resolved(schema["properties"][INSIDE[name]])
        required = schema.get("required", [])
        keys = {
            key: (whole.sent(key, value), key in required, about(value, whole, "    "))
            for key, value in schema["properties"].items()
            if key not in without
        }
        parts.append(options(name, schema.get("description") or "The requests that a fault applies to.", keys))
    for name, (operation, text) in FILTERS.items():
        queries = [one for one in whole.operation(operation)["parameters"] if one.get("in") == "query"]
        keys = {one["name"]: (whole.sent(one["name"], one["schema"]), False, about(one, whole, "    ")) for one in queries}
        parts.append(options(name, text, keys))
    _, listed = start_options(python_options)
    keys = {}
    for name, (kind, comment) in listed.items():
        kotlin_kind = START_KINDS.get(kind, "Any")
        kotlin_kind = "Long" if kotlin_kind == "Int" and is_long(name) else kotlin_kind
        keys[name] = (kotlin_kind, False, [f"    /** {comment} */"])
    parts.append(options("StartOptions", "Options of `chatdouble serve`.", keys))
    return HEADER + "\n" + "\n\n".join(parts) + "\n"
