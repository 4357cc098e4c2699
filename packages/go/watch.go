package chatdouble

import (
	"bufio"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

const (
	opClose = 8
	opPing  = 9
	opPong  = 10
	// readBytes is the most bytes that are read at once.
	readBytes = 65_536
)

// Watch reads the frames of the watch socket, as they are broadcast. One goroutine may call Next at a time.
type Watch struct {
	// place is the address of the watch socket, for errors.
	place      string
	connection net.Conn
	reader     *bufio.Reader
	// received are bytes of a frame that is not whole yet: they stay, also when the others are late.
	received []byte
	// begun is the beginning of a message whose other frames did not come yet.
	begun []byte
	// count is how many frames came, and last the type of the last one.
	count int
	last  string
	// end says how the server ended, if that is known.
	end      func() string
	isClosed atomic.Bool
}

func watch(r *requests, path string) (*Watch, error) {
	request, err := http.NewRequest("GET", r.url+path, nil)
	if err != nil {
		return nil, failure("%s%s can't be watched: %v", r.url, path, err)
	}
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		return nil, failure("%s%s can't be watched: %v", r.url, path, err)
	}
	for name, value := range map[string]string{
		"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": base64.StdEncoding.EncodeToString(key),
	} {
		request.Header.Set(name, value)
	}
	if r.token != "" {
		request.Header.Set("Authorization", "Bearer "+r.token)
	}
	connection, err := dial(request.URL, r.tls)
	if err != nil {
		return nil, failure("%s%s can't be watched: %v%s%s", r.url, path, err, r.end(), r.source)
	}
	reader := bufio.NewReader(connection)
	var reply *http.Response
	if err = connection.SetDeadline(time.Now().Add(patience)); err == nil {
		err = request.Write(connection)
	}
	if err == nil {
		reply, err = http.ReadResponse(reader, request)
	}
	if err == nil {
		err = connection.SetDeadline(time.Time{})
	}
	if err != nil {
		connection.Close()
		return nil, failure("%s%s can't be watched: %v%s%s", r.url, path, err, r.end(), r.source)
	}
	if reply.StatusCode != http.StatusSwitchingProtocols {
		connection.Close()
		return nil, r.withToken(&Error{Status: reply.StatusCode, Message: r.url + path + " can't be watched: " + reply.Status})
	}
	return &Watch{place: r.url + path, connection: connection, reader: reader, end: r.end}, nil
}

func dial(address *url.URL, config *tls.Config) (net.Conn, error) {
	host := address.Host
	if address.Port() == "" {
		host = net.JoinHostPort(address.Hostname(), map[string]string{"http": "80", "https": "443"}[strings.ToLower(address.Scheme)])
	}
	if strings.EqualFold(address.Scheme, "https") {
		return tls.Dial("tcp", host, config)
	}
	return net.Dial("tcp", host)
}

// Next waits for the next frame, for at most the timeout (0: 3 seconds). A frame that does not come is an ErrVerificationFailed that
// says how many came before; a later call goes on with the frames that come later. After Close, the error is io.EOF.
func (w *Watch) Next(timeout time.Duration) (Frame, error) {
	if timeout == 0 {
		timeout = defaultWait
	}
	if err := w.connection.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return Frame{}, w.ended()
	}
	for {
		kind, isLast, payload, err := w.frame()
		if errors.Is(err, os.ErrDeadlineExceeded) && !w.isClosed.Load() {
			return Frame{}, w.late(timeout)
		}
		if err != nil || kind == opClose || w.isClosed.Load() {
			return Frame{}, w.ended()
		}
		if kind == opPing {
			if _, err := w.connection.Write(masked(opPong, payload)); err != nil {
				return Frame{}, w.ended()
			}
		}
		if kind >= opClose {
			continue
		}
		w.begun = append(w.begun, payload...)
		if isLast {
			frame := Frame{Raw: w.begun}
			w.begun = nil
			if err := decode(frame.Raw, &frame); err != nil {
				return frame, err
			}
			w.count, w.last = w.count+1, frame.Type
			return frame, nil
		}
	}
}

// late is the error for a frame that did not come in time. Its code is that of other waits, which control gives.
func (w *Watch) late(timeout time.Duration) *Error {
	before := "none came before"
	switch {
	case w.count == 1:
		before = "1 came before, " + w.last
	case w.count > 1:
		before = fmt.Sprintf("%d came before, the last one is %s", w.count, w.last)
	}
	return &Error{Code: unverified, Message: fmt.Sprintf("%s: no frame came within %v; %s", w.place, timeout, before)}
}

// ended is the error for a frame that can't come any more.
func (w *Watch) ended() error {
	if w.isClosed.Load() {
		return io.EOF
	}
	w.connection.Close()
	return failure("%s ended: the world was deleted, or the server stopped%s", w.place, w.end())
}

// Close ends the watching. One that has ended is closed already.
func (w *Watch) Close() error {
	w.isClosed.Store(true)
	if err := w.connection.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// frame takes the next frame from the bytes that were received, and reads more of them until it is whole.
func (w *Watch) frame() (kind byte, isLast bool, payload []byte, err error) {
	for {
		if begin, end := extent(w.received); end > 0 {
			kind, isLast, payload = w.received[0]&0x0F, w.received[0]&0x80 != 0, w.received[begin:end:end]
			w.received = w.received[end:]
			return
		}
		more := make([]byte, readBytes)
		count, err := w.reader.Read(more)
		w.received = append(w.received, more[:count]...)
		if err != nil {
			return 0, false, nil, err
		}
	}
}

// extent is where the payload of the first frame begins and ends; 0 and 0 if the frame is not whole.
func extent(received []byte) (begin, end int) {
	if len(received) < 2 {
		return 0, 0
	}
	length, begin := uint64(received[1]&0x7F), 2
	if size := map[uint64]int{126: 2, 127: 8}[length]; size > 0 {
		begin += size
		if len(received) < begin {
			return 0, 0
		}
		var long [8]byte
		copy(long[8-size:], received[2:begin])
		length = binary.BigEndian.Uint64(long[:])
	}
	if uint64(len(received)-begin) < length {
		return 0, 0
	}
	return begin, begin + int(length)
}

// masked is a short frame of a client; clients must mask their frames.
func masked(kind byte, payload []byte) []byte {
	if len(payload) > 125 {
		payload = payload[:125]
	}
	// The mask of zeros is a mask.
	frame := append([]byte{0x80 | kind, 0x80 | byte(len(payload))}, 0, 0, 0, 0)
	return append(frame, payload...)
}
