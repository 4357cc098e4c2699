// Package chatdouble starts and steers a test double of a team-chat server.
//
// Tests get a world of their own from the package chatdoubletest.
package chatdouble
