package sandbox

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// exchange answers a token request. GitHub refuses with status 200 (GitHub Docs, "Troubleshooting
// OAuth app access token request errors").
func (s *Server) exchange(r *http.Request, body []byte) reply {
	form, ok := readForm(r, body)
	if !ok {
		return problemPage(http.StatusNotFound, "The request is malformed.")
	}
	if form.Get("client_id") != s.clientID {
		return problemPage(http.StatusNotFound, "Not Found")
	}
	var answer url.Values
	switch grant := form.Get("grant_type"); {
	case !equal(form.Get("client_secret"), s.clientSecret):
		answer = refusal("incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect.")
	case grant == "" || grant == "authorization_code":
		answer = s.redeem(form)
	case grant == "refresh_token":
		answer = s.refresh(form.Get("refresh_token"))
	default:
		answer = refusal("unsupported_grant_type", "This grant type is not supported.")
	}
	if !strings.Contains(r.Header.Get("Accept"), "json") {
		return replyWith(http.StatusOK, []byte(answer.Encode())).
			withHeader("Content-Type", "application/x-www-form-urlencoded; charset=utf-8").withHeader("Cache-Control", "no-store")
	}
	fields := map[string]any{}
	for name := range answer {
		fields[name] = answer.Get(name)
		if strings.HasSuffix(name, "expires_in") {
			fields[name] = json.Number(answer.Get(name))
		}
	}
	return replyWith(http.StatusOK, fields).withHeader("Cache-Control", "no-store")
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func refusal(code, words string) url.Values {
	return url.Values{
		"error": {code}, "error_description": {words},
		"error_uri": {"https://docs.github.com/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors"},
	}
}

// redeem exchanges a code, which works once.
func (s *Server) redeem(form url.Values) url.Values {
	c := s.codes[form.Get("code")]
	if c == nil || !s.now().Before(c.expires) {
		return refusal("bad_verification_code", "The code passed is incorrect or expired.")
	}
	if redirect := form.Get("redirect_uri"); redirect != "" && redirect != c.redirectURI {
		return refusal("redirect_uri_mismatch", "The redirect_uri must be the one of the authorization.")
	}
	delete(s.codes, form.Get("code"))
	if c.challenge != "" {
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		if !equal(base64.RawURLEncoding.EncodeToString(sum[:]), c.challenge) {
			return refusal("bad_verification_code", "The code passed is incorrect or expired.")
		}
	}
	return s.issue(c.person, c.scopes)
}

// refresh exchanges a refresh token. Both old tokens end.
func (s *Server) refresh(value string) url.Values {
	for _, t := range s.tokens {
		if value != "" && t.refresh == value && !t.revoked && s.now().Before(t.renewal) {
			t.revoked = true
			return s.issue(t.person, nil)
		}
	}
	return refusal("bad_refresh_token", "The refresh token passed is incorrect or expired.")
}

// issue returns a new token for a person as the fields of an answer.
func (s *Server) issue(person *account, scopes []string) url.Values {
	t := s.authorize(person, s.freshToken(), scopes)
	t.issued = true
	s.keep(t)
	answer := url.Values{"access_token": {t.value}, "token_type": {"bearer"}, "scope": {strings.Join(t.scopes, ",")}}
	if t.app {
		t.refresh, t.renewal = "ghr_"+rand.Text()+rand.Text(), s.now().Add(refreshLife)
		answer.Set("refresh_token", t.refresh)
		answer.Set("expires_in", "28800")
		answer.Set("refresh_token_expires_in", "15897600")
	}
	return answer
}

// freshToken returns an unused token in the form of the application's kind.
func (s *Server) freshToken() string {
	if s.app {
		return "ghu_" + rand.Text() + rand.Text()[:10]
	}
	return "gho_" + rand.Text() + rand.Text()[:10]
}

// applications answers DELETE /applications/{client_id}/token, by which an application revokes a
// token.
func (s *Server) applications(r *http.Request, path string, body []byte) reply {
	const page = "/apps/oauth-applications#delete-an-app-token"
	if r.Method != http.MethodDelete || path != "/applications/"+s.clientID+"/token" {
		return notFound(page)
	}
	id, secret, _ := r.BasicAuth()
	if id != s.clientID || !equal(secret, s.clientSecret) {
		return refused(http.StatusUnauthorized, "Bad credentials", page)
	}
	var in struct {
		Token *string `json:"access_token"`
	}
	if json.Unmarshal(body, &in) != nil || in.Token == nil {
		return invalid(page, flaw{Resource: "OauthAccess", Field: "access_token", Code: "missing_field"})
	}
	t := s.valid(*in.Token)
	if t == nil {
		return notFound(page)
	}
	s.revoke(t)
	return replyWith(http.StatusNoContent, nil)
}
