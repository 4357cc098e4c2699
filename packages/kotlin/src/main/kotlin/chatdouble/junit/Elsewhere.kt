package chatdouble.junit

import chatdouble.Server
import chatdouble.WorldOptions
import chatdouble.connect
import org.junit.jupiter.api.extension.ParameterResolutionException

/** Whether the tests use a server that runs already. */
internal fun isElsewhere(): Boolean = !System.getenv("CHATDOUBLE_URL").isNullOrEmpty()

/** The server at CHATDOUBLE_URL; options that only a start can give are refused. */
internal fun elsewhere(own: Map<String, Any>): Server {
    val unused = own.filterValues { it != false }.keys - OF_WORLDS - TOKEN
    if (unused.isNotEmpty()) {
        throw ParameterResolutionException(
            "$OPTIONS can't give ${unused.sorted().joinToString()} to the server at CHATDOUBLE_URL, which runs already: start it with them, or unset CHATDOUBLE_URL",
        )
    }
    return connect(controlToken = own[TOKEN] as String?)
}

/** The options of a test's world, with those of the server where the test says nothing. */
internal fun completed(wanted: WorldOptions, own: Map<String, Any>): WorldOptions {
    if ((wanted.forkOf ?: "default") != "default") return wanted
    val isFork = wanted.forkOf != null || wanted.snapshot != null
    return wanted.copy(
        clock = wanted.clock ?: own["clock"],
        dialect = wanted.dialect ?: own["dialect"],
        featureLevel = wanted.featureLevel ?: number(own, "feature_level")?.toInt(),
        fixture = wanted.fixture ?: own["fixture"].takeUnless { isFork },
        seed = wanted.seed ?: number(own, "seed"),
    )
}

private fun number(own: Map<String, Any>, name: String): Long? {
    val text = own[name]?.toString() ?: return null
    return text.toLongOrNull() ?: throw ParameterResolutionException("$name takes a whole number, not '$text'")
}

private const val TOKEN = "control_token"

/** Options of a server that the worlds of tests can have instead. */
private val OF_WORLDS = setOf("clock", "dialect", "feature_level", "fixture", "seed")
