// Package document reads fixtures and dialects in files, which worlds take as documents.
package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Document is the JSON object in a file.
type Document struct {
	// Path is absolute.
	Path string
	text json.RawMessage
}

// MarshalJSON is the document as it is in the file.
func (d Document) MarshalJSON() ([]byte, error) { return d.text, nil }

// IsFile tells whether a text can't be a name: it ends in .json, or has a separator of paths.
func IsFile(text string) bool {
	return strings.HasSuffix(text, ".json") || strings.ContainsAny(text, "/"+string(os.PathSeparator))
}

// In reads a file, relative to the current directory. The error has its absolute path and the reason.
func In(file string) (Document, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return Document{}, fmt.Errorf("%s can't be read: %w", file, err)
	}
	text, err := os.ReadFile(path)
	var failed *fs.PathError
	if errors.As(err, &failed) {
		err = failed.Err
	}
	if err != nil {
		return Document{}, fmt.Errorf("%s can't be read: %w", path, err)
	}
	var keys map[string]json.RawMessage
	err = json.Unmarshal(text, &keys)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) || (err == nil && keys == nil) {
		return Document{}, fmt.Errorf("%s is no JSON object", path)
	}
	if err != nil {
		return Document{}, fmt.Errorf("%s is not JSON: %w", path, err)
	}
	return Document{path, bytes.TrimSpace(text)}, nil
}
