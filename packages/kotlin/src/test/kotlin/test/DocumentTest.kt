package test

import chatdouble.ChatdoubleException
import chatdouble.StartOptions
import chatdouble.World
import chatdouble.WorldOptions
import chatdouble.junit.ChatdoubleTest
import chatdouble.startServer
import java.io.File
import java.nio.file.Path
import java.time.Duration
import kotlin.time.Duration.Companion.hours
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir

class DocumentTest {
    @TempDir
    lateinit var folder: Path

    private fun written(name: String, text: String): File = folder.resolve(name).toFile().apply { writeText(text) }

    @Test
    fun `a fixture or a dialect in a file`() {
        startServer().use { server ->
            val file = written("team.json", TEAM)
            val relative = File("").absoluteFile.toPath().relativize(file.toPath())
            for (given in listOf(file, file.toPath(), file.path, "$relative", written("team", TEAM).path)) {
                server.createWorld(WorldOptions(fixture = given)).use { assertEquals("tea@chat.test", it.user("tea").email) }
            }
            server.createWorld(WorldOptions(dialect = written("names.json", """{"product": "acme"}"""))).close()
        }
    }

    @Test
    fun `a fixture in a file that is mistaken`() {
        startServer().use { server ->
            val refused = { options: WorldOptions -> assertThrows(ChatdoubleException::class.java) { server.createWorld(options) }.message!! }
            for ((text, said) in mapOf("""{"users": [""" to "is not JSON: ", "{users: []}" to "is not JSON: ", "{} {}" to "is not JSON: ", "[]" to "is no JSON object")) {
                val file = written("team.json", text)
                val message = refused(WorldOptions(fixture = file))
                assertTrue(message.startsWith("WorldOptions.fixture: $file $said") && '\n' !in message, message)
            }
            assertEquals("WorldOptions.fixture: /no/such.json can't be read: there is no such file", refused(WorldOptions(fixture = "/no/such.json")))
            val message = refused(WorldOptions(dialect = "nosuch.json"))
            assertEquals("WorldOptions.dialect: ${File("nosuch.json").absolutePath} can't be read: there is no such file", message)
            val file = written("team.json", """{"users": [{"handle": "olive"}]}""")
            assertEquals("$.fixture.users[0]: `full_name` is missing (in $file)", refused(WorldOptions(fixture = file)))
        }
    }

    @Test
    fun `a duration is no clock`() {
        val said = ".clock takes real, frozen or an instant at which it is frozen, such as a java.time.Instant, not the duration "
        for ((given, shown) in mapOf(Duration.ofHours(1) to "PT1H", 1.hours to "1h")) {
            val start = assertThrows(ChatdoubleException::class.java) { startServer(StartOptions(clock = given)) }
            assertEquals("StartOptions$said$shown", start.message)
        }
        startServer().use { server ->
            val made = assertThrows(ChatdoubleException::class.java) { server.createWorld(WorldOptions(clock = Duration.ofHours(1))) }
            assertEquals("WorldOptions${said}PT1H", made.message)
        }
    }
}

/** It runs with a fixture in a file, for a server that is started and for one that runs already: packages/check gives it. */
@ChatdoubleTest
class OwnCase {
    @Test
    fun own(world: World) {
        assertEquals("tea@chat.test", world.user("tea").email)
        world.fork().use { assertEquals("tea@chat.test", it.user("tea").email) }
    }

    @Test
    @ChatdoubleTest(fixture = "./team.json")
    fun given(world: World) {
        assertEquals("tea@chat.test", world.user("tea").email)
    }

    @Test
    @ChatdoubleTest(fixture = "cast")
    fun builtIn(world: World) {
        assertEquals("mel@chat.test", world.user("mel").email)
    }
}

private const val TEAM = """{"users": [{"handle": "olive", "full_name": "Olive", "role": "owner"}, {"handle": "tea", "full_name": "Tea"}]}"""
