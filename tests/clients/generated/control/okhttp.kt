// Functions of OkHttp 4 for OkHttp 3, which distributions have.

package okhttp3

import java.io.File

fun String.toMediaTypeOrNull(): MediaType? = MediaType.parse(this)

fun String.toHttpUrlOrNull(): HttpUrl? = HttpUrl.parse(this)

fun Map<String, String>.toHeaders(): Headers = Headers.of(this)

fun String.toRequestBody(type: MediaType? = null): RequestBody = RequestBody.create(type, this)

fun ByteArray.toRequestBody(type: MediaType? = null): RequestBody = RequestBody.create(type, this)

fun File.asRequestBody(type: MediaType? = null): RequestBody = RequestBody.create(type, this)
