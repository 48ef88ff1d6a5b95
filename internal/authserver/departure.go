package authserver

import "context"

// departure is how a browser leaves for a sign-on: the secrets of the trip's state, and the state
// that it replaces, if the trip goes on from one.
type departure struct {
	state, cookie     string
	replaces, binding Hash
}

func newDeparture() departure { return departure{state: newSecret(), cookie: newSecret()} }

// departure returns the one of a consent form.
func (f formState) departure() departure {
	state, cookie := f.next()
	return departure{state: state, cookie: cookie, replaces: f.key(kindConsent), binding: f.binding()}
}

// linkDeparture returns the departure by a link. Its secrets are derived from the link's and the
// form's, so that pressing a button twice leads to the same place: browsers show the answer to the
// second press.
func linkDeparture(key Hash, secret, cookie string) departure {
	return departure{
		state: string(hashOf("link state", secret, cookie)), cookie: string(hashOf("link cookie", secret, cookie)),
		replaces: key,
	}
}

// store stores the state of a trip, in place of the one that it replaces.
func (d departure) store(ctx context.Context, in LoginStates, trip LoginState) error {
	if d.replaces == "" {
		return in.AddLoginState(ctx, trip)
	}
	return in.ReplaceLoginState(ctx, d.replaces, d.binding, trip)
}

// answered returns the name of the cookie that is no longer needed, or "".
func (d departure) answered() string {
	if d.replaces == "" {
		return ""
	}
	return stateCookie(d.replaces)
}
