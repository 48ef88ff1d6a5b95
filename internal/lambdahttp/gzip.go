package lambdahttp

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
)

// The gateway does not compress. The list of all tools shrinks to an eighth, in one millisecond.
// HTML stays uncompressed, because its compressed size could reveal secrets in the page.

// leastZipped is the shortest body that is compressed, in bytes. A shorter one fits into one
// packet.
const leastZipped = 1400

// zipLevel is a compromise: higher levels take more time and save little.
const zipLevel = 3

var zippers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(io.Discard, zipLevel)
	if err != nil {
		panic(err) // zipLevel is valid
	}
	return z
}}

func zip(to *bytes.Buffer, body []byte) {
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(to)
	_, _ = z.Write(body) // writing to a buffer cannot fail
	_ = z.Close()
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
