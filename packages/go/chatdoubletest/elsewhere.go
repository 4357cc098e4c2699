package chatdoubletest

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	chatdouble "chatdouble.test/go"
	"chatdouble.test/go/internal/document"
)

// isElsewhere tells whether the tests use a server that runs already.
func isElsewhere() bool { return os.Getenv("CHATDOUBLE_URL") != "" }

// completed are the options of a test's world, with those of Main where the test says nothing.
func completed(wanted chatdouble.WorldOptions, serve chatdouble.StartOptions) chatdouble.WorldOptions {
	if wanted.ForkOf != "" && wanted.ForkOf != "default" {
		return wanted
	}
	if wanted.Fixture == nil && wanted.ForkOf == "" && wanted.Snapshot == "" {
		wanted.Fixture = ownFixture
	}
	if wanted.Dialect == nil {
		wanted.Dialect = ownDialect
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

// ownFixture and ownDialect are those of Main, for control: names of built-in ones, documents of files, or nil.
var ownFixture, ownDialect any

// readOwn reads the files that Main's options name, as a server that is started with them does. Control takes no files: the server
// that runs already may have another directory, or be on another machine.
func readOwn(serve chatdouble.StartOptions) (err error) {
	if ownFixture, err = forControl("Fixture", serve.Fixture, "default", "cast", "empty", "hostile", "large"); err == nil {
		ownDialect, err = forControl("Dialect", serve.Dialect, "neutral", "zulip")
	}
	return err
}

// forControl is an option of Main: the name of a built-in one, the document of a file, or nil if it is not given.
func forControl(option, given string, builtIn ...string) (any, error) {
	if given == "" {
		return nil, nil
	}
	for _, name := range builtIn {
		if given == name {
			return name, nil
		}
	}
	found, err := document.In(given)
	switch {
	case err == nil:
		return found, nil
	case document.IsFile(given):
		return nil, fmt.Errorf("Main's %s: %w", option, err)
	default:
		what := strings.ToLower(option)
		return nil, fmt.Errorf("Main's %s: %w; it is no built-in %s either, of which the nearest is %q", option, err, what, nearest(given, builtIn))
	}
}

// checkUsed refuses options of Main that a server can only be started with. TLS is accepted where the server speaks HTTPS.
func checkUsed(serve chatdouble.StartOptions) error {
	serve.Clock, serve.Dialect, serve.FeatureLevel, serve.Fixture, serve.Seed, serve.ControlToken = nil, "", nil, "", nil, ""
	if strings.HasPrefix(strings.ToLower(os.Getenv("CHATDOUBLE_URL")), "https:") {
		serve.TLS = false
	}
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
	source := "it with them,"
	if serve.TLS {
		source = "it with them, for TLS by exec --tls,"
	}
	return fmt.Errorf("Main can't give %s to the server at CHATDOUBLE_URL, which runs already: start %s or unset CHATDOUBLE_URL", strings.Join(unused, ", "), source)
}
