package chatdouble

import com.google.gson.JsonObject
import java.time.Duration
import java.time.Instant
import java.util.Base64

/** A world's clock and agenda. Jumps wait up to `waitForClientsMs` for clients that are between two polls (1,000 by default). */
public class Clock internal constructor(private val calls: Calls) {
    /** The time, in Unix seconds. */
    public fun now(): Double = state().now

    /** The items that fall due, the next one first. */
    public fun agenda(): List<AgendaItem> = state().agenda

    /** The time, whether the clock runs, and the agenda. */
    public fun state(): ClockState = ClockState(calls.get("/clock"))

    /** Advances by a span such as "1d2h30m"; all items that fall due are done before it returns. */
    @JvmOverloads
    public fun advance(by: String, waitForClientsMs: Int? = null): ClockMoved = move("advance_seconds", by, waitForClientsMs)

    /** Advances by seconds. */
    @JvmOverloads
    public fun advance(by: Number, waitForClientsMs: Int? = null): ClockMoved = move("advance_seconds", by, waitForClientsMs)

    /** Advances by a duration. */
    @JvmOverloads
    public fun advance(by: Duration, waitForClientsMs: Int? = null): ClockMoved = move("advance_seconds", by, waitForClientsMs)

    /** Advances by a duration. */
    public fun advance(by: kotlin.time.Duration, waitForClientsMs: Int? = null): ClockMoved = move("advance_seconds", by, waitForClientsMs)

    /** Advances to a time: RFC 3339, or a date. */
    @JvmOverloads
    public fun set(to: String, waitForClientsMs: Int? = null): ClockMoved = move("set", to, waitForClientsMs)

    /** Advances to a time in Unix seconds. */
    @JvmOverloads
    public fun set(to: Number, waitForClientsMs: Int? = null): ClockMoved = move("set", to, waitForClientsMs)

    /** Advances to a time. */
    @JvmOverloads
    public fun set(to: Instant, waitForClientsMs: Int? = null): ClockMoved = move("set", to, waitForClientsMs)

    /** Advances to the next item that falls due. */
    @JvmOverloads
    public fun toNext(waitForClientsMs: Int? = null): ClockMoved = move("to_next", true, waitForClientsMs)

    /** Lets the clock run with real time. */
    public fun run(): ClockMoved = move("running", true, null)

    /** Freezes the clock. */
    public fun freeze(): ClockMoved = move("running", false, null)

    private fun move(change: String, value: Any, waitForClientsMs: Int?): ClockMoved =
        ClockMoved(calls.post("/clock", mapOf(change to value, "wait_for_clients_ms" to waitForClientsMs).filterValues { it != null }))
}

/** An installed fault. Closing it removes it. */
public class Fault internal constructor(
    private val calls: Calls,
    /** The fault's id in control. */
    @JvmField public val id: String,
) : AutoCloseable {
    /**
     * Waits until it fired at so many requests, and returns at how many it did; after the timeout (3 s by default), throws
     * [VerificationFailed].
     *
     * A rule meets the requests that arrive after it: a poll that waits already is not met. A poll that a rule lets be carried out
     * counts when it is answered: with a drop "after", `truncateAt`, `garbage` or `change` it needs an event, or a jump of a minute.
     * Errors say so if the fault was removed.
     */
    @JvmOverloads
    public fun waitFired(times: Int = 1, timeoutMs: Int = PATIENCE_MS): Int =
        try {
            count(calls.wait("/journal/wait", mapOf("fault" to id, "at_least" to times), timeoutMs))
        } catch (error: ChatdoubleException) {
            if (error.status == 0 || isThere()) throw error
            throw ChatdoubleException("${error.message!!.removePrefix("$.fault: ")}; ${removed()}", error.status, error.code, error.body)
        } catch (error: VerificationFailed) {
            if (isThere()) throw error
            throw VerificationFailed("${error.message}; ${removed()}", error.status, error.count, error.body)
        }

    private fun isThere(): Boolean =
        try {
            Faults(calls).list().any { it.id == id }
        } catch (_: ChatdoubleException) {
            // The error of the wait says more.
            true
        }

    private fun removed(): String = "$id was removed, or its world was reset"

    /** Removes the fault. */
    public fun remove(): Unit = calls.delete("/faults/${encoded(id)}")

    /** Removes the fault; one that is gone already, alone, with its world or with its server, is no error. */
    override fun close(): Unit = calls.requests.leave(BAD_REQUEST, NOT_FOUND, ending = ::remove)
}

/** Failures on demand. */
public class Faults internal constructor(private val calls: Calls) {
    /** Installs a rule. */
    public fun add(rule: FaultRule): Fault =
        Fault(calls, calls.post("/faults", rule).text("fault_id") ?: throw noReply("it lacks 'fault_id'"))

    /** All installed rules, also spent ones, with how many requests each let pass and how often it fired. */
    public fun list(): List<FaultRow> = rows(calls.get("/faults"), "faults", ::FaultRow)

    /** Removes all rules. */
    public fun clear(): Unit = calls.delete("/faults")
}

/** Networks between clients and the world. */
public class Networks internal constructor(private val calls: Calls) {
    /** Puts a user's client, or all that have no network of their own, on a network. */
    public fun set(terms: NetworkTerms) {
        calls.post("/network", terms)
    }

    /** The networks, with all numbers. */
    public fun list(): List<NetworkRow> = rows(calls.get("/network"), "networks", ::NetworkRow)

    /** Ends the network of a user (an address or its handle), or all networks. */
    @JvmOverloads
    public fun clear(user: String? = null): Unit = calls.delete("/network", mapOf("user" to user))
}

/** Limits of requests, by the world's clock. */
public class RateLimits internal constructor(private val calls: Calls) {
    /** Limits the requests of a user, or of each who has no limit of their own; budgets begin whole. */
    public fun set(terms: RateLimitTerms) {
        calls.post("/rate_limit", terms)
    }

    /** The limits. */
    public fun list(): List<RateLimitRow> = rows(calls.get("/rate_limit"), "rate_limits", ::RateLimitRow)

    /** Ends the limit of a user (an address or its handle), or all limits. */
    @JvmOverloads
    public fun clear(user: String? = null): Unit = calls.delete("/rate_limit", mapOf("user" to user))
}

/** When thumbnails and previews of linked pages arrive. */
public class Previews internal constructor(private val calls: Calls) {
    /** Delays previews, by the world's clock; a delay that is left out stays as it is. */
    public fun set(delays: PreviewTerms) {
        calls.post("/previews", delays)
    }

    /** The delays; `linkSeconds` is null where links have no previews. */
    public fun delays(): PreviewDelays = PreviewDelays(calls.get("/previews"))

    /** Ends the delays: thumbnails are there at once, and links have no previews. */
    public fun clear(): Unit = calls.delete("/previews")
}

/** The requests to the API, and their replies. */
public class Journal internal constructor(private val calls: Calls) {
    /** Entries, newest last. */
    @JvmOverloads
    public fun entries(filter: JournalFilter = JournalFilter()): List<JournalEntry> =
        rows(calls.get("/journal", filter.given()), "entries", ::JournalEntry)

    /** Asserts that there were such requests and returns their number; otherwise throws [VerificationFailed]. */
    public fun verify(assertion: Assertion): Int = count(calls.post("/journal/verify", assertion))

    /** Waits until there are such requests and returns their number; after the timeout (3 s by default), throws as `verify` does. */
    @JvmOverloads
    public fun waitFor(assertion: Assertion, timeoutMs: Int = PATIENCE_MS): Int =
        count(calls.wait("/journal/wait", assertion.given(), timeoutMs))

    /** Empties the journal. */
    public fun clear(): Unit = calls.delete("/journal")
}

private fun count(reply: JsonObject): Int = reply.get("count")?.asInt ?: throw noReply("it lacks 'count'")

/** Event queues of clients. */
public class Queues internal constructor(private val calls: Calls) {
    /** All queues. */
    public fun list(): List<Queue> = rows(calls.get("/queues"), "queues", ::Queue)

    /** Loses a queue, as a restart of the server does. */
    public fun lose(id: String): Unit = calls.delete("/queues/${encoded(id)}")

    /** Waits until `count` queues of a user, or of any user, have a waiting poll; for 3 s by default. */
    @JvmOverloads
    public fun waitParked(user: String? = null, timeoutMs: Int = PATIENCE_MS, count: Int = 1): List<Queue> {
        val wanted = mapOf("user" to user, "count" to count, "parked" to true)
        return rows(calls.wait("/queues/wait", wanted, timeoutMs), "queues", ::Queue)
    }
}

/** The pushes that were handed to the push relay. */
public class Pushes internal constructor(private val calls: Calls) {
    /** Pushes, newest last; `since`: after that id. */
    @JvmOverloads
    public fun list(user: String? = null, since: Long? = null, deviceId: Long? = null): List<Push> =
        rows(calls.get("/pushes", mapOf("user" to user, "device_id" to deviceId, "since" to since)), "pushes", ::Push)

    /** Waits until there are such pushes, for 3 s by default, and returns them. */
    @JvmOverloads
    public fun waitFor(
        user: String? = null,
        timeoutMs: Int = PATIENCE_MS,
        atLeast: Int? = null,
        since: Long? = null,
        deviceId: Long? = null,
    ): List<Push> {
        val wanted = mapOf("user" to user, "device_id" to deviceId, "since" to since, "at_least" to atLeast)
        return rows(calls.wait("/pushes/wait", wanted, timeoutMs), "pushes", ::Push)
    }

    /**
     * The key that opens the sealed pushes of a user's device: 32 bytes, as NaCl's `secretbox` takes them. It is read from the
     * world's state. A user (an address or its handle) who has several devices with a key needs `deviceId`; without such a
     * device it is an error.
     */
    @JvmOverloads
    public fun key(user: String, deviceId: Long? = null): ByteArray {
        val id = rows(calls.get("/users", mapOf("user" to user)), "users", Read::any).single().asJsonObject["user_id"].asString
        val devices = calls.get("/state").member("state")?.member("realm")?.member("personal")?.member(id)?.member("devices")
        val keys = devices?.keySet().orEmpty().mapNotNull { device -> devices?.member(device)?.text("push_key")?.let { device to it } }.toMap()
        val found = if (deviceId == null) keys.values.singleOrNull() else keys["$deviceId"]
        if (found != null) return Base64.getDecoder().decode(found).drop(1).toByteArray()
        val why = when {
            deviceId != null -> "$user has no device $deviceId with a push key"
            keys.isEmpty() -> "$user has no device with a push key"
            else -> "$user has several devices with a push key: give a deviceId"
        }
        throw ChatdoubleException(if (keys.isEmpty()) why else "$why; there is ${keys.keys.joinToString()}")
    }

    /** Empties the list. */
    public fun clear(): Unit = calls.delete("/pushes")
}

/** Named states to come back to. */
public class Snapshots internal constructor(private val calls: Calls) {
    /** Takes a snapshot; one of the same name is replaced. */
    public fun save(name: String) {
        calls.post("/snapshots", mapOf("name" to name))
    }

    /** Goes back to a snapshot; queues end. */
    public fun restore(name: String) {
        calls.post("/snapshots/${encoded(name)}/restore", emptyMap<String, Any>())
    }

    /** All snapshots. */
    public fun list(): List<Snapshot> = rows(calls.get("/snapshots"), "snapshots", ::Snapshot)

    /** Removes a snapshot. */
    public fun remove(name: String): Unit = calls.delete("/snapshots/${encoded(name)}")
}
