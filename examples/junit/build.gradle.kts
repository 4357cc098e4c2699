// CI has no Gradle and does not run this file: it compiles the same tests with the compilers themselves.
plugins { kotlin("jvm") version "2.2.20" }

repositories {
    // What `packages/build --jar -o DIR` makes.
    maven(url = uri(providers.gradleProperty("chatdouble").get() + "/maven"))
    mavenCentral()
}

dependencies {
    testImplementation("chatdouble:chatdouble:0.1.0")
    // The program for the platform of the tests.
    testRuntimeOnly("chatdouble:chatdouble-linux-x64:0.1.0")
    testImplementation("org.junit.jupiter:junit-jupiter:5.13.4")
    testRuntimeOnly("org.junit.platform:junit-platform-launcher")
}

tasks.test { useJUnitPlatform() }
