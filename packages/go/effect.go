package chatdouble

import "encoding/json"

// Effect is what a client sees when a fault fires: exactly one field, but that Retries belongs to Drop.
type Effect struct {
	// DelayMs: the request is carried out at once, the reply comes so many milliseconds of real time later.
	DelayMs int `json:"delay_ms,omitempty"`
	// Error: the reply is an error; nothing is done.
	Error *ErrorEffect `json:"error,omitempty"`
	// RateLimit: 429, the error of a rate limit; nothing is done.
	RateLimit *RateLimitEffect `json:"rate_limit,omitempty"`
	// Change: the request is carried out, and top-level keys of a successful reply are changed; one with nil is left out.
	Change map[string]any `json:"change,omitempty"`
	// PseudoLocalize: the words of a failed reply are in accented letters, as from a server that translates.
	PseudoLocalize bool `json:"pseudo_localize,omitempty"`
	// Drop: the connection closes without a reply, before or after the request is carried out.
	Drop string `json:"drop,omitempty"`
	// Retries: repetitions of a dropped request are dropped too, the client's own within a second as well; for polls, take TruncateAt.
	// net/http repeats a GET by itself when a connection that was used
	// before breaks, so that a client never sees that it was dropped once.
	Retries bool `json:"retries,omitempty"`
	// TruncateAt: the request is carried out, and the body of the reply breaks off after so many bytes.
	TruncateAt *int `json:"truncate_at,omitempty"`
	// Garbage: the request is carried out, and the reply is a proxy's HTML page.
	Garbage bool `json:"garbage,omitempty"`
	// Gateway: the reply is a gateway's HTML page with this HTTP status, from 400 to 599, as while a server restarts; nothing is done.
	Gateway int `json:"gateway,omitempty"`
	// LoseQueue: the caller's event queues are lost, then the request is carried out.
	LoseQueue bool `json:"lose_queue,omitempty"`
	// Events: what a poll receives: repeat, hold, one_by_one or unknown.
	Events string `json:"events,omitempty"`
	// Bouncer: operations that call the push relay fail: unreachable, server_error or admin_action_required.
	Bouncer string `json:"bouncer,omitempty"`
}

// MarshalJSON sends a change without keys too, so that control says what it lacks.
func (e Effect) MarshalJSON() ([]byte, error) {
	type withoutMethods Effect
	sent := struct {
		withoutMethods
		Change *map[string]any `json:"change,omitempty"`
	}{withoutMethods: withoutMethods(e)}
	if e.Change != nil {
		sent.Change = &e.Change
	}
	return json.Marshal(sent)
}

// RateLimitEffect is the error of a rate limit.
type RateLimitEffect struct {
	// RetryAfter is how long the client has to wait: seconds, also a part of one, a span such as "1m30s" or a time.Duration.
	RetryAfter any `json:"retry_after"`
}

// MarshalJSON writes a duration as seconds.
func (e RateLimitEffect) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"retry_after": plain(e.RetryAfter)})
}

// ErrorEffect is a failed reply: a status alone, such as ErrorEffect{Status: 503}, or with more.
type ErrorEffect struct {
	// Status is the HTTP status, from 400 to 599.
	Status int
	// Code is the reply's code, such as BAD_REQUEST, by which clients tell errors apart; empty for that of the status.
	Code string
	// Msg is the text of the reply, as users see it; empty for that of the status.
	Msg string
	// Further has other keys of the reply.
	Further map[string]any
}

// MarshalJSON writes the further keys with the others. An empty one is left out, so that control gives what belongs to the status.
func (e ErrorEffect) MarshalJSON() ([]byte, error) {
	keys := map[string]any{}
	for name, value := range e.Further {
		keys[name] = value
	}
	if e.Status != 0 {
		keys["status"] = e.Status
	}
	for name, text := range map[string]string{"code": e.Code, "msg": e.Msg} {
		if text != "" {
			keys[name] = text
		}
	}
	return json.Marshal(keys)
}
