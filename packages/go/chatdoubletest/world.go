package chatdoubletest

import (
	"encoding/json"
	"errors"
	"sync"
	"testing"

	chatdouble "chatdouble.test/go"
)

// World is a test's world: the calls of chatdouble.World, which fail the test instead of returning an error.
type World struct {
	// Server holds the world.
	Server *chatdouble.Server
	// Name is the world's name in control.
	Name string
	// URL is the base URL for clients, without a slash at the end and without /api/v1.
	URL       string
	Clock     Clock
	Faults    Faults
	Network   Networks
	RateLimit RateLimits
	Previews  Previews
	Journal   Journal
	Queues    Queues
	Pushes    Pushes
	Snapshots Snapshots
	// Steering has the same calls, which return errors.
	Steering *chatdouble.World
	t        testing.TB
	failOn   string
}

func bound(t testing.TB, world *chatdouble.World) *World {
	return &World{
		world.Server, world.Name, world.URL,
		Clock{t, world.Clock}, Faults{t, world.Faults}, Networks{t, world.Network}, RateLimits{t, world.RateLimit},
		Previews{t, world.Previews}, Journal{t, world.Journal}, Queues{t, world.Queues}, Pushes{t, world.Pushes}, Snapshots{t, world.Snapshots},
		world, t, string(failOn),
	}
}

// User returns a user's credentials, by handle or address.
func (w *World) User(handle string) chatdouble.User {
	w.t.Helper()
	return must(w.Steering.User(handle))(w.t)
}

// Fork makes a copy of the current state, which is deleted after the test.
func (w *World) Fork(options chatdouble.WorldOptions) *World {
	w.t.Helper()
	options.ForkOf = w.Name
	return NewWorld(w.t, options)
}

// must returns a value, or fails the test that is given.
func must[Value any](value Value, err error) func(testing.TB) Value {
	return func(t testing.TB) Value {
		t.Helper()
		check(t, err)
		return value
	}
}

// refused has the tests that failed because control refused a call: what failed is the test, not its client.
var refused sync.Map

func check(t testing.TB, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if !errors.Is(err, chatdouble.ErrVerificationFailed) {
		refused.Store(t, true)
	}
	t.Fatal(err)
}

// Reset resets data, clock, pushes, faults, journal and report, except those of the last three that keep names.
func (w *World) Reset(keep ...string) {
	w.t.Helper()
	check(w.t, w.Steering.Reset(keep...))
}

// Report returns what the clients of the world did that a real server would suffer from.
func (w *World) Report() chatdouble.Report {
	w.t.Helper()
	return must(w.Steering.Report())(w.t)
}

// ClearReport empties the report.
func (w *World) ClearReport() {
	w.t.Helper()
	check(w.t, w.Steering.ClearReport())
}

// Delete deletes the world.
func (w *World) Delete() {
	w.t.Helper()
	check(w.t, w.Steering.Delete())
}

// State returns the world as a fixture document.
func (w *World) State() json.RawMessage {
	w.t.Helper()
	return must(w.Steering.State())(w.t)
}

// PutState replaces the state with that of a document; queues end.
func (w *World) PutState(document any) {
	w.t.Helper()
	check(w.t, w.Steering.PutState(document))
}

// Invariants returns the invariants that were checked, and their violations.
func (w *World) Invariants() chatdouble.Invariants {
	w.t.Helper()
	return must(w.Steering.Invariants())(w.t)
}

// Upgrade raises the feature level, as an upgrade of a server does.
func (w *World) Upgrade(level int) {
	w.t.Helper()
	check(w.t, w.Steering.Upgrade(level))
}

// Watch returns the frames of the watch socket, from now on. It is closed after the test.
func (w *World) Watch() *Watch {
	w.t.Helper()
	watch := must(w.Steering.Watch())(w.t)
	w.t.Cleanup(func() { watch.Close() })
	return &Watch{watch, w.t}
}
