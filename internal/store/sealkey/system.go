package sealkey

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/zalando/go-keyring"
	"golang.org/x/sync/singleflight"
)

const (
	service = "basecamp-mcp"
	// ringTime is how long a keyring may take. One that asks its user to unlock it takes longer, and
	// answers the next time.
	ringTime = time.Second
)

// system is an entry in the keyring of the operating system: Keychain, Windows Credential Manager,
// or the Secret Service of a Linux desktop. Without an account there is none.
type system struct {
	account string
	asked   singleflight.Group
}

// errSlow means that the keyring did not answer in time.
var errSlow = errors.New("the keyring does not answer; unlock it and try again")

func (s *system) get(ctx context.Context) (string, error) {
	if s.account == "" || !present() {
		return "", errNoRing
	}
	return s.ask(ctx, "get", func() (string, error) {
		text, err := keyring.Get(service, s.account)
		switch {
		case errors.Is(err, keyring.ErrNotFound):
			return "", nil
		case err != nil:
			return "", errNoRing // nothing in this login answers for it
		}
		return text, nil
	})
}

func (s *system) set(ctx context.Context, text string) error {
	_, err := s.ask(ctx, "set", func() (string, error) { return "", keyring.Set(service, s.account, text) })
	return err
}

// ask asks the keyring, which can neither be cancelled nor limited in time. It does not repeat a
// question that is not answered yet.
func (s *system) ask(ctx context.Context, question string, do func() (string, error)) (string, error) {
	answer := s.asked.DoChan(question, func() (any, error) { return do() })
	select {
	case a := <-answer:
		return a.Val.(string), a.Err
	case <-time.After(ringTime):
		return "", errSlow
	case <-ctx.Done():
		return "", ctx.Err()
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
