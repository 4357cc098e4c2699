package chatdoubletest

import (
	"errors"
	"io"
	"testing"
	"time"

	chatdouble "chatdouble.test/go"
)

// Watch reads the frames of the watch socket of a test's world. One goroutine may call Next at a time.
type Watch struct {
	watch *chatdouble.Watch
	t     testing.TB
}

// Frame is a frame of the watch socket. Type says which of the other fields it has.
type Frame struct {
	chatdouble.Frame
	t testing.TB
}

// Next waits for the next frame, for at most the timeout (0: 3 seconds).
func (w *Watch) Next(timeout time.Duration) Frame {
	w.t.Helper()
	frame, err := w.watch.Next(timeout)
	if err == io.EOF {
		err = errors.New("the watch is closed: no frame comes any more")
	}
	return Frame{must(frame, err)(w.t), w.t}
}

// Close ends the watching.
func (w *Watch) Close() {
	w.t.Helper()
	check(w.t, w.watch.Close())
}

// Decode reads the whole frame into what a pointer leads to: a map, or a struct with the keys that matter. A frame request fits a
// chatdouble.JournalEntry.
func (f Frame) Decode(into any) {
	f.t.Helper()
	check(f.t, f.Frame.Decode(into))
}
