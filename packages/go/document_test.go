package chatdouble_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	chatdouble "chatdouble.test/go"
)

const team = `{"users": [{"handle": "olive", "full_name": "Olive", "role": "owner"}, {"handle": "tea", "full_name": "Tea"}]}`

// written is the path of a new file.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	check(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestAFixtureInAFile(t *testing.T) {
	server := server(t)
	file := written(t, "team.json", team)
	for _, given := range []string{file, written(t, "team", team)} {
		world := ok(server.CreateWorld(chatdouble.WorldOptions{Fixture: given}))(t)
		equal(t, ok(world.User("tea"))(t).Email, "tea@chat.test")
	}
	names := written(t, "names.json", `{"product": "acme"}`)
	ok(server.CreateWorld(chatdouble.WorldOptions{Dialect: names}))(t)
	before := ok(os.Getwd())(t)
	check(t, os.Chdir(filepath.Dir(file)))
	defer os.Chdir(before)
	world := ok(server.CreateWorld(chatdouble.WorldOptions{Fixture: "team.json"}))(t)
	equal(t, ok(world.User("tea"))(t).Email, "tea@chat.test")
}

func TestAFixtureInAFileThatIsMistaken(t *testing.T) {
	server := server(t)
	for text, said := range map[string]string{
		`{"users": [`: " is not JSON: unexpected end of JSON input", "[]": " is no JSON object", "null": " is no JSON object",
	} {
		file := written(t, "team.json", text)
		_, err := server.CreateWorld(chatdouble.WorldOptions{Fixture: file})
		equal(t, refused(t, err).Message, "WorldOptions.Fixture: "+file+said)
	}
	_, err := server.CreateWorld(chatdouble.WorldOptions{Fixture: "/no/such.json"})
	refused(t, err, "WorldOptions.Fixture: /no/such.json can't be read: no such file or directory")
	_, err = server.CreateWorld(chatdouble.WorldOptions{Dialect: "nosuch.json"})
	refused(t, err, "WorldOptions.Dialect: ", "/nosuch.json can't be read: ")
	file := written(t, "team.json", `{"users": [{"handle": "olive"}]}`)
	_, err = server.CreateWorld(chatdouble.WorldOptions{Fixture: file})
	equal(t, refused(t, err).Message, "WorldOptions.fixture.users[0]: `full_name` is missing (in "+file+")")
}

func TestADurationIsNoClock(t *testing.T) {
	const said = ".Clock takes real, frozen or an instant at which it is frozen, such as a time.Time, not the time.Duration 1h0m0s"
	_, err := server(t).CreateWorld(chatdouble.WorldOptions{Clock: time.Hour})
	equal(t, refused(t, err).Message, "WorldOptions"+said)
	_, err = chatdouble.StartServer(chatdouble.StartOptions{Clock: time.Hour})
	equal(t, refused(t, err).Message, "StartOptions"+said)
}
