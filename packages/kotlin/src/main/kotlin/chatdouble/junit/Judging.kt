package chatdouble.junit

import chatdouble.ChatdoubleException
import chatdouble.JournalFilter
import chatdouble.NOT_FOUND
import chatdouble.Queue
import chatdouble.ReportedClient
import chatdouble.World
import chatdouble.line
import chatdouble.nearest

/** The last requests to a failed test's world, with the reasons of the refused ones. */
public class LastRequests internal constructor(message: String) : Exception(message, null, false, false) {
    override fun toString(): String = message!!
}

/** The last requests to the world of a test that failed; null where they say nothing. */
internal fun lastRequests(world: World, failure: Throwable): LastRequests? {
    val lines = try {
        world.journal.entries(JournalFilter(limit = SHOWN)).map(::line) + waiting(world.queues.list().filter { it.parked })
    } catch (_: ChatdoubleException) {
        return ended(world, failure)
    }
    if (lines.isNotEmpty()) {
        return LastRequests("the last requests to ${world.name}:\n" + lines.joinToString("\n") { "  ${it.replace("\n", "\n  ")}" })
    }
    // A test that a refused call ended may not have come to its client yet.
    if (failure is ChatdoubleException) return null
    return LastRequests("no request reached ${world.name} at ${world.url}; ${advice(world)}")
}

/** How the server ended, if the failure does not say it: then there is no journal to show. */
private fun ended(world: World, failure: Throwable): LastRequests? {
    val how = world.server.requests.end()
    return if (how.isEmpty() || how in failure.message.orEmpty()) null else LastRequests("the requests to ${world.name} can't be shown$how")
}

/** Where to look when no request came. */
private fun advice(world: World): String =
    when {
        // A client that does not trust the server gets no reply, and so no header.
        !world.url.startsWith("https:", ignoreCase = true) -> "an error that the client got has the reason in its header X-Chatdouble-Hint"
        world.server.tlsCa == null -> "a client has to trust the server's certificate"
        else -> "a client has to trust the authority in world.server.tlsCa"
    }

/** The polls that wait, which the journal has only when they are answered. */
private fun waiting(parked: List<Queue>): List<String> {
    val more = if (parked.size > SHOWN) listOf("waiting: ${parked.size - SHOWN} more") else emptyList()
    return parked.take(SHOWN).map { queue -> "waiting: GET /events" + (queue.user?.let { " of $it" } ?: "") } + more
}

/** Throws if a client of the world broke a rule of the report that is at least so severe. */
internal fun checkFindings(world: World, least: String) {
    val clients = lastReport(world)
    val found = findings(if (least == SEVERITIES[0]) withEnd(world, clients) else clients, least)
    if (found.isNotEmpty()) {
        throw AssertionError("the clients of ${world.name} broke rules:\n${found.joinToString("\n")}").apply { stackTrace = emptyArray() }
    }
}

/** Deletes a test's world. */
internal fun delete(world: World) {
    try {
        world.delete()
    } catch (error: ChatdoubleException) {
        // A test may have deleted it, or stopped the server.
        if (error.status != NOT_FOUND && error.status != 0) throw error
    }
}

/** Refuses a word that is no severity. */
internal fun checkSeverity(what: String, given: String) {
    if (given !in SEVERITIES) {
        throw ChatdoubleException("$what is one of ${SEVERITIES.joinToString()}, not '$given'; the nearest is '${nearest(given, SEVERITIES)}'")
    }
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
    delete(world)
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

/** How much findings matter, the least first. */
internal val SEVERITIES = listOf("note", "warning", "error")

/** How many journal entries a failed test shows. */
private const val SHOWN = 10
