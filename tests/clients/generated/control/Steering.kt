// Control by the client that openapi-generator makes in Kotlin.

import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import kotlin.system.exitProcess
import org.openapitools.client.apis.ClockApi
import org.openapitools.client.apis.FaultsApi
import org.openapitools.client.apis.JournalApi
import org.openapitools.client.apis.WorldsApi
import org.openapitools.client.models.Assertion
import org.openapitools.client.models.ClockChange
import org.openapitools.client.models.FaultMatch
import org.openapitools.client.models.FaultRule
import org.openapitools.client.models.FaultRuleEffect
import org.openapitools.client.models.FaultRuleEffectError
import org.openapitools.client.models.WorldOptions

private const val NAME = "generated-kotlin"

fun main() {
    val site = System.getenv("CHATDOUBLE_URL")
    var failures = 0
    val check = { what: String, holds: Boolean ->
        println(if (holds) "ok - kotlin: $what" else "not ok - kotlin: $what").also { if (!holds) failures++ }
    }
    val worlds = WorldsApi(site)
    val made = worlds.createWorld(WorldOptions(forkOf = "default", name = NAME, idleTtlSeconds = "10m"))
    check("a world is forked", made.name == NAME && worlds.getWorlds(NAME).worlds.single().idleTtlSeconds!!.toInt() == 600)
    val clock = ClockApi(site)
    val before = clock.getClock(NAME).now.toDouble()
    val moved = clock.moveClock(NAME, ClockChange(advanceSeconds = "1d"))
    check("the clock moves by a day, as text", moved.now.toDouble() == before + 86_400)
    check("something falls due on the way", moved.fired.isNotEmpty())
    check("the clock moves by a day, as a number", clock.moveClock(NAME, ClockChange(advanceSeconds = 86_400)).now.toDouble() == before + 172_800)
    val effect = FaultRuleEffect(error = FaultRuleEffectError(status = 503, code = "BUSY", msg = "Later"))
    FaultsApi(site).installFault(NAME, FaultRule(effect, match = FaultMatch(path = "/server_settings"), times = 1))
    val settings = HttpRequest.newBuilder(URI("${made.url}/api/v1/server_settings")).build()
    val status = List(2) { HttpClient.newHttpClient().send(settings, BodyHandlers.ofString()).statusCode() }
    check("a fault fires once", status == listOf(503, 200))
    check("the journal is verified", JournalApi(site).verifyJournal(NAME, Assertion(path = "/server_settings", exactly = 2)).count == 2)
    worlds.deleteWorld(NAME)
    exitProcess(if (failures == 0) 0 else 1)
}
