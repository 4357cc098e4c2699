package chatdoubletest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	chatdouble "chatdouble.test/go"
	"chatdouble.test/go/chatdoubletest"
)

// ask makes a request as a client does, and forgets the reply.
func ask(t *testing.T, world *chatdoubletest.World, method, path string, form url.Values) {
	t.Helper()
	reply, err := http.DefaultClient.Do(ofMel(t, world, method, path, form))
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
}

// ofMel is a request of a client of Mel's.
func ofMel(t *testing.T, world *chatdoubletest.World, method, path string, form url.Values) *http.Request {
	t.Helper()
	mel := world.User("mel")
	request, err := http.NewRequest(method, world.URL+"/api/v1"+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(mel.Email, mel.APIKey)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return request
}

func TestAWorldForTheTest(t *testing.T) {
	var name string
	t.Run("inner", func(t *testing.T) {
		world := chatdoubletest.NewWorld(t)
		name = world.Name
		rows, err := world.Server.Worlds(name)
		if err != nil || rows[0].Label != "TestAWorldForTheTest/inner" || rows[0].Messages == 0 {
			t.Fatal(rows, err)
		}
		world.Fork(chatdouble.WorldOptions{}).Delete()
	})
	rows, err := chatdoubletest.Server(t).Worlds("world-")
	if err != nil || len(rows) != 0 {
		t.Fatal(rows, err)
	}
}

func TestSteering(t *testing.T) {
	world := chatdoubletest.NewWorld(t, chatdouble.WorldOptions{Fixture: "cast", FeatureLevel: chatdouble.Ptr(250)})
	fault := world.Faults.Add(chatdouble.FaultRule{Effect: chatdouble.Effect{Garbage: true}})
	if len(world.Faults.List()) != 1 || fault.ID == "" {
		t.Fatal(fault)
	}
	fault.Remove()
	world.Faults.Clear()
	world.Network.Set(chatdouble.NetworkTerms{Profile: "3g"})
	world.Network.Clear()
	world.RateLimit.Set(chatdouble.RateLimitTerms{Requests: 1, Seconds: "1m"})
	world.RateLimit.Clear()
	world.Previews.Set(chatdouble.PreviewTerms{LinkSeconds: "1m"})
	if delays := world.Previews.Delays(); delays.LinkSeconds == nil || *delays.LinkSeconds != 60 {
		t.Fatal(delays)
	}
	world.Previews.Clear()
	world.Snapshots.Save("here")
	world.Clock.Advance("1d")
	world.Snapshots.Restore("here")
	world.Snapshots.Remove("here")
	world.PutState(world.State())
	world.Upgrade(300)
	world.Reset("faults")
	if count := len(world.Network.List()) + len(world.RateLimit.List()) + len(world.Snapshots.List()) + len(world.Queues.List()) +
		len(world.Pushes.List(chatdouble.PushFilter{})) + len(world.Journal.Entries(chatdouble.JournalFilter{})) + len(world.Clock.Agenda()) +
		len(world.Invariants().Violations) + len(world.Report().Clients) + world.Journal.Verify(chatdouble.Assertion{Exactly: chatdouble.Ptr(0)}); count != 0 {
		t.Fatal(count)
	}
	if world.Clock.Freeze().Now != world.Clock.Now() || world.Clock.State().Running {
		t.Fatal("the clock does not stand still")
	}
}

// inner runs tests of this file that are meant to fail, in a process of their own.
func inner(t *testing.T, name string, arguments ...string) (string, error) {
	t.Helper()
	command := exec.Command(os.Args[0], append([]string{"-test.run", "^" + name + "$", "-test.v"}, arguments...)...)
	command.Env = append(os.Environ(), "INNER=1")
	output, err := command.CombinedOutput()
	return string(output), err
}

func isInner(t *testing.T) {
	t.Helper()
	if os.Getenv("INNER") == "" {
		t.Skip("another test runs it in a process of its own")
	}
}

func TestRefused(t *testing.T) {
	isInner(t)
	world := chatdoubletest.NewWorld(t)
	ask(t, world, "POST", "/messages", url.Values{"type": {"stream"}, "to": {"enginering"}, "topic": {"x"}, "content": {"hey"}})
	ask(t, world, "GET", "/mesages", nil)
	world.Journal.Verify(chatdouble.Assertion{Path: "/messages", Exactly: chatdouble.Ptr(2)})
}

func TestAFailedTestShowsItsLastRequestsWithTheirReasons(t *testing.T) {
	output, err := inner(t, "TestRefused")
	for _, part := range []string{
		"chatdoubletest_test.go:", "the last requests to world-",
		"400 POST /messages mel@chat.test content=hey to=enginering topic=x type=stream", "Channel 'enginering' does not exist",
		"404 GET /mesages mel@chat.test", "The nearest operation is GET /api/v1/messages.", "Expected exactly 2 such requests, found 1",
	} {
		if err == nil || !strings.Contains(output, part) {
			t.Errorf("%v: %q is not in\n%s", err, part, output)
		}
	}
	if strings.Contains(output, "chatdoubletest.go:") || strings.Contains(output, "steering.go:") {
		t.Error("the package's own lines are shown:\n" + output)
	}
}

func TestPanic(t *testing.T) {
	isInner(t)
	ask(t, chatdoubletest.NewWorld(t), "GET", "/mesages", nil)
	panic("the client is broken")
}

func TestATestThatPanicsShowsItsLastRequests(t *testing.T) {
	output, err := inner(t, "TestPanic")
	if err == nil || strings.Count(output, "404 GET /mesages mel@chat.test") != 1 || !strings.Contains(output, "the client is broken") {
		t.Error(output, err)
	}
}

func TestSilentPanic(t *testing.T) {
	isInner(t)
	chatdoubletest.NewWorld(t).User("mel")
	panic("the client is broken")
}

func TestAPanicBeforeTheFirstRequestIsShownAlone(t *testing.T) {
	output, err := inner(t, "TestSilentPanic")
	if err == nil || strings.Contains(output, "no request reached") || !strings.Contains(output, "the client is broken") {
		t.Error(output, err)
	}
}

func TestWaiting(t *testing.T) {
	isInner(t)
	world := chatdoubletest.NewWorld(t)
	reply, err := http.DefaultClient.Do(ofMel(t, world, "POST", "/register", url.Values{"event_types": {`["message"]`}}))
	if err != nil {
		t.Fatal(err)
	}
	var registered struct {
		QueueID string `json:"queue_id"`
	}
	if err := json.NewDecoder(reply.Body).Decode(&registered); err != nil {
		t.Fatal(err)
	}
	poll := ofMel(t, world, "GET", "/events?last_event_id=-1&queue_id="+registered.QueueID, nil)
	go http.DefaultClient.Do(poll)
	world.Queues.WaitParked(chatdouble.ParkedFilter{User: "mel"}, 0)
	t.Fail()
}

func TestAFailedTestListsThePollsThatWait(t *testing.T) {
	output, _ := inner(t, "TestWaiting")
	wanted := "the last requests to world-"
	lines := strings.Split(output[strings.Index(output, wanted)+1:], "\n")
	if len(lines) < 3 || !strings.Contains(lines[1], "  200 POST /register ") || !strings.HasSuffix(lines[2], "  waiting: GET /events of mel@chat.test") {
		t.Error(output)
	}
}

func TestSilent(t *testing.T) {
	isInner(t)
	chatdoubletest.NewWorld(t).User("mel")
	t.Fail()
}

func TestRefusedCall(t *testing.T) {
	isInner(t)
	chatdoubletest.NewWorld(t).Faults.Add(chatdouble.FaultRule{Effect: chatdouble.Effect{Drop: "aftr"}})
}

func TestRefusedSeverity(t *testing.T) {
	isInner(t)
	chatdoubletest.NewWorld(t).FailOn("aftr")
}

func TestRefusedFork(t *testing.T) {
	isInner(t)
	chatdoubletest.NewWorld(t).Fork(chatdouble.WorldOptions{Dialect: "aftr"})
}

func TestACallThatIsRefusedIsNotTheClientsFailure(t *testing.T) {
	for _, name := range []string{"TestRefusedCall", "TestRefusedSeverity", "TestRefusedFork"} {
		output, err := inner(t, name)
		if err == nil || !strings.Contains(output, "aftr") || strings.Contains(output, "no request reached") {
			t.Error(output, err)
		}
	}
}

func TestAFailedTestSaysThatNoRequestReachedItsWorld(t *testing.T) {
	output, err := inner(t, "TestSilent")
	if err == nil || !strings.Contains(output, "chatdoubletest_test.go:") || !strings.Contains(output, "no request reached world-") {
		t.Errorf("%v: %s", err, output)
	}
}

func TestWatching(t *testing.T) {
	world := chatdoubletest.NewWorld(t)
	frames := world.Watch()
	ask(t, world, "GET", "/users/me", nil)
	frame := frames.Next(0)
	var entry chatdouble.JournalEntry
	frame.Decode(&entry)
	if frame.Path != "/users/me" || entry.Method != "GET" {
		t.Error(frame)
	}
	frames.Close()
}

func TestLate(t *testing.T) {
	isInner(t)
	world := chatdoubletest.NewWorld(t)
	frames := world.Watch()
	ask(t, world, "GET", "/mesages", nil)
	frames.Next(0)
	frames.Next(10 * time.Millisecond)
}

func TestSilentWatch(t *testing.T) {
	isInner(t)
	chatdoubletest.NewWorld(t).Watch().Next(10 * time.Millisecond)
}

func TestClosedWatch(t *testing.T) {
	isInner(t)
	frames := chatdoubletest.NewWorld(t).Watch()
	frames.Close()
	frames.Next(0)
}

func TestMistakenFrame(t *testing.T) {
	isInner(t)
	world := chatdoubletest.NewWorld(t)
	frames := world.Watch()
	world.Clock.Advance("1s")
	frames.Next(0).Decode(&[]int{})
}

func TestAFrameThatDoesNotComeFailsTheTest(t *testing.T) {
	for name, parts := range map[string][]string{
		"TestLate":          {"no frame came within 10ms; 1 came before, request", "404 GET /mesages mel@chat.test"},
		"TestSilentWatch":   {"no frame came within 10ms; none came before", "no request reached world-"},
		"TestClosedWatch":   {"the watch is closed: no frame comes any more"},
		"TestMistakenFrame": {"the frame clock can't be decoded: "},
	} {
		output, err := inner(t, name)
		for _, part := range append(parts, "chatdoubletest_test.go:") {
			if err == nil || !strings.Contains(output, part) {
				t.Errorf("%v: %q is not in\n%s", err, part, output)
			}
		}
		if strings.Contains(output, "watch.go:") {
			t.Error("the package's own lines are shown:\n" + output)
		}
	}
}

func TestKilledServer(t *testing.T) {
	isInner(t)
	process, err := os.FindProcess(chatdoubletest.Server(t).PID)
	if err != nil {
		t.Fatal(err)
	}
	world := chatdoubletest.NewWorld(t)
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	world.Clock.Now()
}

func TestATestSaysThatItsServerHasEnded(t *testing.T) {
	output, err := inner(t, "TestKilledServer")
	if err == nil || !strings.Contains(output, "the server (pid ") || !strings.Contains(output, ") has ended: signal: killed") {
		t.Error(output, err)
	}
}

func TestStrict(t *testing.T) {
	isInner(t)
	ask(t, chatdoubletest.NewWorld(t), "GET", "/users/me?colour=red", nil)
}

func TestFindingsFailATestWhereTheyAreAskedFor(t *testing.T) {
	if output, err := inner(t, "TestStrict"); err != nil {
		t.Error(output)
	}
	output, err := inner(t, "TestStrict", "-chatdouble.fail-on=warning")
	if err == nil || !strings.Contains(output, "warning ignored-parameter: Sent a parameter that is ignored") {
		t.Error(output)
	}
}

func TestTheEnvironmentAsksForFindingsWhereNoFlagDoes(t *testing.T) {
	t.Setenv("CHATDOUBLE_FAIL_ON", "warning")
	if output, err := inner(t, "TestStrict"); err == nil || !strings.Contains(output, "warning ignored-parameter: ") {
		t.Error(output, err)
	}
	t.Setenv("CHATDOUBLE_FAIL_ON", "warn")
	output, err := inner(t, "TestStrict")
	if err == nil || !strings.Contains(output, `CHATDOUBLE_FAIL_ON takes note, warning, error, not "warn"`) {
		t.Error(output, err)
	}
}

func TestLeaving(t *testing.T) {
	isInner(t)
	for _, name := range []string{"register", "leave"} {
		// The name is used again: what was left behind in the first world is no finding of the second.
		t.Run(name, func(t *testing.T) {
			world := chatdoubletest.NewWorld(t, chatdouble.WorldOptions{Name: "used-again"})
			if name == "register" {
				ask(t, world, "POST", "/register", url.Values{"event_types": {`["message"]`}})
			} else {
				ask(t, world, "GET", "/users/me", nil)
			}
		})
	}
}

func TestFindingsOfTheEndFailATest(t *testing.T) {
	output, err := inner(t, "TestLeaving", "-chatdouble.fail-on=note")
	if err == nil || !strings.Contains(output, "note queue-left-behind: ") || !strings.Contains(output, "--- PASS: TestLeaving/leave") {
		t.Error(output, err)
	}
	if output, err := inner(t, "TestLeaving", "-chatdouble.fail-on=warning"); err != nil {
		t.Error(output)
	}
}

func TestMistaken(t *testing.T) {
	isInner(t)
	t.Run("options", func(t *testing.T) { chatdoubletest.NewWorld(t, chatdouble.WorldOptions{}, chatdouble.WorldOptions{}) })
	t.Run("jumps", func(t *testing.T) { chatdoubletest.NewWorld(t).Clock.ToNext(chatdouble.Jump{}, chatdouble.Jump{}) })
	t.Run("fixture", func(t *testing.T) { chatdoubletest.NewWorld(t, chatdouble.WorldOptions{Fixture: "casst"}) })
	t.Run("severity", func(t *testing.T) { chatdoubletest.NewWorld(t).FailOn("warnings") })
	t.Run("user", func(t *testing.T) { chatdoubletest.NewWorld(t).User("mell") })
}

func TestAMistakeIsNamed(t *testing.T) {
	output, err := inner(t, "TestMistaken")
	for _, part := range []string{"the world can't be made: ", "'casst'", "NewWorld takes one WorldOptions, not 2", "the clock takes one Jump, not 2", `FailOn takes note, warning, error, not "warnings"; the nearest is "warning"`, "the nearest is 'mel'"} {
		if err == nil || !strings.Contains(output, part) {
			t.Errorf("%v: %q is not in\n%s", err, part, output)
		}
	}
}

func TestAnUnknownSeverityIsRefusedBeforeAnyTest(t *testing.T) {
	output, err := inner(t, "TestStrict", "-chatdouble.fail-on=warn")
	const said = `takes note, warning, error, not "warn"; the nearest is "warning"`
	if err == nil || !strings.Contains(output, said) || strings.Contains(output, "--- ") {
		t.Error(output, err)
	}
}

func TestStock(t *testing.T) {
	isInner(t)
	request, err := http.NewRequest("GET", chatdoubletest.NewWorld(t).URL+"/api/v1/server_settings", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("User-Agent", "ZulipPython/0.9.1 (Linux)")
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
}

func TestWhatTheServerSaysIsShown(t *testing.T) {
	output, err := inner(t, "TestStock")
	if err != nil || !strings.Contains(output, "chatdouble: the client ZulipPython/0.9.1 looks for other names") || !strings.Contains(output, "--dialect zulip") {
		t.Error(output, err)
	}
}

func TestMain(m *testing.M) {
	options := chatdouble.StartOptions{}
	if text := os.Getenv("OPTIONS"); text != "" {
		if err := json.Unmarshal([]byte(text), &options); err != nil {
			panic(err)
		}
	}
	if folder := os.Getenv("SECURED"); folder != "" {
		options = chatdouble.StartOptions{TLS: true, ControlToken: "secret", TLSCAFile: filepath.Join(folder, "ca.pem")}
	}
	os.Exit(chatdoubletest.Main(m, options))
}

func TestSecured(t *testing.T) {
	isInner(t)
	world := chatdoubletest.NewWorld(t)
	world.Journal.Verify(chatdouble.Assertion{Exactly: chatdouble.Ptr(0)})
	fmt.Println(world.URL)
}

func TestMainTakesOptions(t *testing.T) {
	t.Setenv("SECURED", t.TempDir())
	if output, err := inner(t, "TestSecured"); err != nil || !strings.Contains(output, "https://") {
		t.Error(output, err)
	}
}

func TestElsewhere(t *testing.T) {
	isInner(t)
	for _, given := range []chatdouble.WorldOptions{{}, {ForkOf: "default"}, {Fixture: "empty"}, {FeatureLevel: chatdouble.Ptr(301), Dialect: "neutral"}} {
		world := chatdoubletest.NewWorld(t, given)
		var settings map[string]any
		reply, err := http.Get(world.URL + "/api/v1/server_settings")
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		if err := json.NewDecoder(reply.Body).Decode(&settings); err != nil {
			t.Fatal(err)
		}
		rows, err := world.Server.Worlds(world.Name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("settings:", settings["zulip_feature_level"], settings["service_feature_level"], world.Clock.Now(), rows[0].Channels > 0)
	}
}

func TestOptionsOfMainAreThoseOfWorldsOfAServerElsewhere(t *testing.T) {
	server, err := chatdouble.StartServer(chatdouble.StartOptions{ControlToken: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	t.Setenv("CHATDOUBLE_URL", server.URL)
	t.Setenv("OPTIONS", `{"dialect": "zulip", "feature_level": 300, "clock": "2027-01-01T00:00:00Z", "seed": 3, "control_token": "secret"}`)
	output, err := inner(t, "TestElsewhere")
	const again = "settings: 300 <nil> 1.7987616e+09 "
	for _, line := range []string{again + "true\n" + again + "true\n" + again + "false\n", "settings: <nil> 301 1.7987616e+09 true\n"} {
		if err != nil || !strings.Contains(output, line) {
			t.Errorf("%v: %q is not in\n%s", err, line, output)
		}
	}
	t.Setenv("OPTIONS", `{"fixture": "empty", "control_token": "secret"}`)
	if output, err = inner(t, "TestElsewhere"); err != nil || strings.Count(output, " false\n") != 3 {
		t.Error(output, err)
	}
	t.Setenv("OPTIONS", `{"fixture": "empty", "control_token": "other"}`)
	if output, err = inner(t, "TestElsewhere"); err == nil || !strings.Contains(output, "; the one that the option ControlToken gave is another") {
		t.Error(output, err)
	}
	t.Setenv("OPTIONS", `{"dialect": "zulip", "tls": true, "webhooks": "anywhere"}`)
	output, err = inner(t, "TestElsewhere")
	const said = "Main can't give TLS, Webhooks to the server at CHATDOUBLE_URL, which runs already: start it with them, for TLS by exec --tls, or unset CHATDOUBLE_URL"
	if err == nil || !strings.Contains(output, said) {
		t.Error(output, err)
	}
}

// A server that speaks HTTPS already is one with TLS.
func TestElsewhereSecured(t *testing.T) {
	isInner(t)
	if world := chatdoubletest.NewWorld(t); world.User("mel").Email == "" || world.Server.TLSCA == "" {
		t.Error(world.URL)
	}
}

func TestTLSIsThatOfAServerThatSpeaksHTTPS(t *testing.T) {
	server, err := chatdouble.StartServer(chatdouble.StartOptions{TLS: true})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, []byte(server.TLSCA), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CHATDOUBLE_URL", server.URL)
	t.Setenv("CHATDOUBLE_TLS_CA", authority)
	t.Setenv("OPTIONS", `{"tls": true}`)
	if output, err := inner(t, "TestElsewhereSecured"); err != nil {
		t.Error(output, err)
	}
	t.Setenv("OPTIONS", `{"tls": true, "webhooks": "anywhere"}`)
	const said = "Main can't give Webhooks to the server at CHATDOUBLE_URL, which runs already: start it with them, or unset"
	if output, err := inner(t, "TestElsewhereSecured"); err == nil || !strings.Contains(output, said) {
		t.Error(output, err)
	}
}

func TestOwn(t *testing.T) {
	isInner(t)
	chatdoubletest.NewWorld(t).User("tea")
	if text := os.Getenv("GIVEN"); text != "" {
		chatdoubletest.NewWorld(t, chatdouble.WorldOptions{Fixture: text}).User("tea")
	}
	chatdoubletest.NewWorld(t, chatdouble.WorldOptions{Fixture: "cast"}).User("mel")
}

// What a test leaves behind may be gone before its end.
func TestGone(t *testing.T) {
	isInner(t)
	world := chatdoubletest.NewWorld(t)
	world.Watch()
	world.Faults.Add(chatdouble.FaultRule{Effect: chatdouble.Effect{Gateway: 502}})
	world.Reset()
	world.Fork(chatdouble.WorldOptions{}).Delete()
	world.Delete()
}

func TestAWorldMayBeGoneAtTheEnd(t *testing.T) {
	for _, least := range []string{"error", "note"} {
		if output, err := inner(t, "TestGone", "-chatdouble.fail-on="+least); err != nil {
			t.Error(output, err)
		}
	}
}

func TestAFixtureOfMainInAFile(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const team = `{"users": [{"handle": "olive", "full_name": "Olive", "role": "owner"}, {"handle": "tea", "full_name": "Tea"}]}`
	files := []string{write("team.json", team), write("team", team)}
	server, err := chatdouble.StartServer(chatdouble.StartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"", server.URL} {
		t.Setenv("CHATDOUBLE_URL", url)
		for _, file := range files {
			relative, err := filepath.Rel(here, file)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range []string{file, relative} {
				t.Setenv("OPTIONS", fmt.Sprintf(`{"fixture": %q}`, one))
				t.Setenv("GIVEN", one)
				if output, err := inner(t, "TestOwn"); err != nil {
					t.Error(url, one, output, err)
				}
			}
		}
	}
	for _, wrong := range [][]string{
		{"no/such.json", "Main's Fixture: " + here + "/no/such.json can't be read: no such file or directory\n"},
		{"casst", "Main's Fixture: " + here + `/casst can't be read: no such file or directory; it is no built-in fixture either, of which the nearest is "cast"`},
		{write("broken.json", "{"), "Main's Fixture: " + folder + "/broken.json is not JSON: unexpected end of JSON input"},
		{write("mistaken.json", "{}"), "the world can't be made: WorldOptions.fixture.users: an organization needs an owner", " (in " + folder + "/mistaken.json)"},
	} {
		t.Setenv("OPTIONS", fmt.Sprintf(`{"fixture": %q}`, wrong[0]))
		output, err := inner(t, "TestOwn")
		for _, part := range wrong[1:] {
			if err == nil || !strings.Contains(output, part) {
				t.Errorf("%v: %q is not in\n%s", err, part, output)
			}
		}
	}
}
