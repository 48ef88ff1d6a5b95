package sandbox

import "net/http"

// user answers with the token's person.
func (s *Server) user(t *token, origin string) reply {
	body := userView(t.person, origin)
	body["name"] = t.person.name
	return replyWith(http.StatusOK, body)
}

// userView returns an account as REST shows it.
func userView(a *account, origin string) map[string]any {
	return map[string]any{
		"id": a.id, "node_id": a.node, "login": a.login, "type": a.kind, "site_admin": false,
		"url": origin + restBase + "/users/" + a.login, "html_url": origin + "/" + a.login,
	}
}

func (c *call) users(accounts []*account) []map[string]any {
	return apply(accounts, func(a *account) map[string]any { return userView(a, c.origin) })
}

// author returns an account as REST shows it; null if the account is gone.
func (c *call) author(a *account) any {
	if a == nil {
		return nil
	}
	return userView(a, c.origin)
}
