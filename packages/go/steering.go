package chatdouble

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Clock is a world's clock and agenda.
type Clock struct{ calls calls }

// Jump says how a jump of the clock is made. NotParked of its result has the queues whose last poll was answered less than a second
// before, and that had no waiting poll even so. A queue that was silent for longer, or never polled, is not among them:
// Queues.WaitParked shows that a client is alive.
type Jump struct {
	// WaitForClientsMs is how long it waits for clients that are between two polls, in milliseconds of real time; 1,000 by default.
	WaitForClientsMs *int
}

// Now returns the time, in Unix seconds.
func (c *Clock) Now() (float64, error) {
	state, err := c.State()
	return state.Now, err
}

// Agenda returns the items that fall due, the next one first.
func (c *Clock) Agenda() ([]AgendaItem, error) {
	state, err := c.State()
	return state.Agenda, err
}

// State returns the time, whether the clock runs, and the agenda.
func (c *Clock) State() (ClockState, error) {
	var reply ClockState
	err := c.calls.get("/clock", nil, &reply)
	return reply, err
}

// Advance advances by a time.Duration, a span such as "1d2h30m" or a number of seconds; all items that fall due are done before it returns.
func (c *Clock) Advance(by any, jump ...Jump) (ClockMoved, error) {
	if _, isTime := by.(time.Time); isTime {
		return ClockMoved{}, failure("Advance takes a duration, not %v; Set takes a time", by)
	}
	if by == nil {
		return ClockMoved{}, failure("Advance takes a time.Duration, a span such as \"1d2h30m\" or a number of seconds, not nil")
	}
	return c.move("advance_seconds", plain(by), jump)
}

// Set advances to a time: a time.Time, a text in RFC 3339 or a number of Unix seconds.
func (c *Clock) Set(to any, jump ...Jump) (ClockMoved, error) {
	if _, isDuration := to.(time.Duration); isDuration {
		return ClockMoved{}, failure("Set takes a time, not %v; Advance takes a duration", to)
	}
	if to == nil {
		return ClockMoved{}, failure("Set takes a time.Time, a text in RFC 3339 or a number of Unix seconds, not nil")
	}
	return c.move("set", plain(to), jump)
}

// ToNext advances to the next item that falls due.
func (c *Clock) ToNext(jump ...Jump) (ClockMoved, error) { return c.move("to_next", true, jump) }

// Run lets the clock run with real time.
func (c *Clock) Run() (ClockMoved, error) { return c.move("running", true, nil) }

// Freeze freezes the clock.
func (c *Clock) Freeze() (ClockMoved, error) { return c.move("running", false, nil) }

func (c *Clock) move(change string, value any, jumps []Jump) (ClockMoved, error) {
	if len(jumps) > 1 {
		return ClockMoved{}, failure("the clock takes one Jump, not %d", len(jumps))
	}
	body := map[string]any{change: value}
	for _, jump := range jumps {
		if jump.WaitForClientsMs != nil {
			body["wait_for_clients_ms"] = *jump.WaitForClientsMs
		}
	}
	var reply ClockMoved
	err := c.calls.post("/clock", body, &reply)
	return reply, err
}

// Fault is an installed fault.
type Fault struct {
	// ID is the fault's id in control.
	ID    string
	calls calls
}

// WaitFired waits until the fault fired at so many requests (0: one), for at most the timeout (0: 3 seconds), and returns at how
// many it did. A rule meets the requests that arrive after it: a poll that waits already is not met.
func (f *Fault) WaitFired(times int, timeout time.Duration) (int, error) {
	if times == 0 {
		times = 1
	}
	var reply counted
	err := f.calls.wait("/journal/wait", map[string]any{"fault": f.ID, "at_least": times}, nil, timeout, &reply)
	return reply.Count, f.ofRemoved(err)
}

// ofRemoved is an error of a wait, which says so if the fault is not there any more.
func (f *Fault) ofRemoved(err error) error {
	var refused *Error
	if !errors.As(err, &refused) || refused.Status == 0 {
		return err
	}
	rules, failed := (&Faults{f.calls}).List()
	if failed != nil {
		return err
	}
	for _, rule := range rules {
		if rule.FaultID == f.ID {
			return err
		}
	}
	message := fmt.Sprintf("%s; %s was removed, or its world was reset", strings.TrimPrefix(refused.Message, "$.fault: "), f.ID)
	return &Error{refused.Status, refused.Code, message, refused.Body}
}

// Remove removes the fault.
func (f *Fault) Remove() error { return f.calls.delete("/faults/" + url.PathEscape(f.ID)) }

// Faults are failures on demand.
type Faults struct{ calls calls }

// Add installs a rule.
func (f *Faults) Add(rule FaultRule) (*Fault, error) {
	var reply struct {
		FaultID string `json:"fault_id"`
	}
	if err := f.calls.post("/faults", rule, &reply); err != nil {
		return nil, err
	}
	return &Fault{reply.FaultID, f.calls}, nil
}

// List returns all installed rules, also spent ones, with how many requests each let pass and how often it fired.
func (f *Faults) List() ([]FaultRow, error) {
	var reply struct {
		Faults []FaultRow `json:"faults"`
	}
	err := f.calls.get("/faults", nil, &reply)
	return reply.Faults, err
}

// Clear removes all rules.
func (f *Faults) Clear() error { return f.calls.delete("/faults") }

// Networks are between clients and the world.
type Networks struct{ calls calls }

// Set puts a user's client, or all that have no network of their own, on a network.
func (n *Networks) Set(terms NetworkTerms) error { return n.calls.post("/network", terms, nil) }

// List returns the networks, with all numbers.
func (n *Networks) List() ([]NetworkRow, error) {
	var reply struct {
		Networks []NetworkRow `json:"networks"`
	}
	err := n.calls.get("/network", nil, &reply)
	return reply.Networks, err
}

// Clear ends the networks of these users (addresses or their handles), or all networks if none is named.
func (n *Networks) Clear(users ...string) error { return n.calls.deleteOf("/network", users) }

// RateLimits are limits of requests, by the world's clock.
type RateLimits struct{ calls calls }

// Set limits the requests of a user, or of each who has no limit of their own; budgets begin whole.
func (r *RateLimits) Set(terms RateLimitTerms) error {
	terms.Seconds = plain(terms.Seconds)
	return r.calls.post("/rate_limit", terms, nil)
}

// List returns the limits.
func (r *RateLimits) List() ([]RateLimitRow, error) {
	var reply struct {
		RateLimits []RateLimitRow `json:"rate_limits"`
	}
	err := r.calls.get("/rate_limit", nil, &reply)
	return reply.RateLimits, err
}

// Clear ends the limits of these users (addresses or their handles), or all limits if none is named.
func (r *RateLimits) Clear(users ...string) error { return r.calls.deleteOf("/rate_limit", users) }

// Previews are thumbnails, and cards of linked pages.
type Previews struct{ calls calls }

// Set delays previews, by the world's clock; a delay that is nil stays as it is.
func (p *Previews) Set(delays PreviewTerms) error {
	delays.ThumbnailSeconds = plain(delays.ThumbnailSeconds)
	delays.LinkSeconds = plain(delays.LinkSeconds)
	return p.calls.post("/previews", delays, nil)
}

// Delays returns the delays; LinkSeconds is nil where links have no previews.
func (p *Previews) Delays() (PreviewDelays, error) {
	var reply PreviewDelays
	err := p.calls.get("/previews", nil, &reply)
	return reply, err
}

// Clear ends the delays: thumbnails are there at once, and links have no previews.
func (p *Previews) Clear() error { return p.calls.delete("/previews") }

// Journal has the requests to the API, and their replies.
type Journal struct{ calls calls }

type counted struct {
	Count int `json:"count"`
}

// Entries returns entries, newest last.
func (j *Journal) Entries(filter JournalFilter) ([]JournalEntry, error) {
	var reply struct {
		Entries []JournalEntry `json:"entries"`
	}
	err := j.calls.get("/journal", query(filter), &reply)
	return reply.Entries, err
}

// Verify asserts that there were such requests and returns their number; otherwise the error is ErrVerificationFailed.
func (j *Journal) Verify(assertion Assertion) (int, error) {
	var reply counted
	err := j.calls.post("/journal/verify", assertion, &reply)
	return reply.Count, err
}

// WaitFor waits until there are such requests and returns their number; after the timeout (0: 3 seconds), it fails as Verify does.
func (j *Journal) WaitFor(assertion Assertion, timeout time.Duration) (int, error) {
	var reply counted
	err := j.calls.wait("/journal/wait", assertion, nil, timeout, &reply)
	return reply.Count, err
}

// Clear empties the journal.
func (j *Journal) Clear() error { return j.calls.delete("/journal") }

// Queues are event queues of clients.
type Queues struct{ calls calls }

type listedQueues struct {
	Queues []Queue `json:"queues"`
}

// List returns all queues.
func (q *Queues) List() ([]Queue, error) {
	var reply listedQueues
	err := q.calls.get("/queues", nil, &reply)
	return reply.Queues, err
}

// Lose loses a queue, as a restart of the server does.
func (q *Queues) Lose(id string) error { return q.calls.delete("/queues/" + url.PathEscape(id)) }

// WaitParked waits until queues of a user, or of any user, have a waiting poll; for at most the timeout (0: 3 seconds).
func (q *Queues) WaitParked(filter ParkedFilter, timeout time.Duration) ([]Queue, error) {
	var reply listedQueues
	err := q.calls.wait("/queues/wait", filter, map[string]any{"parked": true}, timeout, &reply)
	return reply.Queues, err
}

// Pushes are the pushes that were handed to the push relay.
type Pushes struct{ calls calls }

// PushFilter says which pushes are listed.
type PushFilter struct {
	// The address or handle of the user that they are for.
	User string `json:"user,omitempty"`
	// The device that they are for.
	DeviceID int64 `json:"device_id,omitempty"`
	// The id after which they are listed.
	Since int64 `json:"since,omitempty"`
}

type listedPushes struct {
	Pushes []Push `json:"pushes"`
}

// List returns pushes, newest last.
func (p *Pushes) List(filter PushFilter) ([]Push, error) {
	var reply listedPushes
	err := p.calls.get("/pushes", query(filter), &reply)
	return reply.Pushes, err
}

// WaitFor waits until there are such pushes, for at most the timeout (0: 3 seconds), and returns them.
func (p *Pushes) WaitFor(filter AwaitedPushes, timeout time.Duration) ([]Push, error) {
	var reply listedPushes
	err := p.calls.wait("/pushes/wait", filter, nil, timeout, &reply)
	return reply.Pushes, err
}

// Clear empties the list.
func (p *Pushes) Clear() error { return p.calls.delete("/pushes") }

// Snapshots are named states to come back to.
type Snapshots struct{ calls calls }

// Save takes a snapshot; one of the same name is replaced.
func (s *Snapshots) Save(name string) error {
	return s.calls.post("/snapshots", map[string]string{"name": name}, nil)
}

// Restore goes back to a snapshot; queues end.
func (s *Snapshots) Restore(name string) error {
	return s.calls.post("/snapshots/"+url.PathEscape(name)+"/restore", map[string]string{}, nil)
}

// List returns all snapshots.
func (s *Snapshots) List() ([]Snapshot, error) {
	var reply struct {
		Snapshots []Snapshot `json:"snapshots"`
	}
	err := s.calls.get("/snapshots", nil, &reply)
	return reply.Snapshots, err
}

// Remove removes a snapshot.
func (s *Snapshots) Remove(name string) error {
	return s.calls.delete("/snapshots/" + url.PathEscape(name))
}
