//go:build unix

package chatdoubletest_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"chatdouble.test/go/chatdoubletest"
)

// ofGroup runs a test of this file that is meant for a process group of its own.
func ofGroup(name string) (string, error) {
	command := exec.Command(os.Args[0], "-test.run", "^"+name+"$", "-test.v")
	command.Env = append(os.Environ(), "INNER=1")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	output, err := command.CombinedOutput()
	return string(output), err
}

// interrupt sends what Ctrl-C in a terminal does: a signal to the whole process group.
func interrupt(t *testing.T) {
	t.Helper()
	fmt.Println("server:", chatdoubletest.Server(t).PID)
	if err := syscall.Kill(0, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
}

func TestInterruptedWithHandler(t *testing.T) {
	isInner(t)
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt)
	world := chatdoubletest.NewWorld(t)
	interrupt(t)
	<-heard
	time.Sleep(100 * time.Millisecond)
	world.User("mel")
}

func TestInterrupted(t *testing.T) {
	isInner(t)
	chatdoubletest.NewWorld(t)
	interrupt(t)
	time.Sleep(time.Minute)
}

func TestCtrlCDoesNotReachTheServer(t *testing.T) {
	if output, err := ofGroup("TestInterruptedWithHandler"); err != nil {
		t.Error(output, err)
	}
	output, err := ofGroup("TestInterrupted")
	found := regexp.MustCompile(`server: (\d+)`).FindStringSubmatch(output)
	if err == nil || found == nil {
		t.Fatal(output, err)
	}
	process, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	// It ends with the tests, as soon as it sees that they have ended.
	for late := time.Now().Add(5 * time.Second); !errors.Is(syscall.Kill(process, 0), syscall.ESRCH); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("the server is left behind")
		}
	}
}
