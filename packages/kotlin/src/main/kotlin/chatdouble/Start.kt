@file:JvmMultifileClass
@file:JvmName("Chatdouble")

package chatdouble

import java.io.File
import java.io.IOException
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.StandardCopyOption.REPLACE_EXISTING
import java.time.Instant
import java.util.concurrent.TimeUnit.MILLISECONDS
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.concurrent.thread

/** Starts a server that ends with this process, however the process ends. */
@JvmOverloads
public fun startServer(options: StartOptions = StartOptions()): Server = startServer(options.given())

/** Starts a server with options by their names on the wire. */
internal fun startServer(options: Map<String, Any>): Server {
    checkClock("StartOptions", options["clock"])
    val folder = Files.createTempDirectory("chatdouble-").toFile()
    try {
        return started(options, folder)
    } finally {
        folder.deleteRecursively()
    }
}

private fun started(options: Map<String, Any>, folder: File): Server {
    val authority = (options["tls_ca_file"] as String?)?.let(::File) ?: File(folder, "ca.pem").takeIf { options["tls"] == true }
    val token = options["control_token"] as String? ?: environment(TOKEN_VARIABLE)
    val line = commandLine(options + listOfNotNull(authority?.let { "tls_ca_file" to it.path }))
    val builder = ProcessBuilder(listOf(binary(), "serve", "--exit-with-stdin") + line)
    if (token != null) builder.environment()[TOKEN_VARIABLE] = token
    val process = try {
        builder.start()
    } catch (error: IOException) {
        throw ChatdoubleException("chatdouble can't be started: ${error.message}${sourceOfProgram()}")
    }
    val said = Spoken(process)
    val url = process.inputStream.bufferedReader().lineSequence().firstNotNullOfOrNull { LISTENING.find(it)?.groupValues?.get(1) }
    if (url == null) {
        val status = process.waitFor()
        throw ChatdoubleException(failure(said.untilItsEnd(), status, builder.command()[0], options.keys))
    }
    said.passOn()
    val tlsCa = authority?.takeIf { url.startsWith("https:") }?.readText()
    return Server(Requests(url, token, tlsCa, end = { endOf(process) }), token, tlsCa, process)
}

/** Why a server did not start, with the variable from which the option came that it is about. */
private fun failure(said: String, status: Int, program: String, given: Set<String>): String {
    val whole = said.trim()
    val text = whole.removePrefix("error: ")
    val ended = "$program ended with status $status before it was ready"
    if (text.isEmpty()) return ended + sourceOfProgram()
    // Another program has been named.
    if (text == whole) return "$ended, and says: $text${sourceOfProgram()}"
    // A program of another version lacks options that this library always gives.
    if (text.startsWith("unexpected argument '--exit-with-stdin'")) return text + sourceOfProgram()
    val variables = System.getenv().filterKeys { it.startsWith(PREFIX) }
    val options = variables.map { (name, value) -> name.removePrefix(PREFIX).lowercase() to (name to value) }
    return withSource(text, options.filterNot { (name, _) -> name in given || name in DEFAULTS }.toMap())
}

/** A message, with the place from which the option came that it is about, if it is one of these: by name, its place and value. */
internal fun withSource(text: String, options: Map<String, Pair<String, String>>): String {
    val found = options.entries.firstOrNull { (name, source) ->
        val isNamed = Regex("--${Regex.escape(name.replace('_', '-'))}(?![\\w-])").containsMatchIn(text)
        // Only names of files and fixtures are shown without their option.
        val value = source.second
        val isShown = text.startsWith("$value: ") || (value.length > 1 && "/" in value && value in text)
        isNamed || (name !in setOf("control_token", "binary") && isShown)
    }
    return if (found == null) text else "$text (from ${found.value.first})"
}

private fun sourceOfProgram(): String = if (environment(BINARY) == null) "" else " (from $BINARY)"

/** What a server writes on standard error: until it is ready the reason of a failure, afterwards what its user has to know. */
private class Spoken(process: Process) {
    private val heard = StringBuilder()
    private var isReady = false
    private val reader = thread(isDaemon = true, name = "chatdouble") {
        try {
            process.errorStream.bufferedReader().forEachLine(::take)
        } catch (_: IOException) {
            // The server was stopped meanwhile.
        }
    }

    @Synchronized
    private fun take(line: String) {
        if (isReady) System.err.println("chatdouble: ${PLACE.replace(line, "")}") else heard.appendLine(line)
    }

    /** Lets what is written from now on be seen. */
    @Synchronized
    fun passOn() {
        isReady = true
    }

    fun untilItsEnd(): String {
        reader.join()
        return heard.toString()
    }
}

/** The command line of `serve` with these options. A token is left out, since process lists show it. */
internal fun commandLine(options: Map<String, Any>): List<String> =
    (DEFAULTS + options - "control_token").flatMap { (name, value) ->
        val option = "--${name.replace('_', '-')}"
        when (value) {
            false -> emptyList()
            true -> listOf(option)
            is Iterable<*> -> value.map { "$option=$it" }
            else -> listOf("$option=${if (value is Instant || value is Number) value else plain(value).asString}")
        }
    }

/** The path of the program: CHATDOUBLE_BINARY if set, otherwise that of this platform's jar, otherwise the one on the path. */
internal fun binary(): String =
    environment(BINARY)
        ?: packed()
        ?: (environment("PATH") ?: "").split(File.pathSeparator).map { File(it, PROGRAM) }.firstOrNull { it.canExecute() && it.isFile }?.path
        ?: throw ChatdoubleException(
            "there is no program '$PROGRAM': add the jar chatdouble-$PLATFORM to the class path, put the program on the path, or set CHATDOUBLE_BINARY",
        )

/** The program in this platform's jar, unpacked where a run before this one put it. */
private fun packed(): String? {
    val resource = Server::class.java.getResource("/chatdouble/$PLATFORM/$PROGRAM") ?: return null
    val digest = Server::class.java.getResource("/chatdouble/$PLATFORM/sha256")?.readText()?.trim() ?: return null
    val folder = Path.of(System.getProperty("user.home"), ".cache", "chatdouble", digest)
    val program = folder.resolve(PROGRAM)
    try {
        if (!Files.isExecutable(program)) {
            Files.createDirectories(folder)
            val part = Files.createTempFile(folder, "part", "")
            resource.openStream().use { Files.copy(it, part, REPLACE_EXISTING) }
            part.toFile().setExecutable(true)
            Files.move(part, program, ATOMIC_MOVE)
        }
    } catch (error: IOException) {
        throw ChatdoubleException("the program can't be unpacked into $folder ($error); name one in CHATDOUBLE_BINARY")
    }
    return program.toString()
}

/** How a server ended that no longer answers; empty if it still runs. */
private fun endOf(process: Process): String {
    // It may have closed its sockets a moment before it ends.
    if (!process.waitFor(END_MS, MILLISECONDS)) return ""
    val status = process.exitValue()
    // Java adds the number of a signal to 128, where there are signals.
    val signal = if (PLATFORM.startsWith("win32")) 0 else status - SIGNALS
    return " (the server, process ${process.pid()}, ${if (signal > 0) "was ended by signal $signal" else "ended with status $status"})"
}

internal fun end(process: Process) {
    process.outputStream.close()
    process.destroy()
    if (!process.waitFor(STOP_SECONDS, SECONDS)) process.destroyForcibly().waitFor()
    process.inputStream.close()
    if (process.exitValue() == BROKEN) throw ChatdoubleException("an invariant of a world was broken: this run proves nothing")
}

private const val PREFIX = "CHATDOUBLE_"
private const val BINARY = "CHATDOUBLE_BINARY"
private val DEFAULTS = mapOf("port" to 0, "log" to "warn")

/** The time of a line, its severity and its place in the server's source. */
private val PLACE = Regex("""^\S+Z +[A-Z]+ [\w:]+: """)
private val LISTENING = Regex("""listening on (https?://\S+)""")
private val SYSTEM = System.getProperty("os.name").lowercase()

/** The platform, by Node.js's names of systems and processors. */
private val PLATFORM = when {
    SYSTEM.startsWith("windows") -> "win32"
    SYSTEM.startsWith("mac") -> "darwin"
    else -> "linux"
} + "-" + if (System.getProperty("os.arch") in setOf("aarch64", "arm64")) "arm64" else "x64"
private val PROGRAM = if (PLATFORM.startsWith("win32")) "chatdouble.exe" else "chatdouble"
private const val STOP_SECONDS = 5L
private const val END_MS = 200L
private const val SIGNALS = 128

/** The exit status of a server in which an invariant was broken. */
private const val BROKEN = 3
