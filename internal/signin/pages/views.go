// Package pages renders every page that users see. Pages are rendered on the server, work without
// JavaScript, load nothing from elsewhere and cannot be framed. What clients say about themselves
// is shown as a claim that was not verified. Page texts take the name of a provider from the view.
package pages

import (
	"strings"
	"time"
)

// Landing is the front page: what this server is, and how to connect a client to it.
type Landing struct {
	URL      string // of the MCP endpoint, to paste into clients
	Provider string
	Setup    *Setup   // what the operator must do first; nil when it is done
	Links    []Setup  // the further providers that the operator must register it with, once Setup is done
	Demo     bool     // the data is a made-up company's
	Bearer   string   // a token for trying things; local servers only
	Owner    bool     // the server has an access token of its only user
	Further  []string // the further providers whose tools this server has, at URL/all
	SignedIn bool     // the browser has the cookie of a session, which may have ended
}

// Setup is what the operator of a fresh deployment must do before users can sign in to a provider.
type Setup struct {
	Provider    string
	RegisterURL string // where the operator registers this server with the provider; may be empty
	RedirectURI string // to register with the provider
	Command     string // stores the credentials that the provider issued; may be empty
}

// Form is the part that all forms share. Its fields are the only ones of a form whose view names no
// others.
type Form struct {
	Action string
	Step   string // the sign-in, or the choice, that the form continues
	Token  string // proves that the form was filled in on this server's page
	Shown  string // the sealed time at which the page was sent
}

// For returns the form with another step.
func (f Form) For(step string) Form {
	f.Step = step
	return f
}

// Watched is the value of a form's field shown after the page's script has watched the page in
// front of its user. Without the script, the field has the Shown of the Form, and a page that gives
// access has a box to tick as well: one click at one place must not decide.
const Watched = "watched"

// Consent asks the user whether a client may act for them. Its form has decision=approve or deny,
// and scope=write if the user allows write access, and the fields of the Fence.
type Consent struct {
	Form         Form
	Provider     string
	Client       string // the name that the client gave itself
	ClientHost   string // the host that serves the client's metadata document; empty if it has none
	RedirectHost string // where the answer goes, the only verified fact: shown in large type
	RedirectURI  string
	Loopback     bool     // the answer goes to a program on the user's own machine
	WantsWrite   bool     // the client asks for write access, which the user may decline
	Links        []string // names of the further providers that users can link
	Owner        bool     // the server has an access token of its only user, so no sign-in follows
	Included     []string // names of the further providers that the owner has configured
	Code         OwnerCode
	Unticked     bool // the user has left out writing before
	Fence        Fence
}

// OwnerCode is the code that a server with its owner's access token shows in its terminal. The page
// of a browser that has not entered it before has a field code.
type OwnerCode struct {
	Asked   bool
	Refused string // why the code that the browser has just sent does not count
}

// Choose asks the user which of several accounts a client may use, and which is the default. Its
// form has account, the ID of a chosen account.
type Choose struct {
	Form     Form
	Provider string
	Client   string
	Person   string
	Accounts []Account
}

// Account is an account at the provider.
type Account struct {
	ID        int64
	Name      string
	Used      bool // it is ticked
	Default   bool
	Suspended bool // it cannot be used
}

// Start asks the user to go on to the provider's sign-on.
type Start struct {
	Form      Form
	Provider  string
	Reconnect bool // the provider stopped accepting this server's access
	Owner     bool // the server has an access token of its only user, so no sign-in follows
	Pipe      bool // the assistant started the server, and acts for the user who signs in
	Account   bool // the account page follows, which shows the connected apps
	Code      OwnerCode
}

// Connected confirms that the sign-in succeeded and that the browser is no longer needed.
type Connected struct {
	Provider    string
	Person      string
	Reconnected bool
	Assistant   bool // the user came from an assistant, which goes on now
}

// Link asks the user whether to link an account of a further provider.
type Link struct {
	Form     Form
	Provider string
	First    string   // the provider that the user signed in with
	Person   string   // the user's name there
	Account  string   // the linked account that must return; empty at a first link
	Asks     []string // what this server asks for, in words
	Keeps    []string // what the user has allowed before, in words
}

// SignInFirst asks the user to sign in before a link to a further provider goes on.
type SignInFirst struct {
	Form     Form
	Provider string // to link
	First    string // to sign in with
}

// Linked confirms that an account of a further provider is linked, to a user who came from an
// assistant.
type Linked struct {
	Provider string
	Account  string
	May      []string // what the user allowed, in words; nil if the provider does not say
	Refused  []string // what this server asked for and the user did not allow, in words
}

// Overview is the account page: the connected providers and apps, and how to disconnect them.
type Overview struct {
	Form      Form // a button's step is the ID of an app, or "all"
	Now       time.Time
	Person    string
	Providers []Provider
	Clients   []Connection
	Calls     []Call // the latest, newest first
	Notice    string // what the user has just done
	Machines  bool   // the user can connect programs without a browser
}

// Provider is a provider as the user's account page shows it.
type Provider struct {
	Name        string
	Healthy     bool       // the provider accepts this server's access
	ConnectedAt time.Time  // zero if the user has not connected it
	ExpiresAt   time.Time  // zero if the access does not expire
	Connect     string     // path that starts a sign-in to connect or reconnect it
	Link        *LinkState // nil for the provider that users sign in with
}

// LinkState is the part of a provider's state that only a provider has which users link.
type LinkState struct {
	Account string   // the linked account
	May     []string // what the user allowed, in words; nil if the provider does not say
	Asks    []string // what a first link asks for, in words
	Unlink  Form     // unlinks it
}

// Connection is a client with access.
type Connection struct {
	ID        string
	Client    string
	Host      string // where the client comes from; may be empty
	Account   string
	Write     bool
	Limits    []string // in words
	Change    string   // path of the page that changes the limits
	CreatedAt time.Time
	UsedAt    time.Time // of the latest call or token refresh that is known; zero if there is none
	EndsAt    time.Time // of a machine
}

// Call is a tool call that a client made for the user, or several that only read.
type Call struct {
	Time   time.Time
	Did    []Deed
	More   int    // items beyond Did
	Client string // the name that the client gave itself; may be empty
	// Connection is the ID of the client's connection; it is not shown.
	Connection string
}

// NewMachine asks the user about a program without a browser that will act for them. Its form has
// name, days, account, write, "toolset NAME" for each toolset, and proof=token or secret.
type NewMachine struct {
	Form     Form
	Person   string
	Accounts []Account
	Toolsets []string
	Fence    Fence

	// What the user has given before, and what is wrong with it.
	Wrong, Name, Days string
	Chosen            map[string]bool // names of ticked boxes, and the way to prove
}

// Machine shows the credentials of a new machine, once.
type Machine struct {
	Name, Client, Scope string
	Proof               string // token or secret
	Secret              string // the token or the secret
	URL, TokenURL       string
	ExpiresAt           time.Time
}

// Changes is the page of what a user's apps wrote, and of how to undo it.
type Changes struct {
	Form  Form // a button's step is the ID of a change, or the Step of a run
	Now   time.Time
	Runs  []Run       // the latest, newest first
	Taken []TakenBack // what became of what the user has just undone
}

// Run is what an app wrote without another app between it.
type Run struct {
	Client  string
	Time    time.Time // of the last change
	Step    string    // undoes all that can be undone; empty if that is one change, or none
	Changes []Change  // newest first
}

// Change is a tool call that wrote something.
type Change struct {
	ID       string
	Did      []Deed
	More     int // items beyond Did
	Undoable bool
	Undone   bool
	Reason   string // why it cannot be undone
}

// Deed is what was done to an item: "Created the to-do", with the titles of the item and of what it
// is in; either may be empty.
type Deed struct{ What, Title, Within string }

// TakenBack says what became of a change that was to be undone.
type TakenBack struct {
	Result string // in words
	Did    string // what the change had done; may be empty
	Reason string // may be empty
}

// DisconnectAll asks the user to confirm that every app and every provider is disconnected, with
// confirm=yes.
type DisconnectAll struct {
	Form      Form
	Providers []string // names
}

// Failure says what failed and what to do next. Its page may be part of a client's sign-in: callers
// isolate it elsewhere.
type Failure struct {
	Status    int
	Title     string
	Message   string
	Next      string
	Link      string // where to start again; may be empty, and is not shown if it leads away
	RequestID string
}

// Fence is the part of a form in which a user limits a client. It shows what is stored, or what the
// user has just typed.
type Fence struct {
	Writes   bool              // the client can write at all
	Further  string            // the provider with repositories and boards; empty if there is none
	Listed   bool              // the projects are a list; if not, the user names them in lines
	Projects []Project         // of the list
	Within   string            // the account of the projects, if the client uses several
	Fields   map[string]string // by name
	Wrong    map[string]string // what is wrong with a field, by its name
}

// Project is a project in the list of a Fence.
type Project struct {
	ID   int64
	Name string // empty if the user does not see it any longer
}

// Limits is the page that limits a connected client. Its form has was, and the fields of the Fence.
type Limits struct {
	Form   Form
	Was    string // the limits that the form shows, for the server to compare
	Client string // the name that the client gave itself
	// Accounts are those of the user, if there are several.
	Accounts []Account
	Fence    Fence
}

// Unfolded reports whether the part of the further provider shows something that it should not fold
// away.
func (f Fence) Unfolded() bool {
	for _, name := range []string{"repos-read", "repos-write", "boards-read", "boards-write", "lockdown"} {
		if f.Fields[name] != "" {
			return true
		}
	}
	return false
}

// FenceField is a field with its label, and what is wrong with it.
type FenceField struct{ Name, Label, Help, Value, Wrong string }

// Field returns a field, with its lines in a form that is safe to show. Help may be empty.
func (f Fence) Field(name, label, help string) FenceField {
	var lines []string
	for line := range strings.Lines(f.Fields[name]) {
		lines = append(lines, claim(500, line))
	}
	return FenceField{name, label, help, strings.Join(lines, "\n"), f.Wrong[name]}
}
