package chatdouble_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	chatdouble "chatdouble.test/go"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// server is one of the test's own, so that its clock is known.
func server(t *testing.T) *chatdouble.Server {
	t.Helper()
	made := ok(chatdouble.StartServer(chatdouble.StartOptions{Clock: noon}))(t)
	t.Cleanup(func() { check(t, made.Stop()) })
	return made
}

func ok[Value any](value Value, err error) func(*testing.T) Value {
	return func(t *testing.T) Value {
		t.Helper()
		check(t, err)
		return value
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[Value comparable](t *testing.T, got, want Value) {
	t.Helper()
	if got != want {
		t.Fatalf("got %v, want %v", got, want)
	}
}

// same compares values of JSON.
func same(t *testing.T, got, want any) {
	t.Helper()
	if got != want {
		t.Fatalf("got %v, want %v", got, want)
	}
}

// refused is the error of a call that control refuses, or that has no reply.
func refused(t *testing.T, err error, parts ...string) *chatdouble.Error {
	t.Helper()
	var found *chatdouble.Error
	if !errors.As(err, &found) {
		t.Fatalf("got %v, want a refusal", err)
	}
	for _, part := range parts {
		if !strings.Contains(found.Message, part) {
			t.Fatalf("got %s, want %s in it", found.Message, part)
		}
	}
	return found
}

// api makes a request as a client does; it returns the reply, a refused one too.
func api(t *testing.T, world *chatdouble.World, user chatdouble.User, method, path string, form url.Values) map[string]any {
	t.Helper()
	reply, err := request(world, user, method, path, form)
	check(t, err)
	return reply
}

func request(world *chatdouble.World, user chatdouble.User, method, path string, form url.Values) (map[string]any, error) {
	address, body := world.URL+"/api/v1"+path, form.Encode()
	if method == "GET" {
		address, body = address+"?"+body, ""
	}
	made, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	made.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Email+":"+user.APIKey)))
	made.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	reply, err := http.DefaultClient.Do(made)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	var keys map[string]any
	return keys, json.NewDecoder(reply.Body).Decode(&keys)
}

func send(t *testing.T, world *chatdouble.World, user chatdouble.User, content string) map[string]any {
	t.Helper()
	return api(t, world, user, "POST", "/messages", url.Values{"type": {"stream"}, "to": {"general"}, "topic": {"t"}, "content": {content}})
}

func TestWorlds(t *testing.T) {
	server := server(t)
	blue := ok(server.CreateWorld(chatdouble.WorldOptions{Name: "blue", Label: "a test", IdleTTLSeconds: 10 * time.Minute}))(t)
	equal(t, blue.URL, server.URL+"/w/blue")
	row := ok(server.Worlds("bl"))(t)[0]
	equal(t, row.Label, "a test")
	equal(t, *row.IdleTTLSeconds, 600)
	mel := ok(blue.User("mel"))(t)
	equal(t, mel.Email+mel.APIKey, "mel@chat.testmelKey00000000000000000000000000")
	send(t, blue, mel, "only here")
	count := func(of *chatdouble.World) int { return ok(server.Worlds(of.Name))(t)[0].Messages }
	fork := ok(blue.Fork(chatdouble.WorldOptions{Label: "a copy"}))(t)
	equal(t, count(fork), count(blue))
	check(t, blue.Reset("journal"))
	equal(t, count(fork), count(blue)+1)
	equal(t, len(ok(blue.Journal.Entries(chatdouble.JournalFilter{Path: "/messages"}))(t)), 1)
	check(t, fork.Delete())
	equal(t, ok(server.DeleteWorlds("blue"))(t)[0], "blue")
	missing := refused(t, blue.Delete())
	equal(t, fmt.Sprint(missing.Status, missing.Code), "404NONEXISTENT_SUBDOMAIN")
	equal(t, server.World("default").URL, server.URL)
	equal(t, ok(server.Health())(t).Worlds, 1)
}

func TestUsers(t *testing.T) {
	world := server(t).World("default")
	equal(t, ok(world.User("MEL@chat.test"))(t), ok(world.User("mel"))(t))
	for unknown, nearest := range map[string]string{"mell": "the nearest is 'mel'", "mell@chat.test": "'mel@chat.test'", "": "adam, ", "größe": "adam, "} {
		_, err := world.User(unknown)
		refused(t, err, fmt.Sprintf("there is no user '%s' in this world", unknown), nearest, "adam, ")
	}
	_, err := world.User("dana")
	equal(t, refused(t, err).Code, "USER_DEACTIVATED")
	equal(t, len(ok(world.Journal.Entries(chatdouble.JournalFilter{}))(t)), 0)
}

func TestClock(t *testing.T) {
	world := server(t).World("default")
	began := ok(world.Clock.Now())(t)
	equal(t, began, float64(noon.Unix()))
	equal(t, *ok(world.Clock.ToNext())(t).Fired[0].ReminderID, 1)
	equal(t, ok(world.Clock.Advance("1d2h", chatdouble.Jump{WaitForClientsMs: chatdouble.Ptr(0)}))(t).Now, began+3_600+93_600)
	equal(t, len(ok(world.Clock.Advance(time.Hour))(t).NotParked), 0)
	ok(world.Clock.Advance(1.5))(t)
	there := noon.AddDate(0, 0, 4)
	equal(t, ok(world.Clock.Set(there))(t).Now, float64(there.Unix()))
	ok(world.Clock.Set("2026-01-06"))(t)
	equal(t, ok(world.Clock.Run())(t).Running, true)
	equal(t, ok(world.Clock.Freeze())(t).Running, false)
	_, err := world.Clock.Set(0)
	refused(t, err, "can't go back")
	_, err = world.Clock.Set(time.Hour)
	refused(t, err, "Set takes a time, not 1h0m0s; Advance takes a duration")
	_, err = world.Clock.Advance(noon)
	refused(t, err, "Advance takes a duration, not 2026-01-01", "Set takes a time")
	_, err = world.Clock.Advance(nil)
	refused(t, err, "Advance takes a time.Duration", "not nil")
	_, err = world.Clock.Set(nil)
	refused(t, err, "Set takes a time.Time", "not nil")
}

func TestFaults(t *testing.T) {
	world := server(t).World("default")
	mel := ok(world.User("mel"))(t)
	fault := ok(world.Faults.Add(chatdouble.FaultRule{
		Match:  &chatdouble.FaultMatch{Path: "/messages", Params: map[string]string{"topic": "t"}},
		Times:  1,
		Effect: chatdouble.Effect{Error: &chatdouble.ErrorEffect{Status: 503, Code: "BUSY", Msg: "Later", Further: map[string]any{"retry_at": 5}}},
	}))(t)
	same(t, send(t, world, mel, "x")["retry_at"], 5.0)
	listed := ok(world.Faults.List())(t)[0]
	equal(t, fmt.Sprint(listed.FaultID, listed.Fired), fmt.Sprint(fault.ID, 1))
	check(t, fault.Remove())
	limit := ok(world.Faults.Add(chatdouble.FaultRule{Effect: chatdouble.Effect{RateLimit: &chatdouble.RateLimitEffect{RetryAfter: 3}}}))(t)
	same(t, send(t, world, mel, "x")["retry-after"], 3.0)
	check(t, limit.Remove())
	for _, wait := range []any{"1m30s", 90 * time.Second} {
		limit := ok(world.Faults.Add(chatdouble.FaultRule{Effect: chatdouble.Effect{RateLimit: &chatdouble.RateLimitEffect{RetryAfter: wait}}}))(t)
		same(t, send(t, world, mel, "x")["retry-after"], 90.0)
		check(t, limit.Remove())
	}
	ok(world.Faults.Add(chatdouble.FaultRule{Effect: chatdouble.Effect{Change: map[string]any{"id": nil, "further": 3}}}))(t)
	changed := send(t, world, mel, "x")
	if _, isThere := changed["id"]; isThere || changed["further"] != 3.0 {
		t.Fatal(changed)
	}
	check(t, world.Faults.Clear())
	same(t, send(t, world, mel, "x")["result"], "success")
	_, err := world.Faults.Add(chatdouble.FaultRule{Effect: chatdouble.Effect{Drop: "aftr"}})
	equal(t, refused(t, err).Status, 400)
}

func TestAFaultThatIsGoneIsNotWaitedFor(t *testing.T) {
	world := server(t).World("default")
	add := func() *chatdouble.Fault {
		return ok(world.Faults.Add(chatdouble.FaultRule{Effect: chatdouble.Effect{Gateway: 502}}))(t)
	}
	fault := add()
	check(t, fault.Remove())
	_, err := fault.WaitFired(0, 0)
	const gone = "; fault-1 was removed, or its world was reset"
	equal(t, refused(t, err).Message, "there is no fault 'fault-1' in this world; this world has none"+gone)
	refused(t, fault.Remove(), "There is no fault 'fault-1'")
	fault = add()
	waited := make(chan error)
	go func() {
		_, err := fault.WaitFired(0, 500*time.Millisecond)
		waited <- err
	}()
	time.Sleep(100 * time.Millisecond)
	check(t, fault.Remove())
	err = <-waited
	equal(t, errors.Is(err, chatdouble.ErrVerificationFailed), true)
	refused(t, err, "Expected at least 1 such request, found 0", "; fault-2 was removed, or its world was reset")
	_, err = add().WaitFired(0, time.Millisecond)
	if text := refused(t, err).Message; strings.Contains(text, "removed") {
		t.Error(text)
	}
}

func TestAnErrorWithAStatusAlone(t *testing.T) {
	world := server(t).World("default")
	mel := ok(world.User("mel"))(t)
	fault := ok(world.Faults.Add(chatdouble.FaultRule{Times: 1, Effect: chatdouble.Effect{Error: &chatdouble.ErrorEffect{Status: 503}}}))(t)
	reply := send(t, world, mel, "x")
	if reply["result"] != "error" || reply["code"] == "" || reply["msg"] == "" {
		t.Error(reply)
	}
	equal(t, ok(fault.WaitFired(0, 0))(t), 1)
}

func TestAFaultIsWaitedFor(t *testing.T) {
	world := ok(server(t).CreateWorld(chatdouble.WorldOptions{ForkOf: "default"}))(t)
	mel := ok(world.User("mel"))(t)
	fault := ok(world.Faults.Add(chatdouble.FaultRule{Effect: chatdouble.Effect{Drop: "after"}}))(t)
	_, err := fault.WaitFired(0, time.Millisecond)
	equal(t, refused(t, err).Status, 408)
	go func() {
		for range [2]int{} {
			if reply, err := http.PostForm(world.URL+"/api/v1/dev_fetch_api_key", url.Values{"username": {mel.Email}}); err == nil {
				reply.Body.Close()
			}
		}
	}()
	if count := ok(fault.WaitFired(2, 0))(t); count < 2 {
		t.Error(count)
	}
	entries := ok(world.Journal.Entries(chatdouble.JournalFilter{Fault: fault.ID}))(t)
	if line := entries[0].String(); !strings.HasPrefix(line, "no reply POST /dev_fetch_api_key ") {
		t.Error(line)
	}
	check(t, world.Delete())
}

// What docs/mobile.md says of net/http.
func TestNetHTTPRepeatsADroppedGET(t *testing.T) {
	world := server(t).World("default")
	mel := ok(world.User("mel"))(t)
	for _, tried := range []struct {
		method, path string
		isUsed       bool
		retries      bool
		seen         int
		fails        bool
	}{
		{"GET", "/users/me", true, false, 2, false},
		{"GET", "/users/me", true, true, 2, true},
		{"GET", "/users/me", false, false, 1, true},
		{"POST", "/typing", true, false, 1, true},
	} {
		http.DefaultClient.CloseIdleConnections()
		if tried.isUsed {
			ok(request(world, mel, "GET", "/server_settings", nil))(t)
		}
		check(t, world.Journal.Clear())
		fault := ok(world.Faults.Add(chatdouble.FaultRule{
			Match: &chatdouble.FaultMatch{Path: tried.path}, Times: 1, Effect: chatdouble.Effect{Drop: "after", Retries: tried.retries},
		}))(t)
		_, err := request(world, mel, tried.method, tried.path, url.Values{"op": {"start"}, "to": {"[8]"}})
		check(t, fault.Remove())
		equal(t, fmt.Sprint(tried, err != nil), fmt.Sprint(tried, tried.fails))
		equal(t, len(ok(world.Journal.Entries(chatdouble.JournalFilter{Path: tried.path}))(t)), tried.seen)
	}
}

func TestThereIsAnEffectForEachKeyOfTheDocument(t *testing.T) {
	text := ok(exec.Command(os.Getenv("CHATDOUBLE_BINARY"), "openapi", "--control").Output())(t)
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Properties map[string]any }
			}
		}
	}
	check(t, json.Unmarshal(text, &document))
	declared := document.Components.Schemas["FaultRule"].Properties["effect"].Properties
	world := server(t).World("default")
	known := map[string]bool{}
	for _, effect := range []chatdouble.Effect{
		{DelayMs: 1}, {Error: &chatdouble.ErrorEffect{Status: 500, Code: "A", Msg: "b"}}, {RateLimit: &chatdouble.RateLimitEffect{RetryAfter: 1}},
		{Change: map[string]any{"a": 1}}, {PseudoLocalize: true}, {Drop: "after", Retries: true}, {TruncateAt: chatdouble.Ptr(0)}, {Garbage: true}, {Gateway: 502},
		{LoseQueue: true}, {Events: "hold"}, {Bouncer: "unreachable"},
	} {
		var keys map[string]any
		check(t, json.Unmarshal(ok(json.Marshal(effect))(t), &keys))
		for key := range keys {
			known[key] = true
			if _, isThere := declared[key]; !isThere {
				t.Errorf("the document has no effect %s", key)
			}
		}
		ok(world.Faults.Add(chatdouble.FaultRule{Effect: effect}))(t)
	}
	equal(t, len(known), len(declared))
}

func TestRepliesArePrintedInJSON(t *testing.T) {
	world := server(t).World("default")
	api(t, world, ok(world.User("mel"))(t), "POST", "/mobile_push/e2ee/test_notification", nil)
	ok(world.Faults.Add(chatdouble.FaultRule{Times: 2, Effect: chatdouble.Effect{Change: map[string]any{"a": "<"}}}))(t)
	for printed, part := range map[string]string{
		fmt.Sprint(ok(world.Clock.ToNext())(t).Fired):                         `"reminder_id":1`,
		fmt.Sprint(ok(world.Clock.ToNext())(t)):                               `"fired":[{"kind":`,
		fmt.Sprintf("%+v", ok(world.Pushes.List(chatdouble.PushFilter{}))(t)): `"device_id":`,
		fmt.Sprint(ok(world.Faults.List())(t)):                                `"effect":{"change":{"a":"<"}}`,
		fmt.Sprint(ok(world.Previews.Delays())(t)):                            `"link_seconds":null`,
	} {
		if !strings.Contains(printed, part) || strings.Contains(printed, "0xc0") {
			t.Errorf("%s: %s", part, printed)
		}
	}
}

func TestNetworksAndRateLimits(t *testing.T) {
	world := server(t).World("default")
	mel := ok(world.User("mel"))(t)
	check(t, world.Network.Set(chatdouble.NetworkTerms{User: "mel", Profile: "wifi", LatencyMs: chatdouble.Ptr(120)}))
	network := ok(world.Network.List())(t)[0]
	equal(t, fmt.Sprint(network.User, network.Profile, *network.BytesPerSecond), "mel@chat.testwifi5000000")
	began := time.Now()
	send(t, world, mel, "x")
	if time.Since(began) < 120*time.Millisecond {
		t.Fatal(time.Since(began))
	}
	check(t, world.Network.Set(chatdouble.NetworkTerms{Profile: "3g"}))
	check(t, world.Network.Clear("mel"))
	equal(t, ok(world.Network.List())(t)[0].User, "")
	equal(t, len(ok(world.Network.List())(t)), 1)
	check(t, world.Network.Clear())
	equal(t, len(ok(world.Network.List())(t)), 0)
	check(t, world.RateLimit.Set(chatdouble.RateLimitTerms{Requests: 1, Seconds: 30 * time.Second, User: "mel"}))
	equal(t, ok(world.RateLimit.List())(t)[0].Seconds, 30)
	same(t, send(t, world, mel, "x")["code"], nil)
	same(t, send(t, world, mel, "x")["code"], "RATE_LIMIT_HIT")
	check(t, world.RateLimit.Set(chatdouble.RateLimitTerms{Requests: 100, Seconds: time.Minute}))
	check(t, world.RateLimit.Clear("mel"))
	equal(t, ok(world.RateLimit.List())(t)[0].Requests, 100)
	equal(t, len(ok(world.RateLimit.List())(t)), 1)
	check(t, world.RateLimit.Clear())
	equal(t, len(ok(world.RateLimit.List())(t)), 0)
}

func TestPreviews(t *testing.T) {
	world := server(t).World("default")
	check(t, world.Previews.Set(chatdouble.PreviewTerms{ThumbnailSeconds: 5 * time.Second, LinkSeconds: "1m"}))
	check(t, world.Previews.Set(chatdouble.PreviewTerms{ThumbnailSeconds: 6}))
	delays := ok(world.Previews.Delays())(t)
	equal(t, delays.ThumbnailSeconds, 6)
	equal(t, *delays.LinkSeconds, 60)
	check(t, world.Previews.Clear())
	delays = ok(world.Previews.Delays())(t)
	if delays.ThumbnailSeconds != 0 || delays.LinkSeconds != nil {
		t.Fatal(delays)
	}
}

func TestJournal(t *testing.T) {
	world := server(t).World("default")
	mel := ok(world.User("mel"))(t)
	sent := make(chan error)
	go func() {
		_, err := request(world, mel, "POST", "/messages", url.Values{"type": {"stream"}, "to": {"general"}, "topic": {"t"}, "content": {"once"}})
		sent <- err
	}()
	once := chatdouble.Assertion{Path: "/messages", User: "mel", Exactly: chatdouble.Ptr(1)}
	equal(t, ok(world.Journal.WaitFor(once, 0))(t), 1)
	check(t, <-sent)
	once.Params = map[string]string{"content": "once"}
	equal(t, ok(world.Journal.Verify(once))(t), 1)
	_, err := world.Journal.Verify(chatdouble.Assertion{Params: map[string]string{"content": "twice"}})
	refused(t, err, `+    "content": "once"`)
	if !errors.Is(err, chatdouble.ErrVerificationFailed) {
		t.Fatal(err)
	}
	_, err = world.Journal.Verify(chatdouble.Assertion{Path: "/messages", Exactly: chatdouble.Ptr(2)})
	equal(t, err.Error(), "Expected exactly 2 such requests, found 1\nThe requests that match:\n"+line("once"))
	_, err = world.Journal.WaitFor(chatdouble.Assertion{Path: "/typing"}, 10*time.Millisecond)
	equal(t, refused(t, err).Status, 408)
	equal(t, ok(world.Journal.Entries(chatdouble.JournalFilter{Path: "/messages", Limit: 1, Since: 0}))(t)[0].Params["content"], "once")
	check(t, world.Journal.Clear())
	equal(t, len(ok(world.Journal.Entries(chatdouble.JournalFilter{}))(t)), 0)
}

func line(content string) string {
	return "  200 POST /messages mel@chat.test content=" + content + " to=general topic=t type=stream"
}

func TestRequestsThatDifferInTheSameWayAreShownOnce(t *testing.T) {
	world := server(t).World("default")
	mel := ok(world.User("mel"))(t)
	check(t, world.Journal.Clear())
	for _, content := range []string{"one", "one", "two"} {
		send(t, world, mel, content)
	}
	_, err := world.Journal.Verify(chatdouble.Assertion{Path: "/messages", Params: map[string]string{"content": "none"}})
	for _, content := range []string{"one", "two"} {
		equal(t, strings.Count(refused(t, err).Message, `+    "content": "`+content+`"`), 1)
	}
}

func TestARefusalNamesTheStruct(t *testing.T) {
	world := server(t).World("default")
	_, err := world.Faults.Add(chatdouble.FaultRule{Effect: chatdouble.Effect{Drop: "aftr"}})
	refused(t, err, "FaultRule.effect.drop: takes before or after, not 'aftr'")
	_, err = world.Faults.Add(chatdouble.FaultRule{})
	refused(t, err, "FaultRule.effect: takes exactly one of ")
	_, err = world.Faults.Add(chatdouble.FaultRule{Effect: chatdouble.Effect{Change: map[string]any{}}})
	refused(t, err, "FaultRule.effect.change: takes keys of a reply")
	_, err = world.Journal.Verify(chatdouble.Assertion{Status: chatdouble.Ptr(-1)})
	refused(t, err, "Assertion.status: ")
}

func TestTooManyRequestsAreShownWithoutOthers(t *testing.T) {
	world := server(t).World("default")
	mel := ok(world.User("mel"))(t)
	send(t, world, mel, "one")
	send(t, world, mel, "two")
	ok(request(world, mel, "GET", "/users/me", nil))(t)
	once := chatdouble.Assertion{Path: "/messages", Exactly: chatdouble.Ptr(1)}
	_, err := world.Journal.Verify(once)
	equal(t, err.Error(), "Expected exactly 1 such request, found 2\nThe requests that match:\n"+line("one")+"\n"+line("two"))
	for count := 0; count < 20; count++ {
		send(t, world, mel, "more")
	}
	_, err = world.Journal.Verify(once)
	refused(t, err, "found 22", line("more"), "\n  and 12 more")
}

func TestQueuesAndPushes(t *testing.T) {
	world := server(t).World("default")
	mel := ok(world.User("mel"))(t)
	queue := api(t, world, mel, "POST", "/register", url.Values{"event_types": {`["message"]`}})["queue_id"].(string)
	polled := make(chan map[string]any)
	go func() {
		reply, _ := request(world, mel, "GET", "/events", url.Values{"queue_id": {queue}, "last_event_id": {"-1"}})
		polled <- reply
	}()
	equal(t, ok(world.Queues.WaitParked(chatdouble.ParkedFilter{User: "mel"}, 0))(t)[0].QueueID, queue)
	check(t, world.Queues.Lose(queue))
	same(t, (<-polled)["code"], "BAD_EVENT_QUEUE_ID")
	equal(t, len(ok(world.Queues.List())(t)), 0)

	api(t, world, mel, "POST", "/mobile_push/e2ee/test_notification", nil)
	push := ok(world.Pushes.WaitFor(chatdouble.AwaitedPushes{User: "mel"}, 0))(t)[0]
	equal(t, push.Kind, "test")
	equal(t, len(ok(world.Pushes.List(chatdouble.PushFilter{Since: push.ID}))(t)), 0)
	check(t, world.Pushes.Clear())
	equal(t, len(ok(world.Pushes.List(chatdouble.PushFilter{}))(t)), 0)
}

func TestSnapshotsStatesAndLevels(t *testing.T) {
	server := server(t)
	world := ok(server.CreateWorld(chatdouble.WorldOptions{FeatureLevel: chatdouble.Ptr(250)}))(t)
	check(t, world.Snapshots.Save("ready"))
	send(t, world, ok(world.User("mel"))(t), "litter")
	check(t, world.Snapshots.Restore("ready"))
	equal(t, ok(world.Snapshots.List())(t)[0].Name, "ready")
	check(t, world.Snapshots.Remove("ready"))
	state := ok(world.State())(t)
	other := ok(server.CreateWorld(chatdouble.WorldOptions{Fixture: state}))(t)
	check(t, other.PutState(state))
	equal(t, string(ok(other.State())(t)), string(state))
	equal(t, len(ok(world.Invariants())(t).Violations), 0)
	check(t, world.Upgrade(300))
	refused(t, world.Upgrade(250), "from 300 on")
}

func TestReport(t *testing.T) {
	world := server(t).World("default")
	api(t, world, ok(world.User("mel"))(t), "GET", "/users/me", url.Values{"colour": {"red"}})
	finding := ok(world.Report())(t).Clients[0].Findings[0]
	equal(t, fmt.Sprint(finding.Rule, finding.Severity, *finding.First.JournalID), "ignored-parameterwarning1")
	check(t, world.ClearReport())
	equal(t, len(ok(world.Report())(t).Clients), 0)
}

func TestWatching(t *testing.T) {
	for _, options := range []chatdouble.StartOptions{{}, {TLS: true, ControlToken: "secret"}} {
		server := ok(chatdouble.StartServer(options))(t)
		world := server.World("default")
		frames := ok(world.Watch())(t)
		ok(world.Clock.Advance("3w"))(t)
		seen := map[string]bool{}
		for !seen["event"] || !seen["clock"] {
			frame := ok(frames.Next(0))(t)
			seen[frame.Type] = true
			if !strings.Contains(string(frame.Raw), `"type"`) {
				t.Fatal(string(frame.Raw))
			}
		}
		check(t, frames.Close())
		check(t, frames.Close())
		if _, err := frames.Next(0); err != io.EOF {
			t.Fatal(err)
		}
		_, err := server.World("ghost").Watch()
		equal(t, refused(t, err).Status, 404)
		check(t, server.Stop())
	}
}

func TestAFrameThatDoesNotComeIsAnError(t *testing.T) {
	for _, options := range []chatdouble.StartOptions{{Clock: "frozen"}, {Clock: "frozen", TLS: true}} {
		server := ok(chatdouble.StartServer(options))(t)
		world := server.World("default")
		frames := ok(world.Watch())(t)
		place := server.URL + "/control/worlds/default/watch: no frame came within 10ms; "
		late := func(before string) {
			t.Helper()
			_, err := frames.Next(10 * time.Millisecond)
			equal(t, refused(t, err).Message, place+before)
			equal(t, errors.Is(err, chatdouble.ErrVerificationFailed), true)
		}
		late("none came before")
		check(t, world.Network.Set(chatdouble.NetworkTerms{Profile: "3g"}))
		equal(t, ok(frames.Next(0))(t).Type, "network")
		late("1 came before, network")
		ok(world.Clock.Advance(1))(t)
		equal(t, ok(frames.Next(0))(t).Type, "clock")
		late("2 came before, the last one is clock")
		check(t, frames.Close())
		check(t, server.Stop())
	}
}

// part is the text frame of a WebSocket, unmasked as a server's.
func part(text string) []byte {
	if len(text) < 126 {
		return append([]byte{0x81, byte(len(text))}, text...)
	}
	return append([]byte{0x81, 126, byte(len(text) >> 8), byte(len(text))}, text...)
}

func TestAFrameThatComesInPartsIsReadByTheNextCall(t *testing.T) {
	long := `{"type": "lost", "at": 1, "count": 2` + strings.Repeat(" ", 300) + "}"
	sent := append(part(`{"type": "clock", "at": 1}`), part(long)...)
	proceed := make(chan int)
	stranger := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/control/health" {
			fmt.Fprint(answer, `{"result": "success", "version": "0.1.0", "feature_level": 1, "worlds": 1}`)
			return
		}
		connection, _, err := answer.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer connection.Close()
		fmt.Fprint(connection, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
		at := 0
		for end := range proceed {
			if _, err := connection.Write(sent[at:end]); err != nil {
				panic(err)
			}
			at = end
		}
	}))
	defer stranger.Close()
	world := ok(chatdouble.Connect(chatdouble.Connection{URL: stranger.URL}))(t).World("default")
	frames := ok(world.Watch())(t)
	late := func() {
		t.Helper()
		_, err := frames.Next(20 * time.Millisecond)
		refused(t, err, "no frame came within 20ms")
	}
	proceed <- 1
	late()
	proceed <- 10
	late()
	proceed <- len(sent) - 302
	equal(t, ok(frames.Next(0))(t).Type, "clock")
	late()
	proceed <- len(sent) - 1
	late()
	proceed <- len(sent)
	equal(t, ok(frames.Next(0))(t).Count, 2)
	close(proceed)
	_, err := frames.Next(0)
	equal(t, refused(t, err).Message, stranger.URL+"/control/worlds/default/watch ended: the world was deleted, or the server stopped")
}

func TestFramesHaveTheFieldsOfTheirType(t *testing.T) {
	world := server(t).World("default")
	mel := ok(world.User("mel"))(t)
	check(t, world.Snapshots.Save("ready"))
	frames := ok(world.Watch())(t)
	defer frames.Close()
	queue := api(t, world, mel, "POST", "/register", url.Values{"event_types": {`["message"]`}})["queue_id"].(string)
	fault := ok(world.Faults.Add(chatdouble.FaultRule{Times: 1, Effect: chatdouble.Effect{PseudoLocalize: true}}))(t)
	send(t, world, mel, "said")
	api(t, world, mel, "POST", "/mobile_push/e2ee/test_notification", nil)
	check(t, world.Network.Set(chatdouble.NetworkTerms{Profile: "3g"}))
	check(t, world.Network.Clear())
	check(t, world.RateLimit.Set(chatdouble.RateLimitTerms{Requests: 7, Seconds: 60}))
	ok(world.Clock.ToNext())(t)
	check(t, world.Snapshots.Restore("ready"))
	first := map[string]chatdouble.Frame{}
	for first["restored"].Type == "" {
		frame := ok(frames.Next(0))(t)
		var whole chatdouble.Frame
		decoder := json.NewDecoder(strings.NewReader(frame.String()))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&whole); err != nil {
			t.Errorf("a field is missing: %v in %s", err, frame)
		}
		name := frame.Type
		switch {
		case name == "clock" && frame.Cause != "":
			name = "restored"
		case name == "event":
			name = fmt.Sprint("event ", frame.Event["type"])
		case name == "request":
			name = "request " + frame.Path
		}
		if _, isThere := first[name]; !isThere {
			first[name] = frame
		}
	}
	sent := first["request /messages"]
	equal(t, fmt.Sprint(sent.At, sent.Method, sent.User, sent.Params["content"], sent.Status, sent.Fault), fmt.Sprint(float64(noon.Unix()), "POSTmel@chat.testsaid200", fault.ID))
	var entry chatdouble.JournalEntry
	check(t, sent.Decode(&entry))
	equal(t, entry.ID, sent.ID)
	event := first["event message"]
	var heard struct {
		Event struct{ Message struct{ Content string } }
	}
	check(t, event.Decode(&heard))
	equal(t, heard.Event.Message.Content, "said")
	equal(t, event.Names.Channel+event.Names.Users[fmt.Sprint(mel.ID)], "generalmel")
	equal(t, len(event.Users) > 1, true)
	caused := map[int64]bool{}
	for _, id := range sent.Events {
		caused[id] = true
	}
	equal(t, caused[event.ID], true)
	equal(t, first["queue"].QueueID+first["queue"].User+first["queue"].Change, queue+"mel@chat.testregistered")
	equal(t, fmt.Sprint(first["fault"].FaultID, first["fault"].JournalID, string(first["fault"].Effect)), fmt.Sprint(fault.ID, sent.ID, `{"pseudo_localize":true}`))
	equal(t, first["push"].Push.Kind, "test")
	equal(t, first["network"].Networks[0].Profile, "3g")
	equal(t, first["rate_limit"].RateLimits[0].Requests, 7)
	clock, restored := first["clock"], first["restored"]
	equal(t, fmt.Sprint(clock.Now-clock.From, clock.Fired[0].Kind), "600queue_expired")
	equal(t, fmt.Sprint(restored.Cause, restored.Snapshot, restored.Now), fmt.Sprint("restoreready", clock.From))
	var keys map[string]any
	check(t, clock.Decode(&keys))
	same(t, keys["type"], "clock")
	refused(t, clock.Decode(&[]int{}), "the frame clock can't be decoded: ")
}

func TestAServerThatHasEndedIsNamed(t *testing.T) {
	server := ok(chatdouble.StartServer(chatdouble.StartOptions{}))(t)
	world := server.World("default")
	frames := ok(world.Watch())(t)
	process := ok(os.FindProcess(server.PID))(t)
	check(t, process.Kill())
	said := fmt.Sprintf("; the server (pid %d) has ended: signal: killed", server.PID)
	_, err := frames.Next(0)
	equal(t, refused(t, err).Message, server.URL+"/control/worlds/default/watch ended: the world was deleted, or the server stopped"+said)
	check(t, frames.Close())
	_, err = world.Clock.Now()
	refused(t, err, "/control/worlds/default/clock: ", said)
	_, err = world.Watch()
	refused(t, err, " can't be watched: ", said)
	check(t, server.Stop())
	_, err = world.Clock.Now()
	refused(t, err, said)
}

func TestHTTPSAndATokenAreSpoken(t *testing.T) {
	secured := ok(chatdouble.StartServer(chatdouble.StartOptions{TLS: true, ControlToken: "secret"}))(t)
	defer secured.Stop()
	equal(t, strings.HasPrefix(secured.URL, "https://") && strings.Contains(secured.TLSCA, "BEGIN CERTIFICATE"), true)
	equal(t, ok(secured.World("default").User("mel"))(t).Email, "mel@chat.test")
	file := filepath.Join(t.TempDir(), "ca.pem")
	check(t, os.WriteFile(file, []byte(secured.TLSCA), 0o600))
	t.Setenv("CHATDOUBLE_TLS_CA", file)
	t.Setenv("CHATDOUBLE_URL", secured.URL+"/")
	_, err := ok(chatdouble.Connect(chatdouble.Connection{}))(t).Worlds("")
	equal(t, refused(t, err, "; give it in the option ControlToken, or in the variable CHATDOUBLE_CONTROL_TOKEN").Status, 401)
	_, err = ok(chatdouble.Connect(chatdouble.Connection{ControlToken: "other"}))(t).World("default").Watch()
	equal(t, refused(t, err, "; the one that the option ControlToken gave is another").Status, 401)
	t.Setenv("CHATDOUBLE_CONTROL_TOKEN", "other")
	_, err = ok(chatdouble.Connect(chatdouble.Connection{}))(t).Worlds("")
	equal(t, refused(t, err, "; the one in CHATDOUBLE_CONTROL_TOKEN is another").Status, 401)
	equal(t, len(ok(ok(chatdouble.Connect(chatdouble.Connection{ControlToken: "secret"}))(t).Worlds(""))(t)), 1)
	t.Setenv("CHATDOUBLE_TLS_CA", "")
	_, err = chatdouble.Connect(chatdouble.Connection{ControlToken: "secret"})
	equal(t, refused(t, err, "/control/health: ").Status, 0)
}

func TestAFailedStartSaysWhatTheProgramSays(t *testing.T) {
	for _, wrong := range []struct {
		options chatdouble.StartOptions
		said    string
	}{{chatdouble.StartOptions{Fixture: "nosuch"}, "nosuch"}, {chatdouble.StartOptions{Clock: "noon"}, "noon"}} {
		_, err := chatdouble.StartServer(wrong.options)
		if found := refused(t, err, wrong.said); strings.HasPrefix(found.Message, "error:") {
			t.Error(found)
		}
	}
	t.Setenv("CHATDOUBLE_BINARY", "/no/such/program")
	_, err := chatdouble.StartServer(chatdouble.StartOptions{})
	refused(t, err, "chatdouble can't be started", "/no/such/program", "(from CHATDOUBLE_BINARY)")
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain")
	check(t, os.WriteFile(plain, nil, 0o600))
	for path, reason := range map[string]string{
		folder: " is a folder", plain: " is not executable",
		"target/chatdouble": " is not there, and must be absolute: tests run in their package's folder",
	} {
		t.Setenv("CHATDOUBLE_BINARY", path)
		_, err := chatdouble.StartServer(chatdouble.StartOptions{})
		equal(t, refused(t, err).Message, "chatdouble can't be started: "+path+reason+" (from CHATDOUBLE_BINARY)")
	}
	other := filepath.Join(t.TempDir(), "other")
	check(t, os.WriteFile(other, []byte("#!/bin/sh\nexit 7\n"), 0o700))
	t.Setenv("CHATDOUBLE_BINARY", other)
	_, err = chatdouble.StartServer(chatdouble.StartOptions{})
	refused(t, err, other+" ended before it was ready: exit status 7 (from CHATDOUBLE_BINARY)")
	check(t, os.WriteFile(other, []byte("#!/bin/sh\nexit 0\n"), 0o700))
	_, err = chatdouble.StartServer(chatdouble.StartOptions{})
	refused(t, err, other+" ended before it was ready: exit status 0 (from CHATDOUBLE_BINARY)")
	check(t, os.WriteFile(other, []byte("#!/bin/sh\necho \"error: unexpected argument '--exit-with-stdin' found\" >&2\nexit 2\n"), 0o700))
	_, err = chatdouble.StartServer(chatdouble.StartOptions{})
	refused(t, err, "unexpected argument '--exit-with-stdin' found (from CHATDOUBLE_BINARY)")
	check(t, os.WriteFile(other, []byte("#!/bin/sh\necho 'other: unrecognized option' >&2\nexit 2\n"), 0o700))
	_, err = chatdouble.StartServer(chatdouble.StartOptions{})
	refused(t, err, other+" ended before it was ready, and says: other: unrecognized option (from CHATDOUBLE_BINARY)")
	t.Setenv("CHATDOUBLE_BINARY", "")
	t.Setenv("PATH", t.TempDir())
	_, err = chatdouble.StartServer(chatdouble.StartOptions{})
	refused(t, err, "CHATDOUBLE_BINARY")
}

func TestAFailedStartNamesTheVariableThatIsToBlame(t *testing.T) {
	for name, value := range map[string]string{"CLOCK": "frozn", "FIXTURE": "nosuch", "DIALECT": "zulp", "FEATURE_LEVEL": "many", "STATE": "/no/such/folder/state.json"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CHATDOUBLE_"+name, value)
			_, err := chatdouble.StartServer(chatdouble.StartOptions{})
			refused(t, err, value, "(from CHATDOUBLE_"+name+")")
		})
	}
	t.Setenv("CHATDOUBLE_SEED", "2")
	_, err := chatdouble.StartServer(chatdouble.StartOptions{Fixture: "nosuch"})
	if text := refused(t, err, "os error 2").Message; strings.Contains(text, "CHATDOUBLE_SEED") {
		t.Error(text)
	}
	t.Setenv("CHATDOUBLE_CLOCK", "frozn")
	_, err = chatdouble.StartServer(chatdouble.StartOptions{Clock: "noon"})
	if text := refused(t, err, "noon").Message; strings.Contains(text, "CHATDOUBLE_CLOCK") {
		t.Error(text)
	}
}

func TestAServerThatCanNotBeReachedNamesTheVariableWithItsAddress(t *testing.T) {
	const source = " (from CHATDOUBLE_URL; unset it to let the tests start a server)"
	t.Setenv("CHATDOUBLE_URL", "http://127.0.0.1:9")
	_, err := chatdouble.Connect(chatdouble.Connection{})
	refused(t, err, "refused", source)
	_, err = chatdouble.Connect(chatdouble.Connection{URL: "http://127.0.0.1:9"})
	if text := refused(t, err).Message; strings.Contains(text, "CHATDOUBLE") {
		t.Error(text)
	}
	t.Setenv("CHATDOUBLE_URL", "localhost:9")
	_, err = chatdouble.Connect(chatdouble.Connection{})
	refused(t, err, "must begin with http:// or https://", source)
	t.Setenv("CHATDOUBLE_URL", "https://localhost:9")
	t.Setenv("CHATDOUBLE_TLS_CA", "/no/such/file")
	_, err = chatdouble.Connect(chatdouble.Connection{})
	refused(t, err, "/no/such/file", "(from CHATDOUBLE_TLS_CA)")
}

func TestWhereAServerIsFound(t *testing.T) {
	t.Setenv("CHATDOUBLE_URL", "")
	_, err := chatdouble.Connect(chatdouble.Connection{})
	refused(t, err, "CHATDOUBLE_URL")
	for address, reason := range map[string]string{
		"127.0.0.1:9991": "must begin with http:// or https://", "localhost:9991": "must begin", "ftp://localhost": "must begin",
		"http://": "names no host", "http://[::1": "is no address",
	} {
		_, err := chatdouble.Connect(chatdouble.Connection{URL: address})
		refused(t, err, reason)
	}
	own := ok(chatdouble.StartServer(chatdouble.StartOptions{}))(t)
	check(t, own.Stop())
	check(t, own.Stop())
	_, err = own.Worlds("")
	equal(t, refused(t, err, "/control/worlds: ", fmt.Sprintf("; the server (pid %d) has ended: ", own.PID)).Status, 0)
}

func TestWhatIsNoReplyIsAnErrorThatSaysSo(t *testing.T) {
	reply := ""
	stranger := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) { fmt.Fprint(answer, reply) }))
	defer stranger.Close()
	_, err := chatdouble.Connect(chatdouble.Connection{URL: stranger.URL})
	refused(t, err, " is not a chatdouble server: ", "/control/health answered 200 without JSON")
	reply = `{"result": "success", "version": "0.1.0", "feature_level": 1, "worlds": 1}`
	world := ok(chatdouble.Connect(chatdouble.Connection{URL: stranger.URL}))(t).World("default")
	for _, reply = range []string{
		"not json", "[]", "{}", `{"result": "success"}`, `{"result": "success", "now": "x", "running": true, "agenda": []}`,
		`{"result": "success", "now": 1, "running": true, "agenda": [{"at": 1}]}`, `{"result": "success", "now": 1, "running": true, "agenda": {}}`,
	} {
		_, err := world.Clock.Now()
		if text := refused(t, err).Message; !strings.HasPrefix(text, stranger.URL+" is not a chatdouble server: ") && !strings.Contains(text, "no reply of chatdouble") {
			t.Errorf("%s: %s", reply, text)
		}
	}
	reply = "<html>\n<p>Hello\n</html>"
	t.Setenv("CHATDOUBLE_URL", stranger.URL)
	_, err = chatdouble.Connect(chatdouble.Connection{})
	said := " is not a chatdouble server (from CHATDOUBLE_URL; unset it to let the tests start a server): GET " + stranger.URL +
		"/control/health answered 200 without JSON: <html> <p>Hello </html>"
	equal(t, refused(t, err).Message, stranger.URL+said)
}
