//go:build unix

package chatdouble

import "syscall"

// ownGroup lets a server have its own process group, which the Ctrl-C of a terminal does not reach: what tests do at their end still
// finds the server.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
