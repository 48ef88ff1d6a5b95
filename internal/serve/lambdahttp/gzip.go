package lambdahttp

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"sync"
)

// The gateway does not compress. The list of all tools shrinks to an eighth, in one millisecond.
// HTML stays uncompressed, because its compressed size could reveal secrets in the page.

const (
	// leastZipped is the shortest body that is compressed, in bytes. A shorter one fits into one
	// packet.
	leastZipped = 1400
	// zipLevel is a compromise: higher levels take more time and save little.
	zipLevel = 3
	// mostZipped is how many bytes of answers a process keeps.
	mostZipped = 2 << 20
)

var zippers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(io.Discard, zipLevel)
	if err != nil {
		panic(err) // zipLevel is valid
	}
	return z
}}

// zippedAnswers keeps the latest long answers in their encoded form, by their bodies: every client
// asks for the same list of tools. The zero value is ready for use.
type zippedAnswers struct {
	mu   sync.Mutex
	kept map[string]string
	size int // bytes of the bodies
}

// zip returns a body as base64 of gzip.
func (z *zippedAnswers) zip(body []byte) string {
	z.mu.Lock()
	defer z.mu.Unlock()
	if packed, ok := z.kept[string(body)]; ok {
		return packed
	}
	if z.size += len(body); z.size > mostZipped || z.kept == nil {
		z.kept, z.size = map[string]string{}, len(body)
	}
	packed := zip(body)
	z.kept[string(body)] = packed
	return packed
}

func zip(body []byte) string {
	var packed bytes.Buffer
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(&packed)
	_, _ = z.Write(body) // writing to a buffer cannot fail
	_ = z.Close()
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}

// takesGzip reports whether the client accepts gzip.
func takesGzip(header http.Header) bool {
	for choice := range strings.SplitSeq(strings.ToLower(strings.Join(header["Accept-Encoding"], ",")), ",") {
		name, weight, weighted := strings.Cut(strings.Join(strings.Fields(choice), ""), ";q=")
		if name == "gzip" {
			return !weighted || strings.Trim(weight, "0.") != ""
		}
	}
	return false
}

func isJSON(header http.Header) bool {
	return strings.HasPrefix(header.Get("Content-Type"), "application/json")
}
