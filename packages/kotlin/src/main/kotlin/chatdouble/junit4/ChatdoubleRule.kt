package chatdouble.junit4

import chatdouble.ChatdoubleException
import chatdouble.Server
import chatdouble.StartOptions
import chatdouble.World
import chatdouble.WorldOptions
import chatdouble.junit.FAIL_ON
import chatdouble.junit.OPTIONS
import chatdouble.junit.checkFindings
import chatdouble.junit.checkNames
import chatdouble.junit.checkSeverity
import chatdouble.junit.completed
import chatdouble.junit.delete
import chatdouble.junit.elsewhere
import chatdouble.junit.isElsewhere
import chatdouble.junit.lastRequests
import chatdouble.junit.ofATest
import chatdouble.junit.optionsOf
import chatdouble.junit.started
import org.junit.AssumptionViolatedException
import org.junit.rules.TestRule
import org.junit.runner.Description
import org.junit.runners.model.Statement

/**
 * Gives each test of JUnit 4 a [World] of its own: a fork of `default`, or as the options say, deleted after the test.
 *
 * The server is the one at CHATDOUBLE_URL, or one that is started for this JVM, once for all tests with the same options.
 * Properties of the JVM: `chatdouble.options` has options of `serve`, such as `dialect=zulip tls`, where no `startOptions` are
 * given; `chatdouble.fail_on` is the default of `failOn`. For the server at CHATDOUBLE_URL, which runs already, `clock`, `dialect`,
 * `feature_level`, `fixture` and `seed` are options of the tests' worlds instead, `tls` is the server's own, and others are refused.
 *
 * @param failOn fails the tests in whose world a client broke a rule of the report: `error`, `warning` or `note`
 */
public class ChatdoubleRule @JvmOverloads constructor(
    private val worldOptions: WorldOptions = WorldOptions(),
    private val startOptions: StartOptions? = null,
    private val failOn: String? = null,
) : TestRule {
    private var lent: Lazy<World>? = null

    /** The world of the test that runs, made when it is first used. */
    @get:JvmName("world")
    public val world: World
        get() = lent?.value ?: throw ChatdoubleException("a world belongs to a test that runs, and its rule is a field with @Rule (in Kotlin, @get:Rule)")

    /** The server of the tests. */
    @get:JvmName("server")
    public val server: Server
        get() = Shared.server(own(), place)

    override fun apply(base: Statement, description: Description): Statement =
        object : Statement() {
            override fun evaluate() {
                val least = least()
                val made = lazy { made(description) }
                lent = made
                val leaving = AutoCloseable {
                    lent = null
                    if (made.isInitialized()) delete(made.value)
                }
                // The error of the test comes before one of its end.
                leaving.use {
                    run(base, made)
                    if (made.isInitialized() && least != null) checkFindings(made.value, least)
                }
            }
        }

    private fun run(base: Statement, made: Lazy<World>) {
        try {
            base.evaluate()
        } catch (skipped: AssumptionViolatedException) {
            throw skipped
        } catch (failure: Throwable) {
            if (made.isInitialized()) lastRequests(made.value, failure)?.let(failure::addSuppressed)
            throw failure
        }
    }

    /** The least severe finding that fails a test. A mistake is refused before the test runs. */
    private fun least(): String? {
        checkNames()
        val property = System.getProperty(FAIL_ON)?.ifBlank { null }
        failOn?.let { checkSeverity("failOn", it) } ?: property?.let { checkSeverity("the property $FAIL_ON", it) }
        return failOn ?: property
    }

    private fun made(description: Description): World {
        val wanted = if (isElsewhere()) completed(worldOptions, own(), place) else worldOptions
        val label = listOfNotNull(description.testClass?.simpleName, description.methodName).joinToString(" > ")
        return server.createWorld(ofATest(wanted, label))
    }

    /** Where the options of the server are, if these are texts. */
    private val place = if (startOptions == null) "the property $OPTIONS" else null

    private fun own(): Map<String, Any> = startOptions?.given() ?: optionsOf(System.getProperty(OPTIONS) ?: "")

    /** The servers of this JVM by their options; they end with it. */
    private object Shared {
        private val running = mutableMapOf<Map<String, Any>, Server>()

        @Synchronized
        fun server(own: Map<String, Any>, place: String?): Server =
            running.getOrPut(own) { if (isElsewhere()) elsewhere(own, place) else started(own, place) }
    }
}
