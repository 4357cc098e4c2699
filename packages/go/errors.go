package chatdouble

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ErrVerificationFailed is what errors of assertions that do not hold are, by errors.Is.
var ErrVerificationFailed = errors.New("the assertion does not hold")

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
	return target == ErrVerificationFailed && e.Code == "VERIFICATION_FAILED"
}

func failure(format string, values ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, values...)}
}

// refusal is the error for a reply other than a success.
func refusal(status int, body []byte, request string) *Error {
	var reply struct {
		Msg     *string
		Code    string
		Nearest []struct{ Diff string }
	}
	if err := json.Unmarshal(body, &reply); err != nil || reply.Msg == nil {
		return &Error{status, "", fmt.Sprintf("%s: %d, which is no reply of chatdouble: %s", request, status, excerpt(body)), body}
	}
	lines := []string{*reply.Msg}
	for _, near := range reply.Nearest {
		// A request of which there were too many differs in nothing.
		if strings.TrimSpace(near.Diff) != "" {
			lines = append(lines, near.Diff)
		}
	}
	if len(lines) > 1 {
		lines[0] += "\nDifferences from the nearest requests:"
	}
	return &Error{status, reply.Code, strings.Join(lines, "\n"), body}
}

// excerpt is as much of a reply as an error shows.
func excerpt(body []byte) string {
	const shown = 200
	if len(body) > shown {
		body = body[:shown]
	}
	return strings.ToValidUTF8(string(body), "")
}
