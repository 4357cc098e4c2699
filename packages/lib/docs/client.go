package chat

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

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

func (c *Client) ask(method, path string, form url.Values) int {
	request, err := http.NewRequest(method, c.site+"/api/v1"+path, strings.NewReader(form.Encode()))
	if err != nil {
		panic(err)
	}
	request.SetBasicAuth(c.email, c.key)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	defer reply.Body.Close()
	var read struct{ ID int }
	if err := json.NewDecoder(reply.Body).Decode(&read); err != nil {
		panic(err)
	}
	return read.ID
}
