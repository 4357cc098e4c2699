package chatdouble

import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonParseException
import com.google.gson.JsonParser
import java.io.ByteArrayInputStream
import java.io.IOException
import java.net.ConnectException
import java.net.URI
import java.net.URISyntaxException
import java.net.URLEncoder
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers
import java.security.KeyStore
import java.security.cert.CertificateFactory
import java.time.Duration
import javax.net.ssl.SSLContext
import javax.net.ssl.TrustManagerFactory

/** Requests to the server at a base URL; slashes at its end do not count. */
internal class Requests(
    url: String,
    val token: String?,
    tlsCa: String?,
    /** Where the URL is from, for the errors of a server that does not answer. */
    private val source: String = "",
    /** Says how the server ended, if that is known; else it is empty. */
    val end: () -> String = { "" },
    /** Whether an option gave the token, instead of the environment. */
    private val isTokenGiven: Boolean = true,
) {
    /** Whether this library has stopped the server. */
    @Volatile var isStopped: Boolean = false

    val url: String = checked(url, source)
    val client: HttpClient = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(PATIENCE)
        .apply { if (tlsCa != null) sslContext(trusting(tlsCa)) }
        .build()

    /** Makes a call of control; returns its reply. */
    fun control(method: String, path: String, body: Any? = null, filters: Map<String, Any?> = emptyMap()): JsonObject {
        val query = filters.filterValues { it != null }.map { (name, value) -> "$name=${encoded(value.toString())}" }
        val place = "/control$path" + if (query.isEmpty()) "" else query.joinToString("&", "?")
        // The body of a call that waits has the time to wait.
        val waits = ((body as? Map<*, *>)?.get("timeout_ms") as? Int ?: 0).toLong()
        val sent = if (body == null) BodyPublishers.noBody() else BodyPublishers.ofString(plain(body).toString())
        val request = HttpRequest.newBuilder(URI(url + place)).method(method, sent).timeout(PATIENCE.plusMillis(waits))
            .header("Content-Type", "application/json")
        if (token != null) request.header("Authorization", "Bearer $token")
        return ask("$method $url$place", request.build())
    }

    private fun ask(name: String, request: HttpRequest): JsonObject {
        val reply = try {
            client.send(request, BodyHandlers.ofString())
        } catch (error: IOException) {
            throw ChatdoubleException("$name: ${reason(error)}$source${end()}")
        }
        val body: JsonElement = try {
            JsonParser.parseString(reply.body())
        } catch (_: JsonParseException) {
            val excerpt = reply.body().take(EXCERPT).trim().replace(Regex("\\s+"), " ")
            val said = "$url is not a chatdouble server$source: $name answered ${reply.statusCode()} without JSON: $excerpt"
            throw ChatdoubleException(said, reply.statusCode())
        }
        if (reply.statusCode() != OK || body !is JsonObject || body.text("result") != "success") {
            throw refusal(reply.statusCode(), body, name, sourceOfToken(reply.statusCode()))
        }
        return body
    }

    /** Where the token came from, for errors that are about it; else empty. */
    fun sourceOfToken(status: Int): String =
        when {
            status != UNAUTHORIZED -> ""
            token == null -> "; give it as controlToken, as control_token in chatdouble.options, or in the variable $TOKEN_VARIABLE"
            isTokenGiven -> "; the one that was given as controlToken, or as control_token in chatdouble.options, is another"
            else -> "; the one in $TOKEN_VARIABLE is another"
        }

    /** Ends something that may be gone already, which is a refusal with one of these statuses, or has no server any more. */
    fun leave(vararg gone: Int, ending: () -> Unit) {
        try {
            ending()
        } catch (error: ChatdoubleException) {
            if (error.status !in gone && !(error.status == 0 && (isStopped || isShuttingDown()))) throw error
        }
    }
}

/** A part of a path or a query, with the characters escaped that have a meaning there. */
internal fun encoded(text: String): String = URLEncoder.encode(text, Charsets.UTF_8).replace("+", "%20")

/** The message of an error, or of what it came from; else its kind. */
private fun reason(error: IOException): String =
    generateSequence<Throwable>(error) { it.cause }.mapNotNull { it.message }.firstOrNull()
        ?: if (error is ConnectException) "Connection refused" else error.javaClass.simpleName

/** Whether the JVM ends: the Ctrl-C of a terminal, which it gets, ends the server that it started as well. */
private fun isShuttingDown(): Boolean =
    try {
        Runtime.getRuntime().removeShutdownHook(Thread())
        false
    } catch (_: IllegalStateException) {
        true
    }

private fun checked(url: String, source: String): String {
    if (!Regex("^https?://", RegexOption.IGNORE_CASE).containsMatchIn(url)) {
        throw ChatdoubleException("'$url' is no address of a server: it must begin with http:// or https://$source")
    }
    val parts = try {
        URI(url)
    } catch (error: URISyntaxException) {
        throw ChatdoubleException("'$url' is no address of a server: ${error.reason}$source")
    }
    if (parts.host == null || parts.port > MAX_PORT) {
        throw ChatdoubleException("'$url' is no address of a server: it names no host, or no port that there can be$source")
    }
    return url.trimEnd('/')
}

/** Trust in the certificates of a PEM text. */
private fun trusting(pem: String): SSLContext {
    val certificates = CertificateFactory.getInstance("X.509").generateCertificates(ByteArrayInputStream(pem.toByteArray()))
    val store = KeyStore.getInstance(KeyStore.getDefaultType()).apply { load(null, null) }
    certificates.forEachIndexed { number, certificate -> store.setCertificateEntry("$number", certificate) }
    val trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm()).apply { init(store) }
    return SSLContext.getInstance("TLS").apply { init(null, trust.trustManagers, null) }
}

/** How much longer than the server's own wait to wait for a reply. */
private val PATIENCE = Duration.ofSeconds(60)
private const val OK = 200
private const val UNAUTHORIZED = 401

/** The variable with the token that control requires, for the server and for those who call it. */
internal const val TOKEN_VARIABLE: String = "CHATDOUBLE_CONTROL_TOKEN"
private const val MAX_PORT = 65_535
