package test

import chatdouble.Assertion
import chatdouble.ChatdoubleException
import chatdouble.Effect
import chatdouble.FaultMatch
import chatdouble.FaultRule
import chatdouble.VerificationFailed
import chatdouble.WorldOptions
import chatdouble.junit4.ChatdoubleRule
import java.io.IOException
import org.junit.Assume.assumeTrue
import org.junit.Before
import org.junit.Rule
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.runner.JUnitCore
import org.junit.runner.notification.Failure

class RuleTest {
    @Test
    fun `each test has a world of its own, which is deleted after it`() {
        WorldsOf4Case.names.clear()
        assertEquals(emptyList<Any>(), failuresOf4(WorldsOf4Case::class.java))
        assertEquals(2, WorldsOf4Case.names.toSet().size)
        assertEquals(emptyList<Any>(), ChatdoubleRule().server.worlds("world-"))
    }

    @Test
    fun `a failed test shows its last requests with their reasons`() {
        val failures = failuresOf4(FailingOf4Case::class.java).associate { it.description.methodName to it.exception.stackTraceToString() }
        val refused = failures.getValue("refused")
        assertTrue("the last requests to world-" in refused, refused)
        assertTrue("  404 GET /mesages mel@chat.test\n      Unknown path\n      The nearest operation is GET /api/v1/messages." in refused, refused)
        assertTrue("no request reached world-" in failures.getValue("silent"), failures["silent"])
        // The mistake is in the test, whose client has not begun.
        val mistaken = failures.getValue("mistaken")
        assertTrue("aftr" in mistaken && "no request reached" !in mistaken, mistaken)
        assertEquals(setOf("refused", "silent", "mistaken"), failures.keys)
    }

    @Test
    fun `findings fail a test where they are asked for`() {
        val found = failuresOf4(FindingsOf4Case::class.java).single().message
        assertTrue("warning ignored-parameter: Sent a parameter that is ignored" in found, found)
        System.setProperty("chatdouble.fail_on", "warn")
        try {
            val mistaken = failuresOf4(WorldsOf4Case::class.java).map { it.message }
            assertEquals(2, mistaken.size)
            assertTrue("the property chatdouble.fail_on is one of note, warning, error, not 'warn'; the nearest is 'warning'" in mistaken[0], mistaken[0])
        } finally {
            System.clearProperty("chatdouble.fail_on")
        }
    }

    @Test
    fun `a world that can't be made is the failure of the test that asks for it`() {
        val failure = failuresOf4(MistakenOf4Case::class.java).single().exception
        assertTrue("casst" in failure.message!!, failure.message)
        assertEquals("test.MistakenOf4Case", failure.stackTrace[0].className)
    }

    @Test
    fun `outside of a test there is no world`() {
        val error = assertThrows(ChatdoubleException::class.java) { ChatdoubleRule().world }
        assertTrue("@get:Rule" in error.message!!, error.message)
    }

    @Test
    fun `a fault is waited for`() {
        assertEquals(emptyList<Any>(), failuresOf4(WaitingOf4Case::class.java))
    }
}

private fun failuresOf4(case: Class<*>): List<Failure> = JUnitCore.runClasses(case).failures

class WorldsOf4Case {
    @get:Rule
    val chatdouble = ChatdoubleRule(WorldOptions(fixture = "cast", featureLevel = 300, dialect = "zulip"))

    @Before
    fun prepare() {
        names.add(chatdouble.world.name)
    }

    @org.junit.Test
    fun one() {
        val row = chatdouble.server.worlds(names.last()).single()
        assertEquals("WorldsOf4Case > one", row.label)
        assertEquals("300", api(chatdouble.world, chatdouble.world.user("mel"), "GET", "/server_settings").text("zulip_feature_level"))
    }

    @org.junit.Test
    fun other(): Unit = chatdouble.world.delete()

    companion object {
        val names = mutableListOf<String>()
    }
}

class FailingOf4Case {
    @get:Rule
    val chatdouble = ChatdoubleRule()

    @org.junit.Test
    fun refused() {
        api(chatdouble.world, chatdouble.world.user("mel"), "GET", "/mesages")
        chatdouble.world.journal.verify(Assertion(path = "/messages", exactly = 1))
    }

    @org.junit.Test
    fun silent() {
        chatdouble.world.journal.verify(Assertion(path = "/messages", exactly = 1))
    }

    @org.junit.Test
    fun mistaken() {
        chatdouble.world.faults.add(FaultRule(Effect.drop("aftr")))
    }

    @org.junit.Test
    fun skipped() = assumeTrue(false)

    @org.junit.Test
    fun without() = assertFalse(false)
}

class MistakenOf4Case {
    @get:Rule
    val chatdouble = ChatdoubleRule(WorldOptions(fixture = "casst"))

    @org.junit.Test
    fun mistaken(): Unit = chatdouble.world.delete()
}

class FindingsOf4Case {
    @get:Rule
    val chatdouble = ChatdoubleRule(failOn = "warning")

    @org.junit.Test
    fun strict() {
        api(chatdouble.world, chatdouble.world.user("mel"), "GET", "/users/me", "colour" to "red")
    }
}

class WaitingOf4Case {
    @get:Rule
    val chatdouble = ChatdoubleRule()

    @org.junit.Test
    fun waiting() {
        val fault = chatdouble.world.faults.add(FaultRule(Effect.drop("before"), FaultMatch(path = "/messages"), times = 1))
        assertThrows(VerificationFailed::class.java) { fault.waitFired(timeoutMs = 1) }
        assertThrows(IOException::class.java) { send(chatdouble.world, chatdouble.world.user("mel"), "x") }
        assertEquals(1, fault.waitFired())
    }
}
