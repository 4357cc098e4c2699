// The client that the examples of the documents test.

import com.google.gson.JsonParser
import java.io.IOException
import java.net.URI
import java.net.URLEncoder
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers
import java.util.Base64

class MyClient(private val site: String, private val email: String, private val key: String) {
    private val http = HttpClient.newHttpClient()
    private var queue: String? = null
    private var last = -1L

    /** Sends a message; returns its id. */
    @Throws(IOException::class)
    fun send(channel: String, topic: String, content: String): Long =
        JsonParser.parseString(post("/messages", "type" to "stream", "to" to channel, "topic" to topic, "content" to content)).asJsonObject["id"].asLong

    /** Sends a message, and sends it again while the server fails; returns its id. */
    fun sendPatiently(channel: String, topic: String, content: String): Long {
        val form = arrayOf("type" to "stream", "to" to channel, "topic" to topic, "content" to content)
        val replies = generateSequence { http.send(posted("/messages", *form), BodyHandlers.ofString()) }.take(TRIES)
        val reply = replies.firstOrNull { it.statusCode() < SERVER_ERROR } ?: throw IOException("the server fails")
        return JsonParser.parseString(reply.body()).asJsonObject["id"].asLong
    }

    /** Asks for a reminder of a message at a time, in Unix seconds. */
    fun remind(message: Long, time: Long) {
        post("/reminders", "message_id" to "$message", "scheduled_delivery_timestamp" to "$time")
    }

    /** Waits for a message, and returns its content. */
    fun nextMessage(): String {
        listen()
        while (true) poll().firstOrNull()?.let { return it }
    }

    /** Registers an event queue for messages. */
    fun listen() {
        val registered = post("/register", "event_types" to """["message"]""", "fetch_event_types" to "[]")
        queue = JsonParser.parseString(registered).asJsonObject["queue_id"].asString
        last = -1L
    }

    /** Returns the contents of the messages that have come, without waiting; registers again when its queue is gone. */
    fun newMessages(): List<String> = poll("&dont_block=true")

    private fun poll(more: String = ""): List<String> {
        val polled = http.send(request("/events?queue_id=$queue&last_event_id=$last$more").build(), BodyHandlers.ofString()).body()
        val reply = JsonParser.parseString(polled).asJsonObject
        if (reply["code"]?.asString == "BAD_EVENT_QUEUE_ID") return emptyList<String>().also { listen() }
        val events = reply["events"].asJsonArray.map { it.asJsonObject }
        last = events.lastOrNull()?.get("id")?.asLong ?: last
        return events.filter { it["type"].asString == "message" }.map { it["message"].asJsonObject["content"].asString }
    }

    fun settings(): String = http.send(request("/server_settings").build(), BodyHandlers.ofString()).body()

    private fun post(path: String, vararg form: Pair<String, String>): String = http.send(posted(path, *form), BodyHandlers.ofString()).body()

    private fun posted(path: String, vararg form: Pair<String, String>): HttpRequest {
        val text = form.joinToString("&") { (name, value) -> "$name=${URLEncoder.encode(value, Charsets.UTF_8)}" }
        return request(path).header("Content-Type", "application/x-www-form-urlencoded").POST(BodyPublishers.ofString(text)).build()
    }

    private fun request(path: String) =
        HttpRequest.newBuilder(URI("$site/api/v1$path")).header("Authorization", "Basic " + Base64.getEncoder().encodeToString("$email:$key".toByteArray()))

    private companion object {
        const val TRIES = 3
        const val SERVER_ERROR = 500
    }
}
