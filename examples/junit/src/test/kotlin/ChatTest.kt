// Tests that a team may have for its client: here the client is java.net.http.

import chatdouble.Assertion
import chatdouble.Effect
import chatdouble.FaultMatch
import chatdouble.FaultRule
import chatdouble.User
import chatdouble.World
import chatdouble.junit.ChatdoubleTest
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.net.URI
import java.net.URLEncoder
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers
import java.util.Base64
import java.util.concurrent.CompletableFuture.supplyAsync
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestTemplate

@ChatdoubleTest
class ChatTest {
    @Test
    fun `a message arrives in the client that waits for it`(world: World) {
        val (mel, max) = listOf("mel", "max").map(world::user)
        val queue = call(world, max, "POST", "/register", "event_types" to """["message"]""")["queue_id"].asString
        val polled = supplyAsync { call(world, max, "GET", "/events", "queue_id" to queue, "last_event_id" to -1) }
        world.queues.waitParked("max")
        send(world, mel, "Hello")
        val event = polled.join()["events"].asJsonArray.single().asJsonObject
        assertTrue("Hello" in event["message"].asJsonObject["content"].asString)
        world.journal.verify(Assertion(method = "POST", path = "/messages", user = "mel", exactly = 1))
    }

    @Test
    fun `a reminder comes tomorrow`(world: World) {
        val mel = world.user("mel")
        val due = world.clock.now().toLong() + 86_400
        call(world, mel, "POST", "/reminders", "message_id" to send(world, mel, "Plan")["id"].asLong, "scheduled_delivery_timestamp" to due)
        assertTrue("reminder" in world.clock.advance("1d").fired.map { it.kind })
    }

    @Test
    fun `a rate limit is shown, and ends after its time`(world: World) {
        val mel = world.user("mel")
        world.faults.add(FaultRule(Effect.rateLimit(retryAfter = 2), FaultMatch(path = "/messages"), times = 1))
        assertEquals("RATE_LIMIT_HIT", send(world, mel, "x")["code"].asString)
        assertEquals("success", send(world, mel, "x")["result"].asString)
    }

    @TestTemplate
    @ChatdoubleTest(fixture = "cast", featureLevel = [200, 250, 300], dialect = ["zulip"])
    fun `servers of older levels`(world: World) {
        assertEquals(emptyList<Any>(), world.clock.agenda())
        val settings = call(world, world.user("mel"), "GET", "/server_settings")
        assertTrue(settings["zulip_feature_level"].asInt in setOf(200, 250, 300))
    }
}

private val http = HttpClient.newHttpClient()

private fun call(world: World, user: User, method: String, path: String, vararg form: Pair<String, Any>): JsonObject {
    val data = form.joinToString("&") { (name, value) -> "$name=${URLEncoder.encode("$value", Charsets.UTF_8)}" }
    val key = Base64.getEncoder().encodeToString("${user.email}:${user.apiKey}".toByteArray())
    val request = HttpRequest.newBuilder(URI("${world.url}/api/v1$path" + if (method == "GET") "?$data" else ""))
        .header("Authorization", "Basic $key")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .method(method, if (method == "GET") BodyPublishers.noBody() else BodyPublishers.ofString(data))
    return JsonParser.parseString(http.send(request.build(), BodyHandlers.ofString()).body()).asJsonObject
}

private fun send(world: World, user: User, content: String): JsonObject =
    call(world, user, "POST", "/messages", "type" to "stream", "to" to "general", "topic" to "greetings", "content" to content)
