// Command local runs the whole product in one process on this machine. By default, a fictional
// company in the sandbox takes the place of Basecamp and GitHub, so that no account and no
// configuration is needed.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/config/version"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "basecamp-mcp:", err)
		os.Exit(1)
	}
}

// command is what the program does: its name, what follows that, what it does in words, and how.
type command struct {
	name, then, does string
	run              func(ctx context.Context, arguments []string, in io.Reader, out io.Writer) error
}

// commands returns all commands. The first is the default.
func commands() []command {
	return []command{
		{"serve", "", "serve clients over HTTP, at http://127.0.0.1:8787/mcp (the default)", runServer},
		{"stdio", "", "serve the client that starts this program, over standard input and output", runStdio},
		{"check", "", "check parameters of a deployment, such as ReadOnly=true; -new asks for the required ones too", check},
		{"credentials", "", "ask for the client ID and secret of an application, for make credentials", askCredentials},
		{"health", "", "ask the server at -addr whether it serves", health},
		{"users", "", "list the users of the server with the same flags; of a stack: make users", users},
		{"end-access", " USER", "end the access of one of them: clients are refused, and tokens are deleted", endAccess},
		{"version", "", "print the version", func(_ context.Context, _ []string, _ io.Reader, out io.Writer) error {
			_, err := fmt.Fprintln(out, app.Name, version.String())
			return err
		}},
		{"help", "", "print this text", func(context.Context, []string, io.Reader, io.Writer) error { return flag.ErrHelp }},
	}
}

// isCommand reports whether a command has a name.
func isCommand(name string) bool {
	return slices.ContainsFunc(commands(), func(c command) bool { return c.name == name })
}

// run runs the command that the arguments begin with. Without one it serves HTTP.
func run(ctx context.Context, arguments []string, in io.Reader, out io.Writer) error {
	name := "serve"
	if len(arguments) > 0 && !strings.HasPrefix(arguments[0], "-") {
		name, arguments = arguments[0], arguments[1:]
	} else if len(arguments) > 0 && slices.Contains([]string{"-v", "-version", "--version"}, arguments[0]) {
		name = "version"
	}
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
		if c.name != name {
			continue
		}
		if err := c.run(ctx, arguments, in, out); !errors.Is(err, flag.ErrHelp) {
			return err
		}
		return help(out)
	}
	return fmt.Errorf("%q is not a command; %s", name, instead(name, "the commands are "+strings.Join(names, ", ")))
}

// parse reads the flags of a command.
func parse(arguments []string, define ...func(*flag.FlagSet)) error {
	set := flagSet(define...)
	if err := set.Parse(arguments); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		if name := strings.TrimPrefix(err.Error(), "flag provided but not defined: -"); flagSet(new(config.StdioFlags).Define).Lookup(name) != nil {
			return fmt.Errorf("-%s is a flag of stdio; for serve, set READ_ONLY or TOOLSETS, or give clients a URL such as /mcp/readonly or /mcp/all", name)
		}
		return fmt.Errorf("%w; basecamp-mcp help lists the flags", err)
	}
	if set.NArg() > 0 {
		return fmt.Errorf("%q is not a flag; %s", set.Arg(0), instead(set.Arg(0), "basecamp-mcp help lists them, and a command comes before them"))
	}
	return nil
}

// instead returns what the user may have meant by a word without a flag, or the given advice.
func instead(word, advice string) string {
	_, _, err := net.SplitHostPort(withHost(word))
	switch {
	case err == nil:
		return "to listen there, write -addr " + word
	case slices.Contains(upstreams, word):
		return "write -upstream " + word
	case slices.Contains([]app.Kept{app.InFile, app.InMemory, app.InAWS}, app.Kept(word)):
		return "write -store " + word
	case isCommand(word):
		return "a command comes before the flags: basecamp-mcp " + word
	}
	return advice
}

// upstreams are the values of -upstream.
var upstreams = []string{"sandbox", "live", "auto"}

func flagSet(define ...func(*flag.FlagSet)) *flag.FlagSet {
	set := flag.NewFlagSet("basecamp-mcp", flag.ContinueOnError)
	set.SetOutput(io.Discard) // the caller of parse writes the error
	set.Usage = func() {}
	for _, f := range define {
		f(set)
	}
	return set
}

// configure checks the flags that all servers have, and reads the configuration.
func configure(chosen config.LocalFlags) (config.Config, error) {
	return configureFrom(os.Getenv, chosen)
}

func configureFrom(getenv func(string) string, chosen config.LocalFlags) (config.Config, error) {
	if !slices.Contains([]app.Kept{app.InFile, app.InMemory, app.InAWS}, app.Kept(chosen.Store)) {
		return config.Config{}, fmt.Errorf("-store must be file, memory or aws, got %q", chosen.Store)
	}
	if !slices.Contains(upstreams, chosen.Upstream) {
		return config.Config{}, fmt.Errorf("-upstream must be sandbox, live or auto, got %q", chosen.Upstream)
	}
	c, err := config.LoadLocal(getenv, app.Toolsets(), chosen)
	if err == nil && chosen.Upstream == "live" && c.BasecampURL == config.Sandbox {
		err = errors.New("-upstream live: BASECAMP_API_URL must not be sandbox")
	}
	return c, err
}

// warnUnused warns of credentials that a server of the made-up company does not use.
func warnUnused(c config.Config, log *slog.Logger) {
	if c.BasecampURL == config.Sandbox && (c.AccessToken != "" || c.OwnCredentials()) {
		log.Warn("the credentials in the environment are not used: without -upstream live, this server serves the made-up company")
	}
}

// runServer serves HTTP until ctx is done.
func runServer(ctx context.Context, arguments []string, _ io.Reader, out io.Writer) error {
	var chosen config.LocalFlags
	if err := parse(arguments, chosen.Define); err != nil {
		return err
	}
	c, err := configure(chosen)
	if err != nil {
		return err
	}
	listener, err := listen(chosen.Addr)
	if err != nil {
		return err
	}
	c.Loopback = !exposed(listener.Addr())
	if c.Loopback && c.PublicURL == "" { // otherwise strangers would read it
		c.Command = startCommand(os.Args[0], arguments, runtime.GOOS == "windows")
	}
	c.HideBearer = !c.Loopback && !chosen.PrintBearer
	origin := "http://" + reachable(listener.Addr())
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: c.LogLevel}))
	warnUnused(c, log)
	local, err := app.NewLocal(ctx, c, log, origin, app.Kept(chosen.Store), openFile)
	if err != nil {
		return err
	}
	var said bytes.Buffer // written at once, so that no line of the log comes between
	announce(&said, local, cmp.Or(c.PublicURL, origin)+"/mcp", c.HideBearer)
	if !c.Loopback {
		warn(&said, listener.Addr(), c.HideBearer && local.Bearer != "")
	}
	_, _ = said.WriteTo(out)
	debug.FreeOSMemory() // the start leaves garbage, and an idle server would keep it
	return errors.Join(serve(ctx, listener, local.Handler), local.Close())
}

// reachable returns an address that a client on this machine can use.
func reachable(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", tcp.Port)
	}
	return addr.String()
}

func announce(out io.Writer, local app.Local, url string, hideBearer bool) {
	if local.Login || local.Bearer != "" {
		fmt.Fprintf(out, "basecamp-mcp is ready at %s\nBasecamp is %s.\n", url, local.Upstream)
	} else {
		fmt.Fprintf(out, "basecamp-mcp has no credentials for Basecamp, so no client can connect yet. %s says how to set it up.\n", strings.TrimSuffix(url, "mcp"))
	}
	if local.GitHub != "" {
		fmt.Fprintf(out, "GitHub is %s; its tools are at %s%s.\n", local.GitHub, url, local.GitHubPath)
	}
	if local.File != "" {
		fmt.Fprintf(out, "Logins, links, tasks and checklists are kept in %s.\n", local.File)
	}
	fmt.Fprintln(out)
	if local.Login { // otherwise NoLogin says what is missing, and the front page shows it too
		fmt.Fprintf(out, "Next:          open %s in a browser; it shows how to connect each client. Ctrl+C stops the server.\n"+
			"Claude Code:   claude mcp add --transport http basecamp %s\n               claude mcp login basecamp\n", strings.TrimSuffix(url, "mcp"), url)
	}
	if local.Code != "" {
		fmt.Fprintf(out, "Code:          %s   (each browser must enter it once before it can approve a client)\n", local.Code)
	}
	fmt.Fprint(out, local.NoLogin)
	if local.Bearer == "" || hideBearer {
		return
	}
	fmt.Fprintf(out, `Bearer token:  %[2]s   (acts for %[3]s, without a login)
Try it:        curl -s %[1]s -H "Authorization: Bearer %[2]s" -H "Content-Type: application/json" \
                 -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_projects","arguments":{"limit":3}}}'

`, url, local.Bearer, local.Person)
}

func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		stopping, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(stopping)
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-stopped // Serve returns before the last answers are sent
	return nil
}
