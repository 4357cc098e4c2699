package test

import chatdouble.Assertion
import chatdouble.Effect
import chatdouble.FaultMatch
import chatdouble.FaultRule
import chatdouble.Server
import chatdouble.World
import chatdouble.WorldOptions
import chatdouble.junit.ChatdoubleTest
import java.util.Collections
import java.util.concurrent.CompletableFuture.supplyAsync
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Nested
import org.junit.jupiter.api.RepeatedTest
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestTemplate
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.junit.platform.engine.TestExecutionResult
import org.junit.platform.engine.discovery.DiscoverySelectors.selectClass
import org.junit.platform.launcher.TestExecutionListener
import org.junit.platform.launcher.TestIdentifier
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder
import org.junit.platform.launcher.core.LauncherFactory

@ChatdoubleTest
class ExtensionTest {
    private var prepared: World? = null

    @BeforeEach
    fun prepare(world: World) {
        prepared = world
    }

    @Test
    fun `a world for the test`(world: World, server: Server) {
        assertSame(prepared, world)
        val row = server.worlds(world.name).single()
        assertTrue(row.label!!.startsWith("ExtensionTest > a world for the test"), row.label)
        assertTrue(row.messages > 0)
    }

    @TestTemplate
    @ChatdoubleTest(featureLevel = [200, 300], dialect = ["neutral", "zulip"], fixture = "cast")
    fun levels(world: World) {
        val settings = api(world, world.user("mel"), "GET", "/server_settings")
        val level = settings.text("zulip_feature_level") ?: settings.text("service_feature_level")
        assertTrue(level in setOf("200", "300"))
        world.journal.verify(Assertion(path = "/server_settings", exactly = 1))
    }

    @Nested
    @ChatdoubleTest(dialect = ["zulip"])
    inner class Within {
        @Test
        @ChatdoubleTest(fixture = "cast")
        fun `options come from the method and the classes`(world: World) {
            val settings = api(world, world.user("mel"), "GET", "/server_settings")
            assertTrue(settings.has("zulip_feature_level"))
            assertEquals(emptyList<Any>(), world.clock.agenda())
        }
    }

    @Test
    fun `a world is not for a whole class`() {
        val messages = failures<WholeClassCase>().map { it.second.message!! }
        assertTrue("a world belongs to one test" in messages.single(), messages.toString())
    }

    @Test
    fun `a failed test shows its last requests with their reasons`() {
        val failure = failures<RefusedCase>().single().second
        val text = failure.stackTraceToString()
        assertTrue("Suppressed: the last requests to world-" in text, text)
        val wanted = listOf(
            "  400 POST /messages mel@chat.test content=hey to=enginering topic=x type=stream\n      Channel 'enginering' does not exist",
            "  404 GET /mesages mel@chat.test\n      Unknown path\n      The nearest operation is GET /api/v1/messages.",
        )
        for (part in wanted) assertTrue(part in text, text)
        assertTrue("users" !in text.substringAfter("the last requests"), text)
        assertEquals("test.RefusedCase", failure.stackTrace[0].className)
    }

    @Test
    fun `a failed test lists the polls that wait, after the requests that were answered`() {
        val text = failures<WaitingCase>().single().second.stackTraceToString()
        val lines = text.substringAfter("Suppressed: the last requests to world-").lines()
        assertTrue(lines[1].startsWith("  200 POST /register ") && lines[2] == "  waiting: GET /events of mel@chat.test", text)
    }

    @Test
    fun `a failed test says that no request reached its world`() {
        val text = failures<SilentCase>().single().second.stackTraceToString()
        assertTrue(Regex("Suppressed: no request reached world-.* X-Chatdouble-Hint\n").containsMatchIn(text), text)
    }

    @Test
    fun `a failed test whose client does not trust the server names the authority`() {
        val text = failures<DistrustfulCase>("chatdouble.options" to "tls").single().second.stackTraceToString()
        val said = Regex("Suppressed: no request reached world-\\S+ at https://\\S+; a client has to trust the authority in world.server.tlsCa\n")
        assertTrue("PKIX path building failed" in text && said.containsMatchIn(text) && "X-Chatdouble-Hint" !in text, text)
    }

    @Test
    fun `a failed test says that its server was killed, once`() {
        val killed = Regex("\\(the server, process \\d+, was ended by signal 9\\)\n")
        val ofClient = failures<KilledUnderClientCase>().single().second.stackTraceToString()
        assertTrue(Regex("Suppressed: the requests to world-\\S+ can't be shown ${killed.pattern}").containsMatchIn(ofClient), ofClient)
        val ofHelper = failures<KilledUnderHelperCase>().single().second.stackTraceToString()
        assertEquals(1, killed.findAll(ofHelper).count(), ofHelper)
    }

    @Test
    fun `a call that is refused is not the client's failure`() {
        val text = failures<RefusedCallCase>().single().second.stackTraceToString()
        assertTrue("aftr" in text && "no request reached" !in text, text)
    }

    @Test
    fun `findings fail a test where they are asked for`() {
        val (name, failure) = failures<FindingsCase>().single()
        assertTrue(name.startsWith("strict"), name)
        assertTrue("warning ignored-parameter: Sent a parameter that is ignored" in failure.message!!, failure.message)
        assertEquals(2, failures<FindingsCase>("chatdouble.fail_on" to "note").size)
    }

    @Test
    fun `findings of the end fail a test`() {
        val (name, failure) = failures<LeavingCase>("chatdouble.fail_on" to "note").single()
        assertTrue(name.startsWith("register") && "note queue-left-behind: " in failure.message!!, "$name ${failure.message}")
        assertEquals(emptyList<Any>(), failures<LeavingCase>("chatdouble.fail_on" to "warning"))
    }

    @Test
    fun `a template runs once for one level, for none, and as often as others say`() {
        TemplateCase.levels.clear()
        assertEquals(emptyList<Any>(), failures<TemplateCase>())
        assertEquals(listOf("none", "one 300", "parameter a", "parameter b", "repeated", "repeated", "zulip"), TemplateCase.levels.sorted())
    }

    @Test
    fun `a request without a reply is shown as one`() {
        val text = failures<DroppedCase>().single().second.stackTraceToString()
        assertTrue("  no reply POST /messages mel@chat.test content=x to=general topic=t type=stream (fault-1)" in text, text)
    }

    @Test
    fun `a mistake in the annotation is named`() {
        val messages = failures<MistakenCase>().associate { (name, failure) -> name.substringBefore('(') to failure.message!! }
        assertTrue("casst" in messages.getValue("fixture"), messages["fixture"])
        assertTrue("@TestTemplate" in messages.getValue("levels"), messages["levels"])
        val severity = messages.getValue("severity")
        assertTrue("failOn is one of note, warning, error, not 'warnings'; the nearest is 'warning'" in severity, severity)
        assertFalse(MistakenCase.hasRun, "it is refused before the test runs")
    }

    @Test
    fun `a mistake in the parameters of the platform is named before the test runs`() {
        val severity = failures<FindingsCase>("chatdouble.fail_on" to "warn").first { (name, _) -> name.startsWith("lenient") }.second.message!!
        assertTrue("chatdouble.fail_on is one of note, warning, error, not 'warn'; the nearest is 'warning'" in severity, severity)
        for ((name, nearest) in mapOf("chatdouble.failOn" to "chatdouble.fail_on", "chatdouble.option" to "chatdouble.options")) {
            val messages = failures<FindingsCase>(name to "note").map { it.second.message!! }
            assertEquals(2, messages.size, messages.toString())
            val said = "there is no parameter $name; there are chatdouble.options, chatdouble.fail_on; the nearest is $nearest"
            for (message in messages) assertTrue(said in message, message)
        }
        val option = failures<SecuredCase>("chatdouble.options" to "fixture=nosuch").single().second.message!!
        assertTrue("nosuch: is neither" in option && "(from the parameter chatdouble.options)" in option, option)
    }

    @Test
    fun `options of the server are parameters of the platform`() {
        for (options in listOf("tls control_token=secret", "--tls --control-token=secret")) {
            assertEquals(emptyList<Any>(), failures<SecuredCase>("chatdouble.options" to options))
        }
    }
}

/** What fails in a class, with the names of the tests. */
private inline fun <reified Case> failures(vararg parameters: Pair<String, String>): List<Pair<String, Throwable>> {
    val found = mutableListOf<Pair<String, Throwable>>()
    val listener = object : TestExecutionListener {
        override fun executionFinished(test: TestIdentifier, result: TestExecutionResult) {
            result.throwable.ifPresent { found.add(test.displayName to it) }
        }
    }
    val request = LauncherDiscoveryRequestBuilder.request().selectors(selectClass(Case::class.java)).configurationParameters(parameters.toMap())
    LauncherFactory.create().execute(request.build(), listener)
    return found
}

@ChatdoubleTest
class RefusedCase {
    @Test
    fun refused(world: World) {
        val mel = world.user("mel")
        api(world, mel, "POST", "/messages", "type" to "stream", "to" to "enginering", "topic" to "x", "content" to "hey")
        api(world, mel, "GET", "/mesages")
        world.journal.verify(Assertion(path = "/messages", exactly = 2))
    }
}

@ChatdoubleTest
class WaitingCase {
    @Test
    fun waits(world: World) {
        val mel = world.user("mel")
        val queue = api(world, mel, "POST", "/register", "event_types" to """["message"]""").text("queue_id")!!
        supplyAsync { api(world, mel, "GET", "/events", "queue_id" to queue, "last_event_id" to -1) }
        world.queues.waitParked("mel")
        world.journal.verify(Assertion(path = "/messages", exactly = 1))
    }
}

@ChatdoubleTest
class SilentCase {
    @Test
    fun silent(world: World) {
        world.user("mel")
        world.journal.verify(Assertion(path = "/messages", exactly = 1))
    }
}

@ChatdoubleTest
class DistrustfulCase {
    @Test
    fun distrustful(world: World) {
        send(world, world.user("mel"), "x")
    }
}

@ChatdoubleTest
class KilledUnderClientCase {
    @Test
    fun killed(world: World) {
        val mel = world.user("mel")
        ProcessHandle.of(world.server.pid!!).get().destroyForcibly()
        while (true) send(world, mel, "x")
    }
}

@ChatdoubleTest
class KilledUnderHelperCase {
    @Test
    fun killed(world: World) {
        ProcessHandle.of(world.server.pid!!).get().destroyForcibly()
        while (true) world.clock.now()
    }
}

@ChatdoubleTest
class RefusedCallCase {
    @Test
    fun refused(world: World) {
        world.faults.add(FaultRule(Effect.drop("aftr")))
    }
}

class FindingsCase {
    @Test
    @ChatdoubleTest(failOn = "warning")
    fun strict(world: World) {
        api(world, world.user("mel"), "GET", "/users/me", "colour" to "red")
    }

    @Test
    @ChatdoubleTest
    fun lenient(world: World) {
        api(world, world.user("mel"), "GET", "/users/me", "colour" to "red")
    }
}

@ChatdoubleTest
class LeavingCase {
    @Test
    fun register(world: World) {
        api(world, world.user("mel"), "POST", "/register", "event_types" to "[\"message\"]")
    }

    @Test
    fun look(world: World) {
        api(world, world.user("mel"), "GET", "/users/me")
    }
}

/** It runs with the options of a server that runs already: packages/check gives them. */
class ElsewhereCase {
    @Test
    @ChatdoubleTest
    fun fork(world: World) {
        val settings = api(world, world.user("mel"), "GET", "/server_settings")
        assertEquals("300", settings.text("zulip_feature_level"))
        assertEquals(1_798_761_600.0, world.clock.now())
        assertTrue(world.server.worlds(world.name).single().channels > 0)
        // A world that the test makes itself is like its own.
        val made = world.server.createWorld(WorldOptions(forkOf = "default"))
        assertEquals("300", api(made, made.user("mel"), "GET", "/server_settings").text("zulip_feature_level"))
        assertEquals(1_798_761_600.0, made.clock.now())
        made.delete()
    }

    @Test
    @ChatdoubleTest(fixture = "empty", featureLevel = [301], dialect = ["neutral"])
    fun own(world: World) {
        val row = world.server.worlds(world.name).single()
        assertEquals(0, row.channels)
        assertEquals(1_798_761_600.0, row.now)
    }
}

/** It runs with the option `tls` at a server that speaks HTTPS: packages/check gives both. */
class SecuredElsewhereCase {
    @Test
    @ChatdoubleTest
    fun secured(world: World) {
        assertTrue(world.url.startsWith("https:"))
        assertTrue(world.server.tlsCa!!.contains("BEGIN CERTIFICATE"))
        world.user("mel")
    }
}

@ChatdoubleTest
class TemplateCase {
    @TestTemplate
    fun none(world: World) {
        levels.add("none".also { world.user("mel") })
    }

    @TestTemplate
    @ChatdoubleTest(featureLevel = [300])
    fun one(world: World) {
        levels.add("one ${api(world, world.user("mel"), "GET", "/server_settings").text("service_feature_level")}")
    }

    @TestTemplate
    @ChatdoubleTest(dialect = ["zulip"])
    fun dialect(world: World) {
        if (api(world, world.user("mel"), "GET", "/server_settings").has("zulip_feature_level")) levels.add("zulip")
    }

    @ParameterizedTest
    @ValueSource(strings = ["a", "b"])
    fun parameters(parameter: String, world: World) {
        levels.add("parameter $parameter".also { world.user("mel") })
    }

    @RepeatedTest(2)
    fun repeated(world: World) {
        levels.add("repeated".also { world.user("mel") })
    }

    companion object {
        val levels: MutableList<String> = Collections.synchronizedList(mutableListOf())
    }
}

@ChatdoubleTest
class DroppedCase {
    @Test
    fun dropped(world: World) {
        world.faults.add(FaultRule(Effect.drop("after"), FaultMatch(path = "/messages"), times = 1))
        send(world, world.user("mel"), "x")
    }
}

class MistakenCase {
    @Test
    @ChatdoubleTest(fixture = "casst")
    fun fixture(world: World): Unit = world.delete()

    @Test
    @ChatdoubleTest(featureLevel = [200, 300])
    fun levels(world: World): Unit = world.delete()

    @Test
    @ChatdoubleTest(failOn = "warnings")
    fun severity(world: World) {
        hasRun = world.clock.now() > 0
    }

    companion object {
        var hasRun = false
    }
}

@ChatdoubleTest
class WholeClassCase {
    @Test
    fun one() = Unit

    companion object {
        @BeforeAll
        @JvmStatic
        fun prepare(world: World): Unit = world.delete()
    }
}

@ChatdoubleTest
class SecuredCase {
    @Test
    fun secured(world: World) {
        assertTrue(world.url.startsWith("https:"))
        assertEquals("secret", world.server.controlToken)
        world.journal.verify(Assertion(exactly = 0))
    }
}
