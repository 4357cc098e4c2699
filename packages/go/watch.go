package chatdouble

import (
	"bufio"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
)

const (
	opClose = 8
	opPing  = 9
	opPong  = 10
)

// Frame is a frame of the watch socket; an event in it is as in the API.
type Frame struct {
	// Type is request, event, clock, push, queue, fault, network, rate_limit or lost.
	Type string `json:"type"`
	// At is the world's time, in Unix seconds.
	At float64 `json:"at"`
	// Raw is the whole frame; what there is depends on the type.
	Raw json.RawMessage `json:"-"`
}

// Watch reads the frames of the watch socket, as they are broadcast.
type Watch struct {
	connection net.Conn
	reader     *bufio.Reader
	isClosed   atomic.Bool
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
		return nil, failure("%s%s can't be watched: %v", r.url, path, err)
	}
	reader := bufio.NewReader(connection)
	var reply *http.Response
	if err = request.Write(connection); err == nil {
		reply, err = http.ReadResponse(reader, request)
	}
	if err != nil {
		connection.Close()
		return nil, failure("%s%s can't be watched: %v", r.url, path, err)
	}
	if reply.StatusCode != http.StatusSwitchingProtocols {
		connection.Close()
		return nil, &Error{Status: reply.StatusCode, Message: r.url + path + " can't be watched: " + reply.Status}
	}
	return &Watch{connection: connection, reader: reader}, nil
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

// Next waits for the next frame. Its error is io.EOF when the watching has ended.
func (w *Watch) Next() (Frame, error) {
	var message []byte
	for {
		kind, isLast, payload, err := w.frame()
		if err != nil || kind == opClose || w.isClosed.Load() {
			return Frame{}, io.EOF
		}
		if kind == opPing {
			if _, err := w.connection.Write(masked(opPong, payload)); err != nil {
				return Frame{}, io.EOF
			}
		}
		if kind >= opClose {
			continue
		}
		message = append(message, payload...)
		if isLast {
			frame := Frame{Raw: message}
			if err := decode(message, &frame); err != nil {
				return frame, err
			}
			return frame, nil
		}
	}
}

// Close ends the watching.
func (w *Watch) Close() error {
	w.isClosed.Store(true)
	return w.connection.Close()
}

func (w *Watch) frame() (kind byte, isLast bool, payload []byte, err error) {
	var head [2]byte
	if _, err = io.ReadFull(w.reader, head[:]); err != nil {
		return
	}
	length := uint64(head[1] & 0x7F)
	if size := map[uint64]int{126: 2, 127: 8}[length]; size > 0 {
		var long [8]byte
		if _, err = io.ReadFull(w.reader, long[8-size:]); err != nil {
			return
		}
		length = binary.BigEndian.Uint64(long[:])
	}
	payload = make([]byte, length)
	_, err = io.ReadFull(w.reader, payload)
	return head[0] & 0x0F, head[0]&0x80 != 0, payload, err
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
