package chatdouble.junit

import chatdouble.ChatdoubleException
import chatdouble.JournalFilter
import chatdouble.ReportedClient
import chatdouble.Server
import chatdouble.StartOptions
import chatdouble.World
import chatdouble.WorldOptions
import chatdouble.line
import chatdouble.startServer
import chatdouble.withSource
import java.lang.reflect.AnnotatedElement
import java.util.stream.Stream
import org.junit.jupiter.api.RepeatedTest
import org.junit.jupiter.api.extension.AfterEachCallback
import org.junit.jupiter.api.extension.ExtendWith
import org.junit.jupiter.api.extension.ExtensionContext
import org.junit.jupiter.api.extension.ExtensionContext.Namespace
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource
import org.junit.jupiter.api.extension.ParameterContext
import org.junit.jupiter.api.extension.ParameterResolutionException
import org.junit.jupiter.api.extension.ParameterResolver
import org.junit.jupiter.api.extension.TestTemplateInvocationContext
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider
import org.junit.platform.commons.support.AnnotationSupport.findAnnotation
import org.junit.platform.commons.support.AnnotationSupport.findRepeatableAnnotations
import org.junit.platform.commons.support.AnnotationSupport.isAnnotated

/**
 * A server for the run, a world for each test; [ChatdoubleTest] registers it.
 *
 * The server is the one at CHATDOUBLE_URL, or one that is started for this JVM. Parameters of the JUnit platform:
 * `chatdouble.options` has options of `serve`, such as `dialect=zulip tls`; `chatdouble.fail_on` is the default of
 * `failOn`. For the server at CHATDOUBLE_URL, which runs already, `clock`, `dialect`, `feature_level`, `fixture` and `seed` are
 * options of the tests' worlds instead; others are refused. As a field with `@RegisterExtension` it takes the options as values.
 */
public class ChatdoubleExtension @JvmOverloads constructor(
    private val worldOptions: WorldOptions = WorldOptions(),
    private val startOptions: StartOptions? = null,
    private val failOn: String? = null,
) : ParameterResolver,
    AfterEachCallback,
    TestTemplateInvocationContextProvider {
    override fun supportsParameter(parameter: ParameterContext, context: ExtensionContext): Boolean =
        parameter.parameter.type == World::class.java || parameter.parameter.type == Server::class.java

    override fun resolveParameter(parameter: ParameterContext, context: ExtensionContext): Any {
        if (parameter.parameter.type == Server::class.java) return server(context)
        if (context.testMethod.isEmpty) {
            throw ParameterResolutionException("a world belongs to one test: take it as a parameter of a test or of a @BeforeEach method")
        }
        return context.getStore(SPACE).getOrComputeIfAbsent(WORLD, { Lent(made(context)) }, Lent::class.java).world
    }

    override fun afterEach(context: ExtensionContext) {
        val world = context.getStore(SPACE).get(WORLD, Lent::class.java)?.world ?: return
        val failure = context.executionException.orElse(null)
        if (failure != null) {
            lastRequests(world)?.let(failure::addSuppressed)
            return
        }
        val least = least(context) ?: return
        val clients = lastReport(world)
        val found = findings(if (least == SEVERITIES[0]) withEnd(world, clients) else clients, least)
        if (found.isNotEmpty()) {
            throw AssertionError("the clients of ${world.name} broke rules:\n${found.joinToString("\n")}").apply { stackTrace = emptyArray() }
        }
    }

    private fun least(context: ExtensionContext): String? = failOn(failOn ?: annotation(context) { failOn }, context)

    override fun supportsTestTemplate(context: ExtensionContext): Boolean = variants(context).size > 1 || !isRepeatedByOthers(context)

    override fun provideTestTemplateInvocationContexts(context: ExtensionContext): Stream<TestTemplateInvocationContext> =
        variants(context).map<WorldOptions, TestTemplateInvocationContext>(::Variant).stream()

    private fun server(context: ExtensionContext): Server =
        context.root.getStore(SPACE).getOrComputeIfAbsent(SERVER, { Run(serverOfRun(context)) }, Run::class.java).server

    private fun serverOfRun(context: ExtensionContext): Server {
        if (isElsewhere()) return elsewhere(own(context))
        val clock = if (System.getenv("CHATDOUBLE_CLOCK").isNullOrEmpty()) mapOf("clock" to "frozen") else emptyMap()
        if (startOptions != null) return startServer(clock + startOptions.given())
        val own = own(context)
        try {
            return startServer(clock + own)
        } catch (error: ChatdoubleException) {
            throw ChatdoubleException(withSource(error.message!!, own.mapValues { (_, value) -> "the parameter $OPTIONS" to "$value" }))
        }
    }

    /** The options of the server by their names on the wire. */
    private fun own(context: ExtensionContext): Map<String, Any> =
        startOptions?.given() ?: startOptions(context.getConfigurationParameter(OPTIONS).orElse(""))

    private fun made(context: ExtensionContext): World {
        // A mistake is refused before the test runs.
        least(context)
        val wanted = context.getStore(SPACE).get(VARIANT, WorldOptions::class.java) ?: variants(context).singleOrNull()
            ?: throw ParameterResolutionException("several feature levels or dialects need @TestTemplate instead of @Test")
        val variant = if (isElsewhere()) completed(wanted, own(context)) else wanted
        val origin = variant.forkOf ?: if (variant.fixture == null) "default" else null
        val label = "${context.requiredTestClass.simpleName} > ${context.displayName}"
        try {
            return server(context).createWorld(variant.copy(forkOf = origin, label = variant.label ?: label))
        } catch (error: ChatdoubleException) {
            // The mistake is in the annotation, not in the code that runs.
            throw ParameterResolutionException("the world can't be made: ${error.message}")
        }
    }

    /** The options of a test's worlds: one for each feature level and dialect that the annotations list. */
    private fun variants(context: ExtensionContext): List<WorldOptions> {
        val base = worldOptions.copy(
            fixture = annotation(context) { fixture } ?: worldOptions.fixture,
            forkOf = annotation(context) { forkOf } ?: worldOptions.forkOf,
            snapshot = annotation(context) { snapshot } ?: worldOptions.snapshot,
            clock = annotation(context) { clock } ?: worldOptions.clock,
        )
        val levels = annotations(context).map { it.featureLevel.toList() }.firstOrNull { it.isNotEmpty() } ?: listOf(base.featureLevel)
        val dialects = annotations(context).map { it.dialect.toList() }.firstOrNull { it.isNotEmpty() } ?: listOf(base.dialect)
        return levels.flatMap { level -> dialects.map { base.copy(featureLevel = level, dialect = it) } }
    }

    private fun annotation(context: ExtensionContext, part: ChatdoubleTest.() -> String): String? =
        annotations(context).map(part).firstOrNull { it.isNotEmpty() }

    private fun annotations(context: ExtensionContext): List<ChatdoubleTest> =
        annotated(context).mapNotNull { findAnnotation(it, ChatdoubleTest::class.java).orElse(null) }

    /** Whether another extension says how often the template runs, as for `@ParameterizedTest` and `@RepeatedTest`. */
    private fun isRepeatedByOthers(context: ExtensionContext): Boolean =
        // JUnit repeats by itself, without @ExtendWith.
        isAnnotated(context.testMethod, RepeatedTest::class.java) ||
            annotated(context).flatMap { findRepeatableAnnotations(it, ExtendWith::class.java) }.flatMap { it.value.asList() }
                .any { TestTemplateInvocationContextProvider::class.java.isAssignableFrom(it.java) && it != ChatdoubleExtension::class }

    /** The test and its class; the class around a nested one has options for it, too. */
    private fun annotated(context: ExtensionContext): List<AnnotatedElement> =
        listOfNotNull<AnnotatedElement>(context.testMethod.orElse(null)) + generateSequence(context.testClass.orElse(null)) { it.enclosingClass }
}

/** One run of a test template. */
private class Variant(private val options: WorldOptions) : TestTemplateInvocationContext {
    override fun getDisplayName(invocationIndex: Int): String =
        listOfNotNull(options.featureLevel, options.dialect).ifEmpty { listOf("[$invocationIndex]") }.joinToString("-")

    override fun getAdditionalExtensions() =
        listOf(org.junit.jupiter.api.extension.BeforeEachCallback { it.getStore(SPACE).put(VARIANT, options) })
}

/** The server of a run, which is stopped at its end. */
private class Run(val server: Server) : CloseableResource {
    override fun close() = server.stop()
}

/** A test's world, which is deleted after the test. */
private class Lent(val world: World) : CloseableResource {
    override fun close() {
        try {
            world.delete()
        } catch (error: ChatdoubleException) {
            // A test may have deleted it, or stopped the server.
            if (error.status != NOT_FOUND && error.status != 0) throw error
        }
    }
}

/** The last requests to a failed test's world, with the reasons of the refused ones. */
public class LastRequests internal constructor(message: String) : Exception(message, null, false, false) {
    override fun toString(): String = message!!
}

private fun lastRequests(world: World): LastRequests? {
    val entries = try {
        world.journal.entries(JournalFilter(limit = SHOWN))
    } catch (_: ChatdoubleException) {
        return null
    }
    if (entries.isEmpty()) return LastRequests("no request reached ${world.name} at ${world.url}: its journal is empty")
    return LastRequests("the last requests to ${world.name}:\n" + entries.joinToString("\n") { "  ${line(it).replace("\n", "\n  ")}" })
}

/** The clients of a world before it is deleted. */
private fun lastReport(world: World): List<ReportedClient> =
    try {
        world.report().clients
    } catch (error: ChatdoubleException) {
        // A test may have deleted the world.
        if (error.status == NOT_FOUND || error.status == 0) emptyList() else throw error
    }

/** The clients with what the end of the world adds: what they leave behind, which is no more than a note. */
private fun withEnd(world: World, clients: List<ReportedClient>): List<ReportedClient> {
    if (clients.isEmpty()) return clients
    Lent(world).close()
    // The last one counts: an earlier world may have had the same name.
    val ended = world.server.report().clients.filter { it.world == world.name }.associateBy { it.client to it.user }
    return clients.map { ended[it.client to it.user] ?: it }
}

/** The findings that are at least so severe. */
private fun findings(clients: List<ReportedClient>, least: String): List<String> {
    val counted = SEVERITIES.dropWhile { it != least }
    return clients.flatMap { client ->
        val who = client.client + (client.user?.let { " ($it)" } ?: "")
        client.findings.filter { it.severity in counted }.map { finding ->
            val place = finding.first.journalId?.let { " (journal $it)" } ?: ""
            "  ${finding.severity} ${finding.rule}: ${finding.message}, ${times(finding.count)} by $who\n" +
                "      ${finding.first.request}$place\n      ${finding.help}"
        }
    }
}

private fun times(count: Int): String = if (count == 1) "1 time" else "$count times"

/** Options of `serve` in a text, with or without dashes: `dialect=zulip --tls`. */
private fun startOptions(text: String): Map<String, Any> =
    text.split(Regex("\\s+")).filter { it.isNotEmpty() }.associate { one ->
        one.substringBefore('=').trimStart('-').replace('-', '_') to if ('=' in one) one.substringAfter('=') else true
    }

private val SPACE = Namespace.create(ChatdoubleExtension::class.java)
private const val SERVER = "server"
private const val WORLD = "world"
private const val VARIANT = "variant"
private const val NOT_FOUND = 404

/** How many journal entries a failed test shows. */
private const val SHOWN = 10
