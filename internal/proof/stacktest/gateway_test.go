package stacktest_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
)

// gateway is the template's API in front of its functions. It renames WWW-Authenticate, as some AWS
// gateways do, so that only a mapping in the template restores the header.
type gateway struct {
	tb        testing.TB
	stack     stack
	functions map[string]lambda.Handler
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 28*time.Second)
	defer cancel()
	route, function := g.stack.route(r.Method, r.URL.Path)
	out, err := g.functions[function].Invoke(ctx, g.event(r, route))
	var answer events.APIGatewayV2HTTPResponse
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	body := []byte(answer.Body)
	if err == nil && answer.IsBase64Encoded {
		body, err = base64.StdEncoding.DecodeString(answer.Body)
	}
	if err != nil {
		g.tb.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		http.Error(w, `{"message":"Internal Server Error"}`, http.StatusInternalServerError)
		return
	}
	for name, value := range answer.Headers {
		if strings.EqualFold(name, "WWW-Authenticate") {
			name = "X-Amzn-Remapped-Www-Authenticate"
		}
		w.Header().Set(name, value)
	}
	for _, cookie := range answer.Cookies {
		w.Header().Add("Set-Cookie", cookie)
	}
	g.restore(w.Header(), route, answer.StatusCode)
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(body)
}

func (g *gateway) event(r *http.Request, route string) []byte {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		g.tb.Error(err)
	}
	e := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: route, RawPath: r.URL.EscapedPath(), RawQueryString: r.URL.RawQuery,
		Headers: map[string]string{}, Body: base64.StdEncoding.EncodeToString(body), IsBase64Encoded: true,
	}
	for name, values := range r.Header {
		if name == "Cookie" {
			e.Cookies = strings.Split(values[0], "; ")
			continue
		}
		e.Headers[strings.ToLower(name)] = strings.Join(values, ",")
	}
	e.RequestContext.RouteKey, e.RequestContext.Stage, e.RequestContext.RequestID = route, "$default", "UjKq1hX8liAEMXQ="
	e.RequestContext.DomainName = "abc123def4.execute-api.eu-central-1.amazonaws.com"
	e.RequestContext.HTTP.Method, e.RequestContext.HTTP.Path, e.RequestContext.HTTP.SourceIP = r.Method, r.URL.Path, "203.0.113.7"
	encoded, err := json.Marshal(e)
	if err != nil {
		g.tb.Error(err)
	}
	return encoded
}

// restore applies the response mapping of a route's integration for a status: overwrite:header.NAME
// from $response.header.NAME.
func (g *gateway) restore(h http.Header, route string, status int) {
	mapped, _ := g.stack.integration(route)["ResponseParameters"].(anything)
	forStatus, _ := mapped[strconv.Itoa(status)].(anything)
	parameters, _ := forStatus["ResponseParameters"].([]any)
	for _, parameter := range parameters {
		to, _ := strings.CutPrefix(parameter.(anything)["Destination"].(string), "overwrite:header.")
		from, _ := strings.CutPrefix(parameter.(anything)["Source"].(string), "$response.header.")
		if value := h.Get(from); value != "" {
			h.Set(to, value)
		}
	}
}
