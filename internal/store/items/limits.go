package items

import "encoding/json"

// Limits are how many items of a kind an engine keeps; the oldest go first. Any client can register
// and start logins without authentication, so their number is limited. The numbers are exceeded by
// what is written between two sweeps. Idempotency keys are never removed early; see addKey. A
// table has no limit.
var Limits = []Limit{
	{kindClient, 10_000, Connected},
	{kindConnected, 10_000, Together},
	{kindLoginState, 10_000, State},
	{kindLink, 10_000, Together},
	{kindCode, 10_000, Together},
	{kindEndedCodes, 10_000, Together},
	{kindFamily, 10_000, Together},
	{kindChecklist, 1_000, Together},
	{kindLatest, 10_000, Together},
	{kindLedger, 10_000, Together},
	{kindAccess, 1_000, Owner},
	{kindRefresh, 1_000, Owner},
	{kindMarks, 10_000, Together},
	{kindLine, 10_000, Owner},
	{kindCall, 10_000, Owner},
	{kindOpposite, 10_000, Owner},
}

// Limit is how many items of a kind an engine keeps of each group.
type Limit struct {
	Kind string
	Most int
	By   Group
}

// Group says which items of a kind are counted together.
type Group int

// Items are counted all together, for each owner, for each kind of login state, or apart for
// clients that have a connection.
const (
	Together Group = iota
	Owner
	State
	Connected
)

// ConnectedKind is the kind of the items whose names are those of connected clients.
const ConnectedKind = kindConnected

// StateOf returns the kind of a login state in the body of its item.
func StateOf(body []byte) string {
	var state struct{ Kind string }
	_ = json.Unmarshal(body, &state) // an unreadable one is of no kind
	return state.Kind
}
