package chatdouble

import com.google.gson.JsonElement
import com.google.gson.JsonObject

/** A world: one whole organization with its clock, faults and journal. Closing it deletes it. */
public class World internal constructor(
    /** The server that holds the world. */
    @JvmField public val server: Server,
    /** The world's name in control. */
    @JvmField public val name: String,
    /** Base URL for clients, without a slash at the end and without /api/v1. */
    @JvmField public val url: String,
) : AutoCloseable {
    private val calls = Calls(server.requests, "/worlds/${encoded(name)}")
    @JvmField public val clock: Clock = Clock(calls)
    @JvmField public val faults: Faults = Faults(calls)
    @JvmField public val network: Networks = Networks(calls)
    @JvmField public val rateLimit: RateLimits = RateLimits(calls)
    @JvmField public val previews: Previews = Previews(calls)
    @JvmField public val journal: Journal = Journal(calls)
    @JvmField public val queues: Queues = Queues(calls)
    @JvmField public val pushes: Pushes = Pushes(calls)
    @JvmField public val snapshots: Snapshots = Snapshots(calls)

    /** A user's credentials, by handle or address. */
    public fun user(handle: String): User {
        val found = try {
            users(mapOf("user" to handle)).single()
        } catch (error: ChatdoubleException) {
            if (error.status != BAD_REQUEST) throw error
            throw ChatdoubleException(unknown(error.message!!), error.status, error.code, error.body)
        }
        if (!found.isActive) throw ChatdoubleException("${found.email} is deactivated: the API refuses its key", FORBIDDEN, "USER_DEACTIVATED")
        return User(found.id, found.email, found.apiKey)
    }

    /** Makes a copy of the current state, or of a snapshot, without queues, faults, journal and snapshots. */
    @JvmOverloads
    public fun fork(options: WorldOptions = WorldOptions()): World = server.createWorld(options.copy(forkOf = name))

    /** Resets data, clock, pushes, faults, journal and report; `keep` names which of the last three are kept. */
    public fun reset(vararg keep: String) {
        calls.post("/reset", mapOf("keep" to keep.asList()))
    }

    /** What the clients of the world did that a real server would suffer from. */
    public fun report(): Report = Report(calls.get("/report"))

    /** Empties the report. */
    public fun clearReport(): Unit = calls.delete("/report")

    /** Deletes the world. */
    public fun delete(): Unit = calls.delete("")

    /** The world as a fixture document. */
    public fun state(): JsonObject = calls.get("/state").get("state") as? JsonObject ?: throw noReply("it lacks 'state'")

    /** Replaces the state with that of a document; queues end. */
    public fun putState(document: JsonObject) {
        calls.requests.control("PUT", "${calls.path}/state", document)
    }

    /** The invariants that were checked, which must hold of every world, and their violations. */
    public fun invariants(): Invariants = Invariants(calls.get("/invariants"))

    /** Raises the feature level, as an upgrade of a server does. */
    public fun upgrade(level: Int) {
        calls.post("/upgrade", mapOf("to" to level))
    }

    /** The frames of the watch socket, from now on; a frame that does not come within `timeoutMs` is an error. */
    @JvmOverloads
    public fun watch(timeoutMs: Int? = null): Watch = Watch(calls.requests, "/control${calls.path}/watch", timeoutMs)

    /** Deletes the world; one that is gone already, alone or with its server, is no error. */
    override fun close(): Unit = calls.requests.leave(NOT_FOUND, ending = ::delete)

    override fun toString(): String = "World($url)"

    private fun users(filters: Map<String, String> = emptyMap()) = rows(calls.get("/users", filters), "users", ::UserRow)

    /** The message for an unknown user, with the handles that there are. */
    private fun unknown(message: String): String {
        val handles = users().filter { it.isActive }.map { it.email.substringBefore('@') }
        val more = if (handles.size > LISTED_HANDLES) " and ${handles.size - LISTED_HANDLES} more" else ""
        return "${message.removePrefix("user: ")}\nThe active users of $name: ${handles.take(LISTED_HANDLES).joinToString()}$more"
    }
}

private class UserRow(reply: JsonElement) : Reply(reply) {
    val id: Long = required("user_id", Read::long)
    val email: String = required("email", Read::text)
    val apiKey: String = required("api_key", Read::text)
    val isActive: Boolean = required("is_active", Read::boolean)
}

/** The calls of control for one world. */
internal class Calls(val requests: Requests, val path: String) {
    fun get(path: String, filters: Map<String, Any?> = emptyMap()): JsonObject = requests.control("GET", this.path + path, filters = filters)

    fun post(path: String, body: Any): JsonObject = requests.control("POST", this.path + path, body)

    /** Waits for the program under test; the options are those without a time. */
    fun wait(path: String, options: Map<String, Any?>, timeoutMs: Int): JsonObject =
        post(path, options.filterValues { it != null } + ("timeout_ms" to timeoutMs))

    fun delete(path: String, filters: Map<String, Any?> = emptyMap()) {
        requests.control("DELETE", this.path + path, filters = filters)
    }
}

/** The default time to wait, in milliseconds. */
internal const val PATIENCE_MS: Int = 3_000
internal const val BAD_REQUEST: Int = 400
private const val FORBIDDEN = 403
internal const val NOT_FOUND: Int = 404

/** How many handles the error for an unknown user lists. */
private const val LISTED_HANDLES = 30
