package test

import chatdouble.Assertion
import chatdouble.ChatdoubleException
import chatdouble.Effect
import chatdouble.FaultMatch
import chatdouble.FaultRule
import chatdouble.JournalFilter
import chatdouble.NetworkTerms
import chatdouble.PreviewTerms
import chatdouble.RateLimitTerms
import chatdouble.Server
import chatdouble.StartOptions
import chatdouble.User
import chatdouble.VerificationFailed
import chatdouble.World
import chatdouble.WorldOptions
import chatdouble.connect
import chatdouble.startServer
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import com.sun.net.httpserver.HttpServer
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.net.InetSocketAddress
import java.net.URI
import java.nio.file.Files
import java.time.Duration
import java.time.Instant
import java.util.Base64
import java.util.concurrent.CompletableFuture.supplyAsync
import kotlin.time.Duration.Companion.hours
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test

private const val NOON = "2026-01-01T12:00:00Z"

class HelpersTest {
    private lateinit var world: World

    @BeforeEach
    fun make() {
        world = server.createWorld()
    }

    @AfterEach
    fun tidy(): Unit = world.close()

    @Test
    fun worlds() {
        val blue = server.createWorld(WorldOptions(name = "blue", label = "a test", idleTtlSeconds = "10m"))
        assertEquals("${server.url}/w/blue", blue.url)
        val row = server.worlds("bl").single()
        assertEquals("a test" to 600.0, row.label to row.idleTtlSeconds)
        val mel = blue.user("mel")
        assertEquals("mel@chat.test" to "melKey00000000000000000000000000", mel.email to mel.apiKey)
        send(blue, mel, "only here")
        val count = { of: World -> server.worlds(of.name).single().messages }
        blue.fork(WorldOptions(label = "a copy")).use { fork ->
            assertEquals(count(blue), count(fork))
            blue.reset("journal")
            assertEquals(count(blue) + 1, count(fork))
            assertEquals(1, blue.journal.entries(JournalFilter(path = "/messages")).size)
        }
        assertEquals(listOf("blue"), server.deleteWorlds("blue"))
        val missing = assertThrows(ChatdoubleException::class.java) { blue.delete() }
        assertEquals(404 to "NONEXISTENT_SUBDOMAIN", missing.status to missing.code)
        assertEquals(server.url, server.world().url)
        assertEquals(2, server.health().worlds)
    }

    @Test
    fun `an unknown user is an error that names the nearest and lists the others`() {
        assertEquals(world.user("mel"), world.user("MEL@chat.test"))
        for ((unknown, nearest) in mapOf("mell" to "mel", "mell@chat.test" to "mel@chat.test", "" to null, "größe" to null)) {
            val message = assertThrows(ChatdoubleException::class.java) { world.user(unknown) }.message!!
            assertTrue("there is no user '$unknown' in this world" in message && "adam, " in message, message)
            assertTrue(nearest == null || "the nearest is '$nearest'" in message, message)
        }
        val deactivated = assertThrows(ChatdoubleException::class.java) { world.user("dana") }
        assertEquals(403 to "USER_DEACTIVATED", deactivated.status to deactivated.code)
        assertEquals(emptyList<Any>(), world.journal.entries())
    }

    @Test
    fun `the clock`() {
        val began = world.clock.now()
        assertEquals(Instant.parse(NOON).epochSecond.toDouble(), began)
        assertEquals(1L, world.clock.toNext().fired[0].reminderId)
        assertEquals(began + 3_600 + 93_600, world.clock.advance("1d2h", waitForClientsMs = 0).now)
        assertEquals(emptyList<String>(), world.clock.advance(Duration.ofHours(1)).notParked)
        world.clock.advance(1.hours)
        world.clock.advance(1.5)
        val there = Instant.parse("2026-01-05T00:00:00Z")
        assertEquals(there.epochSecond.toDouble(), world.clock.set(there).now)
        assertEquals(there.epochSecond + 86_400.0, world.clock.set("2026-01-06").now)
        assertTrue(world.clock.run().running)
        assertFalse(world.clock.freeze().running)
        assertTrue("can't go back" in assertThrows(ChatdoubleException::class.java) { world.clock.set(0) }.message!!)
    }

    @Test
    fun faults() {
        val mel = world.user("mel")
        assertEquals("""{"error":{"status":503}}""", Effect.error(503).toString())
        val error = Effect.error(503, "BUSY", "Later", mapOf("retry_at" to 5))
        val match = FaultMatch(path = "/messages", params = mapOf("topic" to "t"))
        val fault = world.faults.add(FaultRule(error, match, times = 1))
        assertEquals("5", send(world, mel, "x").text("retry_at"))
        val listed = world.faults.list().single()
        assertEquals(fault.id to 1, listed.id to listed.fired)
        fault.remove()
        world.faults.add(FaultRule(Effect.rateLimit(3))).use { assertEquals("3", send(world, mel, "x").text("retry-after")) }
        world.faults.add(FaultRule(Effect.change(mapOf("id" to null, "further" to 3)))).use {
            val changed = send(world, mel, "x")
            assertFalse(changed.has("id"))
            assertEquals("3", changed.text("further"))
        }
        assertEquals(emptyList<Any>(), world.faults.list())
        world.faults.clear()
        assertEquals("success", send(world, mel, "x").text("result"))
        val refused = assertThrows(ChatdoubleException::class.java) { world.faults.add(FaultRule(Effect.drop("aftr"))) }
        assertEquals(400, refused.status)
        assertEquals("test.HelpersTest", refused.stackTrace[0].className.substringBefore('$'))
    }

    @Test
    fun `there is an effect for each key of the document`() {
        val document = ProcessBuilder(System.getenv("CHATDOUBLE_BINARY"), "openapi", "--control").start().inputStream.bufferedReader().use { it.readText() }
        val rule = JsonParser.parseString(document).asJsonObject.getAsJsonObject("components").getAsJsonObject("schemas").getAsJsonObject("FaultRule")
        val declared = rule.getAsJsonObject("properties").getAsJsonObject("effect").getAsJsonObject("properties")
        val known = listOf(
            Effect.delayMs(1), Effect.error(500, "A", "b"), Effect.rateLimit(1), Effect.change(mapOf("a" to 1)), Effect.pseudoLocalize(), Effect.drop("after", true),
            Effect.truncateAt(1), Effect.garbage(), Effect.gateway(502), Effect.loseQueue(), Effect.events("hold"), Effect.bouncer("unreachable"),
        )
        assertEquals(declared.keySet(), known.flatMap { JsonParser.parseString("$it").asJsonObject.keySet() }.toSet())
        known.forEach { world.faults.add(FaultRule(it)) }
    }

    @Test
    fun `networks and rate limits`() {
        val mel = world.user("mel")
        world.network.set(NetworkTerms(user = "mel", profile = "wifi", latencyMs = 120))
        val network = world.network.list().single()
        assertEquals(Triple(mel.email, "wifi", 5_000_000), Triple(network.user, network.profile, network.bytesPerSecond))
        val began = System.nanoTime()
        send(world, mel, "x")
        assertTrue(System.nanoTime() - began >= 120_000_000)
        world.network.set(NetworkTerms(profile = "3g"))
        world.network.clear("mel")
        assertEquals(listOf(null), world.network.list().map { it.user })
        world.network.clear()
        assertEquals(emptyList<Any>(), world.network.list())
        world.rateLimit.set(RateLimitTerms(requests = 1, seconds = 30.0, user = "mel"))
        assertEquals(30.0, world.rateLimit.list().single().seconds)
        assertEquals(listOf(null, "RATE_LIMIT_HIT"), List(2) { send(world, mel, "x").text("code") })
        world.rateLimit.set(RateLimitTerms(requests = 100, seconds = 60.0))
        world.rateLimit.clear("mel")
        assertEquals(listOf(null), world.rateLimit.list().map { it.user })
        world.rateLimit.clear()
        assertEquals(emptyList<Any>(), world.rateLimit.list())
    }

    @Test
    fun `previews`() {
        world.previews.set(PreviewTerms(thumbnailSeconds = 5, linkSeconds = "1m"))
        world.previews.set(PreviewTerms(thumbnailSeconds = 6))
        val delays = world.previews.delays()
        assertEquals(6.0 to 60.0, delays.thumbnailSeconds to delays.linkSeconds)
        world.previews.clear()
        assertEquals(0.0 to null, world.previews.delays().run { thumbnailSeconds to linkSeconds })
    }

    @Test
    fun `the journal`() {
        val mel = world.user("mel")
        val sending = supplyAsync { send(world, mel, "once") }
        assertEquals(1, world.journal.waitFor(Assertion(path = "/messages", user = "mel", exactly = 1)))
        sending.join()
        assertEquals(1, world.journal.verify(Assertion(path = "/messages", params = mapOf("content" to "once"), exactly = 1)))
        val refused = assertThrows(VerificationFailed::class.java) { world.journal.verify(Assertion(params = mapOf("content" to "twice"))) }
        assertTrue("+    \"content\": \"once\"" in refused.message!!, refused.message)
        assertEquals(0 to 400, refused.count to refused.status)
        val more = assertThrows(AssertionError::class.java) { world.journal.verify(Assertion(path = "/messages", exactly = 2)) }
        assertEquals("Expected exactly 2 such requests, found 1\nThe requests that match:\n${line("once")}", more.message)
        val late = assertThrows(VerificationFailed::class.java) { world.journal.waitFor(Assertion(path = "/typing"), timeoutMs = 10) }
        assertEquals(408, late.status)
        assertEquals("once", world.journal.entries(JournalFilter(path = "/messages", limit = 1))[0].params["content"])
        world.journal.clear()
        assertEquals(emptyList<Any>(), world.journal.entries())
    }

    private fun line(content: String) = "  200 POST /messages mel@chat.test content=$content to=general topic=t type=stream"

    @Test
    fun `too many requests are shown without others`() {
        send(world, world.user("mel"), "one")
        send(world, world.user("mel"), "two")
        api(world, world.user("mel"), "GET", "/users/me")
        val once = Assertion(path = "/messages", exactly = 1)
        val two = assertThrows(VerificationFailed::class.java) { world.journal.verify(once) }
        assertEquals("Expected exactly 1 such request, found 2\nThe requests that match:\n${line("one")}\n${line("two")}", two.message)
        repeat(20) { send(world, world.user("mel"), "more") }
        val many = assertThrows(VerificationFailed::class.java) { world.journal.verify(once) }
        assertTrue(many.message!!.endsWith("${line("more")}\n  and 12 more"), many.message)
    }

    @Test
    fun `requests that differ in the same way are shown once`() {
        for (content in listOf("one", "one", "two")) send(world, world.user("mel"), content)
        val none = Assertion(path = "/messages", params = mapOf("content" to "none"))
        val said = assertThrows(VerificationFailed::class.java) { world.journal.verify(none) }.message!!
        for (content in listOf("one", "two")) assertEquals(2, said.split("+    \"content\": \"$content\"").size, said)
    }

    @Test
    fun `a rate limit takes seconds, spans and durations`() {
        for ((given, seconds) in mapOf(3 to "3", 2.5 to "2.5", "1m30s" to "90", Duration.ofSeconds(90) to "90.0")) {
            val limit = world.faults.add(FaultRule(Effect.rateLimit(given)))
            assertEquals(seconds, api(world, world.user("mel"), "GET", "/users/me").get("retry-after").asString)
            limit.remove()
        }
    }

    @Test
    fun `what the server says is shown`() {
        val before = System.err
        val shown = ByteArrayOutputStream()
        System.setErr(PrintStream(shown, true))
        try {
            startServer().use { own ->
                val connection = URI("${own.url}/api/v1/server_settings").toURL().openConnection()
                connection.setRequestProperty("User-Agent", "ZulipPython/0.9.1 (Linux)")
                connection.getInputStream().close()
            }
            val late = System.nanoTime() + Duration.ofSeconds(5).toNanos()
            while ("--dialect zulip" !in shown.toString() && System.nanoTime() < late) Thread.onSpinWait()
        } finally {
            System.setErr(before)
        }
        assertTrue("chatdouble: the client ZulipPython/0.9.1 looks for other names" in shown.toString(), shown.toString())
    }

    @Test
    fun `queues and pushes`() {
        val mel = world.user("mel")
        val queue = api(world, mel, "POST", "/register", "event_types" to "[\"message\"]").text("queue_id")!!
        val poll = supplyAsync { api(world, mel, "GET", "/events", "queue_id" to queue, "last_event_id" to -1) }
        assertEquals(queue, world.queues.waitParked("mel").single().queueId)
        world.queues.lose(queue)
        assertEquals("BAD_EVENT_QUEUE_ID", poll.join().text("code"))
        assertEquals(emptyList<Any>(), world.queues.list())
        assertThrows(VerificationFailed::class.java) { world.queues.waitParked("mel", timeoutMs = 10) }

        api(world, mel, "POST", "/mobile_push/e2ee/test_notification")
        val push = world.pushes.waitFor("mel").single()
        assertEquals("test", push.kind)
        assertEquals(emptyList<Any>(), world.pushes.list(since = push.id))
        world.pushes.clear()
        assertEquals(emptyList<Any>(), world.pushes.list())
    }

    @Test
    fun `the key that opens pushes is that of the user's device`() {
        val bytes = ByteArray(32) { it.toByte() }
        assertArrayEquals(bytes, world.pushes.key("mel"))
        assertArrayEquals(bytes, world.pushes.key("mel@chat.test", deviceId = 1))
        val refused = { user: String, device: Long? -> assertThrows(ChatdoubleException::class.java) { world.pushes.key(user, device) }.message!! }
        assertEquals("mel has no device 7 with a push key; there is 1", refused("mel", 7))
        assertEquals("max has no device with a push key", refused("max", null))
        assertTrue("the nearest is 'mel'" in refused("mell", null))

        val mel = world.user("mel")
        val device = api(world, mel, "POST", "/register_client_device")["device_id"].asLong
        val others = ByteArray(32) { 7 }
        val sent = Base64.getEncoder().encodeToString(byteArrayOf(0x31) + others)
        val registered = api(
            world, mel, "POST", "/mobile_push/register", "device_id" to device, "push_key_id" to 7, "push_key" to sent, "token_kind" to "fcm",
            "token_id" to "+wKIhyAx/Eg=", "bouncer_public_key" to "a2V5", "encrypted_push_registration" to "c2VjcmV0",
        )
        assertEquals("success", registered.text("result"), registered.toString())
        assertArrayEquals(others, world.pushes.key("mel", device))
        assertEquals("mel has several devices with a push key: give a deviceId; there is 1, $device", refused("mel", null))
    }

    @Test
    fun `a deactivated account is refused with the key that it had`() {
        val nora = world.user("nora")
        assertEquals("success", api(world, world.user("olive"), "DELETE", "/users/${nora.id}").text("result"))
        assertEquals("USER_DEACTIVATED", api(world, nora, "GET", "/users/me").text("code"))
        val dana = User(8, "dana@chat.test", "danaKey0000000000000000000000000")
        assertEquals("USER_DEACTIVATED", api(world, dana, "GET", "/users/me").text("code"))
    }

    @Test
    fun `a poll under a fault is met when it is answered, at once or by an event`() {
        val mel = world.user("mel")
        val atOnce = listOf(Effect.error(503), Effect.rateLimit(1), Effect.gateway(502), Effect.loseQueue(), Effect.drop("before"), Effect.events("unknown"))
        val later = listOf(
            Effect.drop("after"), Effect.truncateAt(0), Effect.garbage(), Effect.change(mapOf("x" to 1)), Effect.delayMs(1), Effect.pseudoLocalize(),
            Effect.events("hold"), Effect.events("one_by_one"), Effect.events("repeat"),
        )
        for (effect in atOnce + later) {
            val queue = api(world, mel, "POST", "/register", "event_types" to "[\"message\"]").text("queue_id")!!
            val fault = world.faults.add(FaultRule(effect, FaultMatch(path = "/events"), times = 1))
            supplyAsync { api(world, mel, "GET", "/events", "queue_id" to queue, "last_event_id" to -1) }
            if (effect in later) {
                world.queues.waitParked("mel")
                assertThrows(VerificationFailed::class.java, { fault.waitFired(timeoutMs = 1) }, effect.toString())
                world.clock.advance("1m")
            }
            assertEquals(1, fault.waitFired(), effect.toString())
            fault.remove()
            world.queues.list().forEach { world.queues.lose(it.queueId) }
        }
    }

    @Test
    fun `snapshots, states and levels`() {
        server.createWorld(WorldOptions(featureLevel = 250)).use { old ->
            old.snapshots.save("ready")
            send(old, old.user("mel"), "litter")
            old.snapshots.restore("ready")
            assertEquals(listOf("ready"), old.snapshots.list().map { it.name })
            old.snapshots.remove("ready")
            val state = old.state()
            server.createWorld(WorldOptions(fixture = state)).use { other ->
                other.putState(state)
                assertEquals(state, other.state())
            }
            assertEquals(emptyList<Any>(), old.invariants().violations)
            old.upgrade(300)
            assertTrue("from 300 on" in assertThrows(ChatdoubleException::class.java) { old.upgrade(250) }.message!!)
        }
    }

    @Test
    fun `the report`() {
        api(world, world.user("mel"), "GET", "/users/me", "colour" to "red")
        val report = world.report()
        val finding = report.clients.single().findings.single()
        assertEquals(Triple("ignored-parameter", "warning", 1L), Triple(finding.rule, finding.severity, finding.first.journalId))
        world.clearReport()
        assertEquals(emptyList<Any>(), world.report().clients)
    }

    @Test
    fun `frames of the watch socket`() {
        world.watch().use { frames ->
            send(world, world.user("mel"), "é".repeat(5000))
            val seen = frames.asSequence().takeWhile { it.type != "event" }.toList()
            assertEquals("request", seen[0].type)
        }
        world.watch(timeoutMs = 10).use { frames ->
            val late = assertThrows(ChatdoubleException::class.java) { frames.next() }
            assertTrue("/watch: no frame came within 10 ms" in late.message!!, late.message)
        }
        val closed = world.watch()
        closed.close()
        assertFalse(closed.hasNext())
        assertThrows(ChatdoubleException::class.java) { server.world("ghost").watch() }
    }

    @Test
    fun `HTTPS is spoken with the authority that the server made, and with a token`() {
        startServer(StartOptions(tls = true, controlToken = "secret")).use { secured ->
            assertTrue(secured.url.startsWith("https://") && "BEGIN CERTIFICATE" in secured.tlsCa!!)
            secured.createWorld().use { assertEquals("mel@chat.test", it.user("mel").email) }
            assertEquals(1, connect(secured.url, "secret", secured.tlsCa).worlds().size)
            assertEquals(401, assertThrows(ChatdoubleException::class.java) { connect(secured.url, "other", secured.tlsCa).worlds() }.status)
            assertThrows(ChatdoubleException::class.java) { connect(secured.url).health() }
        }
    }

    @Test
    fun `a failed start says what the program says`() {
        val start = { options: StartOptions -> assertThrows(ChatdoubleException::class.java) { startServer(options) }.message!! }
        assertTrue(start(StartOptions(fixture = "nosuch")).startsWith("nosuch"))
        assertTrue("clock" in start(StartOptions(clock = "noon")))
    }

    @Test
    fun `where a server is found`() {
        if (System.getenv("CHATDOUBLE_URL") == null) {
            assertTrue("CHATDOUBLE_URL" in assertThrows(ChatdoubleException::class.java) { connect() }.message!!)
        }
        for ((url, reason) in mapOf(
            "127.0.0.1:9991" to "must begin with http:// or https://", "localhost:9991" to "must begin", "ftp://localhost" to "must begin", "http://" to "no address",
            "http://localhost:99999" to "names no host, or no port", "http://[::1" to "no address",
        )) {
            val message = assertThrows(ChatdoubleException::class.java) { connect(url) }.message!!
            assertTrue(reason in message, message)
        }
        assertEquals(server.url, connect(server.url + "/").world().url)
        val dead = assertThrows(ChatdoubleException::class.java) { connect("http://127.0.0.1:9") }
        assertTrue("/control/health: " in dead.message!!, dead.message)
        val own = startServer()
        own.stop()
        val gone = assertThrows(ChatdoubleException::class.java) { own.worlds() }
        assertEquals(0, gone.status)
        assertTrue("/control/worlds: " in gone.message!!, gone.message)
    }

    @Test
    fun `a server that was killed is said to be`() {
        val own = startServer()
        val frames = own.world().watch()
        ProcessHandle.of(own.pid!!).get().destroyForcibly()
        val killed = "(the server, process ${own.pid}, was ended by signal 9)"
        val refused = assertThrows(ChatdoubleException::class.java) { own.worlds() }
        assertTrue(refused.message!!.endsWith(killed), refused.message)
        assertEquals("the watch socket is closed $killed", assertThrows(NoSuchElementException::class.java) { frames.next() }.message)
        assertTrue(killed in assertThrows(ChatdoubleException::class.java) { own.world().watch() }.message!!)
        own.stop()
        val stopped = startServer().apply { stop() }
        val gone = assertThrows(ChatdoubleException::class.java) { stopped.health() }
        assertTrue(gone.message!!.endsWith("(the server, process ${stopped.pid}, ended with status 0)"), gone.message)
    }

    @Test
    fun `what is no reply of chatdouble is an error that says so`() {
        val replies = listOf("not json", "[]", "{}", "{\"result\": \"success\"}", "{\"result\": \"success\", \"now\": \"x\", \"running\": true, \"agenda\": []}")
        val stranger = HttpServer.create(InetSocketAddress("127.0.0.1", 0), 0)
        var reply = "{\"result\": \"success\", \"version\": \"0.1.0\", \"feature_level\": 1, \"worlds\": 1}"
        stranger.createContext("/") { exchange ->
            exchange.sendResponseHeaders(200, reply.length.toLong())
            exchange.responseBody.use { it.write(reply.toByteArray()) }
        }
        stranger.start()
        try {
            val strange = connect("http://127.0.0.1:${stranger.address.port}").world()
            for (one in replies) {
                reply = one
                val message = assertThrows(ChatdoubleException::class.java) { strange.clock.now() }.message!!
                assertTrue("is not a chatdouble server: " in message || "no reply of chatdouble" in message, message)
            }
        } finally {
            stranger.stop(0)
        }
    }

    @Test
    fun `a state with nulls keeps them`() {
        val document = JsonParser.parseString("{\"users\": [{\"handle\": \"olive\", \"full_name\": \"Olive\", \"role\": \"owner\"}]}") as JsonObject
        server.createWorld(WorldOptions(fixture = document)).use { assertEquals("olive@chat.test", it.user("olive").email) }
        val file = Files.createTempFile("fixture", ".json")
        Files.writeString(file, document.toString())
        startServer(StartOptions(fixture = file.toString())).use { assertNull(it.controlToken) }
    }

    companion object {
        private lateinit var server: Server

        @BeforeAll
        @JvmStatic
        fun start() {
            server = startServer(StartOptions(clock = Instant.parse(NOON)))
        }

        @AfterAll
        @JvmStatic
        fun stop(): Unit = server.stop()
    }
}
