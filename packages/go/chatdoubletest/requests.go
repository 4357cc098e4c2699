package chatdoubletest

import (
	"encoding/json"
	"net/http"
	"sort"

	chatdouble "chatdouble.test/go"
)

// parameters are those of a request, by name, shortened.
func parameters(params map[string]string) []string {
	var listed []string
	for name, value := range params {
		if characters := []rune(value); len(characters) > shownCharacters {
			value = string(characters[:shownCharacters]) + "…"
		}
		listed = append(listed, name+"="+value)
	}
	sort.Strings(listed)
	return listed
}

// message is why a request was refused; empty for others.
func message(entry chatdouble.JournalEntry) string {
	var reply struct{ Msg string }
	if entry.Status < http.StatusBadRequest || json.Unmarshal(entry.Reply, &reply) != nil {
		return ""
	}
	return reply.Msg
}
