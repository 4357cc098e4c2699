package chatdouble

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// patience is how much longer than the server's own wait to wait for a reply.
const patience = 60 * time.Second

// requests are made to the server at a base URL; slashes at its end do not count.
type requests struct {
	url   string
	token string
	// isTokenGiven tells whether an option gave the token, instead of the environment.
	isTokenGiven bool
	source       string
	tls          *tls.Config
	client       *http.Client
	// end says how the server ended, if that is known.
	end func() string
}

func newRequests(address, token, tlsCA, source string) (*requests, error) {
	lower := strings.ToLower(address)
	if !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
		return nil, failure("%q is no address of a server: it must begin with http:// or https://%s", address, source)
	}
	parts, err := url.Parse(address)
	if err != nil {
		return nil, failure("%q is no address of a server: %v%s", address, err, source)
	}
	if parts.Hostname() == "" {
		return nil, failure("%q is no address of a server: it names no host%s", address, source)
	}
	made := &requests{url: strings.TrimRight(address, "/"), token: token, source: source, tls: &tls.Config{MinVersion: tls.VersionTLS12}}
	made.end = func() string { return "" }
	if tlsCA != "" {
		made.tls.RootCAs = x509.NewCertPool()
		if !made.tls.RootCAs.AppendCertsFromPEM([]byte(tlsCA)) {
			return nil, failure("the authority to trust is no certificate in PEM")
		}
	}
	// The environment's proxy is for other servers than one that a test started.
	made.client = &http.Client{Transport: &http.Transport{TLSClientConfig: made.tls, MaxIdleConnsPerHost: 16}}
	return made, nil
}

// control makes a call of control, and decodes its reply into a pointer unless that is nil.
func (r *requests) control(method, path string, body any, filters url.Values, wait time.Duration, reply any) error {
	place := r.url + "/control" + path
	if len(filters) > 0 {
		place += "?" + filters.Encode()
	}
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return failure("%s %s: %v", method, place, err)
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, place, sent)
	if err != nil {
		return failure("%s %s: %v", method, place, err)
	}
	request.Header.Set("Content-Type", "application/json")
	if r.token != "" {
		request.Header.Set("Authorization", "Bearer "+r.token)
	}
	client := *r.client
	client.Timeout = patience + wait
	return ofStruct(r.ask(&client, request, reply), body)
}

// ofStruct is an error of a request's body, whose message begins with $, with the name of the struct that was given.
func ofStruct(err error, body any) error {
	var refused *Error
	if body == nil || !errors.As(err, &refused) || !strings.HasPrefix(refused.Message, "$") {
		return err
	}
	if kind := reflect.TypeOf(body); kind.Kind() == reflect.Struct {
		refused.Message = kind.Name() + strings.TrimPrefix(refused.Message, "$")
	}
	return err
}

func (r *requests) ask(client *http.Client, request *http.Request, reply any) error {
	name := request.Method + " " + request.URL.String()
	answer, err := client.Do(request)
	if err != nil {
		if wrapped, ok := err.(*url.Error); ok {
			err = wrapped.Err
		}
		return failure("%s: %v%s%s", name, err, r.end(), r.source)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return failure("%s: %v%s", name, err, r.end())
	}
	if !json.Valid(body) {
		place := request.URL.Scheme + "://" + request.URL.Host
		text := fmt.Sprintf("%s is not a chatdouble server%s: %s answered %d without JSON: %s", place, r.source, name, answer.StatusCode, oneLine(body))
		return &Error{answer.StatusCode, "", text, body}
	}
	var envelope struct{ Result string }
	if err := json.Unmarshal(body, &envelope); err != nil || answer.StatusCode != http.StatusOK || envelope.Result != "success" {
		return r.withToken(refusal(answer.StatusCode, body, name))
	}
	if reply == nil {
		return nil
	}
	return decode(body, reply)
}

// withToken says of an error for a wrong token where the token came from.
func (r *requests) withToken(err *Error) *Error {
	if err.Status == http.StatusUnauthorized {
		err.Message += r.sourceOfToken()
	}
	return err
}

func (r *requests) sourceOfToken() string {
	switch {
	case r.isTokenGiven:
		return "; the one that the option ControlToken gave is another"
	case r.token != "":
		return "; the one in " + tokenVariable + " is another"
	default:
		return "; give it in the option ControlToken, or in the variable " + tokenVariable
	}
}

// decode reads a reply into the struct that a pointer leads to, which must have each key that is not optional.
func decode(body []byte, reply any) error {
	if err := complete(body, reflect.TypeOf(reply).Elem()); err != nil {
		return err
	}
	if err := json.Unmarshal(body, reply); err != nil {
		return failure("this is no reply of chatdouble: %v", err)
	}
	return nil
}

// complete checks that a value of JSON has the keys that a type requires.
func complete(body []byte, kind reflect.Type) error {
	switch {
	case kind.Kind() == reflect.Slice && kind.Elem().Kind() == reflect.Struct:
		var elements []json.RawMessage
		if err := json.Unmarshal(body, &elements); err != nil {
			return failure("this is no reply of chatdouble: %v", err)
		}
		for _, element := range elements {
			if err := complete(element, kind.Elem()); err != nil {
				return err
			}
		}
	case kind.Kind() == reflect.Struct:
		var keys map[string]json.RawMessage
		if err := json.Unmarshal(body, &keys); err != nil {
			return failure("this is no reply of chatdouble: %v", err)
		}
		for index := 0; index < kind.NumField(); index++ {
			field := kind.Field(index)
			name, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
			value, isThere := keys[name]
			if !isThere && name != "" && name != "-" && rest != "omitempty" {
				return failure("this is no reply of chatdouble: it lacks %q", name)
			}
			if isThere {
				if err := complete(value, field.Type); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// query is a struct of options as the query of a call.
func query(options any) url.Values {
	values := url.Values{}
	text, err := json.Marshal(options)
	if err != nil {
		return values
	}
	var keys map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&keys) == nil {
		for name, value := range keys {
			values.Set(name, fmt.Sprint(value))
		}
	}
	return values
}

// plain is a value as control takes it: times as RFC 3339, durations as seconds.
func plain(value any) any {
	switch given := value.(type) {
	case time.Duration:
		return given.Seconds()
	case time.Time:
		return given.UTC().Format(time.RFC3339Nano)
	default:
		return value
	}
}
