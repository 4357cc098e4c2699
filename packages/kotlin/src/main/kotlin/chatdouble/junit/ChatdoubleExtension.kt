package chatdouble.junit

import chatdouble.ChatdoubleException
import chatdouble.Server
import chatdouble.StartOptions
import chatdouble.World
import chatdouble.WorldOptions
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
 * options of the tests' worlds instead, `tls` is the server's own, and others are refused. As a field with `@RegisterExtension` it
 * takes the options as values.
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
            lastRequests(world, failure)?.let(failure::addSuppressed)
            return
        }
        least(context)?.let { checkFindings(world, it) }
    }

    private fun least(context: ExtensionContext): String? = configured { failOn(failOn ?: annotation(context) { failOn }, context) }

    override fun supportsTestTemplate(context: ExtensionContext): Boolean = variants(context).size > 1 || !isRepeatedByOthers(context)

    override fun provideTestTemplateInvocationContexts(context: ExtensionContext): Stream<TestTemplateInvocationContext> =
        variants(context).map<WorldOptions, TestTemplateInvocationContext>(::Variant).stream()

    private fun server(context: ExtensionContext): Server =
        context.root.getStore(SPACE).getOrComputeIfAbsent(SERVER, { Run(serverOfRun(context)) }, Run::class.java).server

    private fun serverOfRun(context: ExtensionContext): Server {
        if (isElsewhere()) return configured { elsewhere(own(context), place) }
        return started(own(context), place)
    }

    /** Where the options of the server are, if these are texts. */
    private val place = if (startOptions == null) "the parameter $OPTIONS" else null

    /** The options of the server by their names on the wire. */
    private fun own(context: ExtensionContext): Map<String, Any> =
        startOptions?.given() ?: optionsOf(context.getConfigurationParameter(OPTIONS).orElse(""))

    private fun made(context: ExtensionContext): World {
        // A mistake is refused before the test runs.
        least(context)
        val wanted = context.getStore(SPACE).get(VARIANT, WorldOptions::class.java) ?: variants(context).singleOrNull()
            ?: throw ParameterResolutionException("several feature levels or dialects need @TestTemplate instead of @Test")
        val variant = if (isElsewhere()) configured { completed(wanted, own(context), place) } else wanted
        val label = "${context.requiredTestClass.simpleName} > ${context.displayName}"
        try {
            return server(context).createWorld(ofATest(variant, label))
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
    override fun close() = delete(world)
}

/** Makes a call, whose error is a mistake in the configuration instead of one in the code that runs. */
private inline fun <Result> configured(call: () -> Result): Result =
    try {
        call()
    } catch (error: ChatdoubleException) {
        throw ParameterResolutionException(error.message)
    }

private val SPACE = Namespace.create(ChatdoubleExtension::class.java)
private const val SERVER = "server"
private const val WORLD = "world"
private const val VARIANT = "variant"
