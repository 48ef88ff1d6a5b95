package launchpad

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/provider"
)

func answering(t *testing.T, status int, body string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cret" || !strings.Contains(r.UserAgent(), "@") || r.URL.Path != "/authorization.json" {
			t.Errorf("requested %s with %v", r.URL, r.Header)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return server
}

func authorize(t *testing.T, origin string) (provider.Identity, error) {
	t.Helper()
	return FetchAuthorization(t.Context(), http.DefaultClient, origin, "test (test@fernhill.example)", "s3cret")
}

func TestFetchAuthorization_ReadsBothFormatsAndKeepsOnlyBasecampAccounts(t *testing.T) {
	names := map[string]string{"Launchpad": "Ines Albrecht", "API": ""}
	for shape, body := range map[string]string{
		"Launchpad": `{"identity":{"id":9007199254740993,"first_name":"Ines","last_name":"Albrecht","email_address":"ines@fernhill.example"},"accounts":[
			{"product":"hey","id":1,"name":"Post"},
			{"product":"bc3","id":77,"name":"Fernhill Bikes","href":"https://3.basecampapi.com/5094412"}]}`,
		"API": `{"identity":{"id":9007199254740993},"scope":"full","accounts":[
			{"id":5094412,"name":"Fernhill Bikes","href":"https://3.basecampapi.com/5094412","resource":"urn:bc:account:5094412"},
			{"id":3,"name":"Elsewhere","resource":"urn:other:account:3"}]}`,
	} {
		want := provider.Identity{
			Subject: "37s:9007199254740993", Name: names[shape], Accounts: []provider.Account{{ID: 5094412, Name: "Fernhill Bikes"}},
		}
		got, err := authorize(t, answering(t, http.StatusOK, body).URL)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, -want +got:\n%s", shape, err, diff)
		}
	}
}

func TestFetchAuthorization_ANameIsOneLineOfVisibleCharacters(t *testing.T) {
	for fields, want := range map[string]string{
		`"first_name":"Noémie","last_name":"van der Meer"`:             "Noémie van der Meer",
		`"first_name":"Ines"`:                                          "Ines",
		`"first_name":null,"last_name":null`:                           "",
		`"first_name":" I\nnes\t","last_name":"\u202eAl\u0000brecht "`: "I nes Albrecht",
		`"first_name":"` + strings.Repeat("é", 200) + `"`:              strings.Repeat("é", 100),
		`"name":"Ines","email_address":"ines@fernhill.example"`:        "",
	} {
		got, err := authorize(t, answering(t, http.StatusOK, `{"identity":{"id":7,`+fields+`}}`).URL)
		if err != nil || got.Name != want {
			t.Errorf("%s: %q, %v", fields, got.Name, err)
		}
	}
}

func TestFetchAuthorization_ARefusedTokenIsNotAnOutage(t *testing.T) {
	dead := answering(t, http.StatusOK, "")
	dead.Close()
	for name, test := range map[string]struct {
		origin string
		want   fault.Code
	}{
		"401":         {answering(t, http.StatusUnauthorized, `{"error":"s3cret"}`).URL, fault.TokenExpired},
		"403":         {answering(t, http.StatusForbidden, `s3cret`).URL, fault.UpstreamError},
		"404":         {answering(t, http.StatusNotFound, `s3cret`).URL, fault.UpstreamError},
		"429":         {answering(t, http.StatusTooManyRequests, `s3cret`).URL, fault.UpstreamError},
		"503":         {answering(t, http.StatusServiceUnavailable, `s3cret`).URL, fault.UpstreamError},
		"garbage":     {answering(t, http.StatusOK, `<html>s3cret`).URL, fault.UpstreamError},
		"no identity": {answering(t, http.StatusOK, `{"accounts":[]}`).URL, fault.UpstreamError},
		"endless":     {answering(t, http.StatusOK, `{"x":"`+strings.Repeat("s3cret", 1<<18)+`"}`).URL, fault.UpstreamError},
		"no server":   {dead.URL, fault.UpstreamError},
	} {
		_, err := authorize(t, test.origin)
		if !fault.Is(err, test.want) || strings.Contains(fault.From(err).Message, "s3cret") {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}
