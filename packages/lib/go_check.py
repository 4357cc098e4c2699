"""Uses the Go module as a team would: from a proxy, in a folder of its own."""

import os
import shutil
import tempfile
from pathlib import Path

import gomodule
from blocks import blocks

IMPORTS = {"context.": "context", "errors.": "errors", "os.": "os", "time.": "time", "testing.": "testing"}
DOCUMENTS_TEST = """
func TestSteer(t *testing.T) {
	if err := Steer(); err != nil {
		t.Fatal(err)
	}
}
"""
KILLED = """package chat

import (
	"os"
	"testing"
	"time"

	"chatdouble.test/go/chatdoubletest"
)

func TestKilled(t *testing.T) {
	world := chatdoubletest.NewWorld(t)
	if err := os.WriteFile(os.Getenv("MARKER"), []byte(world.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Minute)
}
"""
MANY = """package chat

import (
	"fmt"
	"strings"
	"testing"

	"chatdouble.test/go/chatdoubletest"
)

func TestBare(t *testing.T) {
	for number := 0; number < COUNT; number++ {
		t.Run(fmt.Sprint(number), func(t *testing.T) { t.Parallel() })
	}
}

func TestWorlds(t *testing.T) {
	for number := 0; number < COUNT; number++ {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			t.Parallel()
			if world := chatdoubletest.NewWorld(t); !strings.Contains(world.URL, world.Name) {
				t.Fatal(world.URL)
			}
		})
	}
}
"""


def check(tools, output, binary, root):
    """`tools` are the functions of packages/check."""
    source = root / "packages" / "go"
    sources = [*sorted(source.rglob("*.go")), *sorted((root / "examples" / "go").glob("*.go"))]
    status, text, _ = tools.run("gofmt", "-l", *sources)
    tools.expect(status == 0 and not text, "gofmt changes nothing", text)
    with tempfile.TemporaryDirectory() as name:
        # Modules in the cache are not writable by default, and could not be removed.
        common = {"GOFLAGS": "-modcacherw", "GOTOOLCHAIN": "local", "GOPATH": f"{name}/gopath"}
        tools.succeeds("go vet", "go", "vet", "./...", folder=source, **common)
        tools.succeeds("the helpers' tests", "go", "test", "-count=1", "./...", folder=source, CHATDOUBLE_BINARY=str(binary), **common)
        project = Path(name) / "project"
        shutil.copytree(root / "examples" / "go", project)
        tools_on_path = {"PATH": f"{program(Path(name), binary)}{os.pathsep}{os.environ['PATH']}"}
        environment = {**common, **tools_on_path, "GOPROXY": f"file://{output}/go", "GONOSUMDB": "chatdouble.test"}
        version = next((output / "go" / gomodule.MODULE / "@v").glob("*.zip")).stem
        tools.succeeds("go get", "go", "get", f"{gomodule.MODULE}@{version}", folder=project, **environment)
        test = ["go", "test", "-count=1"]
        tools.succeeds("go test runs the example", *test, "./...", folder=project, **environment)
        (project / "killed_test.go").write_text(KILLED)
        tools.check_killed("go test", [*test, "-run", "Killed", "."], project, **environment)
        (project / "many_test.go").write_text(MANY.replace("COUNT", str(tools.WORLDS)))
        # The first run compiles.
        tools.run(*test, "-run", "Bare", folder=project, **environment)
        _, _, bare = tools.run(*test, "-run", "Bare", folder=project, **environment)
        status, text, took = tools.run(*test, "-v", "-run", "Worlds", folder=project, **environment)
        holds = status == 0 and text.count("--- PASS: TestWorlds/") == tools.WORLDS and took - bare < tools.patience(tools.options.binary)
        tools.expect(holds, f"{tools.WORLDS} tests with a world each cost {took - bare:.1f} s in go test", text[-3000:])
        documents(tools, project, root, environment)
        unpacked(tools, Path(name) / "unpacked", output, root, environment)


def unpacked(tools, folder, output, root, environment):
    """Runs what docs/go.md says of a module in a folder, without a proxy."""
    shutil.copytree(root / "examples" / "go", folder)
    (folder / "go.mod").write_text("module example.test/chat\n\ngo 1.19\n")
    _, commands = blocks(root / "docs" / "go.md", "sh")
    script = commands.replace("DIR", str(output)) + "go mod tidy\ngo test -count=1 ./...\n"
    tools.succeeds("the module is used from a folder", "bash", "-euc", script, folder=folder, **{**environment, "GOPROXY": "off"})


def program(folder, binary):
    """A folder for the path, with the program in it."""
    place = folder / "bin"
    place.mkdir()
    shutil.copy(binary, place / "chatdouble")
    return place


def documents(tools, project, root, environment):
    """Runs the blocks of the documents."""
    folder = project / "documents"
    folder.mkdir()
    shutil.copy(root / "packages" / "lib" / "docs" / "client.go", folder)
    (team,) = blocks(root / "docs" / "go.md", "json")
    (folder / "team.json").write_text(team)
    page, readme = root / "docs" / "go.md", root / "packages" / "go" / "README.md"
    parts = []
    for number, text in enumerate([*blocks(page, "go"), *blocks(readme, "go")]):
        if text.startswith("package "):
            (folder / f"block{number}_test.go").write_text(text)
        else:
            parts.append(text)
    body = "\n".join([*parts, DOCUMENTS_TEST])
    imports = "".join(f'\t"{path}"\n' for use, path in IMPORTS.items() if use in body)
    modules = f'\tchatdouble "{gomodule.MODULE}"\n\t"{gomodule.MODULE}/chatdoubletest"\n'
    (folder / "blocks_test.go").write_text(f"package chat\n\nimport (\n{imports}\n{modules})\n\n{body}")
    status, text, _ = tools.run("go", "test", "-count=1", "-v", ".", folder=folder, **environment)
    count = text.count("--- PASS: Test")
    tools.expect(status == 0 and count == 8, f"the blocks of docs/go.md and of the README run ({count} tests)", text)
