package authserver

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"basecamp-mcp/internal/pages"
	"basecamp-mcp/internal/provider"
)

// choice is a login that waits for the person to say which account it is for. The tokens are sealed with the browser's
// cookie, so that they lie nowhere readable until the login is finished.
type choice struct {
	Login  login  `json:"login"`
	Person person `json:"person"`
	Tokens []byte `json:"tokens"`
}

// askAccount lets the person choose, in the same browser, before any code exists.
func (b *Broker) askAccount(w http.ResponseWriter, r *http.Request, to login, who person) {
	s := newFormStep()
	plain, err := json.Marshal(who.tokens)
	if err == nil {
		err = b.begin(w, r, atChoice, s, choice{Login: to, Person: who, Tokens: seal(s.cookie, atChoice, plain)})
	}
	if err != nil {
		b.cutShort(w, r, "ask for the account", err)
		return
	}
	view := pages.Choose{
		Form:   pages.Form{Action: "/oauth/choose", Step: s.secret, Token: s.token},
		Client: to.Client.Name,
		Person: who.Name,
	}
	for _, account := range who.Grants {
		view.Accounts = append(view.Accounts, pages.Account(account))
	}
	view.Write(w)
}

// choose takes the account from the form: POST /oauth/choose.
func (b *Broker) choose(w http.ResponseWriter, r *http.Request) {
	form, ok := b.form(w, r)
	if !ok {
		return
	}
	s := b.readFormStep(r, atChoice, form)
	var c choice
	if err := b.peek(r.Context(), s.key(atChoice), s.binding(), &c); err != nil {
		b.lost(w, r, "read a choice", err)
		return
	}
	id, _ := strconv.ParseInt(form.get("account"), 10, 64)
	chosen := slices.IndexFunc(c.Person.Grants, func(a grantedAccount) bool { return a.ID == id })
	if chosen < 0 {
		b.page(w, r, pages.Failure{Status: http.StatusBadRequest, Title: "No account was chosen", Message: "The form named none of your accounts.", Next: "Go back and choose one."})
		return
	}
	if err := b.take(r.Context(), s.key(atChoice), s.binding(), &c); err != nil {
		b.lost(w, r, "take a choice", err)
		return
	}
	b.dropCookie(w, r, stepName(s.key(atChoice)))
	tokens, err := openTokens(s.cookie, c.Tokens)
	if err != nil {
		b.cutShort(w, r, "open the tokens of a choice", err)
		return
	}
	c.Person.tokens = tokens
	b.complete(w, r, c.Login, c.Person, c.Person.Grants[chosen])
}

func openTokens(cookie string, sealed []byte) (t provider.Tokens, err error) {
	plain, err := unseal(cookie, atChoice, sealed)
	if err == nil {
		err = json.Unmarshal(plain, &t)
	}
	return t, err
}
