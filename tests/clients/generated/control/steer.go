// Control by the client that openapi-generator makes in Go.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	control "chatdouble.test/control"
)

const name = "generated-go"

var failures int

func check(what string, holds bool) {
	if !holds {
		failures++
		fmt.Println("not ok - go: " + what)
		return
	}
	fmt.Println("ok - go: " + what)
}

func given[Reply any](reply Reply, _ *http.Response, err error) Reply {
	if err != nil {
		panic(err)
	}
	return reply
}

func status(address string) int {
	reply, err := http.Get(address)
	if err != nil {
		panic(err)
	}
	reply.Body.Close()
	return reply.StatusCode
}

func main() {
	configuration := control.NewConfiguration()
	configuration.Servers = control.ServerConfigurations{{URL: os.Getenv("CHATDOUBLE_URL")}}
	client, background := control.NewAPIClient(configuration), context.Background()
	options := control.NewWorldOptions()
	options.SetForkOf("default")
	options.SetName(name)
	made := given(client.WorldsAPI.CreateWorld(background).WorldOptions(*options).Execute())
	check("a world is forked", made.Name == name)
	before := given(client.ClockAPI.GetClock(background, name).Execute()).Now
	day := control.NewClockChange()
	day.SetAdvanceSeconds("1d")
	moved := given(client.ClockAPI.MoveClock(background, name).ClockChange(*day).Execute())
	check("the clock moves by a day, as text", moved.Now == before+86_400)
	check("something falls due on the way", len(moved.Fired) > 0)
	day.SetAdvanceSeconds(86_400)
	moved = given(client.ClockAPI.MoveClock(background, name).ClockChange(*day).Execute())
	check("the clock moves by a day, as a number", moved.Now == before+172_800)
	effect, match := control.NewFaultRuleEffect(), control.NewFaultMatch()
	effect.SetError(*control.NewFaultRuleEffectError(503))
	match.SetPath("/server_settings")
	rule := control.NewFaultRule(*effect)
	rule.SetMatch(*match)
	rule.SetTimes(1)
	given(client.FaultsAPI.InstallFault(background, name).FaultRule(*rule).Execute())
	settings := made.Url + "/api/v1/server_settings"
	check("a fault fires once", status(settings) == 503 && status(settings) == 200)
	assertion := control.NewAssertion()
	assertion.SetPath("/server_settings")
	assertion.SetExactly(2)
	check("the journal is verified", given(client.JournalAPI.VerifyJournal(background, name).Assertion(*assertion).Execute()).Count == 2)
	given(client.WorldsAPI.DeleteWorld(background, name).Execute())
	if failures > 0 {
		os.Exit(1)
	}
}
