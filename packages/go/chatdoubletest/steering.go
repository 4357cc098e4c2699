package chatdoubletest

import (
	"testing"
	"time"

	chatdouble "chatdouble.test/go"
)

// Clock is the clock and agenda of a test's world.
type Clock struct {
	t     testing.TB
	clock *chatdouble.Clock
}

// Now returns the time, in Unix seconds.
func (c Clock) Now() float64 {
	c.t.Helper()
	return must(c.clock.Now())(c.t)
}

// Agenda returns the items that fall due, the next one first.
func (c Clock) Agenda() []chatdouble.AgendaItem {
	c.t.Helper()
	return must(c.clock.Agenda())(c.t)
}

// State returns the time, whether the clock runs, and the agenda.
func (c Clock) State() chatdouble.ClockState {
	c.t.Helper()
	return must(c.clock.State())(c.t)
}

// Advance advances by a time.Duration, a span such as "1d2h30m" or a number of seconds; all items that fall due are done before it returns.
func (c Clock) Advance(by any, jump ...chatdouble.Jump) chatdouble.ClockMoved {
	c.t.Helper()
	return must(c.clock.Advance(by, jump...))(c.t)
}

// Set advances to a time: a time.Time, a text in RFC 3339 or a number of Unix seconds.
func (c Clock) Set(to any, jump ...chatdouble.Jump) chatdouble.ClockMoved {
	c.t.Helper()
	return must(c.clock.Set(to, jump...))(c.t)
}

// ToNext advances to the next item that falls due.
func (c Clock) ToNext(jump ...chatdouble.Jump) chatdouble.ClockMoved {
	c.t.Helper()
	return must(c.clock.ToNext(jump...))(c.t)
}

// Run lets the clock run with real time.
func (c Clock) Run() chatdouble.ClockMoved {
	c.t.Helper()
	return must(c.clock.Run())(c.t)
}

// Freeze freezes the clock.
func (c Clock) Freeze() chatdouble.ClockMoved {
	c.t.Helper()
	return must(c.clock.Freeze())(c.t)
}

// Faults are failures on demand.
type Faults struct {
	t      testing.TB
	faults *chatdouble.Faults
}

// Add installs a rule.
func (f Faults) Add(rule chatdouble.FaultRule) Fault {
	f.t.Helper()
	return Fault{must(f.faults.Add(rule))(f.t), f.t}
}

// List returns all installed rules, also spent ones.
func (f Faults) List() []chatdouble.FaultRow {
	f.t.Helper()
	return must(f.faults.List())(f.t)
}

// Clear removes all rules.
func (f Faults) Clear() {
	f.t.Helper()
	check(f.t, f.faults.Clear())
}

// Fault is an installed fault.
type Fault struct {
	*chatdouble.Fault
	t testing.TB
}

// WaitFired waits until the fault fired at so many requests (0: one), for at most the timeout (0: 3 seconds), and returns at how
// many it did. A rule meets the requests that arrive after it: a poll that waits already is not met.
func (f Fault) WaitFired(times int, timeout time.Duration) int {
	f.t.Helper()
	return must(f.Fault.WaitFired(times, timeout))(f.t)
}

// Remove removes the fault.
func (f Fault) Remove() {
	f.t.Helper()
	check(f.t, f.Fault.Remove())
}

// Networks are between clients and the world.
type Networks struct {
	t        testing.TB
	networks *chatdouble.Networks
}

// Set puts a user's client, or all that have no network of their own, on a network.
func (n Networks) Set(terms chatdouble.NetworkTerms) {
	n.t.Helper()
	check(n.t, n.networks.Set(terms))
}

// List returns the networks, with all numbers.
func (n Networks) List() []chatdouble.NetworkRow {
	n.t.Helper()
	return must(n.networks.List())(n.t)
}

// Clear ends the networks of these users (addresses or their handles), or all networks if none is named.
func (n Networks) Clear(users ...string) {
	n.t.Helper()
	check(n.t, n.networks.Clear(users...))
}

// RateLimits are limits of requests, by the world's clock.
type RateLimits struct {
	t          testing.TB
	rateLimits *chatdouble.RateLimits
}

// Set limits the requests of a user, or of each who has no limit of their own; budgets begin whole.
func (r RateLimits) Set(terms chatdouble.RateLimitTerms) {
	r.t.Helper()
	check(r.t, r.rateLimits.Set(terms))
}

// List returns the limits.
func (r RateLimits) List() []chatdouble.RateLimitRow {
	r.t.Helper()
	return must(r.rateLimits.List())(r.t)
}

// Clear ends the limits of these users (addresses or their handles), or all limits if none is named.
func (r RateLimits) Clear(users ...string) {
	r.t.Helper()
	check(r.t, r.rateLimits.Clear(users...))
}

// Previews are thumbnails, and cards of linked pages.
type Previews struct {
	t        testing.TB
	previews *chatdouble.Previews
}

// Set delays previews, by the world's clock; a delay that is nil stays as it is.
func (p Previews) Set(delays chatdouble.PreviewTerms) {
	p.t.Helper()
	check(p.t, p.previews.Set(delays))
}

// Delays returns the delays; LinkSeconds is nil where links have no previews.
func (p Previews) Delays() chatdouble.PreviewDelays {
	p.t.Helper()
	return must(p.previews.Delays())(p.t)
}

// Clear ends the delays: thumbnails are there at once, and links have no previews.
func (p Previews) Clear() {
	p.t.Helper()
	check(p.t, p.previews.Clear())
}

// Journal has the requests to the API, and their replies.
type Journal struct {
	t       testing.TB
	journal *chatdouble.Journal
}

// Entries returns entries, newest last.
func (j Journal) Entries(filter chatdouble.JournalFilter) []chatdouble.JournalEntry {
	j.t.Helper()
	return must(j.journal.Entries(filter))(j.t)
}

// Verify asserts that there were such requests and returns their number.
func (j Journal) Verify(assertion chatdouble.Assertion) int {
	j.t.Helper()
	return must(j.journal.Verify(assertion))(j.t)
}

// WaitFor waits until there are such requests, for at most the timeout (0: 3 seconds), and returns their number.
func (j Journal) WaitFor(assertion chatdouble.Assertion, timeout time.Duration) int {
	j.t.Helper()
	return must(j.journal.WaitFor(assertion, timeout))(j.t)
}

// Clear empties the journal.
func (j Journal) Clear() {
	j.t.Helper()
	check(j.t, j.journal.Clear())
}

// Queues are event queues of clients.
type Queues struct {
	t      testing.TB
	queues *chatdouble.Queues
}

// List returns all queues.
func (q Queues) List() []chatdouble.Queue {
	q.t.Helper()
	return must(q.queues.List())(q.t)
}

// Lose loses a queue, as a restart of the server does.
func (q Queues) Lose(id string) {
	q.t.Helper()
	check(q.t, q.queues.Lose(id))
}

// WaitParked waits until queues of a user, or of any user, have a waiting poll; for at most the timeout (0: 3 seconds).
func (q Queues) WaitParked(filter chatdouble.ParkedFilter, timeout time.Duration) []chatdouble.Queue {
	q.t.Helper()
	return must(q.queues.WaitParked(filter, timeout))(q.t)
}

// Pushes are the pushes that were handed to the push relay.
type Pushes struct {
	t      testing.TB
	pushes *chatdouble.Pushes
}

// List returns pushes, newest last.
func (p Pushes) List(filter chatdouble.PushFilter) []chatdouble.Push {
	p.t.Helper()
	return must(p.pushes.List(filter))(p.t)
}

// WaitFor waits until there are such pushes, for at most the timeout (0: 3 seconds), and returns them.
func (p Pushes) WaitFor(filter chatdouble.AwaitedPushes, timeout time.Duration) []chatdouble.Push {
	p.t.Helper()
	return must(p.pushes.WaitFor(filter, timeout))(p.t)
}

// Clear empties the list.
func (p Pushes) Clear() {
	p.t.Helper()
	check(p.t, p.pushes.Clear())
}

// Snapshots are named states to come back to.
type Snapshots struct {
	t         testing.TB
	snapshots *chatdouble.Snapshots
}

// Save takes a snapshot; one of the same name is replaced.
func (s Snapshots) Save(name string) {
	s.t.Helper()
	check(s.t, s.snapshots.Save(name))
}

// Restore goes back to a snapshot; queues end.
func (s Snapshots) Restore(name string) {
	s.t.Helper()
	check(s.t, s.snapshots.Restore(name))
}

// List returns all snapshots.
func (s Snapshots) List() []chatdouble.Snapshot {
	s.t.Helper()
	return must(s.snapshots.List())(s.t)
}

// Remove removes a snapshot.
func (s Snapshots) Remove(name string) {
	s.t.Helper()
	check(s.t, s.snapshots.Remove(name))
}
