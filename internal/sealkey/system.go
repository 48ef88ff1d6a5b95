package sealkey

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/zalando/go-keyring"
)

const (
	service = "basecamp-mcp"
	// ringTime is how long a keyring may take. One that asks its user to unlock it takes longer, and
	// answers the next time.
	ringTime = time.Second
)

// system is an entry in the keyring of the operating system: Keychain, Windows Credential Manager,
// or the Secret Service of a Linux desktop.
type system struct {
	account string

	mu    sync.Mutex
	asked chan struct{} // closed when the question in progress is answered; nil: none
	text  string
	err   error
}

// errSlow means that the keyring did not answer in time.
var errSlow = errors.New("the keyring does not answer; unlock it and try again")

func (s *system) get(ctx context.Context) (string, error) {
	if !present() {
		return "", errNoRing
	}
	s.mu.Lock()
	if s.asked == nil {
		s.asked = make(chan struct{})
		go s.ask(s.asked)
	}
	asked := s.asked
	s.mu.Unlock()
	select {
	case <-asked:
	case <-time.After(ringTime):
		return "", errSlow
	case <-ctx.Done():
		return "", ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text, s.err
}

// ask asks the keyring, which can neither be cancelled nor limited in time.
func (s *system) ask(done chan struct{}) {
	text, err := keyring.Get(service, s.account)
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		text, err = "", nil
	case err != nil:
		text, err = "", errNoRing // nothing in this login answers for it
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text, s.err, s.asked = text, err, nil
	close(done)
}

func (s *system) set(ctx context.Context, text string) error {
	done := make(chan error, 1)
	go func() { done <- keyring.Set(service, s.account, text) }()
	select {
	case err := <-done:
		return err
	case <-time.After(ringTime):
		return errSlow
	case <-ctx.Done():
		return ctx.Err()
	}
}

// present reports whether there may be a keyring. Without a session bus, the library would start
// one, which takes long and would have no keyring.
func present() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return true
	}
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" && address != "autolaunch:" { //nolint:forbidigo // the library reads it
		return true
	}
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat("/run/user/" + strconv.Itoa(os.Getuid()) + "/" + name); err == nil {
			return true
		}
	}
	return false
}
