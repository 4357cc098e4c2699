package chatdouble

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"chatdouble.test/go/internal/document"
)

// withDocuments replaces the names of files in options by what is in the files.
func withDocuments(options WorldOptions) (WorldOptions, error) {
	for name, option := range map[string]*any{"Fixture": &options.Fixture, "Dialect": &options.Dialect} {
		if text, isText := (*option).(string); isText && document.IsFile(text) {
			found, err := document.In(text)
			if err != nil {
				return options, failure("WorldOptions.%s: %v", name, err)
			}
			*option = found
		}
	}
	return options, nil
}

// withFile is an error of a new world, with the file from which the option came that it is about.
func withFile(err error, options WorldOptions) error {
	var refused *Error
	if !errors.As(err, &refused) {
		return err
	}
	for name, option := range map[string]any{"fixture": options.Fixture, "dialect": options.Dialect} {
		if found, isFile := option.(document.Document); isFile && strings.HasPrefix(refused.Message, "WorldOptions."+name) {
			refused.Message += fmt.Sprintf(" (in %s)", found.Path)
		}
	}
	return err
}

// checkClock refuses a duration, whose seconds would be those since 1970.
func checkClock(owner string, clock any) error {
	if span, isDuration := clock.(time.Duration); isDuration {
		return failure("%s.Clock takes real, frozen or an instant at which it is frozen, such as a time.Time, not the time.Duration %v", owner, span)
	}
	return nil
}
