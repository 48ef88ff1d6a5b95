package lambdahttp

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
)

// The gateway compresses nothing. The list of all tools is an eighth compressed, and takes a millisecond for that; a page of
// HTML stays as it is, for its size could tell of the secrets in it.

// leastZipped is the shortest body worth compressing, in bytes: a few packets.
const leastZipped = 4096

// zipLevel is where more work begins to gain little.
const zipLevel = 3

var zippers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(io.Discard, zipLevel)
	if err != nil {
		panic(err) // the level is one there is
	}
	return z
}}

func zip(to *bytes.Buffer, body []byte) {
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(to)
	_, _ = z.Write(body) // a buffer takes everything
	_ = z.Close()
}

// takesGzip reports whether a client says that it reads gzip.
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
