package test

import chatdouble.ChatdoubleException
import chatdouble.Effect
import chatdouble.Fault
import chatdouble.FaultRule
import chatdouble.StartOptions
import chatdouble.VerificationFailed
import chatdouble.World
import chatdouble.connect
import chatdouble.startServer
import java.util.concurrent.CompletableFuture.supplyAsync
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class LeavingTest {
    private fun fault(world: World): Fault = world.faults.add(FaultRule(Effect.gateway(502)))

    @Test
    fun `what is gone already is no error at the end of a block`() {
        startServer().use { server ->
            server.createWorld().use { world ->
                fault(world).use { it.remove() }
                fault(world).use { world.faults.clear() }
                fault(world).use { world.reset() }
                val removed = fault(world).apply { remove() }
                assertThrows(ChatdoubleException::class.java) { removed.remove() }
                val left = fault(world)
                world.delete()
                left.close()
                assertThrows(ChatdoubleException::class.java) { world.delete() }
                world.close()
            }
            val world = server.createWorld()
            val left = fault(world)
            val frames = world.watch()
            server.stop()
            left.close()
            frames.close()
            world.close()
            assertThrows(ChatdoubleException::class.java) { world.delete() }
        }
    }

    @Test
    fun `a server that is gone is an error at the end of a block, which does not hide another`() {
        val server = startServer()
        val world = server.createWorld()
        val process = ProcessHandle.of(server.pid!!).get()
        process.destroyForcibly()
        process.onExit().join()
        val own = IllegalStateException("the test's own")
        val thrown = assertThrows(IllegalStateException::class.java) { world.use { throw own } }
        assertSame(own, thrown)
        assertTrue("was ended by signal 9" in own.suppressed.single().message!!)
        assertThrows(ChatdoubleException::class.java) { world.close() }
        server.close()
    }

    @Test
    fun `a server that is gone is no error while the JVM ends`() {
        val path = System.getProperty("java.class.path")
        val java = ProcessHandle.current().info().command().get()
        val child = ProcessBuilder(java, "-XX:TieredStopAtLevel=1", "-cp", path, "test.EndingKt").redirectErrorStream(true).start()
        val said = child.inputStream.bufferedReader().readText()
        assertTrue("closed" in said.lines() && "Exception" !in said, said)
        val pid = said.lines().first { it.startsWith("server ") }.removePrefix("server ").toLong()
        assertTrue(ProcessHandle.of(pid).map { !it.isAlive }.orElse(true))
    }

    @Test
    fun `a fault that is gone is not waited for`() {
        startServer().use { server ->
            val world = server.world()
            val gone = "fault-1 was removed, or its world was reset"
            val removed = fault(world).apply { remove() }
            val refused = assertThrows(ChatdoubleException::class.java) { removed.waitFired() }
            assertEquals("there is no fault 'fault-1' in this world; this world has none; $gone", refused.message)
            val other = fault(world)
            val waiting = supplyAsync { assertThrows(VerificationFailed::class.java) { other.waitFired(timeoutMs = 500) } }
            Thread.sleep(100)
            other.remove()
            val late = waiting.join()
            assertTrue(late.message!!.startsWith("Expected at least 1 such request, found 0"), late.message)
            assertTrue(late.message!!.endsWith("; fault-2 was removed, or its world was reset"), late.message)
            val still = assertThrows(VerificationFailed::class.java) { fault(world).waitFired(timeoutMs = 1) }
            assertTrue("removed" !in still.message!!, still.message)
        }
    }

    @Test
    fun `an error for a wrong token says where it came from`() {
        startServer(StartOptions(controlToken = "secret")).use { server ->
            val other = connect(server.url, "other")
            val refused = assertThrows(ChatdoubleException::class.java) { other.worlds() }
            assertEquals(401, refused.status)
            val given = "; the one that was given as controlToken, or as control_token in chatdouble.options, is another"
            assertTrue(refused.message!!.endsWith(given), refused.message)
            val watched = assertThrows(ChatdoubleException::class.java) { other.world().watch() }
            assertTrue(watched.message!!.endsWith("can't be watched: 401$given"), watched.message)
            val none = assertThrows(ChatdoubleException::class.java) { connect(server.url).worlds() }
            assertTrue(none.message!!.endsWith(", or in the variable CHATDOUBLE_CONTROL_TOKEN"), none.message)
        }
    }
}
