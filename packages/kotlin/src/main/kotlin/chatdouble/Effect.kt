package chatdouble

/** What a client sees when a fault fires: exactly one of these. */
public class Effect private constructor(internal val name: String, private val value: Any, private val further: Map<String, Any?> = emptyMap()) :
    Options() {
    override fun entries(): Map<String, Any?> = mapOf(name to value) + further

    override fun toString(): String = plain(this).toString()

    public companion object {
        /** The request is carried out at once, the reply comes so many milliseconds of real time later. */
        @JvmStatic
        public fun delayMs(milliseconds: Int): Effect = Effect("delay_ms", milliseconds)

        /** The reply is an error with these and further keys; nothing is done. Without `code` and `msg` it has those of the status. */
        @JvmStatic
        @JvmOverloads
        public fun error(status: Int, code: String? = null, msg: String? = null, further: Map<String, Any?> = emptyMap()): Effect =
            Effect("error", mapOf("status" to status, "code" to code, "msg" to msg).filterValues { it != null } + further)

        /** 429, the error of a rate limit, with what the client has to wait: seconds, a span or a `Duration`; nothing is done. */
        @JvmStatic
        public fun rateLimit(retryAfter: Any): Effect = Effect("rate_limit", mapOf("retry_after" to retryAfter))

        /** The request is carried out, and top-level keys of a successful reply are changed; one with null is left out. */
        @JvmStatic
        public fun change(values: Map<String, Any?>): Effect = Effect("change", values)

        /** The words of a failed reply are in accented letters, as from a server that translates. */
        @JvmStatic
        public fun pseudoLocalize(): Effect = Effect("pseudo_localize", true)

        /** The connection closes without a reply, "before" or "after" the request is carried out; `retries`: that of repetitions too. */
        @JvmStatic
        @JvmOverloads
        public fun drop(whenever: String, retries: Boolean = false): Effect =
            Effect("drop", whenever, if (retries) mapOf("retries" to true) else emptyMap())

        /** The request is carried out, and the body of the reply breaks off after so many bytes. */
        @JvmStatic
        public fun truncateAt(bytes: Int): Effect = Effect("truncate_at", bytes)

        /** The request is carried out, and the reply is a proxy's HTML page. */
        @JvmStatic
        public fun garbage(): Effect = Effect("garbage", true)

        /** The reply is a gateway's HTML page with this HTTP status, from 400 to 599, as while a server restarts; nothing is done. */
        @JvmStatic
        public fun gateway(status: Int): Effect = Effect("gateway", status)

        /** The caller's event queues are lost, then the request is carried out. */
        @JvmStatic
        public fun loseQueue(): Effect = Effect("lose_queue", true)

        /** What a poll receives: "repeat", "hold", "one_by_one" or "unknown". */
        @JvmStatic
        public fun events(how: String): Effect = Effect("events", how)

        /** Operations that call the push relay fail: "unreachable", "server_error" or "admin_action_required". */
        @JvmStatic
        public fun bouncer(how: String): Effect = Effect("bouncer", how)
    }
}
