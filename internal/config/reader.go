package config

import (
	"errors"
	"log/slog"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// problem says what an invalid variable must be.
type problem struct{ name, want string }

type problems []problem

// add keeps one problem for each variable.
func (p *problems) add(another problem) {
	if !slices.ContainsFunc(*p, func(known problem) bool { return known.name == another.name }) {
		*p = append(*p, another)
	}
}

func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	texts := make([]string, len(p))
	for i, each := range p {
		texts[i] = each.name + " must be " + each.want
	}
	return errors.New("configuration: " + strings.Join(texts, "; "))
}

type reader struct {
	getenv   func(string) string
	problems problems
}

func (r *reader) get(name string) string { return strings.TrimSpace(r.getenv(name)) }

// bad records what a variable must be. It omits the value, which may be a secret in the wrong
// variable.
func (r *reader) bad(name, want string) {
	r.problems.add(problem{name, want})
}

func (r *reader) basecampURL() string {
	if r.get("BASECAMP_API_URL") == Sandbox {
		return Sandbox
	}
	return r.origin("BASECAMP_API_URL", "https://3.basecampapi.com")
}

// origin reads scheme://host[:port]. The scheme must be https, unless the host is this machine.
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
	if err != nil || !host.MatchString(u.Host) || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return "", false
	}
	local := slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return "", false
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), true
}

// host matches valid hosts; net/url accepts more.
var host = regexp.MustCompile(`^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(:[0-9]{1,5})?$`)

func (r *reader) list(name string) []string {
	var words []string
	for word := range strings.SplitSeq(r.get(name), ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// each reads a list whose entries must have a form. It returns nil if one has not.
func each[T any](r *reader, name, want string, form func(string) (T, bool)) (all []T) {
	for _, text := range r.list(name) {
		one, ok := form(text)
		if !ok {
			r.bad(name, want)
			return nil
		}
		all = append(all, one)
	}
	return all
}

// choices reads a list of names, which must be among known, unless that is nil.
func (r *reader) choices(name string, known []string) []string {
	words := r.list(name)
	if known != nil && slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(known, word) }) {
		r.bad(name, "some of "+strings.Join(known, ", "))
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

// oneOf reads one of two words. The first is the default.
func (r *reader) oneOf(name, first, second string) string {
	text := r.get(name)
	if text != "" && text != first && text != second {
		r.bad(name, first+" or "+second)
	}
	return text
}

func (r *reader) level(name string) slog.Level {
	level := slog.LevelInfo
	text := r.get(name)
	if text != "" && (level.UnmarshalText([]byte(text)) != nil || strings.ContainsAny(text, "+-")) { // such as ERROR+9
		r.bad(name, "DEBUG, INFO, WARN or ERROR")
	}
	return level
}

// word reads a value for a header, without spaces and control characters.
func (r *reader) word(name string) string {
	text := r.get(name)
	if strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' }) {
		r.bad(name, "one word of printable ASCII")
	}
	return text
}

const contactWanted = "an email address or an https link, which Basecamp requires of every client"

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
		r.bad(name, contactWanted)
	}
	return text
}

func (r *reader) id(name string) int64 {
	text := r.get(name)
	if text == "" {
		return 0
	}
	id, ok := parseID(text)
	if !ok {
		r.bad(name, "a positive number")
	}
	return id
}

func parseID(text string) (id int64, ok bool) {
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil && id > 0
}

const accountsWanted = "the IDs of the Basecamp accounts that may use this server, comma separated, or * for any"

// accounts reads account IDs, comma separated, or * for any account.
func (r *reader) accounts(name string) (ids []int64, anyAccount bool) {
	if r.get(name) == "*" {
		return nil, true
	}
	return each(r, name, accountsWanted, parseID), false
}

// parseHost reads the name of a host, and returns it in lower case.
func parseHost(text string) (string, bool) {
	u, err := url.Parse("https://" + text)
	return strings.ToLower(text), err == nil && u.Hostname() != "" && u.Host == text
}

// prefix reads a prefix of names. It ends in a slash, like the resource in the permissions of a
// role.
func (r *reader) prefix(name string) string {
	text := r.word(name)
	if text != "" && !strings.HasSuffix(text, "/") {
		r.bad(name, "the beginning of names, up to a slash")
	}
	return text
}

func (r *reader) aws() AWS {
	return AWS{
		Table:           r.word("TABLE_NAME"),
		SecretPrefix:    r.prefix("SECRET_PREFIX"),
		LaunchpadSecret: r.word("LAUNCHPAD_SECRET"),
		SealsTokens:     r.oneOf("TOKEN_STORE", "secrets", "envelope") == "envelope",
		KeyRing:         r.word("KEY_RING_SECRET"),
		Region:          r.word("AWS_REGION"),
		AccessKeyID:     r.word("AWS_ACCESS_KEY_ID"),
		SecretAccessKey: r.word("AWS_SECRET_ACCESS_KEY"),
		SessionToken:    r.word("AWS_SESSION_TOKEN"),
		DynamoDB:        r.origin("AWS_ENDPOINT_URL_DYNAMODB", ""),
		SecretsManager:  r.origin("AWS_ENDPOINT_URL_SECRETS_MANAGER", ""),
	}
}
