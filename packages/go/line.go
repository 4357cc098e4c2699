package chatdouble

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"sort"
	"strings"
)

const (
	// shownCharacters is the most characters of a parameter that a line shows.
	shownCharacters = 60
	// dropped is the status of a request whose connection was dropped.
	dropped = 0
)

// String is the request in a line, and below it why it was refused.
func (e JournalEntry) String() string {
	outcome := fmt.Sprint(e.Status)
	if e.Status == dropped {
		outcome = "no reply"
	}
	words := []string{outcome, e.Method, e.Path}
	if e.User != "" {
		words = append(words, e.User)
	}
	words = append(words, parameters(e.Params)...)
	if e.Fault != "" {
		words = append(words, "("+e.Fault+")")
	}
	lines := []string{strings.Join(words, " ")}
	for _, reason := range []string{e.refusal(), e.Hint} {
		if reason != "" {
			lines = append(lines, "    "+reason)
		}
	}
	return strings.Join(lines, "\n")
}

// refusal is the message of a refused request; empty for others.
func (e JournalEntry) refusal() string {
	var reply struct{ Msg string }
	if e.Status < http.StatusBadRequest || json.Unmarshal(e.Reply, &reply) != nil {
		return ""
	}
	return reply.Msg
}

// inJSON is a reply in one line.
func inJSON(reply any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(reply); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// parameters are those of a request, by name, shortened.
func parameters(params map[string]string) []string {
	var listed []string
	for name, value := range params {
		value = strings.NewReplacer("\r", `\r`, "\n", `\n`).Replace(value)
		if characters := []rune(value); len(characters) > shownCharacters {
			value = string(characters[:shownCharacters]) + "…"
		}
		listed = append(listed, name+"="+value)
	}
	sort.Strings(listed)
	return listed
}
