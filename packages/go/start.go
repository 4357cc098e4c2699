package chatdouble

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
)

// stopTime is how long a server may take to end.
const stopTime = 5 * time.Second

// endTime is how long a server that no longer answers may take to end: it may close its sockets a moment before.
const endTime = 200 * time.Millisecond

// binaryVariable names the program.
const binaryVariable = "CHATDOUBLE_BINARY"

// tokenVariable has the token that control requires, for the server and for those who call it.
const tokenVariable = "CHATDOUBLE_CONTROL_TOKEN"

// broken is the exit status of a server in which an invariant was broken.
const broken = 3

var listening = regexp.MustCompile(`listening on (https?://\S+)`)

// started is the process of a server.
type started struct {
	command *exec.Cmd
	// stdin is open as long as this process lives, and the server as long as it is open.
	stdin io.Closer
	// ended is closed when the process has ended.
	ended chan struct{}
	once  sync.Once
	err   error
}

// StartServer starts a server that ends with this process, however the process ends.
func StartServer(options StartOptions) (*Server, error) {
	return StartServerWith(options)
}

// StartServerWith starts a server with further arguments of `chatdouble serve`.
func StartServerWith(options StartOptions, further ...string) (*Server, error) {
	if err := checkClock("StartOptions", options.Clock); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "chatdouble-")
	if err != nil {
		return nil, failure("chatdouble can't be started: %v", err)
	}
	defer os.RemoveAll(folder)
	if options.TLS && options.TLSCAFile == "" {
		options.TLSCAFile = filepath.Join(folder, "ca.pem")
	}
	if options.ControlToken == "" {
		options.ControlToken = os.Getenv(tokenVariable)
	}
	program, err := findProgram()
	if err != nil {
		return nil, err
	}
	line := commandLine(options)
	address, process, failed := run(program, append(line, further...), options.ControlToken)
	if failed != nil {
		return nil, withVariable(failed, line)
	}
	there := Connection{URL: address, ControlToken: options.ControlToken}
	if options.TLSCAFile != "" && strings.HasPrefix(address, "https:") {
		text, err := os.ReadFile(options.TLSCAFile)
		if err != nil {
			return nil, failure("the server's authority can't be read: %v", err)
		}
		there.TLSCA = string(text)
	}
	server, err := newServer(there, "")
	if err != nil {
		return nil, err
	}
	server.started, server.PID, server.requests.end = process, process.command.Process.Pid, process.end
	return server, nil
}

// run starts the program, and waits for its URL.
func run(program string, line []string, token string) (string, *started, *Error) {
	command := exec.Command(program, append([]string{"serve", "--exit-with-stdin"}, line...)...)
	command.SysProcAttr = ownGroup()
	command.Env = os.Environ()
	if token != "" {
		command.Env = append(command.Env, tokenVariable+"="+token)
	}
	said := &spoken{}
	command.Stderr = said
	stdin, err := command.StdinPipe()
	if err != nil {
		return "", nil, failure("chatdouble can't be started: %v", err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return "", nil, failure("chatdouble can't be started: %v", err)
	}
	if err := command.Start(); err != nil {
		return "", nil, failure("chatdouble can't be started: %v%s", unstartable(program, err), sourceOfProgram())
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			said.passOn()
			process := &started{command: command, stdin: stdin, ended: make(chan struct{})}
			go process.wait()
			return found[1], process, nil
		}
	}
	_ = command.Wait()
	status := command.ProcessState
	whole := strings.TrimSpace(said.text())
	text := strings.TrimPrefix(whole, "error: ")
	switch {
	case text == "":
		return "", nil, failure("%s ended before it was ready: %v%s", program, status, sourceOfProgram())
	// Another program has been named.
	case text == whole:
		return "", nil, failure("%s ended before it was ready, and says: %s%s", program, text, sourceOfProgram())
	// A program of another version lacks options that this package always gives.
	case strings.HasPrefix(text, "unexpected argument '--exit-with-stdin'"):
		text += sourceOfProgram()
	}
	return "", nil, failure("%s", text)
}

// unstartable is why a program can't be started: what is wrong with its path, or else the error of the system.
func unstartable(program string, err error) any {
	found, missing := os.Stat(program)
	switch {
	case missing != nil && !filepath.IsAbs(program):
		return program + " is not there, and must be absolute: tests run in their package's folder"
	case missing == nil && found.IsDir():
		return program + " is a folder"
	case missing == nil && found.Mode().IsRegular() && found.Mode()&0o111 == 0:
		return program + " is not executable"
	default:
		return err
	}
}

func sourceOfProgram() string {
	if os.Getenv(binaryVariable) == "" {
		return ""
	}
	return " (from " + binaryVariable + ")"
}

// withVariable adds the variable from which the option came that a failed start is about.
func withVariable(err *Error, line []string) *Error {
	given := map[string]bool{}
	for _, argument := range line {
		option, _, _ := strings.Cut(argument, "=")
		given[option] = true
	}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "CHATDOUBLE_") {
			continue
		}
		option := "--" + strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "CHATDOUBLE_")), "_", "-")
		isNamed := regexp.MustCompile(regexp.QuoteMeta(option) + `($|[^\w-])`).MatchString(err.Message)
		// Only names of files and fixtures are shown without their option.
		isFile := len(value) > 1 && strings.Contains(value, "/") && strings.Contains(err.Message, value)
		isShown := option != "--control-token" && option != "--binary" && (isFile || strings.HasPrefix(err.Message, value+": "))
		if !given[option] && (isNamed || isShown) {
			return failure("%s (from %s)", err.Message, name)
		}
	}
	return err
}

// spoken is what a server writes on standard error: until it is ready the reason of a failure, afterwards what its user has to know.
type spoken struct {
	mutex   sync.Mutex
	heard   bytes.Buffer
	isReady bool
}

// place is the time of a line, its severity and its place in the server's source.
var place = regexp.MustCompile(`(?m)^\S+Z +[A-Z]+ [\w:]+: `)

func (s *spoken) Write(text []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.isReady {
		return s.heard.Write(text)
	}
	if _, err := os.Stderr.Write(place.ReplaceAll(text, []byte("chatdouble: "))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// passOn lets what is written from now on be seen.
func (s *spoken) passOn() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.isReady = true
}

func (s *spoken) text() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.heard.String()
}

// commandLine is the command line of serve. A token is left out, since process lists show it.
func commandLine(options StartOptions) []string {
	options.ControlToken = ""
	if options.Log == "" {
		options.Log = "warn"
	}
	if options.Port == nil {
		options.Port = Ptr(0)
	}
	options.Clock, options.StateEvery, options.WorldTTL = plain(options.Clock), plain(options.StateEvery), plain(options.WorldTTL)
	text, err := json.Marshal(options)
	if err != nil {
		return nil
	}
	var given map[string]any
	if err := json.Unmarshal(text, &given); err != nil {
		return nil
	}
	var line []string
	for name, value := range given {
		option := "--" + strings.ReplaceAll(name, "_", "-")
		switch one := value.(type) {
		case bool:
			line = append(line, option)
		case []any:
			for _, element := range one {
				line = append(line, fmt.Sprintf("%s=%v", option, element))
			}
		default:
			line = append(line, fmt.Sprintf("%s=%v", option, one))
		}
	}
	sort.Strings(line)
	return line
}

// findProgram returns the path of the program: CHATDOUBLE_BINARY if set, otherwise the one on the path.
func findProgram() (string, error) {
	if chosen := os.Getenv(binaryVariable); chosen != "" {
		return chosen, nil
	}
	found, err := exec.LookPath("chatdouble")
	if err != nil {
		return "", failure("there is no program 'chatdouble': put it on the path, or set CHATDOUBLE_BINARY")
	}
	return found, nil
}

// wait waits until the server has ended, however it ends.
func (s *started) wait() {
	_ = s.command.Wait()
	close(s.ended)
}

// end says how a server ended that no longer answers; nothing if it still runs.
func (s *started) end() string {
	select {
	case <-s.ended:
		return fmt.Sprintf("; the server (pid %d) has ended: %v", s.command.Process.Pid, s.command.ProcessState)
	case <-time.After(endTime):
		return ""
	}
}

func (s *started) stop() error {
	s.once.Do(func() {
		s.stdin.Close()
		// Windows has no such signal: there the server ends with its standard input.
		_ = s.command.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(stopTime, func() { _ = s.command.Process.Kill() })
		<-s.ended
		late.Stop()
		if s.command.ProcessState.ExitCode() == broken {
			s.err = failure("an invariant of a world was broken: this run proves nothing")
		}
	})
	return s.err
}

// Ptr is a pointer to a value, for options whose zero is another value than none: Exactly: chatdouble.Ptr(1).
func Ptr[Value any](value Value) *Value { return &value }
