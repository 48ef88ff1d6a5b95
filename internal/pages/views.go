// Package pages is every page a person sees. They are rendered on the server, work without JavaScript, load nothing from
// anywhere, and may not be framed. What clients say of themselves is shown as what it is: a claim.
package pages

import "time"

// Landing is the front page: what this is, and how to connect a client to it.
type Landing struct {
	URL   string // of the MCP endpoint, to be pasted into clients
	Setup *Setup // what the deployer has to do first; nil when that is done
	Demo  bool   // Basecamp is a made-up company
	// Bearer is set where a token is given out for trying things, on one's own machine.
	Bearer string
}

// Setup is the one step left between a fresh deployment and its first login.
type Setup struct {
	RedirectURI string // to be registered with 37signals
	Command     string // stores the credentials that 37signals gives
}

// Form is what every form of ours carries: where it goes, which step of which login it belongs to, and the token that shows
// that it was filled in on our page.
type Form struct {
	Action string
	Step   string
	Token  string
}

// Consent asks whether a client may act in the person's name.
type Consent struct {
	Form         Form
	Client       string // the name it gives itself
	ClientHost   string // the host its description was fetched from; "" when it merely registered
	RedirectHost string // where the answer is sent, the only thing known for sure: shown large
	RedirectURI  string
	Loopback     bool // the answer goes to a program on the person's own machine, any program there
	WantsWrite   bool // it asks to change things too, which the person may untick
}

// Choose asks which of several accounts a client is for.
type Choose struct {
	Form     Form
	Client   string
	Person   string
	Accounts []Account
}

// Account is a Basecamp account.
type Account struct {
	ID   int64
	Name string
}

// Start asks to go on to Basecamp: to connect, or to reconnect after Basecamp stopped accepting us.
type Start struct {
	Form      Form
	Reconnect bool
}

// Connected says that it worked, and that the browser is not needed any more.
type Connected struct {
	Person      string
	Reconnected bool
}

// Overview is the account page: what is connected, and how to end it.
type Overview struct {
	Form        Form // its Step is the connection to end, or "all"
	Person      string
	Healthy     bool // Basecamp accepts what we hold
	ConnectedAt time.Time
	ExpiresAt   time.Time
	Clients     []Connection
	Calls       []Call // the latest, newest first
	Notice      string // what has just been done
}

// Connection is a client with access.
type Connection struct {
	ID        string
	Client    string
	Host      string
	Account   string
	Write     bool
	CreatedAt time.Time
	UsedAt    time.Time // when its tokens were last renewed
}

// Call is something a client did in the person's name.
type Call struct {
	Time   time.Time
	Tool   string
	Client string // the name it gave itself; "" when it gave none
	OK     bool
}

// Failure says what went wrong, in words, and what to do next.
type Failure struct {
	Status    int
	Title     string
	Message   string
	Next      string
	Link      string // where to begin again; "" for none
	RequestID string
}
