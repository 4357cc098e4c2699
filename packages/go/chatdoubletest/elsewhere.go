package chatdoubletest

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	chatdouble "chatdouble.test/go"
)

// isElsewhere tells whether the tests use a server that runs already.
func isElsewhere() bool { return os.Getenv("CHATDOUBLE_URL") != "" }

// completed are the options of a test's world, with those of Main where the test says nothing.
func completed(wanted chatdouble.WorldOptions, serve chatdouble.StartOptions) chatdouble.WorldOptions {
	if wanted.ForkOf != "" && wanted.ForkOf != "default" {
		return wanted
	}
	if wanted.Fixture == nil && wanted.ForkOf == "" && wanted.Snapshot == "" && serve.Fixture != "" {
		wanted.Fixture = serve.Fixture
	}
	if wanted.Dialect == nil && serve.Dialect != "" {
		wanted.Dialect = serve.Dialect
	}
	if wanted.FeatureLevel == nil {
		wanted.FeatureLevel = serve.FeatureLevel
	}
	if wanted.Seed == nil && serve.Seed != nil {
		wanted.Seed = chatdouble.Ptr(int64(*serve.Seed))
	}
	if wanted.Clock == nil {
		wanted.Clock = serve.Clock
	}
	// As where the tests start the server themselves.
	if wanted.Clock == nil && os.Getenv("CHATDOUBLE_CLOCK") == "" {
		wanted.Clock = "frozen"
	}
	return wanted
}

// checkUsed refuses options of Main that a server can only be started with.
func checkUsed(serve chatdouble.StartOptions) error {
	serve.Clock, serve.Dialect, serve.FeatureLevel, serve.Fixture, serve.Seed, serve.ControlToken = nil, "", nil, "", nil, ""
	var unused []string
	options := reflect.ValueOf(serve)
	for index := 0; index < options.NumField(); index++ {
		if !options.Field(index).IsZero() {
			unused = append(unused, options.Type().Field(index).Name)
		}
	}
	if len(unused) == 0 {
		return nil
	}
	return fmt.Errorf("Main can't give %s to the server at CHATDOUBLE_URL, which runs already: start it with them, or unset CHATDOUBLE_URL", strings.Join(unused, ", "))
}
