package chatdouble

import (
	"net/url"
	"os"
	"strings"
)

// Server is a running server, started here or elsewhere.
type Server struct {
	// URL is the base URL, also that of the world default.
	URL string
	// ControlToken is the token that control requires, if any.
	ControlToken string
	// TLSCA has the certificates that clients must trust, as PEM; empty without HTTPS.
	TLSCA string
	// PID is the process id, if this package started the server.
	PID      int
	requests *requests
	started  *started
}

// Connection says where a running server is.
type Connection struct {
	// URL is the server's base URL; CHATDOUBLE_URL by default.
	URL string
	// ControlToken is the token that control requires; CHATDOUBLE_CONTROL_TOKEN by default.
	ControlToken string
	// TLSCA has the certificates to trust, as PEM; those of the file CHATDOUBLE_TLS_CA by default.
	TLSCA string
}

// Connect connects to a running server, and asks it whether it can answer.
func Connect(there Connection) (*Server, error) {
	source := ""
	if there.URL == "" {
		there.URL = os.Getenv("CHATDOUBLE_URL")
		source = " (from CHATDOUBLE_URL; unset it to let the tests start a server)"
	}
	if there.URL == "" {
		return nil, failure("no URL was given, and CHATDOUBLE_URL is not set; StartServer starts a server")
	}
	isTokenGiven := there.ControlToken != ""
	if !isTokenGiven {
		there.ControlToken = os.Getenv(tokenVariable)
	}
	if file := os.Getenv("CHATDOUBLE_TLS_CA"); there.TLSCA == "" && file != "" && strings.HasPrefix(there.URL, "https:") {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, failure("the authority to trust can't be read: %v (from CHATDOUBLE_TLS_CA)", err)
		}
		there.TLSCA = string(text)
	}
	server, err := newServer(there, source)
	if err != nil {
		return nil, err
	}
	server.requests.isTokenGiven = isTokenGiven
	if _, err := server.Health(); err != nil {
		return nil, err
	}
	return server, nil
}

// newServer is a server somewhere; the source of its URL is added to the errors of one that does not answer.
func newServer(there Connection, source string) (*Server, error) {
	requests, err := newRequests(there.URL, there.ControlToken, there.TLSCA, source)
	if err != nil {
		return nil, err
	}
	return &Server{URL: requests.url, ControlToken: there.ControlToken, TLSCA: there.TLSCA, requests: requests}, nil
}

// World is an existing world; the name of the one that always exists is default.
func (s *Server) World(name string) *World {
	address := s.URL
	if name != "default" {
		address += "/w/" + url.PathEscape(name)
	}
	return newWorld(s, name, address)
}

// CreateWorld makes a world: like default at the start, or as the options say. A Fixture or Dialect that ends in .json, or has a
// separator of paths, is a file, relative to the current directory.
func (s *Server) CreateWorld(options WorldOptions) (*World, error) {
	if err := checkClock("WorldOptions", options.Clock); err != nil {
		return nil, err
	}
	options, err := withDocuments(options)
	if err != nil {
		return nil, err
	}
	options.Clock, options.IdleTTLSeconds = plain(options.Clock), plain(options.IdleTTLSeconds)
	var made struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	if err := s.requests.control("POST", "/worlds", options, nil, 0, &made); err != nil {
		return nil, withFile(err, options)
	}
	return newWorld(s, made.Name, made.URL), nil
}

// Worlds returns rows of the worlds whose names begin with a prefix, which may be empty.
func (s *Server) Worlds(prefix string) ([]WorldRow, error) {
	var reply struct {
		Worlds []WorldRow `json:"worlds"`
	}
	err := s.requests.control("GET", "/worlds", nil, prefixed(prefix), 0, &reply)
	return reply.Worlds, err
}

// DeleteWorlds deletes all worlds whose names begin with a prefix, except default, and returns their names.
func (s *Server) DeleteWorlds(prefix string) ([]string, error) {
	var reply struct {
		Deleted []string `json:"deleted"`
	}
	err := s.requests.control("DELETE", "/worlds", nil, url.Values{"prefix": {prefix}}, 0, &reply)
	return reply.Deleted, err
}

// Health returns the server's version, its feature level and its number of worlds.
func (s *Server) Health() (Health, error) {
	var reply Health
	err := s.requests.control("GET", "/health", nil, nil, 0, &reply)
	return reply, err
}

// Report returns what the clients of all worlds did that a real server would suffer from, also those of deleted worlds.
func (s *Server) Report() (Report, error) {
	var reply Report
	err := s.requests.control("GET", "/report", nil, nil, 0, &reply)
	return reply, err
}

// Stop stops the server, if it was started here.
func (s *Server) Stop() error {
	s.requests.client.CloseIdleConnections()
	if s.started == nil {
		return nil
	}
	return s.started.stop()
}

func prefixed(prefix string) url.Values {
	if prefix == "" {
		return nil
	}
	return url.Values{"prefix": {prefix}}
}
