// Package chatdoubletest gives tests a world of their own.
//
// The server is the one at CHATDOUBLE_URL, or one that the first test starts. It ends with the test binary, and with
// the program that started that, such as `go test`, however these end. Calls of a world fail the test instead of returning an error.
package chatdoubletest

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"testing"

	chatdouble "chatdouble.test/go"
)

// shown is how many journal entries a failed test shows.
const shown = 10

var (
	failOn severity
	// severities are the least first.
	severities = []string{"note", "warning", "error"}

	once    sync.Once
	shared  *chatdouble.Server
	unmade  error
	options chatdouble.StartOptions
)

// Main runs the tests with a server of these options, stops it, and returns the status with which to exit:
//
//	func TestMain(m *testing.M) {
//		os.Exit(chatdoubletest.Main(m, chatdouble.StartOptions{Dialect: "zulip"}))
//	}
//
// The clock of worlds is frozen unless options or CHATDOUBLE_CLOCK say otherwise. For the server at CHATDOUBLE_URL, which runs
// already, Clock, Dialect, FeatureLevel, Fixture and Seed are options of the tests' worlds instead, TLS is the server's own, and
// others are refused. Files are relative to the directory of the tests, at both.
func Main(m *testing.M, serve chatdouble.StartOptions) int {
	options = serve
	status := m.Run()
	if shared != nil {
		if err := shared.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return status
}

// Server returns the server of this run.
func Server(t testing.TB) *chatdouble.Server {
	t.Helper()
	once.Do(start)
	if unmade != nil {
		t.Fatal(unmade)
	}
	return shared
}

func start() {
	if isElsewhere() {
		if unmade = checkUsed(options); unmade == nil {
			unmade = readOwn(options)
		}
		if unmade == nil {
			shared, unmade = chatdouble.Connect(chatdouble.Connection{ControlToken: options.ControlToken})
		}
		return
	}
	if options.Clock == nil && os.Getenv("CHATDOUBLE_CLOCK") == "" {
		options.Clock = "frozen"
	}
	// A killed `go test` leaves the test binary behind.
	shared, unmade = chatdouble.StartServerWith(options, fmt.Sprintf("--exit-with-process=%d", os.Getppid()))
}

// NewWorld makes a world for a test: a fork of default, or as the options say, which are one struct at most. A Fixture that ends in
// .json, or has a separator of paths, is a file, relative to the directory of the tests. The world is deleted after the test; a test that fails logs the last requests to it.
func NewWorld(t testing.TB, given ...chatdouble.WorldOptions) *World {
	t.Helper()
	if len(given) > 1 {
		t.Fatalf("NewWorld takes one WorldOptions, not %d", len(given))
	}
	// It reads what Main's options name, which the world may have.
	server := Server(t)
	wanted := chatdouble.WorldOptions{}
	if len(given) > 0 {
		wanted = given[0]
	}
	if isElsewhere() {
		wanted = completed(wanted, options)
	}
	if wanted.Fixture == nil && wanted.ForkOf == "" {
		wanted.ForkOf = "default"
	}
	if wanted.Label == "" {
		wanted.Label = t.Name()
	}
	made, err := server.CreateWorld(wanted)
	if err != nil {
		refused.Store(t, true)
		t.Fatalf("the world can't be made: %v", err)
	}
	world := bound(t, made)
	t.Cleanup(world.end)
	return world
}

// FailOn fails the test if a client of the world breaks a rule of the report that is at least so severe: error, warning or note.
func (w *World) FailOn(severity string) {
	w.t.Helper()
	if err := checkSeverity(severity); err != nil {
		refused.Store(w.t, true)
		w.t.Fatalf("FailOn %v", err)
	}
	w.failOn = severity
}

func (w *World) end() {
	w.t.Helper()
	// Package testing knows of a panic only after the cleanups.
	hasFailed := w.t.Failed() || isPanicking()
	isJudged := !hasFailed && w.failOn != ""
	var report chatdouble.Report
	if isJudged {
		report, isJudged = w.lastReport()
	} else if hasFailed {
		w.logRequests()
	}
	if err := w.Steering.Delete(); err != nil && !isGone(err) {
		w.t.Error(err)
	}
	if isJudged {
		w.checkFindings(report)
	}
}

// lastReport is the report before the world is deleted, unless the test has deleted it.
func (w *World) lastReport() (chatdouble.Report, bool) {
	w.t.Helper()
	report, err := w.Steering.Report()
	if err != nil && !isGone(err) {
		w.t.Error(err)
	}
	return report, err == nil
}

// withEnd is a report with what the end of the world added to it: what clients left behind, which is no more than a note.
func (w *World) withEnd(report chatdouble.Report) chatdouble.Report {
	w.t.Helper()
	if w.failOn != severities[0] {
		return report
	}
	whole, err := w.Server.Report()
	if err != nil {
		w.t.Error(err)
	}
	for index, client := range report.Clients {
		// The last one counts: an earlier world may have had the same name.
		for _, other := range whole.Clients {
			if other.World == w.Name && other.Client == client.Client && other.User == client.User {
				report.Clients[index] = other
			}
		}
	}
	return report
}

// isGone tells whether a test has deleted its world.
func isGone(err error) bool {
	var refused *chatdouble.Error
	return errors.As(err, &refused) && refused.Status == http.StatusNotFound
}

func (w *World) logRequests() {
	w.t.Helper()
	lines, err := w.lastLines()
	if err != nil {
		return
	}
	hasPanicked := !w.t.Failed()
	text := fmt.Sprintf("the last requests to %s:\n  %s", w.Name, strings.Join(lines, "\n  "))
	if len(lines) == 0 {
		// A test that a refused call ended may not have come to its client yet; a panic has a reason of its own.
		if _, isRefused := refused.Load(w.t); isRefused || hasPanicked {
			return
		}
		text = fmt.Sprintf("no request reached %s at %s; an error that the client got has the reason in its header X-Chatdouble-Hint", w.Name, w.URL)
	}
	if hasPanicked {
		// Package testing shows nothing that a test logged before its panic.
		fmt.Fprintln(os.Stderr, text)
		return
	}
	w.t.Log(text)
}

// lastLines are the last requests: those of the journal, which have been answered, and the polls that wait.
func (w *World) lastLines() ([]string, error) {
	entries, err := w.Steering.Journal.Entries(chatdouble.JournalFilter{Limit: shown})
	if err != nil {
		return nil, err
	}
	queues, err := w.Steering.Queues.List()
	if err != nil {
		return nil, err
	}
	var lines, waiting []string
	for _, entry := range entries {
		lines = append(lines, strings.ReplaceAll(entry.String(), "\n", "\n  "))
	}
	for _, queue := range queues {
		line := "waiting: GET /events"
		if queue.User != "" {
			line += " of " + queue.User
		}
		if queue.Parked {
			waiting = append(waiting, line)
		}
	}
	if more := len(waiting) - shown; more > 0 {
		waiting = append(waiting[:shown], fmt.Sprintf("waiting: %d more", more))
	}
	return append(lines, waiting...), nil
}

// isPanicking tells whether this goroutine, which runs the test and then its cleanups, panics.
func isPanicking() bool {
	const deep = 64
	callers := make([]uintptr, deep)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for {
		frame, isMore := frames.Next()
		if frame.Function == "runtime.gopanic" {
			return true
		}
		if !isMore {
			return false
		}
	}
}

func (w *World) checkFindings(report chatdouble.Report) {
	w.t.Helper()
	var found []string
	for _, client := range w.withEnd(report).Clients {
		who := client.Client
		if client.User != "" {
			who += " (" + client.User + ")"
		}
		for _, finding := range client.Findings {
			if rank(finding.Severity) < rank(w.failOn) {
				continue
			}
			place := ""
			if finding.First.JournalID != nil {
				place = fmt.Sprintf(" (journal %d)", *finding.First.JournalID)
			}
			found = append(found, fmt.Sprintf("  %s %s: %s, %s by %s\n      %s%s\n      %s",
				finding.Severity, finding.Rule, finding.Message, times(finding.Count), who, finding.First.Request, place, finding.Help))
		}
	}
	if len(found) > 0 {
		w.t.Errorf("the clients of %s broke rules:\n%s", w.Name, strings.Join(found, "\n"))
	}
}

func times(count int) string {
	if count == 1 {
		return "1 time"
	}
	return fmt.Sprintf("%d times", count)
}

// severity is a flag that takes a severity.
type severity string

func init() {
	flag.Var(&failOn, "chatdouble.fail-on", "fail tests in whose world a client broke a rule of the report that is at least this severe: error, warning or note")
	if given := os.Getenv("CHATDOUBLE_FAIL_ON"); given != "" {
		if err := failOn.Set(given); err != nil {
			fmt.Fprintln(os.Stderr, "CHATDOUBLE_FAIL_ON", err)
			os.Exit(2)
		}
	}
}

func (s *severity) String() string { return string(*s) }

// Set refuses a word that is no severity, so that no test runs.
func (s *severity) Set(given string) error {
	if given != "" {
		if err := checkSeverity(given); err != nil {
			return err
		}
	}
	*s = severity(given)
	return nil
}

func checkSeverity(given string) error {
	if rank(given) >= 0 {
		return nil
	}
	return fmt.Errorf("takes %s, not %q; the nearest is %q", strings.Join(severities, ", "), given, nearest(given, severities))
}

// nearest is the known word that differs least from one that was given.
func nearest(given string, known []string) string {
	ordered := append([]string{}, known...)
	sort.SliceStable(ordered, func(one, other int) bool {
		return distance(given, ordered[one]) < distance(given, ordered[other])
	})
	return ordered[0]
}

// distance is how many letters have to be inserted, removed or replaced to make one text of the other.
func distance(one, other string) int {
	row := make([]int, len(other)+1)
	for to := range row {
		row[to] = to
	}
	for at := range one {
		before := row[0]
		row[0] = at + 1
		for to := range other {
			least := before
			if one[at] != other[to] {
				least++
			}
			before = row[to+1]
			for _, step := range []int{row[to] + 1, before + 1} {
				if step < least {
					least = step
				}
			}
			row[to+1] = least
		}
	}
	return row[len(other)]
}

func rank(severity string) int {
	for index, one := range severities {
		if one == severity {
			return index
		}
	}
	return -1
}
