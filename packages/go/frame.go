package chatdouble

import "encoding/json"

// Frame is a frame of the watch socket. Type says which of the other fields it has: those that are not of its type are empty.
type Frame struct {
	// Type is request, event, clock, push, queue, fault, network, rate_limit or lost.
	Type string `json:"type"`
	// At is the world's time, in Unix seconds.
	At float64 `json:"at"`

	// ID is the number of a request's journal entry, or the position of an event in the world's log.
	ID int64 `json:"id,omitempty"`
	// Method is a request's HTTP method.
	Method string `json:"method,omitempty"`
	// Path is a request's path, without /api/v1.
	Path string `json:"path,omitempty"`
	// User is the address of the user of a request or a queue; empty without valid credentials.
	User string `json:"user,omitempty"`
	// Params are a request's parameters by their neutral names, as text.
	Params map[string]string `json:"params,omitempty"`
	// Status is the HTTP status of a request; 0 if the connection was dropped.
	Status int `json:"status,omitempty"`
	// Reply is the reply to a request: JSON, or text if it is none.
	Reply json.RawMessage `json:"reply,omitempty"`
	// DurationMs is how long a request took until its reply, in milliseconds of real time.
	DurationMs float64 `json:"duration_ms,omitempty"`
	// Client is the name of a request's client, without its version.
	Client string `json:"client,omitempty"`
	// Hint is what would have worked instead of a refused request.
	Hint string `json:"hint,omitempty"`
	// Fault is the id of the fault that a request met, or network.
	Fault string `json:"fault,omitempty"`
	// Events are the positions in the world's log of the events that a request caused.
	Events []int64 `json:"events,omitempty"`
	// Truncated is true if a long parameter or reply of a request was cut.
	Truncated bool `json:"truncated,omitempty"`

	// Event is the event of a frame event, as in the API, with the keys type and op. Decode reads it into a struct.
	Event map[string]any `json:"event,omitempty"`
	// Users are the ids of the users who receive an event.
	Users []int64 `json:"users,omitempty"`
	// Names are the names of an event's users and channel.
	Names *FrameNames `json:"names,omitempty"`
	// QueueID is the id of a queue, or of the only queue that receives an event.
	QueueID string `json:"queue_id,omitempty"`
	// Change is what happened to a queue: registered, parked, answered, expired, lost or deleted.
	Change string `json:"change,omitempty"`

	// FaultID is the id of a fault that fired.
	FaultID string `json:"fault_id,omitempty"`
	// JournalID is the number of the journal entry of the request that a fault met.
	JournalID int64 `json:"journal_id,omitempty"`
	// Effect is what a fault did, as in its rule.
	Effect json.RawMessage `json:"effect,omitempty"`

	// Push is the push of a frame push.
	Push *Push `json:"push,omitempty"`

	// From is the time before the clock moved, in Unix seconds.
	From float64 `json:"from,omitempty"`
	// Now is the time after the clock moved, in Unix seconds; it may be before From when a world returns to another state.
	Now float64 `json:"now,omitempty"`
	// Fired are the items that fell due when the clock moved, in their order.
	Fired []AgendaItem `json:"fired,omitempty"`
	// Cause is why a world returned to another state: restore, reset or state; empty for other moves of the clock.
	Cause string `json:"cause,omitempty"`
	// Snapshot is the name of the snapshot that was restored.
	Snapshot string `json:"snapshot,omitempty"`

	// Networks are all networks, after one of them changed.
	Networks []NetworkRow `json:"networks,omitempty"`
	// RateLimits are all limits of requests, after one of them changed.
	RateLimits []RateLimitRow `json:"rate_limits,omitempty"`
	// Count is how many frames a slow watcher missed.
	Count int `json:"count,omitempty"`

	// Raw is the whole frame.
	Raw json.RawMessage `json:"-"`
}

// FrameNames are the names of what an event is about.
type FrameNames struct {
	// Users are the handles of up to 50 users, by their ids.
	Users map[string]string `json:"users"`
	// Channel is the name of the channel, if the event is about one.
	Channel string `json:"channel"`
}

// Decode reads the whole frame into what a pointer leads to: a map, or a struct with the keys that matter, such as
// struct{ Event struct{ Message struct{ Content string } } }. A frame request fits a JournalEntry.
func (f Frame) Decode(into any) error {
	if err := json.Unmarshal(f.Raw, into); err != nil {
		return failure("the frame %s can't be decoded: %v", f.Type, err)
	}
	return nil
}

// String is the frame in JSON.
func (f Frame) String() string { return string(f.Raw) }
