package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/plaintext"
)

// Human is one person in both systems, as the caller knows it.
type Human struct {
	Account int64  `json:"-"`      // of Basecamp
	Person  int64  `json:"person"` // in Basecamp
	Name    string `json:"name"`   // there, when it was learnt
	Login   string `json:"login"`  // on GitHub
	How     How    `json:"how"`
}

// How says how it was learnt who is who.
type How string

// The ways to learn who is who.
const (
	ByOwnLink How = "own"  // by the caller's own link to GitHub, which is not stored here
	ByPair    How = "pair" // by a pair of things that are assigned to one person each
	ByCaller  How = "told"
)

// String returns what a caller is told about a person.
func (p Human) String() string {
	return fmt.Sprintf("%s (person:%d) is @%s", plaintext.Quote(p.Name), p.Person, p.Login)
}

// meets reports whether two entries share the person or the login.
func (p Human) meets(other Human) bool {
	return p.Person == other.Person || strings.EqualFold(p.Login, other.Login)
}

// mostHumans is how many people a map has.
const mostHumans = 200

// humans is the row with the people whom the caller knows in an account of Basecamp.
type humans struct {
	All []Human `json:"all"`

	revision int64
}

const humansPrefix = "P/"

func humansKey(account int64) string { return humansPrefix + strconv.FormatInt(account, 10) + "|" }

// People returns whom the caller knows in both systems, in the account of the connection.
func (h *Hub) People(ctx context.Context) ([]Human, error) {
	account := accountOf(ctx)
	stored, err := h.humans(ctx, account)
	if err != nil || h.Self == nil {
		return stored.All, err
	}
	self, known, err := h.Self(ctx)
	if err != nil || !known {
		return stored.All, err
	}
	self.Account, self.How = account, ByOwnLink
	return append([]Human{self}, slices.DeleteFunc(stored.All, self.meets)...), nil
}

// Kept returns whom the caller knows in all accounts, without the caller.
func (h *Hub) Kept(ctx context.Context) (all []Human, err error) {
	rows, err := h.stored(ctx, humansPrefix)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		account, _ := strconv.ParseInt(strings.Trim(row.Key, humansPrefix+"|"), 10, 64)
		found, err := readHumans(row, account)
		if err != nil {
			return nil, err
		}
		all = append(all, found.All...)
	}
	return all, nil
}

func accountOf(ctx context.Context) int64 {
	c, _ := identity.From(ctx)
	return c.Account
}

func readHumans(row Row, account int64) (v humans, err error) {
	if err := json.Unmarshal(row.Body, &v); err != nil {
		return v, fmt.Errorf("read who is who: %w", err)
	}
	v.revision = row.Revision
	for i := range v.All {
		v.All[i].Account = account
	}
	return v, nil
}

func (h *Hub) humans(ctx context.Context, account int64) (humans, error) {
	rows, err := h.stored(ctx, humansKey(account))
	if err != nil || len(rows) == 0 {
		return humans{}, err
	}
	return readHumans(rows[0], account)
}

// Introduce keeps that a person and a login are the same human, and reports whether that is new. It
// returns an error if one of them is known as another human.
func (h *Hub) Introduce(ctx context.Context, who Human) (changed bool, err error) {
	known, err := h.People(ctx)
	if err != nil {
		return false, err
	}
	if i := slices.IndexFunc(known, who.meets); i >= 0 && known[i].How == ByOwnLink {
		return false, who.unless(known[i])
	}
	who.Account = accountOf(ctx)
	return h.changeHuman(ctx, who, &who, nil)
}

// unless returns an error if an entry says something else.
func (p Human) unless(known Human) error {
	if p.Person == known.Person && strings.EqualFold(p.Login, known.Login) {
		return nil
	}
	advice := "take that away first with remove: true"
	if known.How == ByOwnLink {
		advice = "that is your own link to GitHub"
	}
	return fault.New(fault.Conflict, "%s, so @%s cannot be person:%d; %s", known, p.Login, p.Person, advice)
}

// Part takes away that a person and a login are the same human, in the account of the entry or else
// of the connection.
func (h *Hub) Part(ctx context.Context, who Human) (changed bool, err error) {
	if who.Account == 0 {
		who.Account = accountOf(ctx)
	}
	return h.changeHuman(ctx, who, nil, nil)
}

// changeHuman makes the entry of a person and a login as it should be, nil for none. If unless is
// not nil, it is asked whether the entry as it is may be changed.
func (h *Hub) changeHuman(ctx context.Context, who Human, to *Human, unless func(now *Human) error) (changed bool, err error) {
	for range attempts {
		now, err := h.humans(ctx, who.Account)
		if err != nil {
			return false, err
		}
		var was *Human
		if i := slices.IndexFunc(now.All, who.meets); i >= 0 {
			found := now.All[i]
			if err := who.unless(found); err != nil && to != nil {
				return false, err
			} else if err == nil {
				was = &found
			}
		}
		if unless != nil {
			if err := unless(was); err != nil {
				return false, err
			}
		}
		if was == nil && to == nil || was != nil && to != nil {
			return false, nil
		}
		if now, err = now.with(who, to); err != nil {
			return false, err
		}
		err = h.keep(ctx, step{Human: &humanStep{who.Account, was, to}}, func() error {
			return h.saveAs(ctx, Row{Key: humansKey(who.Account), Revision: now.revision + 1}, now)
		})
		if !errors.Is(err, ErrChanged) {
			return err == nil, err
		}
	}
	return false, unreachable(ErrChanged)
}

// with returns the people after a change of one.
func (v humans) with(who Human, to *Human) (humans, error) {
	v.All = slices.DeleteFunc(slices.Clone(v.All), who.meets)
	if to == nil {
		return v, nil
	}
	if v.All = append(v.All, *to); len(v.All) > mostHumans {
		return v, fault.New(fault.LimitReached, "you know %d people in both systems, which is the limit; take one away with remove: true", mostHumans)
	}
	return v, nil
}

// loginOf returns the login of person:1 or @login; empty if it is not known.
func (h *Hub) loginOf(ctx context.Context, who string) (string, error) {
	if login, ok := strings.CutPrefix(who, "@"); ok {
		return login, nil
	}
	known, err := h.People(ctx)
	for _, p := range known {
		if who == PersonRef(p.Person) {
			return p.Login, nil
		}
	}
	return "", err
}

// PersonRef returns the reference to a person in Basecamp.
func PersonRef(id int64) string { return "person:" + strconv.FormatInt(id, 10) }

// Learn keeps who is who, if two things of a pair are assigned to one person each, of whom neither
// is known. It returns what it learnt, or nil.
func (h *Hub) Learn(ctx context.Context, a, b Thing, name func(person int64) string) *Human {
	if strings.HasPrefix(a.Assignee, "@") {
		a, b = b, a
	}
	login, isLogin := strings.CutPrefix(b.Assignee, "@")
	id, err := strconv.ParseInt(strings.TrimPrefix(a.Assignee, "person:"), 10, 64)
	if err != nil || !isLogin {
		return nil
	}
	who := Human{Person: id, Name: name(id), Login: login, How: ByPair}
	known, err := h.People(ctx)
	if err != nil || slices.ContainsFunc(known, who.meets) {
		return nil
	}
	if changed, err := h.Introduce(ctx, who); err != nil || !changed {
		return nil
	}
	return &who
}
