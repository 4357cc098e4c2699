package test

import chatdouble.User
import chatdouble.World
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.net.URI
import java.net.URLEncoder
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers
import java.util.Base64

private val http = HttpClient.newHttpClient()

/** A request to the API as a client makes it; returns the reply, a refused one too. */
fun api(world: World, user: User, method: String, path: String, vararg form: Pair<String, Any>): JsonObject {
    val data = form.joinToString("&") { (name, value) -> "$name=${URLEncoder.encode(value.toString(), Charsets.UTF_8)}" }
    val address = "${world.url}/api/v1$path" + if (method == "GET") "?$data" else ""
    val key = Base64.getEncoder().encodeToString("${user.email}:${user.apiKey}".toByteArray())
    val request = HttpRequest.newBuilder(URI(address)).header("Authorization", "Basic $key")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .method(method, if (method == "GET") BodyPublishers.noBody() else BodyPublishers.ofString(data))
    return JsonParser.parseString(http.send(request.build(), BodyHandlers.ofString()).body()).asJsonObject
}

fun send(world: World, user: User, content: String): JsonObject =
    api(world, user, "POST", "/messages", "type" to "stream", "to" to "general", "topic" to "t", "content" to content)

fun JsonObject.text(name: String): String? = get(name)?.asString
