package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"golang.org/x/term"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/config/version"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/signin/provider/signon"
)

// application is what a provider issued for a deployment. Its JSON is what the functions read.
type application struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

// asker asks an operator for an application, and its provider whether it knows it.
type asker struct {
	in        io.Reader // a terminal does not show the secret
	questions io.Writer
	transport http.RoundTripper // nil: over the network
}

// askCredentials asks in the terminal.
func askCredentials(ctx context.Context, arguments []string, in io.Reader, out io.Writer) error {
	return asker{in: in, questions: os.Stderr}.credentials(ctx, arguments, out)
}

// credentials asks for the client ID and the secret that a provider issued, and writes them to out
// as JSON, which make credentials stores. With -verify, it also asks the provider, once.
func (a asker) credentials(ctx context.Context, arguments []string, out io.Writer) error {
	set := flag.NewFlagSet("credentials", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	github := set.String("github", "", "")
	verify := set.Bool("verify", false, "")
	if err := set.Parse(arguments); err != nil {
		return fmt.Errorf("credentials: %w; its flags are -github ORIGIN and -verify", err)
	}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return errors.New("credentials would show the secret here; make credentials stores it")
	}
	defer a.giveUp(ctx)()
	issuer := "37signals"
	if *github != "" {
		issuer = "GitHub"
	}
	found, err := a.ask(issuer)
	if err == nil && *verify {
		err = a.verify(ctx, found, issuer, *github)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(found)
}

// giveUp ends the program when ctx ends, because a read of a terminal does not, and makes the
// terminal show again what is typed. The returned function undoes that.
func (a asker) giveUp(ctx context.Context) (stop func() bool) {
	file, ok := a.in.(*os.File)
	if !ok {
		return func() bool { return true }
	}
	state, _ := term.GetState(int(file.Fd())) // nil if it is no terminal
	return context.AfterFunc(ctx, func() {
		if state != nil {
			_ = term.Restore(int(file.Fd()), state)
		}
		os.Exit(130)
	})
}

// ask returns what the operator enters.
func (a asker) ask(issuer string) (found application, err error) {
	lines := bufio.NewReader(a.in)
	fmt.Fprintf(a.questions, "Client ID that %s issued: ", issuer)
	id, err := lines.ReadString('\n')
	if err != nil {
		return found, errors.New("no client ID was entered")
	}
	fmt.Fprint(a.questions, "Client secret (not shown): ")
	secret, err := a.readSecret(lines)
	fmt.Fprintln(a.questions)
	if err != nil {
		return found, fmt.Errorf("read the client secret: %w", err)
	}
	found = application{strings.TrimSpace(id), strings.TrimSpace(secret)}
	for _, value := range []struct{ name, text string }{{"ID", found.ID}, {"secret", found.Secret}} {
		if len(value.text) < 16 || strings.ContainsFunc(value.text, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' }) {
			return found, fmt.Errorf("the client %s has %d characters, or some that no client %s has; copy it again from the page of %s, without quotation marks",
				value.name, len(value.text), value.name, issuer)
		}
	}
	if found.ID == found.Secret {
		return found, errors.New("the client ID and the client secret are the same; copy both again")
	}
	return found, nil
}

// readSecret reads a line. A terminal does not show it.
func (a asker) readSecret(lines *bufio.Reader) (string, error) {
	if file, ok := a.in.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		secret, err := term.ReadPassword(int(file.Fd()))
		return string(secret), err
	}
	line, err := lines.ReadString('\n')
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	return line, err
}

// verify asks the provider for the tokens of a made-up code: it refuses the code of an application
// that it knows, and otherwise the application. Too many refused codes make 37signals refuse the
// application for some time, so this is one request.
func (a asker) verify(ctx context.Context, found application, issuer, github string) error {
	c := signon.Config{
		URL: github, Transport: a.transport, UserAgent: app.Name + "/" + version.String(),
		Credentials: func(context.Context) (clientID, clientSecret string, err error) { return found.ID, found.Secret, nil },
	}
	exchange := launchpad.New(c).Exchange
	if github != "" {
		exchange = githubauth.New(c).Exchange
	}
	_, err := exchange(ctx, provider.Authorization{RedirectURI: "https://localhost/oauth/callback"}, "made-up")
	refusal, ok := errors.AsType[*provider.Refusal](err)
	switch {
	case ok && refusal.Cause == provider.Dead:
		fmt.Fprintf(a.questions, "%s knows the application.\n", issuer)
		return nil
	case ok && refusal.Cause == provider.Misconfigured:
		return fmt.Errorf("%s does not accept this client ID with this secret, so nothing is stored; copy both again", issuer)
	}
	return fmt.Errorf("%s gave no clear answer, so nothing is stored; try again, or store them without VERIFY=1: %w", issuer, err)
}
