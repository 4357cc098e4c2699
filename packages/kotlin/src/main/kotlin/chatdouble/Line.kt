package chatdouble

/** A request in a line, and below it why it was refused. */
internal fun line(entry: JournalEntry): String {
    val params = entry.params.map { (name, value) -> "$name=${short(value)}" }
    val outcome = if (entry.status == DROPPED) "no reply" else "${entry.status}"
    val words = listOf(outcome, entry.method, entry.path, entry.user, *params.toTypedArray(), entry.fault?.let { "($it)" })
    val reply = entry.reply.takeIf { it.isJsonObject && entry.status >= BAD_REQUEST }?.asJsonObject
    val reasons = listOfNotNull(reply?.get("msg")?.takeIf { it.isJsonPrimitive }?.asString, entry.hint)
    return (listOf(words.filterNot { it.isNullOrEmpty() }.joinToString(" ")) + reasons).joinToString("\n    ")
}

private fun short(given: String): String {
    val text = given.replace("\r", "\\r").replace("\n", "\\n")
    return if (text.length > SHOWN_CHARACTERS) text.take(SHOWN_CHARACTERS) + "…" else text
}

/** The known word that differs least from one that was given. */
internal fun nearest(given: String, known: Collection<String>): String = known.minByOrNull { distance(given, it) } ?: ""

/** How many letters have to be inserted, removed or replaced to make one text of the other. */
private fun distance(one: String, other: String): Int {
    var row = IntArray(other.length + 1) { it }
    for (at in one.indices) {
        val next = IntArray(other.length + 1)
        next[0] = at + 1
        for (to in other.indices) {
            val replaced = row[to] + if (one[at] == other[to]) 0 else 1
            next[to + 1] = minOf(replaced, row[to + 1] + 1, next[to] + 1)
        }
        row = next
    }
    return row[other.length]
}

/** The status of a request whose connection was dropped. */
private const val DROPPED = 0

/** How much of a parameter a line shows. */
private const val SHOWN_CHARACTERS = 60
