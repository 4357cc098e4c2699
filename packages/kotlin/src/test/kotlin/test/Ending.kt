package test

import chatdouble.startServer
import kotlin.concurrent.thread
import kotlin.system.exitProcess

/** A JVM that ends while its tests run, as by the Ctrl-C of a terminal, which ends their server too. */
fun main() {
    val server = startServer()
    println("server ${server.pid}")
    val world = server.createWorld()
    val ending = thread(start = false) {
        val process = ProcessHandle.of(server.pid!!).get()
        process.destroy()
        process.onExit().join()
        world.close()
        println("closed")
    }
    Runtime.getRuntime().addShutdownHook(ending)
    exitProcess(0)
}
