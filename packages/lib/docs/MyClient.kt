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

    /** Sends a message; returns its id. */
    @Throws(IOException::class)
    fun send(channel: String, topic: String, content: String): Long =
        JsonParser.parseString(post("/messages", "type" to "stream", "to" to channel, "topic" to topic, "content" to content)).asJsonObject["id"].asLong

    fun settings(): String = http.send(request("/server_settings").build(), BodyHandlers.ofString()).body()

    private fun post(path: String, vararg form: Pair<String, String>): String {
        val text = form.joinToString("&") { (name, value) -> "$name=${URLEncoder.encode(value, Charsets.UTF_8)}" }
        val request = request(path).header("Content-Type", "application/x-www-form-urlencoded").POST(BodyPublishers.ofString(text))
        return http.send(request.build(), BodyHandlers.ofString()).body()
    }

    private fun request(path: String) =
        HttpRequest.newBuilder(URI("$site/api/v1$path")).header("Authorization", "Basic " + Base64.getEncoder().encodeToString("$email:$key".toByteArray()))
}
