// Requests and replies of control, made from its OpenAPI document by `packages/check --update types`.

package chatdouble

import com.google.gson.JsonElement

/** An item that falls due, or did. */
public class AgendaItem internal constructor(json: JsonElement) : Reply(json) {
    /** reminder, scheduled_message, invite_expired, queue_expired, heartbeat, export, thumbnails or page_previews; the id of that kind is in the item as well. */
    @JvmField public val kind: String = required("kind", Read::text)
    /** When it falls due, in Unix seconds of the world's clock. */
    @JvmField public val at: Double = required("at", Read::double)
    /** The reminder that is sent. */
    @JvmField public val reminderId: Long? = optional("reminder_id", Read::long)
    /** The message that is sent. */
    @JvmField public val scheduledMessageId: Long? = optional("scheduled_message_id", Read::long)
    /** The invitation that expires. */
    @JvmField public val inviteId: Long? = optional("invite_id", Read::long)
    /** The event queue that expires, or whose waiting poll is answered with a heartbeat. */
    @JvmField public val queueId: String? = optional("queue_id", Read::text)
    /** The export that is completed. */
    @JvmField public val exportId: Long? = optional("export_id", Read::long)
    /** The uploaded picture whose thumbnails are made. */
    @JvmField public val pathId: String? = optional("path_id", Read::text)
    /** The message that gets previews of the pages that it links. */
    @JvmField public val messageId: Long? = optional("message_id", Read::long)
    /** The user of the item. */
    @JvmField public val userId: Long? = optional("user_id", Read::long)
}

/** The time, whether the clock runs, and the agenda. */
public class ClockState internal constructor(json: JsonElement) : Reply(json) {
    /** The time, in Unix seconds of the world's clock. */
    @JvmField public val now: Double = required("now", Read::double)
    /** Whether the clock runs with real time; otherwise it is frozen. */
    @JvmField public val running: Boolean = required("running", Read::boolean)
    /** Items that fall due, the next one first. */
    @JvmField public val agenda: List<AgendaItem> = required("agenda", Read.list(::AgendaItem))
}

/** The clock after a change, and the items that fell due. */
public class ClockMoved internal constructor(json: JsonElement) : Reply(json) {
    /** The time after the change, in Unix seconds of the world's clock. */
    @JvmField public val now: Double = required("now", Read::double)
    /** Whether the clock runs with real time; otherwise it is frozen. */
    @JvmField public val running: Boolean = required("running", Read::boolean)
    /** Items that still fall due, the next one first. */
    @JvmField public val agenda: List<AgendaItem> = required("agenda", Read.list(::AgendaItem))
    /** Milliseconds of real time for which the change waited for clients between two polls. */
    @JvmField public val waitedMs: Double = required("waited_ms", Read::double)
    /** Ids of the queues that had no waiting poll even so. */
    @JvmField public val notParked: List<String> = required("not_parked", Read.list(Read::text))
    /** Items that fell due, in their order. */
    @JvmField public val fired: List<AgendaItem> = required("fired", Read.list(::AgendaItem))
}

/** The server's version, its feature level and its number of worlds. */
public class Health internal constructor(json: JsonElement) : Reply(json) {
    /** Version of chatdouble. */
    @JvmField public val version: String = required("version", Read::text)
    /** The newest feature level of this version. */
    @JvmField public val featureLevel: Int = required("feature_level", Read::int)
    /** Number of worlds. */
    @JvmField public val worlds: Int = required("worlds", Read::int)
}

/** A row of the list of worlds. */
public class WorldRow internal constructor(json: JsonElement) : Reply(json) {
    /** Name of the world, which paths of control take. */
    @JvmField public val name: String = required("name", Read::text)
    /** Base URL for clients, without a slash at the end and without /api/v1. */
    @JvmField public val url: String = required("url", Read::text)
    /** The text with which it was made, such as the name of a test. */
    @JvmField public val label: String? = optional("label", Read::text)
    /** The feature level that it emulates. */
    @JvmField public val featureLevel: Int = required("feature_level", Read::int)
    /** neutral, zulip, or custom for a dialect of one's own. */
    @JvmField public val dialect: String = required("dialect", Read::text)
    /** Number of accounts. */
    @JvmField public val users: Int = required("users", Read::int)
    /** Number of channels. */
    @JvmField public val channels: Int = required("channels", Read::int)
    /** Number of messages. */
    @JvmField public val messages: Int = required("messages", Read::int)
    /** Number of event queues. */
    @JvmField public val queues: Int = required("queues", Read::int)
    /** The time, in Unix seconds of the world's clock. */
    @JvmField public val now: Double = required("now", Read::double)
    /** When it was made, in Unix seconds of real time. */
    @JvmField public val createdAt: Double = required("created_at", Read::double)
    /** When it was last used, in Unix seconds of real time; null before the first request. */
    @JvmField public val lastRequestAt: Double? = optional("last_request_at", Read::double)
    /** How long it may get no request, in real time, before it is deleted; null: for ever. */
    @JvmField public val idleTtlSeconds: Double? = optional("idle_ttl_seconds", Read::double)
}

/** An installed fault: its rule, and how often it fired. */
public class FaultRow internal constructor(json: JsonElement) : Reply(json) {
    /** The requests that it applies to, as they were given. */
    @JvmField public val match: JsonElement? = optional("match", Read::any)
    /** Number of requests that pass first. */
    @JvmField public val after: Int? = optional("after", Read::int)
    /** The probability that it fires, from 0 to 1. */
    @JvmField public val probability: Double? = optional("probability", Read::double)
    /** How many times it fires at most. */
    @JvmField public val times: Int? = optional("times", Read::int)
    /** The effect, by its name, as it was given. */
    @JvmField public val effect: JsonElement = required("effect", Read::any)
    /** Id in control, which removing it takes, and which replies of the fault have as X-Chatdouble-Fault. */
    @JvmField public val faultId: String = required("fault_id", Read::text)
    /** Number of matching requests that passed because of `after`, or by chance. */
    @JvmField public val passed: Int = required("passed", Read::int)
    /** Number of requests on which it fired. */
    @JvmField public val fired: Int = required("fired", Read::int)
    /** The same as `faultId`. */
    @JvmField public val id: String = faultId
}

/** A network that clients are on. */
public class NetworkRow internal constructor(json: JsonElement) : Reply(json) {
    /** Address of the user whose network it is; null for all who have none of their own. */
    @JvmField public val user: String? = optional("user", Read::text)
    /** Name of the profile, if one was given. */
    @JvmField public val profile: String? = optional("profile", Read::text)
    /** The delay of each reply, in milliseconds. */
    @JvmField public val latencyMs: Int = required("latency_ms", Read::int)
    /** The largest random delay of a reply in addition, in milliseconds. */
    @JvmField public val jitterMs: Int = required("jitter_ms", Read::int)
    /** Bytes of bodies that pass in a second, in either direction; null: no limit. */
    @JvmField public val bytesPerSecond: Int? = optional("bytes_per_second", Read::int)
    /** The share of requests whose connection breaks, from 0 to 1. */
    @JvmField public val loss: Double = required("loss", Read::double)
}

/** A limit of requests. */
public class RateLimitRow internal constructor(json: JsonElement) : Reply(json) {
    /** Address of the user whose limit it is; null for all who have none of their own. */
    @JvmField public val user: String? = optional("user", Read::text)
    /** Requests of a whole budget. */
    @JvmField public val requests: Int = required("requests", Read::int)
    /** The time in which an empty budget becomes whole, by the world's clock. */
    @JvmField public val seconds: Double = required("seconds", Read::double)
}

/** The delays of previews, in seconds. */
public class PreviewDelays internal constructor(json: JsonElement) : Reply(json) {
    /** From the upload of a picture to its thumbnails, by the world's clock. */
    @JvmField public val thumbnailSeconds: Double = required("thumbnail_seconds", Read::double)
    /** From a message to the previews of the pages that it links, by the world's clock; null: there are none. */
    @JvmField public val linkSeconds: Double? = optional("link_seconds", Read::double)
}

/** A request and its reply. */
public class JournalEntry internal constructor(json: JsonElement) : Reply(json) {
    /** Number of the entry; it rises by one. */
    @JvmField public val id: Long = required("id", Read::long)
    /** When it was answered, in Unix seconds of the world's clock. */
    @JvmField public val at: Double = required("at", Read::double)
    /** HTTP method. */
    @JvmField public val method: String = required("method", Read::text)
    /** Path without /api/v1, with placeholders filled in. */
    @JvmField public val path: String = required("path", Read::text)
    /** Address in the credentials, which may be wrong; null without credentials. */
    @JvmField public val user: String? = optional("user", Read::text)
    /** Parameters by their neutral names, as text; the key of an incoming webhook is hidden. */
    @JvmField public val params: Map<String, String> = required("params", Read.map(Read::text))
    /** HTTP status; 0 if the connection was dropped. */
    @JvmField public val status: Int = required("status", Read::int)
    /** The reply: JSON, or text if it is none. */
    @JvmField public val reply: JsonElement = required("reply", Read::any)
    /** Milliseconds of real time from the request to its reply. */
    @JvmField public val durationMs: Double = required("duration_ms", Read::double)
    /** Name of the client, without its version, from its X-Chatdouble-Client or User-Agent. */
    @JvmField public val client: String = required("client", Read::text)
    /** What would have worked: the value of the reply's header X-Chatdouble-Hint. */
    @JvmField public val hint: String? = optional("hint", Read::text)
    /** Id of the fault that fired, or `network`. */
    @JvmField public val fault: String? = optional("fault", Read::text)
    /** Positions in the world's log of the events that the request caused. */
    @JvmField public val events: List<Long> = required("events", Read.list(Read::long))
    /** True if a long parameter or reply was cut. */
    @JvmField public val truncated: Boolean? = optional("truncated", Read::boolean)
}

/** An event queue of a client. */
public class Queue internal constructor(json: JsonElement) : Reply(json) {
    /** Id in the API. */
    @JvmField public val queueId: String = required("queue_id", Read::text)
    /** Address of its user; null for a spectator. */
    @JvmField public val user: String? = optional("user", Read::text)
    /** Name of the client that registered it, without its version. */
    @JvmField public val client: String = required("client", Read::text)
    /** Whether a poll waits on it. */
    @JvmField public val parked: Boolean = required("parked", Read::boolean)
    /** Number of events that the client has not acknowledged. */
    @JvmField public val pending: Int = required("pending", Read::int)
    /** Id of its latest event; -1 if there is none. */
    @JvmField public val lastEventId: Long = required("last_event_id", Read::long)
    /** Id of the last event that the client acknowledged; -1 if there is none. */
    @JvmField public val acknowledged: Int = required("acknowledged", Read::int)
    /** The client_capabilities that the client has. */
    @JvmField public val capabilities: List<String> = required("capabilities", Read.list(Read::text))
}

/** A client with the rules that it broke. */
public class ReportedClient internal constructor(json: JsonElement) : Reply(json) {
    /** Name of the world, in a report on several. */
    @JvmField public val world: String? = optional("world", Read::text)
    /** Label of that world, such as the name of the test that made it, in one line of 200 characters at most; absent without one. */
    @JvmField public val label: String? = optional("label", Read::text)
    /** Name and version: the first word of its User-Agent. */
    @JvmField public val client: String = required("client", Read::text)
    /** Address of its user; null without valid credentials. */
    @JvmField public val user: String? = optional("user", Read::text)
    /** Number of its requests. */
    @JvmField public val requests: Int = required("requests", Read::int)
    /** When it sent the first, in Unix seconds of the world's clock. */
    @JvmField public val firstAt: Double = required("first_at", Read::double)
    /** When it sent the last, in Unix seconds of the world's clock. */
    @JvmField public val lastAt: Double = required("last_at", Read::double)
    /** Rules that it broke, the most severe first. */
    @JvmField public val findings: List<Finding> = required("findings", Read.list(::Finding))
}

/** A rule that a client broke. */
public class Finding internal constructor(json: JsonElement) : Reply(json) {
    /** Name of the rule, as `chatdouble rules` lists it. */
    @JvmField public val rule: String = required("rule", Read::text)
    /** How much it matters. */
    @JvmField public val severity: String = required("severity", Read::text)
    /** What the client did. */
    @JvmField public val message: String = required("message", Read::text)
    /** Number of requests that broke the rule. */
    @JvmField public val count: Int = required("count", Read::int)
    /** The first request that broke the rule. */
    @JvmField public val first: FindingRequest = required("first", ::FindingRequest)
    /** The last request that broke the rule. */
    @JvmField public val last: FindingRequest = required("last", ::FindingRequest)
    /** Why a real server or its users suffer from it. */
    @JvmField public val why: String = required("why", Read::text)
    /** What to do instead. */
    @JvmField public val help: String = required("help", Read::text)
}

/** A request that a finding is about. */
public class FindingRequest internal constructor(json: JsonElement) : Reply(json) {
    /** Id of the entry in the journal; null if the request was never answered. */
    @JvmField public val journalId: Long? = optional("journal_id", Read::long)
    /** When it was sent, in Unix seconds of the world's clock. */
    @JvmField public val at: Double = required("at", Read::double)
    /** The request in a line. */
    @JvmField public val request: String = required("request", Read::text)
}

/** What the clients of a world did wrong. */
public class Report internal constructor(json: JsonElement) : Reply(json) {
    /** Clients that sent requests, with their findings. */
    @JvmField public val clients: List<ReportedClient> = required("clients", Read.list(::ReportedClient))
    /** False if the report had to forget clients or findings. */
    @JvmField public val complete: Boolean = required("complete", Read::boolean)
}

/** A push that was handed to the push relay. */
public class Push internal constructor(json: JsonElement) : Reply(json) {
    /** Number of the push; it rises by one. */
    @JvmField public val id: Long = required("id", Read::long)
    /** When it was handed to the relay, in Unix seconds of the world's clock. */
    @JvmField public val at: Double = required("at", Read::double)
    /** What it is: message, remove, test and so on. */
    @JvmField public val kind: String = required("kind", Read::text)
    /** Address of the user whose device it is for. */
    @JvmField public val user: String? = optional("user", Read::text)
    /** Id of the device, if it is registered with one. */
    @JvmField public val deviceId: Long? = optional("device_id", Read::long)
    /** The device's token, if it is registered with one of the older kind. */
    @JvmField public val token: String? = optional("token", Read::text)
    /** The notification in the clear. */
    @JvmField public val payload: JsonElement = required("payload", Read::any)
    /** What the relay passes on; null for registrations, which stay with it. */
    @JvmField public val wire: PushWire? = optional("wire", ::PushWire)
}

/** A push as the push relay carries it. */
public class PushWire internal constructor(json: JsonElement) : Reply(json) {
    /** The service of the device: fcm or apns. */
    @JvmField public val provider: String = required("provider", Read::text)
    /** Id of the key with which it is encrypted. */
    @JvmField public val pushKeyId: Long? = optional("push_key_id", Read::long)
    /** The encrypted notification, in Base64. */
    @JvmField public val encryptedData: String? = optional("encrypted_data", Read::text)
    /** The message as the service takes it. */
    @JvmField public val envelope: JsonElement = required("envelope", Read::any)
}

/** A snapshot that was taken. */
public class Snapshot internal constructor(json: JsonElement) : Reply(json) {
    /** Name, which restoring it takes. */
    @JvmField public val name: String = required("name", Read::text)
    /** The time of the world's clock in it, in Unix seconds. */
    @JvmField public val at: Double = required("at", Read::double)
}

/** An invariant that does not hold. */
public class Violation internal constructor(json: JsonElement) : Reply(json) {
    /** Name of the invariant. */
    @JvmField public val invariant: String = required("invariant", Read::text)
    /** What does not hold, in words. */
    @JvmField public val what: String = required("what", Read::text)
}

/** The invariants that were checked, and their violations. */
public class Invariants internal constructor(json: JsonElement) : Reply(json) {
    /** Names of the invariants that were checked. */
    @JvmField public val checked: List<String> = required("checked", Read.list(Read::text))
    /** What does not hold; empty in a sound world. */
    @JvmField public val violations: List<Violation> = required("violations", Read.list(::Violation))
}

/** A world to create, from a fixture, from a state or as a fork. */
public data class WorldOptions(
    /** 1 to 63 of a-z, 0-9 and '-', not '-' at either end; generated by default. */
    @JvmField var name: String? = null,
    /** A built-in fixture's name, a fixture document or a state; the server's fixture by default. */
    @JvmField var fixture: Any? = null,
    /** Name of the world to fork; can't be combined with `fixture`. */
    @JvmField var forkOf: String? = null,
    /** Name of a snapshot of the world in `fork_of` to start with; its present state by default. */
    @JvmField var snapshot: String? = null,
    /** The feature level that it emulates, from 0; that of the forked world or the server's by default. */
    @JvmField var featureLevel: Int? = null,
    /** neutral, zulip or a dialect document; that of the forked world or the server's by default. */
    @JvmField var dialect: Any? = null,
    /** How its clock starts. `frozen` stops it at the time that the world would start with otherwise. */
    @JvmField var clock: Any? = null,
    /** The seed of the world's random generator, from which keys and addresses follow. */
    @JvmField var seed: Long? = null,
    /** Whether the world is also served on a port of its own; false by default. */
    @JvmField var listen: Boolean? = null,
    /** Any text, such as the name of a test. */
    @JvmField var label: String? = null,
    /** How long it may have neither a request nor a parked poll, in real time, before it is deleted; at least 1 second. */
    @JvmField var idleTtlSeconds: Any? = null,
    /** Whether it may replace an existing world of its name; false by default. */
    @JvmField var replace: Boolean? = null,
) : Options() {
    /** 1 to 63 of a-z, 0-9 and '-', not '-' at either end; generated by default. */
    public fun name(value: String): WorldOptions = apply { name = value }
    /** A built-in fixture's name, a fixture document or a state; the server's fixture by default. */
    public fun fixture(value: Any): WorldOptions = apply { fixture = value }
    /** Name of the world to fork; can't be combined with `fixture`. */
    public fun forkOf(value: String): WorldOptions = apply { forkOf = value }
    /** Name of a snapshot of the world in `fork_of` to start with; its present state by default. */
    public fun snapshot(value: String): WorldOptions = apply { snapshot = value }
    /** The feature level that it emulates, from 0; that of the forked world or the server's by default. */
    public fun featureLevel(value: Int): WorldOptions = apply { featureLevel = value }
    /** neutral, zulip or a dialect document; that of the forked world or the server's by default. */
    public fun dialect(value: Any): WorldOptions = apply { dialect = value }
    /** How its clock starts. `frozen` stops it at the time that the world would start with otherwise. */
    public fun clock(value: Any): WorldOptions = apply { clock = value }
    /** The seed of the world's random generator, from which keys and addresses follow. */
    public fun seed(value: Long): WorldOptions = apply { seed = value }
    /** Whether the world is also served on a port of its own; false by default. */
    public fun listen(value: Boolean): WorldOptions = apply { listen = value }
    /** Any text, such as the name of a test. */
    public fun label(value: String): WorldOptions = apply { label = value }
    /** How long it may have neither a request nor a parked poll, in real time, before it is deleted; at least 1 second. */
    public fun idleTtlSeconds(value: Any): WorldOptions = apply { idleTtlSeconds = value }
    /** Whether it may replace an existing world of its name; false by default. */
    public fun replace(value: Boolean): WorldOptions = apply { replace = value }

    override fun entries(): Map<String, Any?> = mapOf("name" to name, "fixture" to fixture, "fork_of" to forkOf, "snapshot" to snapshot, "feature_level" to featureLevel, "dialect" to dialect, "clock" to clock, "seed" to seed, "listen" to listen, "label" to label, "idle_ttl_seconds" to idleTtlSeconds, "replace" to replace)
}

/** A failure to cause in the requests that match. */
public data class FaultRule @JvmOverloads constructor(
    /** Exactly one effect, by its name. */
    @JvmField var effect: Effect,
    /** Which requests the fault is for; all by default. */
    @JvmField var match: FaultMatch? = null,
    /** Number of matching requests that pass before the fault may fire; 0 by default. */
    @JvmField var after: Int? = null,
    /** The probability that it fires for a matching request, from 0 to 1; it always fires by default. */
    @JvmField var probability: Double? = null,
    /** How many times it fires at most, from 1; without limit by default. */
    @JvmField var times: Int? = null,
) : Options() {
    /** Exactly one effect, by its name. */
    public fun effect(value: Effect): FaultRule = apply { effect = value }
    /** Which requests the fault is for; all by default. */
    public fun match(value: FaultMatch): FaultRule = apply { match = value }
    /** Number of matching requests that pass before the fault may fire; 0 by default. */
    public fun after(value: Int): FaultRule = apply { after = value }
    /** The probability that it fires for a matching request, from 0 to 1; it always fires by default. */
    public fun probability(value: Double): FaultRule = apply { probability = value }
    /** How many times it fires at most, from 1; without limit by default. */
    public fun times(value: Int): FaultRule = apply { times = value }

    override fun entries(): Map<String, Any?> = mapOf("match" to match, "after" to after, "probability" to probability, "times" to times, "effect" to effect)
}

/** The requests that a fault applies to. */
public data class FaultMatch(
    /** HTTP method, in capitals. */
    @JvmField var method: String? = null,
    /** Path of an operation with its placeholders, or of a kind of files such as /static/&#42;. */
    @JvmField var path: String? = null,
    /** The caller, by email address or handle. */
    @JvmField var user: String? = null,
    /** Parameters that a request must have, with their values as text. */
    @JvmField var params: Map<String, String>? = null,
) : Options() {
    /** HTTP method, in capitals. */
    public fun method(value: String): FaultMatch = apply { method = value }
    /** Path of an operation with its placeholders, or of a kind of files such as /static/&#42;. */
    public fun path(value: String): FaultMatch = apply { path = value }
    /** The caller, by email address or handle. */
    public fun user(value: String): FaultMatch = apply { user = value }
    /** Parameters that a request must have, with their values as text. */
    public fun params(value: Map<String, String>): FaultMatch = apply { params = value }

    override fun entries(): Map<String, Any?> = mapOf("method" to method, "path" to path, "user" to user, "params" to params)
}

/** A network: a profile, numbers, or a profile with some numbers replaced. */
public data class NetworkTerms(
    /** Whose network, by email address or handle; by default that of all users who have none of their own. */
    @JvmField var user: String? = null,
    /** The built-in profile for the numbers that are left out; without one, they limit nothing. */
    @JvmField var profile: String? = null,
    /** The delay of each reply, in milliseconds of real time. */
    @JvmField var latencyMs: Int? = null,
    /** The largest random delay of a reply in addition, in milliseconds. */
    @JvmField var jitterMs: Int? = null,
    /** Bytes of bodies that pass in a second, in either direction, from 1. */
    @JvmField var bytesPerSecond: Int? = null,
    /** The share of requests whose connection breaks, from 0 to 1: half of them before they are carried out. */
    @JvmField var loss: Double? = null,
) : Options() {
    /** Whose network, by email address or handle; by default that of all users who have none of their own. */
    public fun user(value: String): NetworkTerms = apply { user = value }
    /** The built-in profile for the numbers that are left out; without one, they limit nothing. */
    public fun profile(value: String): NetworkTerms = apply { profile = value }
    /** The delay of each reply, in milliseconds of real time. */
    public fun latencyMs(value: Int): NetworkTerms = apply { latencyMs = value }
    /** The largest random delay of a reply in addition, in milliseconds. */
    public fun jitterMs(value: Int): NetworkTerms = apply { jitterMs = value }
    /** Bytes of bodies that pass in a second, in either direction, from 1. */
    public fun bytesPerSecond(value: Int): NetworkTerms = apply { bytesPerSecond = value }
    /** The share of requests whose connection breaks, from 0 to 1: half of them before they are carried out. */
    public fun loss(value: Double): NetworkTerms = apply { loss = value }

    override fun entries(): Map<String, Any?> = mapOf("user" to user, "profile" to profile, "latency_ms" to latencyMs, "jitter_ms" to jitterMs, "bytes_per_second" to bytesPerSecond, "loss" to loss)
}

/** A budget of requests that refills with the world's clock. */
public data class RateLimitTerms @JvmOverloads constructor(
    /** Number of requests in a full budget, from 1 to 1,000,000. */
    @JvmField var requests: Int,
    /** The time in which an empty budget refills, by the world's clock; more than 0, and at most 100 years. */
    @JvmField var seconds: Any,
    /** Whose requests, by email address or handle; by default those of each user without a limit of their own. */
    @JvmField var user: String? = null,
) : Options() {
    /** Number of requests in a full budget, from 1 to 1,000,000. */
    public fun requests(value: Int): RateLimitTerms = apply { requests = value }
    /** The time in which an empty budget refills, by the world's clock; more than 0, and at most 100 years. */
    public fun seconds(value: Any): RateLimitTerms = apply { seconds = value }
    /** Whose requests, by email address or handle; by default those of each user without a limit of their own. */
    public fun user(value: String): RateLimitTerms = apply { user = value }

    override fun entries(): Map<String, Any?> = mapOf("user" to user, "requests" to requests, "seconds" to seconds)
}

/** How long thumbnails and link previews take; a delay that is left out stays as it is. */
public data class PreviewTerms(
    /** Time from the upload of a picture to its thumbnails, by the world's clock; 0 at first. */
    @JvmField var thumbnailSeconds: Any? = null,
    /** Time from a message to the previews of its links, by the world's clock; there are none until this is set. */
    @JvmField var linkSeconds: Any? = null,
) : Options() {
    /** Time from the upload of a picture to its thumbnails, by the world's clock; 0 at first. */
    public fun thumbnailSeconds(value: Any): PreviewTerms = apply { thumbnailSeconds = value }
    /** Time from a message to the previews of its links, by the world's clock; there are none until this is set. */
    public fun linkSeconds(value: Any): PreviewTerms = apply { linkSeconds = value }

    override fun entries(): Map<String, Any?> = mapOf("thumbnail_seconds" to thumbnailSeconds, "link_seconds" to linkSeconds)
}

/** Which requests the journal must have, and how many. */
public data class Assertion(
    /** HTTP method, in capitals. */
    @JvmField var method: String? = null,
    /** Path, filled in or with the placeholders of an operation; with or without `/api/v1` or `/json`. */
    @JvmField var path: String? = null,
    /** The caller, by email address or handle. */
    @JvmField var user: String? = null,
    /** Parameters that a request must have, with their values as text. */
    @JvmField var params: Map<String, String>? = null,
    /** HTTP status of the reply; 0 for a dropped connection. */
    @JvmField var status: Int? = null,
    /** ID of the fault that fired for the request; `network` for losses of a network. */
    @JvmField var fault: String? = null,
    /** The minimum number of such requests; 1 if neither `at_most` nor `exactly` is given. */
    @JvmField var atLeast: Int? = null,
    /** The maximum number of such requests. */
    @JvmField var atMost: Int? = null,
    /** The exact number; can't be combined with `at_least` or `at_most`. */
    @JvmField var exactly: Int? = null,
) : Options() {
    /** HTTP method, in capitals. */
    public fun method(value: String): Assertion = apply { method = value }
    /** Path, filled in or with the placeholders of an operation; with or without `/api/v1` or `/json`. */
    public fun path(value: String): Assertion = apply { path = value }
    /** The caller, by email address or handle. */
    public fun user(value: String): Assertion = apply { user = value }
    /** Parameters that a request must have, with their values as text. */
    public fun params(value: Map<String, String>): Assertion = apply { params = value }
    /** HTTP status of the reply; 0 for a dropped connection. */
    public fun status(value: Int): Assertion = apply { status = value }
    /** ID of the fault that fired for the request; `network` for losses of a network. */
    public fun fault(value: String): Assertion = apply { fault = value }
    /** The minimum number of such requests; 1 if neither `at_most` nor `exactly` is given. */
    public fun atLeast(value: Int): Assertion = apply { atLeast = value }
    /** The maximum number of such requests. */
    public fun atMost(value: Int): Assertion = apply { atMost = value }
    /** The exact number; can't be combined with `at_least` or `at_most`. */
    public fun exactly(value: Int): Assertion = apply { exactly = value }

    override fun entries(): Map<String, Any?> = mapOf("method" to method, "path" to path, "user" to user, "params" to params, "status" to status, "fault" to fault, "at_least" to atLeast, "at_most" to atMost, "exactly" to exactly)
}

/** Which journal entries are listed. */
public data class JournalFilter(
    /** Only requests with this HTTP method. */
    @JvmField var method: String? = null,
    /** Only requests for this path, filled in or with the placeholders of an operation. */
    @JvmField var path: String? = null,
    /** Only requests of this user: an address or its handle. */
    @JvmField var user: String? = null,
    /** Only requests that were answered with this HTTP status. */
    @JvmField var status: Int? = null,
    /** Only requests at which the fault with this id fired, or `network`. */
    @JvmField var fault: String? = null,
    /** Only entries after the one with this id. */
    @JvmField var since: Long? = null,
    /** The maximum number; the newest are returned. */
    @JvmField var limit: Int? = null,
) : Options() {
    /** Only requests with this HTTP method. */
    public fun method(value: String): JournalFilter = apply { method = value }
    /** Only requests for this path, filled in or with the placeholders of an operation. */
    public fun path(value: String): JournalFilter = apply { path = value }
    /** Only requests of this user: an address or its handle. */
    public fun user(value: String): JournalFilter = apply { user = value }
    /** Only requests that were answered with this HTTP status. */
    public fun status(value: Int): JournalFilter = apply { status = value }
    /** Only requests at which the fault with this id fired, or `network`. */
    public fun fault(value: String): JournalFilter = apply { fault = value }
    /** Only entries after the one with this id. */
    public fun since(value: Long): JournalFilter = apply { since = value }
    /** The maximum number; the newest are returned. */
    public fun limit(value: Int): JournalFilter = apply { limit = value }

    override fun entries(): Map<String, Any?> = mapOf("method" to method, "path" to path, "user" to user, "status" to status, "fault" to fault, "since" to since, "limit" to limit)
}

/** Options of `chatdouble serve`. */
public data class StartOptions(
    /** `real` (the default), `frozen`, or an instant at which the clock is frozen. */
    @JvmField var clock: Any? = null,
    /** The origin of web pages that may call the API; `*` for all (the default). */
    @JvmField var corsOrigin: String? = null,
    /** The token that control requires. */
    @JvmField var controlToken: String? = null,
    /** `neutral` (the default), `zulip` or a file. */
    @JvmField var dialect: String? = null,
    /** The feature level of the world `default`; the newest by default. */
    @JvmField var featureLevel: Int? = null,
    /** A built-in fixture's name, or a file. */
    @JvmField var fixture: String? = null,
    /** The address to listen on; both loopback families by default. */
    @JvmField var host: String? = null,
    /** Names at which the server gives out keys, as development servers do. */
    @JvmField var hostName: List<String>? = null,
    /** The level of messages on standard error: off, error, warn (the default), info, debug or trace. */
    @JvmField var log: String? = null,
    /** Whether there is no world at the root, as on a server of many organizations. */
    @JvmField var noRootWorld: Boolean? = null,
    /** Whether the console opens in the browser of this desk. */
    @JvmField var open: Boolean? = null,
    /** The port to listen on; a free one by default. */
    @JvmField var port: Int? = null,
    /** A file to which the server writes its port. */
    @JvmField var portFile: String? = null,
    /** The seed of all random values. */
    @JvmField var seed: Long? = null,
    /** A file from which the default world is read where it exists, and to which it is written. */
    @JvmField var state: String? = null,
    /** How often that file is written while the world changes: seconds (30 by default), or a span; 0: only at the end. */
    @JvmField var stateEvery: Any? = null,
    /** Whether the server speaks HTTPS, with a certificate that it makes. */
    @JvmField var tls: Boolean? = null,
    /** A file to which the server writes the certificate that clients have to trust (PEM). */
    @JvmField var tlsCaFile: String? = null,
    /** A file with the certificate of the server (PEM). */
    @JvmField var tlsCert: String? = null,
    /** A file with the private key of that certificate (PEM). */
    @JvmField var tlsKey: String? = null,
    /** Further names and addresses for which the certificate that the server makes is valid. */
    @JvmField var tlsName: List<String>? = null,
    /** Where outgoing webhooks may post: `loopback` (the default) or `anywhere`. */
    @JvmField var webhooks: String? = null,
    /** How long worlds may get no request before they are deleted: seconds, or a span such as `1d2h30m`. */
    @JvmField var worldTtl: Any? = null,
) : Options() {
    /** `real` (the default), `frozen`, or an instant at which the clock is frozen. */
    public fun clock(value: Any): StartOptions = apply { clock = value }
    /** The origin of web pages that may call the API; `*` for all (the default). */
    public fun corsOrigin(value: String): StartOptions = apply { corsOrigin = value }
    /** The token that control requires. */
    public fun controlToken(value: String): StartOptions = apply { controlToken = value }
    /** `neutral` (the default), `zulip` or a file. */
    public fun dialect(value: String): StartOptions = apply { dialect = value }
    /** The feature level of the world `default`; the newest by default. */
    public fun featureLevel(value: Int): StartOptions = apply { featureLevel = value }
    /** A built-in fixture's name, or a file. */
    public fun fixture(value: String): StartOptions = apply { fixture = value }
    /** The address to listen on; both loopback families by default. */
    public fun host(value: String): StartOptions = apply { host = value }
    /** Names at which the server gives out keys, as development servers do. */
    public fun hostName(value: List<String>): StartOptions = apply { hostName = value }
    /** The level of messages on standard error: off, error, warn (the default), info, debug or trace. */
    public fun log(value: String): StartOptions = apply { log = value }
    /** Whether there is no world at the root, as on a server of many organizations. */
    public fun noRootWorld(value: Boolean): StartOptions = apply { noRootWorld = value }
    /** Whether the console opens in the browser of this desk. */
    public fun open(value: Boolean): StartOptions = apply { open = value }
    /** The port to listen on; a free one by default. */
    public fun port(value: Int): StartOptions = apply { port = value }
    /** A file to which the server writes its port. */
    public fun portFile(value: String): StartOptions = apply { portFile = value }
    /** The seed of all random values. */
    public fun seed(value: Long): StartOptions = apply { seed = value }
    /** A file from which the default world is read where it exists, and to which it is written. */
    public fun state(value: String): StartOptions = apply { state = value }
    /** How often that file is written while the world changes: seconds (30 by default), or a span; 0: only at the end. */
    public fun stateEvery(value: Any): StartOptions = apply { stateEvery = value }
    /** Whether the server speaks HTTPS, with a certificate that it makes. */
    public fun tls(value: Boolean): StartOptions = apply { tls = value }
    /** A file to which the server writes the certificate that clients have to trust (PEM). */
    public fun tlsCaFile(value: String): StartOptions = apply { tlsCaFile = value }
    /** A file with the certificate of the server (PEM). */
    public fun tlsCert(value: String): StartOptions = apply { tlsCert = value }
    /** A file with the private key of that certificate (PEM). */
    public fun tlsKey(value: String): StartOptions = apply { tlsKey = value }
    /** Further names and addresses for which the certificate that the server makes is valid. */
    public fun tlsName(value: List<String>): StartOptions = apply { tlsName = value }
    /** Where outgoing webhooks may post: `loopback` (the default) or `anywhere`. */
    public fun webhooks(value: String): StartOptions = apply { webhooks = value }
    /** How long worlds may get no request before they are deleted: seconds, or a span such as `1d2h30m`. */
    public fun worldTtl(value: Any): StartOptions = apply { worldTtl = value }

    override fun entries(): Map<String, Any?> = mapOf("clock" to clock, "cors_origin" to corsOrigin, "control_token" to controlToken, "dialect" to dialect, "feature_level" to featureLevel, "fixture" to fixture, "host" to host, "host_name" to hostName, "log" to log, "no_root_world" to noRootWorld, "open" to open, "port" to port, "port_file" to portFile, "seed" to seed, "state" to state, "state_every" to stateEvery, "tls" to tls, "tls_ca_file" to tlsCaFile, "tls_cert" to tlsCert, "tls_key" to tlsKey, "tls_name" to tlsName, "webhooks" to webhooks, "world_ttl" to worldTtl)
}
