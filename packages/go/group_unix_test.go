//go:build unix

package chatdouble_test

import (
	"syscall"
	"testing"

	chatdouble "chatdouble.test/go"
)

func TestAServerHasItsOwnProcessGroup(t *testing.T) {
	server := ok(chatdouble.StartServer(chatdouble.StartOptions{}))(t)
	equal(t, ok(syscall.Getpgid(server.PID))(t), server.PID)
	check(t, server.Stop())
}
