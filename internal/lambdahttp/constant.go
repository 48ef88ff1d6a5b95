package lambdahttp

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"sync"
	"unicode/utf8"
)

// mostConstants is how many constants a process keeps encoded. Each selection of toolsets has two,
// and clients choose among many selections.
const mostConstants = 16

// constants are the encoded forms of bytes that never change. A nil constants keeps none.
type constants struct {
	mu   sync.Mutex
	kept []*constant // the last used first
}

// find returns the forms of p, and false for a p so short that encoding it takes no time. It drops
// the forms that were not used for the longest time.
func (c *constants) find(p []byte) (*constant, bool) {
	if c == nil || len(p) < leastZipped {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.kept, func(k *constant) bool { return &k.plain[0] == &p[0] && len(k.plain) == len(p) })
	var k *constant
	if i >= 0 {
		k = c.kept[i]
		c.kept = slices.Delete(c.kept, i, i+1)
	} else {
		k = newConstant(p)
		c.kept = c.kept[:min(len(c.kept), mostConstants-1)]
	}
	c.kept = slices.Insert(c.kept, 0, k)
	return k, true
}

// constant is the end of an answer that is the same for all callers. It encodes each of its forms
// on first use.
type constant struct {
	plain   []byte
	escaped func() []byte // the inside of a JSON string; nil if plain is not valid UTF-8
	packed  func() packed
}

// packed is the compressed form.
type packed struct {
	text []byte // base64 of the deflate blocks, without their last bytes
	rest []byte // those bytes: fewer than the three that base64 needs
	sum  uint32 // of the plain bytes
	over uint32 // moves the checksum of what precedes over the plain bytes
}

func newConstant(p []byte) *constant {
	return &constant{
		plain: p,
		escaped: sync.OnceValue(func() []byte {
			if !utf8.Valid(p) {
				return nil
			}
			quoted := appendString(make([]byte, 0, len(p)+len(p)/4), p)
			return slices.Clip(quoted[1 : len(quoted)-1])
		}),
		packed: sync.OnceValue(func() packed { return pack(p) }),
	}
}

func pack(p []byte) packed {
	var blocks bytes.Buffer
	z, err := flate.NewWriter(&blocks, zipLevel)
	if err != nil {
		panic(err) // zipLevel is valid
	}
	_, _ = z.Write(p) // writing to a buffer cannot fail
	_ = z.Close()
	whole := blocks.Bytes()
	end := len(whole) - len(whole)%3
	return packed{
		text: base64.StdEncoding.AppendEncode(nil, whole[:end]),
		rest: whole[end:],
		sum:  crc32.ChecksumIEEE(p),
		over: power(len(p)),
	}
}

// mostStored is the size of the largest stored block (RFC 1951 section 3.2.4).
const mostStored = 1<<16 - 1

// appendPlainBody writes head and the constant as a body that is not compressed. It returns false
// if the body is not text.
func (k *constant) appendPlainBody(out, head []byte) ([]byte, bool) {
	escaped := k.escaped()
	if escaped == nil || !utf8.Valid(head) {
		return out, false
	}
	out = slices.Grow(out, len(escaped)+2*len(head)+64)
	out = append(out, `,"isBase64Encoded":false,"body":`...)
	out = appendString(out, head)
	out = append(out[:len(out)-1], escaped...)
	return append(out, `"}`...), true
}

// appendZippedBody writes head and the constant as a body in gzip (RFC 1952): head as a stored
// block, and then the blocks that were compressed once.
func (k *constant) appendZippedBody(out, head []byte) []byte {
	p := k.packed()
	start := appendStored(append(make([]byte, 0, len(head)+32), gzipHeader...), head)
	for len(start)%3 != 0 { // so that the base64 of the blocks stays the same
		start = appendStored(start, nil)
	}
	sum := multiply(p.over, crc32.ChecksumIEEE(head)) ^ p.sum
	end := binary.LittleEndian.AppendUint32(append(make([]byte, 0, len(p.rest)+8), p.rest...), sum)
	end = binary.LittleEndian.AppendUint32(end, uint32(len(head)+len(k.plain)))

	out = slices.Grow(out, len(p.text)+base64.StdEncoding.EncodedLen(len(start)+len(end))+64)
	out = append(out, `,"isBase64Encoded":true,"body":"`...)
	out = base64.StdEncoding.AppendEncode(out, start)
	out = append(out, p.text...)
	out = base64.StdEncoding.AppendEncode(out, end)
	return append(out, `"}`...)
}

// gzipHeader names no file, no time and no system, like that of compress/gzip.
const gzipHeader = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// appendStored writes a block that is not compressed and not the last.
func appendStored(out, block []byte) []byte {
	out = binary.LittleEndian.AppendUint16(append(out, 0), uint16(len(block)))
	out = binary.LittleEndian.AppendUint16(out, ^uint16(len(block)))
	return append(out, block...)
}

// A checksum of RFC 1952 is a polynomial over GF(2), modulo crc32.IEEE. The lowest power is its
// highest bit. The checksum of a text in two parts is a sum: the checksum of the first part, times
// x^8 for each byte of the second part, plus the checksum of the second part.
const (
	one   = uint32(1) << 31 // x^0
	octet = one >> 8        // x^8
)

// power returns x^8n.
func power(n int) uint32 {
	result, square := one, octet
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			result = multiply(result, square)
		}
		square = multiply(square, square)
	}
	return result
}

func multiply(a, b uint32) uint32 {
	product := uint32(0)
	for ; a != 0; a <<= 1 {
		if a&one != 0 {
			product ^= b
		}
		odd := b & 1
		b = b>>1 ^ crc32.IEEE*odd
	}
	return product
}
