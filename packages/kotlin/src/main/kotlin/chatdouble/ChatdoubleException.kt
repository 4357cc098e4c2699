package chatdouble

import com.google.gson.JsonElement
import com.google.gson.JsonObject

/**
 * Control refused a request, or a request got no reply.
 *
 * @property status the HTTP status, 0 without a reply
 * @property code control's code, such as BAD_REQUEST; empty without one
 * @property body the reply, if there was one
 */
public open class ChatdoubleException @JvmOverloads constructor(
    message: String,
    @JvmField public val status: Int = 0,
    @JvmField public val code: String = "",
    @JvmField public val body: JsonElement? = null,
) : RuntimeException(message) {
    init {
        stackTrace = ofTheCaller(stackTrace)
    }
}

/**
 * An assertion did not hold.
 *
 * @property status the HTTP status: 400, or 408 after a wait
 * @property count how many such requests, queues or pushes there were
 * @property body the reply, whose `nearest` has the near misses
 */
public class VerificationFailed internal constructor(
    message: String,
    @JvmField public val status: Int,
    @JvmField public val count: Int,
    @JvmField public val body: JsonElement,
) : AssertionError(message) {
    init {
        stackTrace = ofTheCaller(stackTrace)
    }
}

/** The stack from the line on that called the library. */
private fun ofTheCaller(trace: Array<StackTraceElement>): Array<StackTraceElement> {
    // A value that the library makes when it is first used is made by Kotlin's own library.
    val own = trace.dropWhile { it.className.startsWith("chatdouble.") || it.className.startsWith("kotlin.") }
    return if (own.isEmpty()) trace else own.toTypedArray()
}

/** The error for a reply other than a success, with what else there is to say. */
internal fun refusal(status: Int, body: JsonElement, request: String, otherwise: String): Throwable {
    val reply = body as? JsonObject
    val message = reply?.text("msg")
        ?: return ChatdoubleException("$request: $status, which is no reply of chatdouble: ${body.toString().take(EXCERPT)}", status, "", body)
    val code = reply.text("code") ?: ""
    val near = reply.get("nearest")?.takeIf { it.isJsonArray }?.asJsonArray?.toList() ?: emptyList()
    val count = reply.get("count")?.takeIf { it.isJsonPrimitive && it.asJsonPrimitive.isNumber }?.asInt ?: 0
    val whole = (listOf(message + otherwise) + shown(near.filterIsInstance<JsonObject>(), count)).joinToString("\n")
    if (code != "VERIFICATION_FAILED") return ChatdoubleException(whole, status, code, body)
    return VerificationFailed(whole, status, count, body)
}

/** The requests that match, and how those differ that come near. */
private fun shown(near: List<JsonObject>, count: Int): List<String> {
    val (matching, others) = near.filter { it.text("diff") != null }.partition { it.text("diff")!!.isBlank() }
    val lines = matching.mapNotNull { it.get("entry") as? JsonObject }.map { "  ${line(JournalEntry(it)).replace("\n", "\n  ")}" }
    val more = if (count > lines.size) listOf("  and ${count - lines.size} more") else emptyList()
    val matched = if (lines.isEmpty()) emptyList() else listOf("The requests that match:") + lines + more
    // Requests that differ in the same way are shown once.
    val diffs = others.map { it.text("diff")!! }.distinct()
    return matched + if (diffs.isEmpty()) emptyList() else listOf("Differences from the nearest requests:") + diffs
}

/** How many characters of a reply an error shows. */
internal const val EXCERPT: Int = 200

internal fun JsonObject.text(name: String): String? = get(name)?.takeIf { it.isJsonPrimitive }?.asString

internal fun JsonObject.member(name: String): JsonObject? = get(name) as? JsonObject
