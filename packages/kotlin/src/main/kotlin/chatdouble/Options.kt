package chatdouble

import com.google.gson.JsonArray
import com.google.gson.JsonElement
import com.google.gson.JsonNull
import com.google.gson.JsonObject
import com.google.gson.JsonPrimitive
import java.time.Duration
import java.time.Instant

/** What a call is given; an option that is null is left out. In Java: `new Assertion().path("/messages").exactly(1)`. */
public abstract class Options internal constructor() {
    internal abstract fun entries(): Map<String, Any?>

    internal fun given(): Map<String, Any> = entries().mapNotNull { (name, value) -> value?.let { name to it } }.toMap()
}

/** A value as control takes it: instants as RFC 3339, spans as seconds; maps keep their nulls. */
internal fun plain(value: Any?): JsonElement =
    when (value) {
        null -> JsonNull.INSTANCE
        is JsonElement -> value
        is Options -> plain(value.given())
        is Reply -> value.json
        is Document -> value.json
        is String -> JsonPrimitive(value)
        is Boolean -> JsonPrimitive(value)
        is Duration -> JsonPrimitive(value.toMillis() / MILLISECONDS)
        is kotlin.time.Duration -> JsonPrimitive(value.inWholeMilliseconds / MILLISECONDS)
        is Instant -> JsonPrimitive(value.toString())
        is Number -> JsonPrimitive(value)
        is Map<*, *> -> JsonObject().apply { value.forEach { (name, inner) -> add(name.toString(), plain(inner)) } }
        is Iterable<*> -> JsonArray().apply { value.forEach { add(plain(it)) } }
        is Array<*> -> plain(value.asList())
        else -> throw ChatdoubleException("${value.javaClass.name} is no value for control")
    }

private const val MILLISECONDS = 1000.0
