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
	// mostZipped is how many compressed answers a process keeps, and longestHead the longest part of
	// one that is not constant, in bytes. It is the ID of a request, which clients count from one.
	mostZipped, longestHead = 32, 512
)

var zippers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(io.Discard, zipLevel)
	if err != nil {
		panic(err) // zipLevel is valid
	}
	return z
}}

// zippedAnswers keeps answers that end in constant bytes in their encoded form. The zero value is
// ready for use.
type zippedAnswers struct {
	mu   sync.Mutex
	kept map[zippedKey]string
}

// zippedKey is what precedes the constant bytes, and where these lie in memory.
type zippedKey struct {
	head   string
	end    *byte
	length int
}

// zip returns head and end, which never changes if it is not empty, as base64 of gzip.
func (z *zippedAnswers) zip(head, end []byte) string {
	if len(end) == 0 || len(head) > longestHead {
		return zip(head, end)
	}
	key := zippedKey{string(head), &end[0], len(end)}
	z.mu.Lock()
	defer z.mu.Unlock()
	body, ok := z.kept[key]
	if !ok {
		if len(z.kept) >= mostZipped || z.kept == nil {
			z.kept = map[zippedKey]string{}
		}
		body = zip(head, end)
		z.kept[key] = body
	}
	return body
}

func zip(parts ...[]byte) string {
	var packed bytes.Buffer
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(&packed)
	for _, part := range parts {
		_, _ = z.Write(part) // writing to a buffer cannot fail
	}
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
