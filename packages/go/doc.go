// Package chatdouble starts and steers a test double of team-chat servers that speak the Zulip REST API.
//
// Tests get a world of their own from the package chatdoubletest.
package chatdouble
