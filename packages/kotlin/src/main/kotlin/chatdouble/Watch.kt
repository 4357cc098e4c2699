package chatdouble

import com.google.gson.JsonParseException
import com.google.gson.JsonParser
import java.net.URI
import java.net.http.WebSocket
import java.net.http.WebSocketHandshakeException
import java.util.concurrent.CompletionException
import java.util.concurrent.CompletionStage
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit.MILLISECONDS

/**
 * The frames of the watch socket, as they are broadcast; `next` waits for one, `timeoutMs` at most if it is given. It is an
 * iterator, which Kotlin searches by `asSequence()`. Closing it ends the watching.
 */
public class Watch internal constructor(requests: Requests, path: String, private val timeoutMs: Int?) : Iterator<Frame>, AutoCloseable {
    // Null is no element of a queue: the empty text marks the end.
    private val texts = LinkedBlockingQueue<String>()
    private val socket: WebSocket
    private val place = requests.url + path
    private val end = requests.end

    @Volatile private var isClosed = false
    private var following: String? = null

    init {
        val builder = requests.client.newWebSocketBuilder()
        if (requests.token != null) builder.header("Authorization", "Bearer ${requests.token}")
        val address = requests.url.replaceFirst("http", "ws", ignoreCase = true) + path
        socket = try {
            builder.buildAsync(URI(address), Listener()).join()
        } catch (error: CompletionException) {
            val status = (error.cause as? WebSocketHandshakeException)?.response?.statusCode() ?: 0
            val reason = if (status == 0) "${error.cause}${end()}" else "$status${requests.sourceOfToken(status)}"
            throw ChatdoubleException("$place can't be watched: $reason", status)
        }
    }

    override fun hasNext(): Boolean {
        val next = following ?: awaited().also { following = it }
        return next.isNotEmpty()
    }

    private fun awaited(): String {
        if (timeoutMs == null) return texts.take()
        return texts.poll(timeoutMs.toLong(), MILLISECONDS) ?: throw ChatdoubleException("$place: no frame came within $timeoutMs ms")
    }

    override fun next(): Frame {
        if (!hasNext()) throw NoSuchElementException("the watch socket is closed${if (isClosed) "" else end()}")
        val text = following!!
        following = null
        return try {
            Frame(JsonParser.parseString(text))
        } catch (_: JsonParseException) {
            throw ChatdoubleException("a frame of the watch socket is not JSON: ${text.take(EXCERPT)}")
        }
    }

    override fun close() {
        isClosed = true
        socket.abort()
        texts.add("")
    }

    private inner class Listener : WebSocket.Listener {
        private val message = StringBuilder()

        override fun onText(socket: WebSocket, data: CharSequence, last: Boolean): CompletionStage<*>? {
            message.append(data)
            if (last) {
                texts.add(message.toString())
                message.setLength(0)
            }
            socket.request(1)
            return null
        }

        override fun onClose(socket: WebSocket, status: Int, reason: String): CompletionStage<*>? {
            texts.add("")
            return null
        }

        override fun onError(socket: WebSocket, error: Throwable) {
            texts.add("")
        }
    }
}
