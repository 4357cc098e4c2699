package chatdouble

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// defaultWait is how long waits take at most, unless they are given a time.
const defaultWait = 3 * time.Second

// listedHandles is how many handles the error for an unknown user lists.
const listedHandles = 30

// World is one whole organization with its clock, faults and journal.
type World struct {
	// Server holds the world.
	Server *Server
	// Name is the world's name in control.
	Name string
	// URL is the base URL for clients, without a slash at the end and without /api/v1.
	URL       string
	Clock     *Clock
	Faults    *Faults
	Network   *Networks
	RateLimit *RateLimits
	Previews  *Previews
	Journal   *Journal
	Queues    *Queues
	Pushes    *Pushes
	Snapshots *Snapshots
	calls     calls
}

// User has a user's credentials, as a client needs them.
type User struct {
	// ID is the id in the API.
	ID int64
	// Email is the address with which the user logs in.
	Email string
	// APIKey is the key for requests, with the address.
	APIKey string
}

func newWorld(server *Server, name, address string) *World {
	to := calls{server.requests, "/worlds/" + url.PathEscape(name)}
	return &World{
		server, name, address,
		&Clock{to}, &Faults{to}, &Networks{to}, &RateLimits{to}, &Previews{to}, &Journal{to}, &Queues{to}, &Pushes{to}, &Snapshots{to}, to,
	}
}

type userRow struct {
	UserID   int64  `json:"user_id"`
	Email    string `json:"email"`
	APIKey   string `json:"api_key"`
	IsActive bool   `json:"is_active"`
}

// User returns a user's credentials, by handle or address.
func (w *World) User(handle string) (User, error) {
	found, err := w.users(url.Values{"user": {handle}})
	var refused *Error
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
		return User{}, &Error{refused.Status, refused.Code, w.unknown(refused.Message), refused.Body}
	}
	if err != nil {
		return User{}, err
	}
	if len(found) != 1 {
		return User{}, failure("this is no reply of chatdouble: %d users instead of one", len(found))
	}
	if !found[0].IsActive {
		message := fmt.Sprintf("%s is deactivated: the API refuses its key", found[0].Email)
		return User{}, &Error{http.StatusForbidden, "USER_DEACTIVATED", message, nil}
	}
	return User{found[0].UserID, found[0].Email, found[0].APIKey}, nil
}

// Fork makes a copy of the current state, or of a snapshot, without queues, faults, journal and snapshots.
func (w *World) Fork(options WorldOptions) (*World, error) {
	options.ForkOf = w.Name
	return w.Server.CreateWorld(options)
}

// Reset resets data, clock, pushes, faults, journal and report, except those of the last three that keep names.
func (w *World) Reset(keep ...string) error {
	return w.calls.post("/reset", map[string]any{"keep": append([]string{}, keep...)}, nil)
}

// Report returns what the clients of the world did that a real server would suffer from.
func (w *World) Report() (Report, error) {
	var reply Report
	err := w.calls.get("/report", nil, &reply)
	return reply, err
}

// ClearReport empties the report.
func (w *World) ClearReport() error { return w.calls.delete("/report") }

// Delete deletes the world.
func (w *World) Delete() error { return w.calls.delete("") }

// State returns the world as a fixture document.
func (w *World) State() (json.RawMessage, error) {
	var reply struct {
		State json.RawMessage `json:"state"`
	}
	err := w.calls.get("/state", nil, &reply)
	return reply.State, err
}

// PutState replaces the state with that of a document; queues end.
func (w *World) PutState(document any) error {
	return w.calls.requests.control("PUT", w.calls.path+"/state", document, nil, 0, nil)
}

// Invariants returns the invariants that were checked, which must hold of every world, and their violations.
func (w *World) Invariants() (Invariants, error) {
	var reply Invariants
	err := w.calls.get("/invariants", nil, &reply)
	return reply, err
}

// Upgrade raises the feature level, as an upgrade of a server does.
func (w *World) Upgrade(level int) error {
	return w.calls.post("/upgrade", map[string]int{"to": level}, nil)
}

// Watch returns the frames of the watch socket, from now on.
func (w *World) Watch() (*Watch, error) {
	return watch(w.calls.requests, "/control"+w.calls.path+"/watch")
}

func (w *World) users(filters url.Values) ([]userRow, error) {
	var reply struct {
		Users []userRow `json:"users"`
	}
	err := w.calls.get("/users", filters, &reply)
	return reply.Users, err
}

// unknown is the message for an unknown user, with the handles that there are.
func (w *World) unknown(message string) string {
	all, err := w.users(nil)
	if err != nil {
		return message
	}
	var handles []string
	for _, one := range all {
		if one.IsActive {
			handle, _, _ := strings.Cut(one.Email, "@")
			handles = append(handles, handle)
		}
	}
	more := ""
	if len(handles) > listedHandles {
		more = fmt.Sprintf(" and %d more", len(handles)-listedHandles)
		handles = handles[:listedHandles]
	}
	return fmt.Sprintf("%s\nThe active users of %s: %s%s", strings.TrimPrefix(message, "user: "), w.Name, strings.Join(handles, ", "), more)
}

// calls are the calls of control for one world.
type calls struct {
	requests *requests
	path     string
}

func (c calls) get(path string, filters url.Values, reply any) error {
	return c.requests.control("GET", c.path+path, nil, filters, 0, reply)
}

func (c calls) post(path string, body, reply any) error {
	return c.requests.control("POST", c.path+path, body, nil, 0, reply)
}

func (c calls) delete(path string) error {
	return c.requests.control("DELETE", c.path+path, nil, nil, 0, nil)
}

// deleteOf removes what these users have, or all if none is named.
func (c calls) deleteOf(path string, users []string) error {
	if len(users) == 0 {
		return c.delete(path)
	}
	for _, user := range users {
		if err := c.requests.control("DELETE", c.path+path, nil, url.Values{"user": {user}}, 0, nil); err != nil {
			return err
		}
	}
	return nil
}

// wait makes a call that waits for the program under test; further keys join the options.
func (c calls) wait(path string, options any, further map[string]any, limit time.Duration, reply any) error {
	if limit == 0 {
		limit = defaultWait
	}
	text, err := json.Marshal(options)
	if err != nil {
		return failure("%v", err)
	}
	body := map[string]any{}
	if err := json.Unmarshal(text, &body); err != nil {
		return failure("%v", err)
	}
	for name, value := range further {
		body[name] = value
	}
	body["timeout_ms"] = limit.Milliseconds()
	return c.requests.control("POST", c.path+path, body, nil, limit, reply)
}
