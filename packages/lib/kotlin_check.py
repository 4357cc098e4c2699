"""Uses the jars for Kotlin and Java as a team would: with the compilers, in a folder of its own."""

import json
import re
import shutil
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import jvm
from blocks import blocks

SNIPPET = """
@chatdouble.junit.ChatdoubleTest
class {name} {{
    @org.junit.jupiter.api.Test
    fun block(world: chatdouble.World) {{
{text}    }}
}}
"""
KILLED = """
@chatdouble.junit.ChatdoubleTest
class KilledCase {
    @org.junit.jupiter.api.Test
    fun hangs(world: chatdouble.World) {
        java.io.File(System.getenv("MARKER")).writeText(world.url)
        Thread.sleep(60_000)
    }
}
"""
MANY = """
class {name} {{
    @org.junit.jupiter.api.RepeatedTest({count})
    {annotation}
    fun one({parameter}) {{ {body} }}
}}
"""
# What docs/kotlin.md calls things, and the classes that they have.
OWNERS = {
    "world": "World", "world.clock": "Clock", "world.faults": "Faults", "fault": "Fault", "world.network": "Networks",
    "world.rateLimit": "RateLimits", "world.previews": "Previews", "world.journal": "Journal", "world.queues": "Queues",
    "world.pushes": "Pushes", "world.snapshots": "Snapshots", "server": "Server",
}  # fmt: skip


def check(tools, output, binary, root):
    """`tools` are the functions of packages/check."""
    library = next((output / "maven" / "chatdouble" / "chatdouble").glob("*/chatdouble-*[0-9].jar"), None)
    if library is None:
        tools.expect(False, "packages/build makes the jars")
        return
    home = jvm.compiler(root / "packages" / "kotlin", root / "target" / "packages")
    (program,) = (path for path in (output / "maven").rglob("chatdouble-*.jar") if path.parent.parent.name.startswith("chatdouble-"))
    with tempfile.TemporaryDirectory() as name:
        project = Path(name)
        sources = written(project, root, tools.WORLDS)
        libraries = [library, jvm.stdlib(home), *map(jvm.jar, jvm.LIBRARIES)]
        # With BouncyCastle, which OkHttp's package brings, the page opens a sealed push.
        all_libraries = [*libraries, jvm.jar("bcprov")]
        classes = project / "classes"
        kotlin = jvm.kotlin_command(home, classes, all_libraries, "-Werror", *sources["kt"], *sources["java"])
        tools.succeeds("kotlinc compiles the tests, the example and the documents", *kotlin, folder=project)
        java = ["javac", "--release", jvm.JAVA, "-Xlint:all", "-Werror", "-cp", jvm.class_path(classes, *libraries), "-d", classes]
        tools.succeeds("javac compiles the same in Java", *java, *sources["java"], folder=project)
        running = [*all_libraries, *map(jvm.jar, jvm.RUNNER), classes]
        # The home is empty: the program comes from the jar.
        console = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", f"-Duser.home={project}", "-cp"]
        launcher = ["org.junit.platform.console.ConsoleLauncher", "--disable-banner", "--disable-ansi-colors", "--details=tree"]
        packed = [*console, jvm.class_path(*running, program), *launcher]
        named = [*console, jvm.class_path(*running), *launcher]

        example = [f"--select-class={one}" for one in ("ChatTest", "ReminderTest")]
        path = {"PATH": "/usr/bin:/bin"}
        tools.succeeds("the console of JUnit runs the example", *packed, *example, folder=project, within=tools.FIRST_SECONDS + 3, **path)
        documents = [f"--scan-classpath={classes}", "--include-classname=.*(SendingTest|SendingInJavaTest|OldServersTest|OurTeamTest|TomorrowTest|SealedPushTest|Block\\d+|SendingOfReadmeTest)"]
        status, text, _ = tools.run(*configured(project, root, packed), *documents, folder=project, **path)
        tools.expect(status == 0 and "16 tests successful" in text, "the blocks of docs/kotlin.md and of the README run", text)
        check_commands(tools, output, root, home)
        check_junit4(tools, running, program, project)
        tests = [*named, "--select-package=test"]
        tools.succeeds("the helpers' tests", *tests, folder=project, CHATDOUBLE_BINARY=str(binary))
        status, text, _ = tools.run(*named, "--select-class=ChatTest", folder=project, PATH=str(java_folder(project)))
        tools.expect(status == 1 and "put the program on the path, or set CHATDOUBLE_BINARY" in text, "without a program the error says how to get one", text)
        check_sources(tools, [*named, "--select-class=ReminderTest"], project, binary)
        check_elsewhere(tools, named, project, binary)
        check_coordinates(tools, output, root)
        check_names(tools, library, root / "packages" / "kotlin" / "src" / "main" / "kotlin", (root / "docs" / "kotlin.md").read_text())
        check_repetitions(tools, root / "packages" / "kotlin" / "src" / "okhttp" / "Repetitions.java", classes, libraries, binary)
        tools.check_killed("JUnit", [*packed, "--select-class=KilledCase"], project)
        short = [*packed[:-1], "--details=summary"]
        _, _, bare = tools.run(*short, "--select-class=BareCase", folder=project)
        _, text, took = tools.run(*short, "--select-class=WorldsCase", folder=project)
        holds = f"{tools.WORLDS} tests successful" in text and took - bare < tools.patience(tools.options.binary)
        tools.expect(holds, f"{tools.WORLDS} tests with a world each cost {took - bare:.1f} s in JUnit", text)


def check_commands(tools, output, root, home):
    """Runs the commands that docs/kotlin.md has for projects without Gradle and Maven, with the compiler that is installed."""
    (text,) = blocks(root / "docs" / "kotlin.md", "bash")
    install, commands = text.split("\n", 1)
    version = json.loads((root / "packages" / "kotlin" / "package.json").read_text())["devDependencies"]["kotlin-compiler"]
    tools.expect(install == f"npm i kotlin-compiler@{version}", "docs/kotlin.md installs the compiler that is checked", install)
    with tempfile.TemporaryDirectory() as name:
        project = Path(name) / "project"
        shutil.copytree(root / "examples" / "junit", project)
        (project / "node_modules").symlink_to(home.parent)
        status, said, _ = tools.run("bash", "-euc", commands.replace("/home/me/dist", str(output)), folder=project, HOME=name)
        holds = status == 0 and " 0 tests failed" in said and " 0 tests successful" not in said
        tools.expect(holds, "the commands without Gradle and Maven run the example", said)


def check_junit4(tools, running, program, project):
    """Runs the block for JUnit 4, without JUnit 5."""
    junit4 = [one for one in running if not one.name.startswith(("junit-", "opentest4j", "apiguardian"))]
    command = ["java", "-XX:TieredStopAtLevel=1", f"-Duser.home={project}", "-cp", jvm.class_path(*junit4, program)]
    status, text, _ = tools.run(*command, "org.junit.runner.JUnitCore", "SendingWithJUnit4Test", folder=project)
    tools.expect(status == 0 and "OK (1 test)" in text, "JUnit 4 alone runs its block of docs/kotlin.md", text)


def check_sources(tools, command, project, binary):
    """Checks that a start that fails names the variable that is to blame."""
    program = {"CHATDOUBLE_BINARY": str(binary)}
    unreached = "(from CHATDOUBLE_URL; unset it to let the tests start a server)"
    for variables, wanted in (
        ({**program, "CHATDOUBLE_CLOCK": "frozn"}, "(from CHATDOUBLE_CLOCK)"),
        ({**program, "CHATDOUBLE_FIXTURE": "nosuch"}, "(from CHATDOUBLE_FIXTURE)"),
        ({"CHATDOUBLE_BINARY": "/no/such"}, "(from CHATDOUBLE_BINARY)"),
        ({"CHATDOUBLE_BINARY": "/bin/true"}, "/bin/true ended with status 0 before it was ready (from CHATDOUBLE_BINARY)"),
        ({"CHATDOUBLE_BINARY": "/bin/ls"}, "--help' for more information. (from CHATDOUBLE_BINARY)"),
        ({"CHATDOUBLE_URL": "http://127.0.0.1:9"}, unreached),
        ({"CHATDOUBLE_URL": "localhost:9"}, unreached),
        ({"CHATDOUBLE_URL": "https://localhost:9", "CHATDOUBLE_TLS_CA": "/no/such"}, "(from CHATDOUBLE_TLS_CA)"),
    ):
        status, text, _ = tools.run(*command, folder=project, **variables)
        what = " ".join(f"{name}={value}" for name, value in variables.items() if value != str(binary))
        tools.expect(status == 1 and wanted in text, f"a start that fails because of {what} says so", text)


def check_elsewhere(tools, console, project, binary):
    """Checks which options apply to the worlds of a server that runs already."""
    command = [binary, "exec", "--log", "warn", "--", *console, "--select-class=test.ElsewhereCase"]
    options = "chatdouble.options=--dialect zulip feature_level=300 clock=2027-01-01 seed=3"
    tools.succeeds("options of a server are those of the worlds of one that runs already", *command, "--config", options, folder=project)
    status, text, _ = tools.run(*command, "--config", f"{options} tls webhooks=anywhere", folder=project)
    said = "chatdouble.options can't give tls, webhooks to the server at CHATDOUBLE_URL, which runs already: start it with them, for tls by exec --tls, or unset"
    tools.expect(status != 0 and said in text, "options that only a start can give are refused", text)
    secured = [binary, "exec", "--tls", "--log", "warn", "--", *console, "--select-class=test.SecuredElsewhereCase"]
    tools.succeeds("tls is accepted at a server that speaks HTTPS", *secured, "--config", "chatdouble.options=tls", folder=project)
    status, text, _ = tools.run(*secured, "--config", "chatdouble.options=tls webhooks=anywhere", folder=project)
    said = "chatdouble.options can't give webhooks to the server at CHATDOUBLE_URL, which runs already: start it with them, or unset"
    tools.expect(status != 0 and said in text, "other options are refused there", text)
    own = [*console, "--select-class=test.OwnCase", "--config"]
    there = [binary, "exec", "--log", "warn", "--"]
    for place, before, variables in (("is started", [], {"CHATDOUBLE_BINARY": str(binary)}), ("runs already", there, {})):
        tools.succeeds(f"a fixture in a file is that of tests whose server {place}", *before, *own, "chatdouble.options=fixture=team.json", folder=project, **variables)
    for given, said in (
        ("no.json", f"fixture: {project}/no.json can't be read: there is no such file (from the parameter chatdouble.options)"),
        ("casst", "there is no such file; it is no built-in fixture either, of which the nearest is 'cast' (from the parameter chatdouble.options)"),
        ("control_token=other", "; the one that was given as controlToken, or as control_token in chatdouble.options, is another"),
    ):
        option = given if "=" in given else f"fixture={given}"
        secret = {"CHATDOUBLE_CONTROL_TOKEN": "secret"} if "token" in given else {}
        status, text, _ = tools.run(*there, *own, f"chatdouble.options={option}", folder=project, **secret)
        tools.expect(status != 0 and said in text, f"a mistake names its setting: {option}", text)


def check_coordinates(tools, output, root):
    """Checks that the blocks for Gradle and Maven, which are not run, name the jars that are made."""
    page, script = root / "docs" / "kotlin.md", root / "examples" / "junit" / "build.gradle.kts"
    (gradle,), (maven,) = blocks(page, "gradle"), blocks(page, "xml")
    # The namespace would be a part of every name.
    described = ElementTree.fromstring(maven.replace(' xmlns="http://maven.apache.org/POM/4.0.0"', ""))
    plugins = {one.findtext("artifactId"): one.findtext("version") for one in described.iter("plugin")}
    for name, text in {"Gradle": gradle, "the example": script.read_text()}.items():
        wanted = f'kotlin("jvm") version "{plugins["kotlin-maven-plugin"]}"'
        tools.expect(wanted in text, f"{name} has the Kotlin of the block for Maven", text)
    url = described.findtext("repositories/repository/url")
    tools.expect(url.startswith("file:///") and f'"{url.removeprefix("file://")}"' in gradle, "the blocks name the same repository", maven)
    of_maven = [tuple(one.findtext(part) for part in ("groupId", "artifactId", "version")) for one in described.iter("dependency")]
    texts = {"Gradle": gradle, "the example": script.read_text()}
    found = {name: [tuple(one.split(":")) for one in re.findall(r'"([\w.-]+:[\w.-]+:[\d.]+)"', text)] for name, text in texts.items()}
    found["Maven"] = of_maven
    for name, named in found.items():
        own = [(artifact, version) for group, artifact, version in named if group == "chatdouble"]
        made = [output / "maven" / "chatdouble" / artifact / version / f"{artifact}-{version}.jar" for artifact, version in own]
        holds = len(own) == 2 and all(path.is_file() for path in made) and set(named) == set(of_maven)
        tools.expect(holds, f"the jars that {name} names are made", f"{named}\n{of_maven}")


def check_names(tools, library, sources, page):
    """Checks that the page lists the methods and the effects that the library has, with their parameters."""
    rows = "\n".join(re.findall(r"^\| `.*$", page, re.MULTILINE))
    (effects,) = re.findall(r"^Effects of faults (.*?)\n\n", page, re.MULTILINE | re.DOTALL)
    said = {}
    for owner, name, parameters in re.findall(r"`([\w.]+)\.(\w+)\(([^()`]*)\)`", rows):
        if owner in OWNERS:
            said.setdefault(OWNERS[owner], {})[name] = parameters
    said["Effect"] = dict(re.findall(r"`(\w+)\(([^()`]*)\)`", effects))
    tools.expect({*said} == {*OWNERS.values(), "Effect"}, "docs/kotlin.md lists the calls of each part of a world", rows)
    taken = parameters_of("\n".join(path.read_text() for path in sorted(sources.rglob("*.kt"))))
    for name, listed in said.items():
        status, text, _ = tools.run("javap", "-public", "-cp", library, f"chatdouble.{name}")
        # Kotlin's functions with an inline class have a hash in their names.
        found = {one.split("-")[0] for one in re.findall(r" ([\w$-]+)\(.*\);$", text, re.MULTILINE) if "$" not in one} - {"toString"}
        tools.expect(status == 0 and found == {*listed}, f"docs/kotlin.md lists what {name} has", f"{found ^ {*listed}}\n{text}")
        differing = {call: (given, taken[name].get(call)) for call, given in listed.items() if taken[name].get(call) != {given}}
        tools.expect(not differing, f"docs/kotlin.md has the parameters of {name}", str(differing))


def parameters_of(text):
    """The parameters of the functions of each public class, as docs/kotlin.md writes them: with `?` if they may be left out."""
    _, *parts = re.split(r"^public class (\w+)", text, flags=re.MULTILINE)
    found = {}
    for owner, body in zip(parts[::2], parts[1::2], strict=True):
        for name, given in re.findall(r"(?:public|override) fun (\w+)\((.*?)\)(?=: | = | \{)", body, re.DOTALL):
            each = [one.strip(" \n,") for one in re.split(r",\s+(?=(?:vararg )?\w+: )", given) if one.strip(" \n,")]
            names = [one.removeprefix("vararg ").split(":")[0] + ("?" if " = " in one or one.startswith("vararg ") else "") for one in each]
            found.setdefault(owner, {}).setdefault(name, set()).add(", ".join(names))
    return found


def check_repetitions(tools, source, classes, libraries, binary):
    """Checks what docs/mobile.md says of OkHttp's own repetitions, against the program."""
    path = jvm.class_path(*libraries, jvm.jar("okhttp"), jvm.jar("okio"), classes)
    tools.succeeds("javac compiles a client with OkHttp", "javac", "--release", jvm.JAVA, "-cp", path, "-d", classes, source)
    served = [binary, "exec", "--clock", "frozen", "--log", "warn", "--", "java", "-XX:TieredStopAtLevel=1", "-cp", path, "Repetitions"]
    status, text, _ = tools.run(*served)
    tools.expect(status == 0 and text.count("ok - ") == 7, "OkHttp and the JDK's client repeat requests as docs/mobile.md says", text)


def configured(project, root, command):
    """The command with the file of the platform's parameters that the page has on the class path."""
    (text,) = blocks(root / "docs" / "kotlin.md", "properties")
    folder = project / "parameters"
    folder.mkdir()
    (folder / "junit-platform.properties").write_text(text)
    at = command.index("-cp") + 1
    return [*command[:at], jvm.class_path(folder, command[at]), *command[at + 1 :]]


def java_folder(project):
    """A folder with `java` and nothing else."""
    folder = project / "bin"
    folder.mkdir()
    (folder / "java").symlink_to(shutil.which("java"))
    return folder


def written(project, root, count):
    """The sources, by the ending of their names."""
    package, lib = root / "packages" / "kotlin", root / "packages" / "lib"
    for place in (package / "src" / "test", root / "examples" / "junit" / "src" / "test"):
        shutil.copytree(place, project / "src", dirs_exist_ok=True)
    shutil.copy(lib / "docs" / "MyClient.kt", project / "src")
    page, readme = root / "docs" / "kotlin.md", package / "README.md"
    (team,) = blocks(page, "json")
    (project / "team.json").write_text(team)
    texts = [*blocks(page, "kotlin"), *(text.replace("SendingTest", "SendingOfReadmeTest") for text in blocks(readme, "kotlin"))]
    for number, text in enumerate(texts):
        indented = "".join(f"        {line}\n" for line in text.splitlines())
        whole = text if text.startswith("import ") else "import chatdouble.*\n" + SNIPPET.format(name=f"Block{number}", text=indented)
        (project / "src" / f"Block{number}.kt").write_text(whole)
    for number, text in enumerate(blocks(page, "java")):
        name = re.search(r"^class (\w+)", text, re.MULTILINE)[1]
        (project / "src" / f"{name}.java").write_text(text)
    (project / "src" / "KilledCase.kt").write_text(KILLED)
    bare = MANY.format(name="BareCase", count=count, annotation="", parameter="", body="")
    with_world = MANY.format(
        name="WorldsCase", count=count, annotation="@chatdouble.junit.ChatdoubleTest", parameter="world: chatdouble.World",
        body="check(world.name in world.url)",
    )  # fmt: skip
    (project / "src" / "ManyCases.kt").write_text(bare + with_world)
    return {end: sorted((project / "src").rglob(f"*.{end}")) for end in ("kt", "java")}
