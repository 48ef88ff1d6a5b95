// Command keyring shows the key ring with which a deployment seals tokens in its table, and rotates
// its keys: add a key, use it, drop the old one. Credentials come from the environment, as "aws
// configure export-credentials --format env" writes them. It never prints a key.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/secrets"
)

const usage = "usage: keyring -ring ARN -table NAME [status | add | use ID | drop ID | restore]"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "keyring:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string, getenv func(string) string, out io.Writer) error {
	flags := flag.NewFlagSet("keyring", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // run returns its errors
	ring := flags.String("ring", "", "name or ARN of the key ring's secret")
	table := flags.String("table", "", "name of the deployment's table")
	if err := flags.Parse(arguments); err != nil {
		return fmt.Errorf("%w\n%s", err, usage)
	}
	if *ring == "" || *table == "" {
		return errors.New("RING or TABLE is missing: make keyring RING=arn TABLE=name; the outputs KeyRing and TableName of the stack have both\n" + usage)
	}
	c, err := clientsFor(*ring, getenv)
	if err != nil {
		return err
	}
	k := &keyring{clients: c, ring: *ring, table: *table, out: out}
	switch steps := flags.Args(); {
	case len(steps) == 0, slices.Equal(steps, []string{"status"}):
		return k.status(ctx)
	case slices.Equal(steps, []string{"add"}):
		return k.add(ctx)
	case slices.Equal(steps, []string{"restore"}):
		return k.restore(ctx)
	case len(steps) == 2 && steps[0] == "use":
		return k.use(ctx, steps[1])
	case len(steps) == 2 && steps[0] == "drop":
		return k.drop(ctx, steps[1])
	default:
		return fmt.Errorf("%q is not a step\n%s", strings.Join(steps, " "), usage)
	}
}

// keyring carries out one step of a rotation. Every step can be repeated: one that was already
// taken says so and changes nothing.
type keyring struct {
	clients
	ring, table string
	out         io.Writer
}

func (k *keyring) say(format string, arguments ...any) {
	_, _ = fmt.Fprintf(k.out, format+"\n", arguments...)
}

func (k *keyring) read(ctx context.Context) (*secrets.Edition, error) {
	return secrets.ReadEdition(ctx, k.manager, k.ring)
}

// add adds a key. It does nothing if the newest key waits for its use.
func (k *keyring) add(ctx context.Context) error {
	e, err := k.read(ctx)
	if err != nil {
		return err
	}
	if next := e.Next(); next != "" {
		k.say("The ring has %s already, which is newer than the current key %s. Nothing was changed.", next, e.Current())
		k.say("Next step, from %s on: make keyring STEP='use %s'", moment(e.Stored().Add(secrets.Settled)), next)
		return nil
	}
	id, err := e.Add()
	if err == nil {
		err = e.Save(ctx)
	}
	if err != nil {
		return err
	}
	k.say("%s was added, with the fingerprint %s. %s still seals new tokens.", id, e.Keys()[id].Fingerprint(), e.Current())
	k.say("Next step, once all functions know it in %d minutes: make keyring STEP='use %s'", secrets.Settled/time.Minute, id)
	return nil
}

// use makes a key current.
func (k *keyring) use(ctx context.Context, id string) error {
	e, err := k.read(ctx)
	if err != nil {
		return err
	}
	old := e.Current()
	if id == old {
		k.say("%s is the current key already. Nothing was changed.", id)
		return nil
	}
	if err := e.Use(id); err != nil {
		return err
	}
	if err := e.Save(ctx); err != nil {
		return err
	}
	k.say("%s seals new tokens; a function knows within five minutes. %s still opens its own.", id, old)
	k.say("Next step, once make keyring says that %s seals no tokens: make keyring STEP='drop %s'", old, old)
	return nil
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
