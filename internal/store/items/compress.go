package items

import (
	"bytes"
	"compress/flate"
	"io"
	"sync"
)

// mostStored is the size of the largest text that is not compressed: its item takes the least unit
// of a table anyway.
const mostStored = 512

// compressors are of 800 KB each, so they are used again.
var compressors = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(io.Discard, flate.DefaultCompression) // fails only for another level
	return w
}}

// Compressed returns a text in the DEFLATE format.
func Compressed(plain []byte) []byte {
	if n := len(plain); n <= mostStored { // one stored block (RFC 1951 section 3.2.4)
		return append([]byte{1, byte(n), byte(n >> 8), ^byte(n), ^byte(n >> 8)}, plain...)
	}
	var small bytes.Buffer // which accepts all
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	w.Reset(&small)
	_, _ = w.Write(plain)
	_ = w.Close()
	return small.Bytes()
}

// Uncompressed returns what Compressed was given, or its first bytes if there are more than most.
func Uncompressed(small []byte, most int64) ([]byte, error) {
	return io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(small)), most))
}
