package icon

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func serve(method, path string) *httptest.ResponseRecorder {
	mux := http.NewServeMux()
	Handle(mux)
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

func TestIcon_IsAnImageThatBrowsersKeepForADay(t *testing.T) {
	w := serve(http.MethodGet, Path)
	h := w.Header()
	if w.Code != http.StatusOK || h.Get("Content-Type") != "image/svg+xml" || h.Get("Cache-Control") != "public, max-age=86400" ||
		h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("HTTP %d %v", w.Code, h)
	}
	decoder := xml.NewDecoder(w.Body)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && (start.Name.Local == "script" || start.Name.Local == "image") {
			t.Errorf("the icon has <%s>", start.Name.Local)
		}
	}
}

func TestIcon_IsFoundUnderThePathOfOldBrowsers(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		w := serve(method, "/favicon.ico")
		if w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != Path || w.Header().Get("Cache-Control") == "" {
			t.Errorf("%s: HTTP %d %v", method, w.Code, w.Header())
		}
	}
}

func TestIcon_IsSmallAsADataURI(t *testing.T) {
	encoded, ok := strings.CutPrefix(URI(), "data:image/svg+xml;base64,")
	got, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || !bytes.Equal(got, svg) || len(URI()) > 500 {
		t.Errorf("%d bytes: %s, %v", len(URI()), URI(), err)
	}
}
