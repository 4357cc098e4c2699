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
// Without it the server has a frozen clock, unless CHATDOUBLE_CLOCK says otherwise.
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
	if os.Getenv("CHATDOUBLE_URL") != "" {
		shared, unmade = chatdouble.Connect(chatdouble.Connection{})
		return
	}
	if options.Clock == nil && os.Getenv("CHATDOUBLE_CLOCK") == "" {
		options.Clock = "frozen"
	}
	// A killed `go test` leaves the test binary behind.
	shared, unmade = chatdouble.StartServerWith(options, fmt.Sprintf("--exit-with-process=%d", os.Getppid()))
}

// NewWorld makes a world for a test: a fork of default, or as the options say. It is deleted after the test; a test that
// fails logs the last requests to it.
func NewWorld(t testing.TB, options ...chatdouble.WorldOptions) *World {
	t.Helper()
	wanted := chatdouble.WorldOptions{}
	if len(options) > 0 {
		wanted = options[0]
	}
	if wanted.Fixture == nil && wanted.ForkOf == "" {
		wanted.ForkOf = "default"
	}
	if wanted.Label == "" {
		wanted.Label = t.Name()
	}
	made, err := Server(t).CreateWorld(wanted)
	if err != nil {
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
		w.t.Fatalf("FailOn %v", err)
	}
	w.failOn = severity
}

func (w *World) end() {
	w.t.Helper()
	if !w.t.Failed() && w.failOn != "" {
		w.checkFindings()
	} else if w.t.Failed() {
		w.logRequests()
	}
	if err := w.Steering.Delete(); err != nil && !isGone(err) {
		w.t.Error(err)
	}
}

// isGone tells whether a test has deleted its world.
func isGone(err error) bool {
	var refused *chatdouble.Error
	return errors.As(err, &refused) && refused.Status == http.StatusNotFound
}

func (w *World) logRequests() {
	w.t.Helper()
	entries, err := w.Steering.Journal.Entries(chatdouble.JournalFilter{Limit: shown})
	if err != nil || len(entries) == 0 {
		return
	}
	lines := []string{"the last requests to " + w.Name + ":"}
	for _, entry := range entries {
		lines = append(lines, "  "+strings.ReplaceAll(entry.String(), "\n", "\n  "))
	}
	w.t.Log(strings.Join(lines, "\n"))
}

func (w *World) checkFindings() {
	w.t.Helper()
	report, err := w.Steering.Report()
	if err != nil {
		if !isGone(err) {
			w.t.Error(err)
		}
		return
	}
	var found []string
	for _, client := range report.Clients {
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
