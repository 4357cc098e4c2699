package chatdouble.junit

import java.lang.annotation.Inherited
import org.junit.jupiter.api.extension.ExtendWith

/**
 * Gives test methods a [chatdouble.World] of their own as a parameter, and the [chatdouble.Server].
 *
 * The options are those of a world; a method's come before those of its class, and these before
 * those of the class around it. A method with `@TestTemplate` instead of `@Test`
 * runs once for each feature level and dialect.
 *
 * @property fixture a built-in fixture's name or a file; a fork of `forkOf` if none is given
 * @property forkOf the world to copy
 * @property snapshot the snapshot of that world to copy
 * @property clock `real`, `frozen`, or an instant at which it is frozen
 * @property failOn fails the tests in whose world a client broke a rule of the report: `error`, `warning` or `note`
 */
@Target(AnnotationTarget.CLASS, AnnotationTarget.FUNCTION, AnnotationTarget.ANNOTATION_CLASS)
@Retention(AnnotationRetention.RUNTIME)
@Inherited
@ExtendWith(ChatdoubleExtension::class)
public annotation class ChatdoubleTest(
    val fixture: String = "",
    val forkOf: String = "",
    val snapshot: String = "",
    val featureLevel: IntArray = [],
    val dialect: Array<String> = [],
    val clock: String = "",
    val failOn: String = "",
)
