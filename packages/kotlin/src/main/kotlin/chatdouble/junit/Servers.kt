package chatdouble.junit

import chatdouble.ChatdoubleException
import chatdouble.Document
import chatdouble.Server
import chatdouble.WorldOptions
import chatdouble.connect
import chatdouble.documentIn
import chatdouble.isFile
import chatdouble.nearest
import chatdouble.startServer
import chatdouble.withSource
import java.io.File
import java.util.concurrent.ConcurrentHashMap

/** Whether the tests use a server that runs already. */
internal fun isElsewhere(): Boolean = !System.getenv("CHATDOUBLE_URL").isNullOrEmpty()

/** The server at CHATDOUBLE_URL; options that only a start can give are refused. `tls` is accepted where it speaks HTTPS. */
internal fun elsewhere(own: Map<String, Any>, place: String?): Server {
    val isSecured = System.getenv("CHATDOUBLE_URL").startsWith("https:", ignoreCase = true)
    val unused = own.filterValues { it != false }.keys - OF_WORLDS - TOKEN - (if (isSecured) setOf("tls") else emptySet())
    if (unused.isNotEmpty()) {
        val source = if ("tls" in unused) "it with them, for tls by exec --tls," else "it with them,"
        throw ChatdoubleException(
            "$OPTIONS can't give ${unused.sorted().joinToString()} to the server at CHATDOUBLE_URL, which runs already: start $source or unset CHATDOUBLE_URL",
        )
    }
    // A mistake is one of all tests, also of those that have options of their own, as where a server is started.
    for (name in BUILT_IN.keys) forControl(name, own, place)
    return connect(controlToken = own[TOKEN] as String?).also { server -> server.completed = { completed(it, own, place) } }
}

/**
 * An option of the server as one of worlds: the name of a built-in fixture or dialect, or the document in the file. Control takes no
 * files: the server that runs already may have another folder, or be on another machine.
 */
private fun forControl(name: String, own: Map<String, Any>, place: String?): Any? {
    val given = own[name] as? String ?: return own[name]
    val names = BUILT_IN.getValue(name)
    if (given in names) return given
    val otherwise = if (isFile(given)) "" else "; it is no built-in $name either, of which the nearest is '${nearest(given, names)}'"
    return READ.computeIfAbsent(File(given).absoluteFile) { documentIn(name, it, "$otherwise (from ${place ?: "StartOptions"})") }
}

/** A server for the tests of this JVM, whose errors name the place of the options, if these are texts. */
internal fun started(own: Map<String, Any>, place: String?): Server {
    try {
        return startServer(defaultClock() + own)
    } catch (error: ChatdoubleException) {
        if (place == null) throw error
        throw ChatdoubleException(withSource(error.message!!, own.mapValues { (_, value) -> place to "$value" }))
    }
}

private fun defaultClock(): Map<String, Any> =
    if (System.getenv("CHATDOUBLE_CLOCK").isNullOrEmpty()) mapOf("clock" to "frozen") else emptyMap()

/** The options of a test's world: a fork of `default` unless they name an origin. */
internal fun ofATest(wanted: WorldOptions, label: String): WorldOptions {
    val origin = wanted.forkOf ?: if (wanted.fixture == null) "default" else null
    return wanted.copy(forkOf = origin, label = wanted.label ?: label)
}

/** The options of a test's world, with those of the server where the test says nothing. */
internal fun completed(wanted: WorldOptions, own: Map<String, Any>, place: String?): WorldOptions {
    if ((wanted.forkOf ?: "default") != "default") return wanted
    val isFork = wanted.forkOf != null || wanted.snapshot != null
    return wanted.copy(
        clock = wanted.clock ?: (defaultClock() + own)["clock"],
        dialect = wanted.dialect ?: forControl("dialect", own, place),
        featureLevel = wanted.featureLevel ?: number(own, "feature_level")?.toInt(),
        fixture = wanted.fixture ?: if (isFork) null else forControl("fixture", own, place),
        seed = wanted.seed ?: number(own, "seed"),
    )
}

/** An option and its value as two words, as command lines have them. */
private val TWO_WORDS = Regex("(--[\\w-]+)\\s+(?!-)([^\\s=]+)(?=\\s|$)")

/** Options of `serve` in a text, with or without dashes: `dialect=zulip --tls`, `--dialect zulip`. */
internal fun optionsOf(text: String): Map<String, Any> =
    text.replace(TWO_WORDS, "$1=$2").split(Regex("\\s+")).filter { it.isNotEmpty() }.associate { one ->
        one.substringBefore('=').trimStart('-').replace('-', '_') to if ('=' in one) one.substringAfter('=') else true
    }

/** Refuses parameters, and properties of the JVM, that begin with `chatdouble.` and that there are not. */
internal fun checkNames(parameters: Collection<String> = emptyList()) {
    val system = System.getProperties().stringPropertyNames()
    val unknown = (parameters + system).filter { it.startsWith(PREFIX) && it !in KNOWN }.minOrNull() ?: return
    throw ChatdoubleException(
        "there is no parameter $unknown; there are ${KNOWN.joinToString()}; the nearest is $PREFIX${nearest(unknown.removePrefix(PREFIX), KNOWN.map { it.removePrefix(PREFIX) })}",
    )
}

private fun number(own: Map<String, Any>, name: String): Long? {
    val text = own[name]?.toString() ?: return null
    return text.toLongOrNull() ?: throw ChatdoubleException("$name takes a whole number, not '$text'")
}

internal const val OPTIONS = "chatdouble.options"
internal const val FAIL_ON = "chatdouble.fail_on"
private const val PREFIX = "chatdouble."
private val KNOWN = listOf(OPTIONS, FAIL_ON)
private const val TOKEN = "control_token"

/** Options of a server that the worlds of tests can have instead. */
private val OF_WORLDS = setOf("clock", "dialect", "feature_level", "fixture", "seed")

/** The names of fixtures and dialects that need no file. */
private val BUILT_IN = mapOf("fixture" to listOf("default", "cast", "empty", "hostile", "large"), "dialect" to listOf("neutral", "zulip"))

/** What this JVM has read for its tests, each file once. */
private val READ = ConcurrentHashMap<File, Document>()
