package chatdouble.junit

import java.util.concurrent.ConcurrentHashMap
import org.junit.jupiter.api.extension.ExtensionContext
import org.junit.platform.launcher.TestExecutionListener
import org.junit.platform.launcher.TestPlan

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
    checkNames(PLANS.values.flatten())
    if (given != null) return given.also { checkSeverity("failOn", it) }
    val parameter = context.getConfigurationParameter(FAIL_ON).orElse(null)?.ifBlank { null } ?: return null
    return parameter.also { checkSeverity("the parameter $FAIL_ON", it) }
}
