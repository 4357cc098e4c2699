"""Compiles and packs the library for Kotlin and Java: jars in the folders of a Maven repository."""

import hashlib
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

# Where Debian puts jars, and the names that they have there.
JARS = Path("/usr/share/java")
LIBRARIES = ("gson", "junit-jupiter-api", "junit-jupiter-params", "junit-platform-commons", "junit-platform-launcher", "junit-platform-engine", "junit4", "opentest4j", "apiguardian-api")
RUNNER = (
    "junit-jupiter-engine", "junit-platform-engine", "junit-platform-launcher", "junit-platform-console", "junit-platform-reporting",
    "picocli", "opentest4j-reporting-events", "opentest4j-reporting-schema", "hamcrest",
)  # fmt: skip
# The oldest Java and Kotlin that can use the library.
JAVA, KOTLIN = "11", "2.2"
GSON, JUNIT, PLATFORM, JUNIT4 = "2.10", "5.9.2", "1.9.2", "4.13.2"
# The same bytes from the same files, whenever they are packed.
EPOCH = (1980, 1, 1, 0, 0, 0)
POM = """<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>chatdouble</groupId>
  <artifactId>{name}</artifactId>
  <version>{version}</version>
  <description>A test double of team-chat servers that speak the Zulip REST API, with helpers for tests</description>
  <licenses><license><name>MIT</name></license></licenses>
  <dependencies>{dependencies}
  </dependencies>
</project>
"""
DEPENDENCY = """
    <dependency>
      <groupId>{0}</groupId>
      <artifactId>{1}</artifactId>
      <version>{2}</version>{3}
    </dependency>"""
# Only tests that use the extension, or the rule of JUnit 4, need them.
OPTIONAL = "\n      <optional>true</optional>"


class Missing(Exception):
    """Something that compiling needs is not there."""


def jar(name):
    path = JARS / f"{name}.jar"
    if not path.is_file():
        raise Missing(f"there is no {path}: install a JDK, junit5 and libgoogle-gson-java, as .ci/run does")
    return path


def compiler(source, scratch):
    """The folder of the Kotlin compiler, installed from npm."""
    if shutil.which("java") is None:
        raise Missing("there is no java: install a JDK, junit5 and libgoogle-gson-java, as .ci/run does")
    folder = scratch / "kotlin-compiler"
    lock = [source / "package.json", source / "package-lock.json"]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in lock)).hexdigest()
    stamp = folder / "node_modules" / ".installed-from"
    if not stamp.is_file() or stamp.read_text() != digest:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for path in lock:
            shutil.copy(path, folder)
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True)
        stamp.write_text(digest)
    return folder / "node_modules" / "kotlin-compiler"


def class_path(*paths):
    return os.pathsep.join(str(path) for path in paths)


def kotlin_command(home, output, libraries, *arguments):
    """The command that compiles Kotlin. The JVM's first compiler suffices for so short a run."""
    java = ["java", "-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", home / "lib" / "kotlin-compiler.jar"]
    return [
        *java, "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-kotlin-home", home, "-jvm-target", JAVA,
        "-cp", class_path(*libraries), "-d", output, *arguments,
    ]  # fmt: skip


def stdlib(home):
    return home / "lib" / "kotlin-stdlib.jar"


def build(output, source, scratch, licence, binary, version, platform):
    """Writes the jars of the library and of the program into `output/maven`; returns them."""
    home, classes = compiler(source, scratch), scratch / "kotlin-classes"
    shutil.rmtree(classes, ignore_errors=True)
    sources, resources = source / "src" / "main" / "kotlin", source / "src" / "main" / "resources"
    options = [f"-Xjdk-release={JAVA}", "-language-version", KOTLIN, "-api-version", KOTLIN, "-Xexplicit-api=strict", "-Werror"]
    command = kotlin_command(home, classes, [jar(name) for name in LIBRARIES], *options, "-module-name", "chatdouble", sources)
    subprocess.run([str(part) for part in command], check=True)
    files = {str(path.relative_to(classes)): path.read_bytes() for path in sorted(classes.rglob("*")) if path.is_file()}
    texts = {str(path.relative_to(sources)): path.read_bytes() for path in sorted(sources.rglob("*.kt"))}
    program = "chatdouble.exe" if platform.startswith("win32") else "chatdouble"
    content = binary.read_bytes()
    packed = {
        f"chatdouble/{platform}/{program}": content,
        f"chatdouble/{platform}/sha256": hashlib.sha256(content).hexdigest().encode(),
    }
    needs = [
        DEPENDENCY.format("com.google.code.gson", "gson", GSON, ""),
        DEPENDENCY.format("org.jetbrains.kotlin", "kotlin-stdlib", f"{KOTLIN}.0", ""),
        DEPENDENCY.format("org.junit.jupiter", "junit-jupiter-api", JUNIT, OPTIONAL),
        DEPENDENCY.format("org.junit.platform", "junit-platform-launcher", PLATFORM, OPTIONAL),
        DEPENDENCY.format("junit", "junit", JUNIT4, OPTIONAL),
    ]
    folder = output / "maven" / "chatdouble"
    services = {
        str(path.relative_to(resources)): path.read_bytes() for path in sorted(resources.rglob("*")) if path.is_file()
    }
    library = write(folder, "chatdouble", version, {**files, **services, "META-INF/LICENSE": licence}, needs)
    archive(library.with_name(f"chatdouble-{version}-sources.jar"), texts)
    return [library, write(folder, f"chatdouble-{platform}", version, {**packed, "META-INF/LICENSE": licence}, [])]


def write(folder, name, version, files, needs):
    place = folder / name / version
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{name}-{version}.pom").write_text(POM.format(name=name, version=version, dependencies="".join(needs)))
    path = place / f"{name}-{version}.jar"
    archive(path, files)
    return path


def archive(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as written:
        for name, content in {"META-INF/MANIFEST.MF": b"Manifest-Version: 1.0\n\n", **files}.items():
            written.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
