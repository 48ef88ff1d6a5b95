// Package config reads the configuration of a deployment from the environment, once, at start. No
// other package reads the environment.
package config

import (
	"log/slog"
	"slices"
	"strings"
)

// Sandbox is the BasecampURL that means the built-in demo company instead of Basecamp.
const Sandbox = "sandbox"

// Config is the configuration of a deployment.
type Config struct {
	PublicURL    string   // https://host; empty: the gateway's own domain name
	Toolsets     []string // the toolsets that clients can choose from; empty: all
	ReadOnly     bool     // whether tools that write are hidden
	BasecampURL  string   // https://host of the API, or Sandbox
	LaunchpadURL string
	Contact      string // email address or link of the operator, sent in the User-Agent
	LogLevel     slog.Level

	// AllowedAccounts are the Basecamp accounts that may use the deployment, or nil with
	// AnyAccount.
	AllowedAccounts []int64
	AnyAccount      bool
	AllowedClients  []string // hosts of the clients that may connect, and the word programs; empty: all

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

// programs is the word among AllowedClients that allows programs without a browser.
const programs = "programs"

// Programs reports whether users may connect programs without a browser.
func (c Config) Programs() bool {
	return len(c.AllowedClients) == 0 || slices.Contains(c.AllowedClients, programs)
}

// AllowedHosts returns the hosts of the clients that may connect; nil allows all. The word programs
// is no host.
func (c Config) AllowedHosts() []string {
	return slices.DeleteFunc(slices.Clone(c.AllowedClients), func(host string) bool { return host == programs })
}

// AWS names the stores in AWS.
type AWS struct {
	Table           string // the DynamoDB table
	SecretPrefix    string // of the names of the users' secrets
	LaunchpadSecret string // name of the secret with the application's credentials
	SealsTokens     bool   // tokens are in the table, sealed with the key ring; otherwise each user has a secret
	KeyRing         string // name of the secret with the keys

	Region          string
	AccessKeyID     string
	SecretAccessKey string
	SessionToken    string
	DynamoDB        string // endpoint; empty: the one of the region
	SecretsManager  string // endpoint; empty: the one of the region
}

// Load reads the configuration. toolsets are the names of all toolsets, or nil for a program that
// serves none. The error names every invalid variable, on one line.
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
		BasecampURL:    r.basecampURL(),
		LaunchpadURL:   r.origin("LAUNCHPAD_URL", "https://launchpad.37signals.com"),
		Contact:        r.contact("USER_AGENT_CONTACT"),
		LogLevel:       r.level("LOG_LEVEL"),
		AllowedClients: each(&r, "ALLOWED_CLIENTS", "hosts such as claude.ai, comma separated, and programs", parseHost),
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
