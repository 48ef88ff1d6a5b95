package local

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"basecamp-mcp/internal/signin/authserver"
)

const (
	// ProofPath is where a server answers.
	ProofPath = "/store-proof"
	proofTime = 3 * time.Second
)

// StoreProof shows one local server that the program at an address uses the same store: a link may
// go to that program only then. The asking server stores a secret under the hash of a question, and
// sends the question. The answer is a hash of the secret and of the address at which the question
// arrived, so that no program can get it from a server at another address.
type StoreProof struct{ states authserver.LoginStates }

// NewStoreProof returns the proof of a server with a store.
func NewStoreProof(states authserver.LoginStates) StoreProof { return StoreProof{states} }

func (StoreProof) key(question string) authserver.Hash {
	return authserver.HashOf("store proof\n" + question)
}

func (StoreProof) answer(secret []byte, at net.Addr) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(at.String()))
	return hex.EncodeToString(mac.Sum(nil))
}

// ServeHTTP answers a question, or 404 if it is not in the store.
func (p StoreProof) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked, err := p.states.LoginState(r.Context(), p.key(r.URL.Query().Get("q")))
	at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if err != nil || !ok {
		http.NotFound(w, r)
		return
	}
	_, _ = io.WriteString(w, p.answer(asked.Body, at))
}

// errOtherStore means that the program at an address has not shown that it uses the store.
var errOtherStore = errors.New("the program there does not share this server's store")

// check asks the program that listens on an address of this machine. It sends no secret.
func (p StoreProof) check(ctx context.Context, addr string) error {
	question, secret := rand.Text(), []byte(rand.Text())
	err := p.states.AddLoginState(ctx, authserver.LoginState{Key: p.key(question), Body: secret, ExpiresAt: time.Now().Add(2 * proofTime)})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, proofTime)
	defer cancel()
	var reached net.Addr
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		if err == nil {
			reached = conn.RemoteAddr()
		}
		return conn, err
	}}
	address := url.URL{Scheme: "http", Host: addr, Path: ProofPath, RawQuery: url.Values{"q": {question}}.Encode()}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return err
	}
	response, err := transport.RoundTrip(r)
	if err != nil {
		return errOtherStore
	}
	defer response.Body.Close()
	given, _ := io.ReadAll(io.LimitReader(response.Body, 2*sha256.Size+1))
	if response.StatusCode != http.StatusOK || !hmac.Equal(given, []byte(p.answer(secret, reached))) {
		return errOtherStore
	}
	return nil
}
