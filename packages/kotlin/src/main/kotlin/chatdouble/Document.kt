package chatdouble

import com.google.gson.Gson
import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonParseException
import com.google.gson.stream.JsonReader
import com.google.gson.stream.JsonToken
import java.io.File
import java.io.IOException
import java.nio.charset.CharacterCodingException
import java.nio.file.AccessDeniedException
import java.nio.file.Files
import java.nio.file.NoSuchFileException
import java.nio.file.Path
import java.time.Duration

/** The JSON object in a file, whose path is absolute: a fixture or a dialect. */
internal class Document(val file: File, val json: JsonObject)

/** Whether a text can't be a name: it ends in `.json`, or has a separator of paths. */
internal fun isFile(text: String): Boolean = text.endsWith(".json") || '/' in text || File.separatorChar in text

/** The options of a world with what is in files in place of these, which are relative to the current folder. */
internal fun withDocuments(options: WorldOptions): WorldOptions =
    options.copy(fixture = read("fixture", options.fixture), dialect = read("dialect", options.dialect))

private fun read(option: String, given: Any?): Any? =
    when {
        given is File -> documentIn("WorldOptions.$option", given)
        given is Path -> documentIn("WorldOptions.$option", given.toFile())
        given is String && isFile(given) -> documentIn("WorldOptions.$option", File(given))
        else -> given
    }

/** The document in a file. An error begins with the option or setting, and ends with what else there is to say. */
internal fun documentIn(option: String, file: File, otherwise: String = ""): Document {
    val there = file.absoluteFile.normalize()
    val refused = { reason: String -> ChatdoubleException("$option: $there $reason$otherwise") }
    val text = try {
        Files.readString(there.toPath())
    } catch (_: CharacterCodingException) {
        throw refused("is not UTF-8")
    } catch (error: IOException) {
        throw refused("can't be read: ${reason(error)}")
    }
    val found = try {
        parsed(text)
    } catch (error: IOException) {
        throw refused("is not JSON: ${error.message?.lines()?.first()}")
    } catch (error: JsonParseException) {
        throw refused("is not JSON: ${error.message?.lines()?.first()}")
    }
    return Document(there, found as? JsonObject ?: throw refused("is no JSON object"))
}

private fun reason(error: IOException): String? =
    when (error) {
        is NoSuchFileException -> "there is no such file"
        is AccessDeniedException -> "access is denied"
        else -> error.message
    }

/** Gson's JsonParser would take what is no JSON, such as names without quotes. */
private fun parsed(text: String): JsonElement {
    val reader = JsonReader(text.reader())
    val found = Gson().getAdapter(JsonElement::class.java).read(reader)
    if (reader.peek() != JsonToken.END_DOCUMENT) throw IOException("there is more after its end")
    return found
}

/** An error of a new world, with the file from which the option came that it is about. */
internal fun withFile(error: ChatdoubleException, options: WorldOptions): ChatdoubleException {
    val of = mapOf("fixture" to options.fixture, "dialect" to options.dialect)
    val (_, found) = of.entries.firstOrNull { (name, value) -> value is Document && error.message!!.startsWith("$.$name") } ?: return error
    return ChatdoubleException("${error.message} (in ${(found as Document).file})", error.status, error.code, error.body)
}

/** Refuses a duration, whose seconds would be those since 1970. */
internal fun checkClock(owner: String, clock: Any?) {
    if (clock !is Duration && clock !is kotlin.time.Duration) return
    throw ChatdoubleException("$owner.clock takes real, frozen or an instant at which it is frozen, such as a java.time.Instant, not the duration $clock")
}
