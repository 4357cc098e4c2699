package chatdouble

import com.google.gson.JsonElement
import com.google.gson.JsonObject

/** A reply of control, or a part of one. `json` has all of its keys, by their names on the wire. */
public abstract class Reply internal constructor(element: JsonElement) {
    /** The reply as it came. */
    @JvmField public val json: JsonObject = element as? JsonObject ?: throw noReply("${element.toString().take(EXCERPT)} instead of an object")

    internal fun <Value> required(name: String, read: (JsonElement) -> Value): Value {
        val value = json.get(name) ?: throw noReply("it lacks '$name'")
        return readKey(name, value, read)
    }

    internal fun <Value> optional(name: String, read: (JsonElement) -> Value): Value? {
        val value = json.get(name)
        return if (value == null || value.isJsonNull) null else readKey(name, value, read)
    }

    override fun equals(other: Any?): Boolean = other is Reply && other.javaClass == javaClass && other.json == json

    override fun hashCode(): Int = json.hashCode()

    override fun toString(): String = json.toString()
}

/** A user's credentials, as a client needs them. */
public data class User(@JvmField val id: Long, @JvmField val email: String, @JvmField val apiKey: String)

/** A frame of the watch socket; `json` has what depends on its type, and an event in it is as in the API. */
public class Frame internal constructor(json: JsonElement) : Reply(json) {
    /** request, event, clock, push, queue, fault, network, rate_limit or lost. */
    @JvmField public val type: String = required("type", Read::text)

    /** The world's time, in Unix seconds. */
    @JvmField public val at: Double = required("at", Read::double)
}

internal fun noReply(why: String) = ChatdoubleException("this is no reply of chatdouble: $why")

private fun <Value> readKey(name: String, value: JsonElement, read: (JsonElement) -> Value): Value =
    try {
        read(value)
    } catch (_: IllegalArgumentException) {
        throw noReply("'$name' is ${value.toString().take(EXCERPT)}")
    }

/** Values of JSON as Kotlin's; another kind of value is an IllegalArgumentException. */
internal object Read {
    fun any(value: JsonElement): JsonElement = value

    fun text(value: JsonElement): String = primitive(value) { isString }.asString

    fun boolean(value: JsonElement): Boolean = primitive(value) { isBoolean }.asBoolean

    fun double(value: JsonElement): Double = primitive(value) { isNumber }.asDouble

    fun int(value: JsonElement): Int = primitive(value) { isNumber }.asInt

    fun long(value: JsonElement): Long = primitive(value) { isNumber }.asLong

    fun <Value> list(read: (JsonElement) -> Value): (JsonElement) -> List<Value> = { value ->
        require(value.isJsonArray)
        value.asJsonArray.map(read)
    }

    fun <Value> map(read: (JsonElement) -> Value): (JsonElement) -> Map<String, Value> = { value ->
        require(value.isJsonObject)
        value.asJsonObject.entrySet().associate { (name, inner) -> name to read(inner) }
    }

    private fun primitive(value: JsonElement, isRight: com.google.gson.JsonPrimitive.() -> Boolean) =
        value.takeIf { it.isJsonPrimitive }?.asJsonPrimitive?.also { require(it.isRight()) } ?: throw IllegalArgumentException()
}
