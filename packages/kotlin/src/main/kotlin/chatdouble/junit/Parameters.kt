package chatdouble.junit

import chatdouble.nearest
import java.util.concurrent.ConcurrentHashMap
import org.junit.jupiter.api.extension.ExtensionContext
import org.junit.jupiter.api.extension.ParameterResolutionException
import org.junit.platform.launcher.TestExecutionListener
import org.junit.platform.launcher.TestPlan

/** How much findings matter, the least first. */
internal val SEVERITIES = listOf("note", "warning", "error")
internal const val OPTIONS = "chatdouble.options"
private const val FAIL_ON = "chatdouble.fail_on"
private const val PREFIX = "chatdouble."
private val KNOWN = listOf(OPTIONS, FAIL_ON)

/** Learns the names of the platform's parameters, which extensions can't list. The launcher finds it as a service. */
public class ChatdoubleParameters : TestExecutionListener {
    override fun testPlanExecutionStarted(testPlan: TestPlan) {
        PLANS[testPlan] = testPlan.configurationParameters.keySet().toSet()
    }

    override fun testPlanExecutionFinished(testPlan: TestPlan) {
        PLANS.remove(testPlan)
    }
}

/** The names of the parameters of the plans that run now: a test may run others. */
private val PLANS = ConcurrentHashMap<TestPlan, Set<String>>()

/** The least severe finding that fails a test; an unknown word is refused, whether it is the annotation's or a parameter. */
internal fun failOn(given: String?, context: ExtensionContext): String? {
    checkNames()
    if (given != null) return given.also { checkSeverity("failOn", it) }
    val parameter = context.getConfigurationParameter(FAIL_ON).orElse(null)?.ifBlank { null } ?: return null
    return parameter.also { checkSeverity("the parameter $FAIL_ON", it) }
}

private fun checkSeverity(what: String, given: String) {
    if (given !in SEVERITIES) {
        throw ParameterResolutionException("$what is one of ${SEVERITIES.joinToString()}, not '$given'; the nearest is '${nearest(given, SEVERITIES)}'")
    }
}

/** Refuses parameters that begin with `chatdouble.` and that there are not. */
private fun checkNames() {
    val system = System.getProperties().stringPropertyNames()
    val unknown = (PLANS.values.flatten() + system).filter { it.startsWith(PREFIX) && it !in KNOWN }.minOrNull() ?: return
    throw ParameterResolutionException(
        "there is no parameter $unknown; there are ${KNOWN.joinToString()}; the nearest is $PREFIX${nearest(unknown.removePrefix(PREFIX), KNOWN.map { it.removePrefix(PREFIX) })}",
    )
}
