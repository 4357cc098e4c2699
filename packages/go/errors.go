package chatdouble

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ErrVerificationFailed is what errors of assertions that do not hold are, by errors.Is.
var ErrVerificationFailed = errors.New("the assertion does not hold")

// unverified is the code of an assertion that does not hold, and of what was waited for in vain.
const unverified = "VERIFICATION_FAILED"

// Error says that control refused a request, or that a request had no reply.
type Error struct {
	// Status is the HTTP status, 0 without a reply.
	Status int
	// Code is control's code, such as BAD_REQUEST; empty without one.
	Code string
	// Message is what went wrong.
	Message string
	// Body is the reply, if there was one.
	Body json.RawMessage
}

func (e *Error) Error() string { return e.Message }

// Is tells errors.Is which errors are those of assertions.
func (e *Error) Is(target error) bool {
	return target == ErrVerificationFailed && e.Code == unverified
}

func failure(format string, values ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, values...)}
}

// refusal is the error for a reply other than a success.
func refusal(status int, body []byte, request string) *Error {
	var reply struct {
		Msg     *string
		Code    string
		Count   int
		Nearest []near
	}
	if err := json.Unmarshal(body, &reply); err != nil || reply.Msg == nil {
		return &Error{status, "", fmt.Sprintf("%s: %d, which is no reply of chatdouble: %s", request, status, excerpt(body)), body}
	}
	lines := append([]string{*reply.Msg}, shown(reply.Nearest, reply.Count)...)
	return &Error{status, reply.Code, strings.Join(lines, "\n"), body}
}

// near is a request that a failed assertion shows; other calls show their own records.
type near struct {
	Entry json.RawMessage
	Diff  *string
}

// shown are the requests that match, and how those differ that come near.
func shown(nearest []near, count int) []string {
	var matching, diffs []string
	isShown := map[string]bool{}
	for _, one := range nearest {
		if one.Diff == nil {
			continue
		}
		if strings.TrimSpace(*one.Diff) != "" {
			// Requests that differ in the same way are shown once.
			if !isShown[*one.Diff] {
				diffs = append(diffs, *one.Diff)
			}
			isShown[*one.Diff] = true
			continue
		}
		var entry JournalEntry
		if json.Unmarshal(one.Entry, &entry) == nil {
			matching = append(matching, "  "+strings.ReplaceAll(entry.String(), "\n", "\n  "))
		}
	}
	var lines []string
	if more := count - len(matching); len(matching) > 0 {
		lines = append(append(lines, "The requests that match:"), matching...)
		if more > 0 {
			lines = append(lines, fmt.Sprintf("  and %d more", more))
		}
	}
	if len(diffs) > 0 {
		lines = append(append(lines, "Differences from the nearest requests:"), diffs...)
	}
	return lines
}

// oneLine is as much of a reply as an error shows, without breaks of lines.
func oneLine(body []byte) string { return strings.Join(strings.Fields(excerpt(body)), " ") }

// excerpt is as much of a reply as an error shows.
func excerpt(body []byte) string {
	const shown = 200
	if len(body) > shown {
		body = body[:shown]
	}
	return strings.ToValidUTF8(string(body), "")
}
