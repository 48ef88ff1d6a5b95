// Package config reads the configuration of a deployment from the environment, once, at start. No
// other package reads the environment.
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
	"time"
)

// Sandbox is the BasecampURL that means the built-in demo company instead of Basecamp.
const Sandbox = "sandbox"

// Config is the configuration of a deployment.
type Config struct {
	PublicURL      string   // https://host; empty: the gateway's own domain name
	Toolsets       []string // the toolsets that clients can choose from; empty: all
	ReadOnly       bool     // whether tools that write are hidden
	AllowedOrigins []string // of browsers, in addition to the server's own and loopback ones
	BasecampURL    string   // https://host of the API, or Sandbox
	LaunchpadURL   string
	Contact        string // email address or link of the operator, sent in the User-Agent
	LogLevel       slog.Level
	Function       string // name of the Lambda function, for metrics; empty: no metrics

	// AllowedAccounts are the Basecamp accounts that may use the deployment, or nil with
	// AnyAccount.
	AllowedAccounts []int64
	AnyAccount      bool
	AccessTTL       time.Duration // of this server's access tokens; zero: an hour
	RedirectURIs    []string      // with private-use schemes, that clients may register in addition to the built-in ones

	GitHub GitHub
	AWS    AWS

	// Only for the local server: an application registered with 37signals, or an access token.
	ClientID     string
	ClientSecret string
	AccessToken  string // a personal access token
	AccountID    int64  // the account to use if the access token has several; zero: the only one
	Stdio        bool   // the client is at the other end of a pipe
	Loopback     bool   // the server listens only on a loopback address
	Data         string // directory of the file store; empty: there is none
	StoreChosen  bool   // whether the user chose the store: then the server does not use another

	// NoClientDocuments leaves client metadata documents out, so that clients register.
	NoClientDocuments bool
	// Command is the command line that starts a local server again, as the user's shell reads it.
	// It is empty if the user does not start it from a shell.
	Command string
	// HideBearer keeps a local server's own bearer token off the front page.
	HideBearer bool
}

// AWS names the stores in AWS.
type AWS struct {
	Table           string // the DynamoDB table
	SecretPrefix    string // of the names of the users' secrets
	LaunchpadSecret string // name of the secret with the application's credentials
	// SealsTokens stores new tokens in the table, sealed with a key of the ring.
	SealsTokens bool
	KeyRing     string // name of the secret with the keys; empty: there is none

	Region          string
	AccessKeyID     string
	SecretAccessKey string
	SessionToken    string
	DynamoDB        string // endpoint; empty: the one of the region
	SecretsManager  string // endpoint; empty: the one of the region
}

// Load reads the configuration. toolsets are the names of all toolsets. The error names every
// invalid variable, on one line.
func Load(getenv func(string) string, toolsets []string) (Config, error) {
	c, problems := read(getenv, toolsets)
	return c, problems.err()
}

// LoadLocal reads the configuration of a local server with these flags.
func LoadLocal(getenv func(string) string, toolsets []string, flags LocalFlags) (Config, error) {
	if flags.Upstream == Sandbox || flags.Upstream == auto && !hasAny(getenv, "BASECAMP_CLIENT_ID", "BASECAMP_CLIENT_SECRET", "BASECAMP_ACCESS_TOKEN") {
		getenv = override(getenv, Sandbox, "BASECAMP_API_URL")
	}
	if flags.Store != storeAWS {
		getenv = override(getenv, "", "GITHUB_SECRET")
	}
	c, err := Load(getenv, toolsets)
	c.NoClientDocuments = flags.NoClientDocuments
	c.Data, c.StoreChosen = flags.data(), flags.StoreGiven
	return c, err
}

// LoadFunction reads the configuration of a Lambda. The error also names missing variables that a
// Lambda needs.
func LoadFunction(getenv func(string) string, toolsets []string) (Config, error) {
	c, problems := read(override(getenv, "", "GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET", "GITHUB_ACCESS_TOKEN"), toolsets)
	for _, p := range c.missing() {
		problems.add(p)
	}
	return c, problems.err()
}

// auto is the Upstream that is live if the environment has credentials for Basecamp.
const auto = "auto"

// hasAny reports whether one of these variables has a value.
func hasAny(getenv func(string) string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.TrimSpace(getenv(name)) != "" })
}

// override returns getenv with one value for all of these variables.
func override(getenv func(string) string, value string, names ...string) func(string) string {
	return func(name string) string {
		if slices.Contains(names, name) {
			return value
		}
		return getenv(name)
	}
}

func read(getenv func(string) string, toolsets []string) (Config, problems) {
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
		Function:       r.word("AWS_LAMBDA_FUNCTION_NAME"),
		AccessTTL:      r.accessTTL("ACCESS_TOKEN_TTL"),
		RedirectURIs:   r.redirectURIs("ALLOWED_REDIRECT_URIS"),
		GitHub:         r.github(),
		AWS:            r.aws(),
		ClientID:       r.word("BASECAMP_CLIENT_ID"),
		ClientSecret:   r.word("BASECAMP_CLIENT_SECRET"),
		AccessToken:    r.word("BASECAMP_ACCESS_TOKEN"),
		AccountID:      r.id("BASECAMP_ACCOUNT_ID"),
	}
	c.AllowedAccounts, c.AnyAccount = r.accounts("ALLOWED_ACCOUNTS")
	r.pair("BASECAMP_CLIENT_ID", c.ClientID, "BASECAMP_CLIENT_SECRET", c.ClientSecret)
	r.checkGitHub(c)
	return c, r.problems
}

// Complete returns an error that names the missing variables that a Lambda needs; the demo needs
// none. The operator must choose the accounts that may log in: by default, no stranger may use a
// deployment that the operator pays for.
func (c Config) Complete() error { return c.missing().err() }

func (c Config) missing() (missing problems) {
	if c.BasecampURL == Sandbox {
		return nil
	}
	if c.Contact == "" && c.PublicURL == "" {
		missing = append(missing, problem{"USER_AGENT_CONTACT", contactWanted + ", unless PUBLIC_URL is set"})
	}
	if len(c.AllowedAccounts) == 0 && !c.AnyAccount {
		missing = append(missing, problem{"ALLOWED_ACCOUNTS", accountsWanted})
	}
	missing = append(missing, c.AWS.missing()...)
	if c.AWS.LaunchpadSecret == "" {
		missing = append(missing, problem{"LAUNCHPAD_SECRET", "set"})
	}
	return missing
}

// OwnCredentials reports whether the environment has an application's credentials. Then a local
// server does not read LAUNCHPAD_SECRET.
func (c Config) OwnCredentials() bool { return c.ClientID != "" && c.ClientSecret != "" }

// CompleteLocal returns an error that names the missing variables that a local server with stores
// in AWS needs. The demo has credentials of its own.
func (c Config) CompleteLocal() error {
	missing := c.AWS.missing()
	if c.AWS.LaunchpadSecret == "" && c.BasecampURL != Sandbox && !c.OwnCredentials() {
		missing = append(missing, problem{"LAUNCHPAD_SECRET", "set, or BASECAMP_CLIENT_ID and BASECAMP_CLIENT_SECRET instead"})
	}
	return missing.err()
}

// Complete returns an error that names the missing variables that stores in AWS need, except the
// application's credentials.
func (a AWS) Complete() error { return a.missing().err() }

func (a AWS) missing() (missing problems) {
	for _, variable := range []struct{ name, value string }{
		{"TABLE_NAME", a.Table}, {"SECRET_PREFIX", a.SecretPrefix},
		{"AWS_REGION", a.Region}, {"AWS_ACCESS_KEY_ID", a.AccessKeyID}, {"AWS_SECRET_ACCESS_KEY", a.SecretAccessKey},
	} {
		if variable.value == "" {
			missing = append(missing, problem{variable.name, "set"})
		}
	}
	if a.SealsTokens && a.KeyRing == "" {
		missing = append(missing, problem{"KEY_RING_SECRET", "set, because TOKEN_STORE is envelope"})
	}
	return missing
}

// LogValue omits tokens and credentials.
func (c Config) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("public_url", c.PublicURL),
		slog.String("basecamp", c.BasecampURL),
		slog.Bool("read_only", c.ReadOnly),
		slog.Any("toolsets", c.Toolsets),
	)
}

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

// choices reads a list of names, which must be among known.
func (r *reader) choices(name string, known []string) []string {
	words := r.list(name)
	if slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(known, word) }) {
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
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 {
		r.bad(name, "a positive number")
	}
	return id
}

const accountsWanted = "the IDs of the Basecamp accounts that may use this server, comma separated, or * for any"

// accounts reads account IDs, comma separated, or * for any account.
func (r *reader) accounts(name string) (ids []int64, anyAccount bool) {
	if r.get(name) == "*" {
		return nil, true
	}
	for _, word := range r.list(name) {
		id, err := strconv.ParseInt(word, 10, 64)
		if err != nil || id <= 0 {
			r.bad(name, accountsWanted)
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, false
}

// With a shorter access token, clients would refresh all day. A longer one would stay valid for
// longer than users expect after a logout elsewhere.
const minAccessTTL, maxAccessTTL = 5 * time.Minute, 24 * time.Hour

func (r *reader) accessTTL(name string) time.Duration {
	text := r.get(name)
	if text == "" {
		return 0
	}
	ttl, err := time.ParseDuration(text)
	if err != nil || ttl < minAccessTTL || ttl > maxAccessTTL {
		r.bad(name, "a duration from 5m to 24h, such as 1h")
	}
	return ttl
}

// redirectURIs reads URIs with private-use schemes. URIs with other schemes follow fixed rules (RFC
// 8252 section 7).
func (r *reader) redirectURIs(name string) []string {
	uris := r.list(name)
	for _, uri := range uris {
		u, err := url.Parse(uri)
		if err != nil || u.Scheme == "" || u.Host == "" || u.Fragment != "" || slices.Contains(unsafeSchemes, strings.ToLower(u.Scheme)) {
			r.bad(name, "URIs such as editor://publisher.plugin/callback, comma separated")
			return nil
		}
	}
	return uris
}

var unsafeSchemes = []string{"http", "javascript", "data", "file", "vbscript", "blob"}

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
