// Command deploy deploys the template with the SAM CLI. It asks only before it changes TokenStore,
// which costs every user one sign-in. "deploy NAME..." reads the named settings from the
// environment, where make puts them: make deploy ACCOUNTS=1234567. It keeps the settings of each
// stack in a file, so that an upgrade needs none. With -n, it prints the commands and runs nothing.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "deploy:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string, getenv func(string) string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("deploy", flag.ContinueOnError)
	dry := flags.Bool("n", false, "print the commands and run nothing")
	template := flags.String("template", "template.yaml", "the template to deploy")
	directory := flags.String("answers", ".deploy", "the directory that keeps the settings of each stack")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	parameters, err := readParameters(*template)
	if err != nil {
		return err
	}
	given, err := settings(flags.Args(), getenv, parameters)
	if err != nil {
		return err
	}
	kept, err := open(*directory, given[stackKey])
	if err != nil {
		return err
	}
	if err := errors.Join(kept.keepsTable(given), kept.keepsRing(given)); err != nil {
		return err
	}
	kept.update(given, getenv)
	if err := kept.check(parameters); err != nil {
		return err
	}
	if *dry {
		return kept.print(out, given)
	}
	if _, err := exec.LookPath("sam"); err != nil {
		return errors.New("the SAM CLI is missing; install it as docs/deploy.md says, and run make deploy again")
	}
	if err := kept.checkCredentials(ctx, out); err != nil {
		return err
	}
	if err := kept.keepTokens(ctx, given, in, out); err != nil {
		return err
	}
	commands := kept.commands()
	if err := kept.checkTable(ctx, out); err != nil {
		return err
	}
	if err := kept.save(); err != nil {
		return err
	}
	upgrade := "git pull && make deploy"
	if kept.stack != defaultStack {
		upgrade += " STACK=" + kept.stack // needed as soon as there are several
	}
	fmt.Fprintf(out, "The settings of this stack are in %s. To upgrade: %s\n", kept.path(), upgrade)
	for _, command := range commands {
		if err := execute(ctx, command, out); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(out, "Next: open the server's front page, which is McpUrl without /mcp. It says how to register the application.")
	return err
}

// commands returns the commands that build and deploy the stack.
func (a answers) commands() [][]string {
	return [][]string{{"sam", "build"}, a.deployment()}
}

// print writes the commands that a deployment would run.
func (a answers) print(out io.Writer, given map[string]string) error {
	commands := a.commands()
	if check := a.describesTable(); check != nil {
		commands = slices.Concat([][]string{check}, commands)
	}
	store, changes := given[tokenStoreKey]
	if changes {
		commands = slices.Concat([][]string{a.describesStack()}, commands)
	}
	var lines strings.Builder
	for _, command := range commands {
		lines.WriteString(quoted(command) + "\n")
	}
	if changes {
		lines.WriteString("# If the stack has another TokenStore, make deploy asks before it changes anything.\n")
	}
	if changes && store == "secrets" && a.values[keyRingKey] == "" {
		lines.WriteString("# If the outputs have a KeyRing, make deploy adds it to the last command: 'KeyRing=\"arn:...\"'\n")
	}
	_, err := io.WriteString(out, lines.String())
	return err
}

// execute prints a command and runs it. The command asks nothing.
func execute(ctx context.Context, command []string, out io.Writer) error {
	if _, err := fmt.Fprintln(out, "$", quoted(command)); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	running, stop := context.WithCancel(ctx)
	defer stop()
	p := startProgress(running, command[0]+" "+command[1], out)
	said, complaint := &stream{progress: p, out: out}, &stream{progress: p, out: os.Stderr}
	c.Stdout, c.Stderr = said, complaint
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = time.Minute // sam ends its own processes
	// sam build calls make, which must not read the settings of this make.
	c.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "MAKEFLAGS=") || strings.HasPrefix(variable, "MFLAGS=") || strings.HasPrefix(variable, "MAKEOVERRIDES=")
	})
	c.Env = append(c.Env, "PYTHONUNBUFFERED=1") // SAM writes to a pipe
	if err := c.Run(); err != nil {
		return errors.Join(fmt.Errorf("%s %s: %w", command[0], command[1], err), said.Close(), complaint.Close())
	}
	return errors.Join(said.Close(), complaint.Close())
}

// askAWS runs a command of the AWS CLI and returns its output. An error contains what the CLI wrote
// about the failure.
func askAWS(ctx context.Context, command []string) ([]byte, error) {
	if _, err := exec.LookPath(command[0]); err != nil {
		return nil, errors.New("the AWS CLI is missing; install it as docs/deploy.md says, and run make deploy again")
	}
	var said, complaint bytes.Buffer
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Stdout, c.Stderr = &said, &complaint
	c.Env = append(os.Environ(), "AWS_PAGER=")
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(complaint.String()))
	}
	return said.Bytes(), nil
}

// quoted returns a command as a POSIX shell reads it.
func quoted(command []string) string {
	words := make([]string, len(command))
	for i, word := range command {
		if words[i] = word; word == "" || strings.Trim(word, plain) != "" {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// plain are the characters that no shell gives a meaning.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@,="
