// Package config is the deployment's configuration, read from the environment once, at start. Nothing else reads the
// environment.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Sandbox is the BasecampURL that means the built-in demo company instead of Basecamp.
const Sandbox = "sandbox"

// Config is what a deployment can choose.
type Config struct {
	PublicURL      string   // https://host; empty: taken from the gateway's own domain name
	Toolsets       []string // the toolsets served, an upper bound; empty: all that are on by default
	ReadOnly       bool     // no tool that writes is served
	AllowedOrigins []string // browser origins let in besides our own and loopback ones
	BasecampURL    string   // https://host of the API, or Sandbox
	LaunchpadURL   string
	Contact        string // e-mail or link of who runs this deployment, sent in the User-Agent
	LogLevel       slog.Level

	// For the local server only: a personal access token, and which account it is for when it opens several.
	AccessToken string
	AccountID   int64
}

// Load reads the configuration; toolsets are those there are to choose from. The error names every variable that is wrong,
// on one line.
func Load(getenv func(string) string, toolsets []string) (Config, error) {
	r := reader{getenv: getenv}
	c := Config{
		PublicURL:      r.origin("PUBLIC_URL", ""),
		Toolsets:       r.choices("TOOLSETS", toolsets),
		ReadOnly:       r.boolean("READ_ONLY"),
		AllowedOrigins: r.origins("ALLOWED_ORIGINS"),
		BasecampURL:    r.basecampURL(),
		LaunchpadURL:   r.origin("LAUNCHPAD_URL", "https://launchpad.37signals.com"),
		Contact:        r.contact("USER_AGENT_CONTACT"),
		LogLevel:       r.level("LOG_LEVEL"),
		AccessToken:    r.word("BASECAMP_ACCESS_TOKEN"),
		AccountID:      r.id("BASECAMP_ACCOUNT_ID"),
	}
	if len(r.problems) > 0 {
		return Config{}, errors.New("configuration: " + strings.Join(r.problems, "; "))
	}
	return c, nil
}

// LogValue keeps the token out of logs.
func (c Config) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("public_url", c.PublicURL),
		slog.String("basecamp", c.BasecampURL),
		slog.Bool("read_only", c.ReadOnly),
		slog.Any("toolsets", c.Toolsets),
	)
}

type reader struct {
	getenv   func(string) string
	problems []string
}

func (r *reader) get(name string) string { return strings.TrimSpace(r.getenv(name)) }

// bad notes what a variable must be. The value itself may be a secret in the wrong place, and is not repeated.
func (r *reader) bad(name, want string) {
	r.problems = append(r.problems, fmt.Sprintf("%s must be %s", name, want))
}

func (r *reader) basecampURL() string {
	if r.get("BASECAMP_API_URL") == Sandbox {
		return Sandbox
	}
	return r.origin("BASECAMP_API_URL", "https://3.basecampapi.com")
}

// origin reads scheme://host[:port], https unless the host is this machine.
func (r *reader) origin(name, otherwise string) string {
	text := r.get(name)
	if text == "" {
		return otherwise
	}
	origin, ok := parseOrigin(text)
	if !ok {
		r.bad(name, "an origin such as https://example.com, with http allowed for this machine only")
	}
	return origin
}

func parseOrigin(text string) (string, bool) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return "", false
	}
	local := slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return "", false
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), true
}

func (r *reader) origins(name string) []string {
	var origins []string
	for _, text := range r.list(name) {
		origin, ok := parseOrigin(text)
		if !ok {
			r.bad(name, "origins such as https://example.com, comma separated")
			return nil
		}
		origins = append(origins, origin)
	}
	return origins
}

func (r *reader) list(name string) []string {
	var words []string
	for word := range strings.SplitSeq(r.get(name), ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// choices reads names that must be among those there are.
func (r *reader) choices(name string, there []string) []string {
	words := r.list(name)
	if slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(there, word) }) {
		r.bad(name, "some of "+strings.Join(there, ", "))
	}
	return words
}

func (r *reader) boolean(name string) bool {
	switch r.get(name) {
	case "true":
		return true
	case "", "false":
		return false
	}
	r.bad(name, "true or false")
	return false
}

func (r *reader) level(name string) slog.Level {
	level := slog.LevelInfo
	if text := r.get(name); text != "" && level.UnmarshalText([]byte(text)) != nil {
		r.bad(name, "DEBUG, INFO, WARN or ERROR")
	}
	return level
}

// word reads a value that goes into a header and can hold no blank or control character.
func (r *reader) word(name string) string {
	text := r.get(name)
	if strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' }) {
		r.bad(name, "one word of printable ASCII")
	}
	return text
}

func (r *reader) contact(name string) string {
	text := r.get(name)
	if text == "" {
		return ""
	}
	address, mailErr := mail.ParseAddress(text)
	link, linkErr := url.Parse(text)
	isMail := mailErr == nil && address.Address == text
	isLink := linkErr == nil && link.Scheme == "https" && link.Host != ""
	if !isMail && !isLink || strings.ContainsAny(text, "()\r\n") {
		r.bad(name, "an e-mail address or an https link, which Basecamp asks of every client")
	}
	return text
}

func (r *reader) id(name string) int64 {
	text := r.get(name)
	if text == "" {
		return 0
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 {
		r.bad(name, "a positive number")
	}
	return id
}
