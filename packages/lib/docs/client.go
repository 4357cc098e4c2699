package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// retryTime is how long the client waits, in real time, before it asks again after a request without a reply.
const retryTime = 10 * time.Millisecond

// Client is the client that the examples of the documents test.
type Client struct{ site, email, key string }

func NewClient(site, email, key string) *Client { return &Client{site, email, key} }

// Send sends a message, and returns its id; 0 when the reply was lost.
func (c *Client) Send(channel, topic, content string) int {
	return c.ask("POST", "/messages", url.Values{"type": {"stream"}, "to": {channel}, "topic": {topic}, "content": {content}})
}

func (c *Client) RemindMeTomorrow() {
	message := c.Send("general", "plans", "Plan")
	c.ask("POST", "/reminders", url.Values{"message_id": {fmt.Sprint(message)}, "scheduled_delivery_timestamp": {"2000000000"}})
}

func (c *Client) Settings() { c.ask("GET", "/server_settings", nil) }

// Run polls a queue until the context is cancelled, and registers another one when it is gone.
func (c *Client) Run(ctx context.Context) {
	var queue string
	var last int
	for ctx.Err() == nil {
		var read reply
		var err error
		if queue == "" {
			read, err = c.call(ctx, "POST", "/register", url.Values{"event_types": {`["message"]`}, "fetch_event_types": {"[]"}})
			queue, last = read.QueueID, read.LastEventID
		} else {
			read, err = c.call(ctx, "GET", "/events?"+url.Values{"queue_id": {queue}, "last_event_id": {fmt.Sprint(last)}}.Encode(), nil)
		}
		if err != nil {
			time.Sleep(retryTime)
		}
		if read.Code == "BAD_EVENT_QUEUE_ID" {
			queue = ""
		}
		for _, event := range read.Events {
			last = event.ID
		}
	}
}

type reply struct {
	ID          int
	Code        string
	QueueID     string `json:"queue_id"`
	LastEventID int    `json:"last_event_id"`
	Events      []struct{ ID int }
}

// ask makes a request, and returns the id in the reply; 0 when the reply was lost.
func (c *Client) ask(method, path string, form url.Values) int {
	read, _ := c.call(context.Background(), method, path, form)
	return read.ID
}

func (c *Client) call(ctx context.Context, method, path string, form url.Values) (reply, error) {
	var read reply
	request, err := http.NewRequestWithContext(ctx, method, c.site+"/api/v1"+path, strings.NewReader(form.Encode()))
	if err != nil {
		panic(err)
	}
	request.SetBasicAuth(c.email, c.key)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return read, err
	}
	defer answer.Body.Close()
	return read, json.NewDecoder(answer.Body).Decode(&read)
}
