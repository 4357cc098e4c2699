@file:JvmMultifileClass
@file:JvmName("Chatdouble")

package chatdouble

import com.google.gson.JsonElement
import java.io.IOException
import java.nio.file.Files
import java.nio.file.Path

/** A running server, started here or elsewhere. Closing it stops it, if it was started here. */
public class Server internal constructor(
    internal val requests: Requests,
    /** The token that control requires, if any. */
    @JvmField public val controlToken: String?,
    /** The certificates that clients must trust, as PEM; null without HTTPS. */
    @JvmField public val tlsCa: String?,
    private val process: Process? = null,
) : AutoCloseable {
    /** Base URL, also that of the world `default`. */
    @JvmField public val url: String = requests.url

    /** The process id, if this library started the server. */
    @JvmField public val pid: Long? = process?.pid()

    /** The options of a new world, with those that the tests' settings give to all of their worlds. */
    internal var completed: (WorldOptions) -> WorldOptions = { it }

    /** An existing world; `default`, which always exists, if no name is given. */
    @JvmOverloads
    public fun world(name: String = DEFAULT): World = World(this, name, if (name == DEFAULT) url else "$url/w/${encoded(name)}")

    /**
     * Makes a world: like `default` at the start, or as the options say. A `fixture` or `dialect` that is a [java.io.File] or a
     * [Path], or a text that ends in `.json` or has a separator of paths, is a file, relative to the current folder.
     */
    @JvmOverloads
    public fun createWorld(options: WorldOptions = WorldOptions()): World {
        checkClock("WorldOptions", options.clock)
        val whole = withDocuments(completed(options))
        val made = try {
            Made(requests.control("POST", "/worlds", whole))
        } catch (error: ChatdoubleException) {
            throw withFile(error, whole)
        }
        return World(this, made.name, made.url)
    }

    /** Rows of all worlds, or of those whose names begin with `prefix`. */
    @JvmOverloads
    public fun worlds(prefix: String? = null): List<WorldRow> =
        rows(requests.control("GET", "/worlds", filters = mapOf("prefix" to prefix)), "worlds", ::WorldRow)

    /** Deletes all worlds whose names begin with `prefix`, except `default`; returns their names. */
    public fun deleteWorlds(prefix: String): List<String> =
        rows(requests.control("DELETE", "/worlds", filters = mapOf("prefix" to prefix)), "deleted", Read::text)

    /** The server's version, its feature level and its number of worlds. */
    public fun health(): Health = Health(requests.control("GET", "/health"))

    /** What the clients of all worlds did that a real server would suffer from, also those of deleted worlds. */
    public fun report(): Report = Report(requests.control("GET", "/report"))

    /** Stops the server, if it was started here. */
    public fun stop() {
        if (process == null) return
        requests.isStopped = true
        end(process)
    }

    override fun close(): Unit = stop()

    override fun toString(): String = "Server($url)"
}

/** Connects to a running server, at the given URL or at CHATDOUBLE_URL, and asks it whether it can answer. */
@JvmOverloads
public fun connect(url: String? = null, controlToken: String? = null, tlsCa: String? = null): Server {
    val source = if (url == null) " (from CHATDOUBLE_URL; unset it to let the tests start a server)" else ""
    val there = url ?: environment("CHATDOUBLE_URL") ?: throw ChatdoubleException("no URL was given, and CHATDOUBLE_URL is not set; startServer() starts a server")
    val token = controlToken ?: environment(TOKEN_VARIABLE)
    val file = environment("CHATDOUBLE_TLS_CA")?.takeIf { there.startsWith("https:") }
    val authority = tlsCa ?: file?.let(::authorityIn)
    return Server(Requests(there, token, authority, source, isTokenGiven = controlToken != null), token, authority).also { it.health() }
}

private fun authorityIn(file: String): String =
    try {
        Files.readString(Path.of(file))
    } catch (error: IOException) {
        throw ChatdoubleException("the authority to trust can't be read: $error (from CHATDOUBLE_TLS_CA)")
    }

internal fun environment(name: String): String? = System.getenv(name)?.ifEmpty { null }

/** The elements of a list in a reply. */
internal fun <Row> rows(reply: JsonElement, name: String, read: (JsonElement) -> Row): List<Row> = Listed(reply, name, read).rows

private class Listed<Row>(reply: JsonElement, name: String, read: (JsonElement) -> Row) : Reply(reply) {
    val rows: List<Row> = required(name, Read.list(read))
}

private class Made(reply: JsonElement) : Reply(reply) {
    val name: String = required("name", Read::text)
    val url: String = required("url", Read::text)
}

internal const val DEFAULT: String = "default"
