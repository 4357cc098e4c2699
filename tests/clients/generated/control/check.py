"""Clients of control that openapi-generator makes: six languages generated, three compiled and run."""

import json
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(ROOT / "packages" / "lib"))

import jvm  # noqa: E402

from . import helpers  # noqa: E402

NATIVE_JAVA = {"library": "native", "openApiNullable": "false", "hideGenerationTimestamp": "true"}
# Jars with the annotations of the Java client.
ANNOTATIONS = ("geronimo-annotation-1.3-spec", "jsr305")
# The generators, and the settings that differ from their defaults.
GENERATORS = {
    "kotlin": {"serializationLibrary": "gson", "dateLibrary": "string"},
    "swift6": {},
    "dart": {},
    "go": {"packageName": "control", "isGoSubmodule": "true"},
    "csharp": {},
    "java": NATIVE_JAVA,
}
# Files of models, and what declares a property or a value of an enumeration in them.
MODELS = {
    "kotlin": ("src/main/kotlin/**/models/*.kt", r"^    val \w+:"),
    "swift6": ("Sources/**/Models/*.swift", r"public var \w+:|^    case "),
    "dart": ("lib/model/*.dart", r"^  [\w<>?, ]+ \w+;|static const"),
    "go": ("model_*.go", r'`json:"'),
    "csharp": ("src/*/Model/*.cs", r"\{ get"),
    "java": ("src/main/java/**/model/*.java", r"JSON_PROPERTY_\w+ ="),
}
# Files of models that the generators themselves write for all.
COMMON = {"AbstractOpenApiSchema.java", "Option.cs"}
# Classes that a value of any kind would be, were its schema not understood, and names for schemas without one.
BAD_NAMES = re.compile(r"200|Inline|^(Seconds|Instant|Clock)$", re.IGNORECASE)
# What OkHttp 3, which distributions have, has as functions and OkHttp 4, which the Kotlin client is written for, as properties.
OKHTTP = [
    (r"okhttp3\.\w+\.Companion\.", "okhttp3."),
    (r"\b(response|it|this)\.(code|message|headers|body)\b(?!\()", r"\1.\2()"),
    (r"\bencodedPathSegments\b", "encodedPathSegments()"),
]


def check(tally, run, succeeds, works, out, programs):
    """`out` has the document, and takes what is generated; `programs` is the folder of the Python programs."""
    try:
        home = jvm.compiler(ROOT / "packages" / "kotlin", ROOT / "target" / "packages")
        for name in ("gson", "okhttp", "okio", *ANNOTATIONS):
            jvm.jar(name)
    except jvm.Missing as missing:
        tally.expect(False, "there is what generated clients are compiled with", str(missing))
        return
    document = out / "control.json"
    made = out / "openapi-generator"
    made.mkdir()
    jar = next(programs.parent.glob("lib/python*/site-packages/openapi_generator_cli/*.jar"))
    for name, settings in GENERATORS.items():
        described = {"generatorName": name, "inputSpec": str(document), "outputDir": str(made / name), "additionalProperties": settings}
        described["globalProperties"] = {key: "false" for key in ("apiTests", "modelTests", "apiDocs", "modelDocs")}
        (made / f"{name}.json").write_text(json.dumps(described))
    helpers.check(tally, document, ROOT / "examples")
    java = ["java", "-XX:TieredStopAtLevel=1", "-jar", jar]
    succeeds("openapi-generator reads the document of control for six languages", *java, "batch", "--fail-fast", *(made / f"{name}.json" for name in GENERATORS))
    for name, (pattern, property_pattern) in MODELS.items():
        files = [path for path in sorted((made / name).glob(pattern)) if path.name not in COMMON]
        misnamed = [path.name for path in files if BAD_NAMES.search(path.stem.removeprefix("model_"))]
        empty = [path.name for path in files if not re.search(property_pattern, path.read_text(), re.MULTILINE)]
        holds = len(files) >= 50 and not misnamed and not empty
        tally.expect(holds, f"{name}: {len(files)} models have names and properties", f"misnamed {misnamed}, empty {empty}")
    check_kotlin(succeeds, works, made / "kotlin", home)
    check_java(succeeds, works, made / "java", jar)
    check_go(succeeds, works, made / "go")


def check_kotlin(succeeds, works, folder, home):
    sources = folder / "src" / "main" / "kotlin"
    for path in sources.rglob("*.kt"):
        text = path.read_text()
        for pattern, replacement in OKHTTP:
            text = re.sub(pattern, replacement, text)
        path.write_text(text)
    libraries = [jvm.jar(name) for name in ("gson", "okhttp", "okio")]
    classes = folder / "classes"
    command = jvm.kotlin_command(home, classes, libraries, "-nowarn", sources, HERE / "Steering.kt", HERE / "okhttp.kt")
    succeeds("the Kotlin client is compiled", *command)
    works("kotlin", "java", "-cp", jvm.class_path(classes, jvm.stdlib(home), *libraries), "SteeringKt")


def check_java(succeeds, works, folder, jar):
    classes = folder / "classes"
    # Jackson is in the generator's jar.
    libraries = [jar, *map(jvm.jar, ANNOTATIONS)]
    sources = sorted((folder / "src" / "main" / "java").rglob("*.java"))
    path = jvm.class_path(classes, *libraries)
    succeeds("the Java client is compiled", "javac", "--release", jvm.JAVA, "-nowarn", "-cp", path, "-d", classes, *sources, HERE / "Steer.java")
    works("java", "java", "-cp", path, "Steer")


def check_go(succeeds, works, folder):
    program = folder / "steer"
    program.mkdir()
    shutil.copy(HERE / "steer.go", program / "main.go")
    (folder / "go.mod").write_text("module chatdouble.test/control\n\ngo 1.19\n")
    succeeds("the Go client is compiled", "sh", "-c", 'cd "$0" && go build -o steering ./steer', folder)
    works("go", folder / "steering")
