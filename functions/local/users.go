package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/text/plaintext"
)

// users lists the users of the server that has these flags.
func users(ctx context.Context, arguments []string, in io.Reader, out io.Writer) error {
	return withUsers(ctx, arguments, in, func(u *app.Users) error {
		all, err := u.List(ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			_, err := fmt.Fprintln(out, "No user has signed in.")
			return err
		}
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "USER\tNAME\tSINCE\tLAST USE\tCLIENTS")
		for _, user := range all {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", user.Subject, label(user.Name), day(user.Since), day(user.LastUse), clientsOf(user))
		}
		return table.Flush()
	})
}

// endAccess ends the access of the user whom the first argument names, on the server that has these
// flags.
func endAccess(ctx context.Context, arguments []string, in io.Reader, out io.Writer) error {
	if len(arguments) == 0 || strings.HasPrefix(arguments[0], "-") {
		return errors.New("end-access needs a user before its flags, such as end-access 37s:1049715914; the command users lists them")
	}
	return withUsers(ctx, arguments[1:], in, func(u *app.Users) error {
		user, err := u.End(ctx, arguments[0])
		if err == nil {
			_, err = fmt.Fprintf(out, "The access of %s %s has ended. Clients that were connected: %s.\nThe tokens of Basecamp and GitHub are deleted here.\n",
				arguments[0], label(user.Name), clientsOf(user))
		}
		return err
	})
}

// withUsers calls do with the users of the server that has these flags, or of a stack: with -stack,
// the variables of one of its functions are on in, as a JSON object.
func withUsers(ctx context.Context, arguments []string, in io.Reader, do func(*app.Users) error) error {
	var chosen config.LocalFlags
	var stack bool
	err := parse(arguments, chosen.Define, func(set *flag.FlagSet) { set.BoolVar(&stack, "stack", false, "") })
	if err != nil {
		return err
	}
	getenv := os.Getenv
	if stack {
		var settings map[string]string
		if err := json.NewDecoder(in).Decode(&settings); err != nil {
			return fmt.Errorf("-stack: standard input must have a function's variables as a JSON object: %w", err)
		}
		chosen.Store, chosen.Upstream = string(app.InAWS), "live"
		getenv = func(name string) string { return cmp.Or(settings[name], os.Getenv(name)) }
	}
	c, err := configureFrom(getenv, chosen)
	if err != nil {
		return err
	}
	c.PublicURL = cmp.Or(c.PublicURL, "http://"+chosen.Addr)
	u, err := app.OpenUsers(ctx, c, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: c.LogLevel})), app.Kept(chosen.Store), openFile)
	if err != nil {
		return err
	}
	return errors.Join(do(u), u.Close())
}

// label returns a name that a user or a client chose as one line.
func label(name string) string { return plaintext.Label(name, 60) }

func clientsOf(user app.User) string {
	names := make([]string, len(user.Clients))
	for i, name := range user.Clients {
		names[i] = label(name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format(time.DateTime[:len("2006-01-02 15:04")])
}
