// Tests that a team may have for its client: here the client is net/http.
package chat

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	chatdouble "chatdouble.test/go"
	"chatdouble.test/go/chatdoubletest"
)

type message struct{ Content string }

type reply struct {
	Result, Code string
	ID           int
	QueueID      string  `json:"queue_id"`
	RetryAfter   float64 `json:"retry-after"`
	Events       []struct{ Message message }
}

func call(t *testing.T, world *chatdoubletest.World, user chatdouble.User, method, path string, form url.Values) reply {
	t.Helper()
	address, body := world.URL+"/api/v1"+path, form.Encode()
	if method == http.MethodGet {
		address, body = address+"?"+body, ""
	}
	request, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(user.Email, user.APIKey)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return reply{}
	}
	defer answer.Body.Close()
	var read reply
	if err := json.NewDecoder(answer.Body).Decode(&read); err != nil {
		t.Error(err)
	}
	return read
}

func send(t *testing.T, world *chatdoubletest.World, user chatdouble.User, content string) reply {
	t.Helper()
	return call(t, world, user, "POST", "/messages", url.Values{"type": {"stream"}, "to": {"general"}, "topic": {"greetings"}, "content": {content}})
}

func TestAMessageArrivesInTheClientThatWaitsForIt(t *testing.T) {
	t.Parallel()
	world := chatdoubletest.NewWorld(t)
	mel, max := world.User("mel"), world.User("max")
	queue := call(t, world, max, "POST", "/register", url.Values{"event_types": {`["message"]`}}).QueueID
	polled := make(chan reply)
	go func() {
		polled <- call(t, world, max, "GET", "/events", url.Values{"queue_id": {queue}, "last_event_id": {"-1"}})
	}()
	world.Queues.WaitParked(chatdouble.ParkedFilter{User: "max"}, 0)
	send(t, world, mel, "Hello")
	if events := (<-polled).Events; len(events) != 1 || !strings.Contains(events[0].Message.Content, "Hello") {
		t.Error(events)
	}
	world.Journal.Verify(chatdouble.Assertion{Method: "POST", Path: "/messages", User: "mel", Exactly: chatdouble.Ptr(1)})
}

func TestAReminderComesTomorrow(t *testing.T) {
	t.Parallel()
	world := chatdoubletest.NewWorld(t)
	mel := world.User("mel")
	due := int(world.Clock.Now()) + 86_400
	call(t, world, mel, "POST", "/reminders", url.Values{
		"message_id": {fmt.Sprint(send(t, world, mel, "Plan").ID)}, "scheduled_delivery_timestamp": {fmt.Sprint(due)},
	})
	for _, item := range world.Clock.Advance("1d").Fired {
		if item.Kind == "reminder" && int(item.At) == due {
			return
		}
	}
	t.Error("no reminder came")
}

func TestARateLimitIsShownAndEndsAfterItsTime(t *testing.T) {
	t.Parallel()
	world := chatdoubletest.NewWorld(t)
	mel := world.User("mel")
	world.Faults.Add(chatdouble.FaultRule{
		Match:  &chatdouble.FaultMatch{Path: "/messages"},
		Times:  1,
		Effect: chatdouble.Effect{RateLimit: &chatdouble.RateLimitEffect{RetryAfter: 2}},
	})
	if refused := send(t, world, mel, "x"); refused.Code != "RATE_LIMIT_HIT" || refused.RetryAfter != 2 {
		t.Error(refused)
	}
	if sent := send(t, world, mel, "x"); sent.Result != "success" {
		t.Error(sent)
	}
}

func TestServersOfOlderLevels(t *testing.T) {
	for _, level := range []int{200, 250, 300} {
		level := level
		t.Run(fmt.Sprint(level), func(t *testing.T) {
			world := chatdoubletest.NewWorld(t, chatdouble.WorldOptions{Fixture: "cast", FeatureLevel: &level, Dialect: "zulip"})
			if pending := world.Clock.Agenda(); len(pending) != 0 {
				t.Error(pending)
			}
			answer, err := http.Get(world.URL + "/api/v1/server_settings")
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			var settings struct {
				Level int `json:"zulip_feature_level"`
			}
			if err := json.NewDecoder(answer.Body).Decode(&settings); err != nil || settings.Level != level {
				t.Error(settings, err)
			}
		})
	}
}
