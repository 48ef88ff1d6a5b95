package stdio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

var errTooLong = errors.New("the line is too long")

// readLine reads one line, without the end of the line and the blanks around it. Of a line with
// more than limit bytes it keeps only the ID of the message, and returns errTooLong. It returns
// io.EOF together with the last line.
func readLine(in *bufio.Reader, limit int) (line []byte, id json.RawMessage, err error) {
	var found idFinder
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		found.read(part)
		if size += len(bytes.TrimRight(part, "\r\n")); size <= limit {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case size > limit && (err == nil || errors.Is(err, io.EOF)):
			return nil, found.id, errors.Join(errTooLong, err)
		}
		return bytes.TrimSpace(line), nil, err
	}
}

// maxID is the maximum length of an ID that an answer repeats, as over HTTP.
const maxID = 1000

// idFinder finds the ID of a message that is too long to keep: the value of the member "id" of the
// outermost object, wherever it is.
type idFinder struct {
	depth    int
	inString bool
	escaped  bool
	isID     bool   // the member that is being read is the ID
	token    []byte // the string, number or name on the outermost level that is being read
	id       json.RawMessage
}

func (f *idFinder) read(part []byte) {
	for _, b := range part {
		f.next(b)
	}
}

func (f *idFinder) next(b byte) {
	switch {
	case f.inString:
		f.keep(b)
		f.inString = f.escaped || b != '"'
		f.escaped = b == '\\' && !f.escaped
	case b == '"':
		f.keep(b)
		f.inString = true
	case b == '{' || b == '[':
		f.depth++
	case b == '}' || b == ']':
		f.endMember()
		f.depth--
	case b == ':' && f.depth == 1:
		f.isID, f.token = string(f.token) == `"id"`, nil
	case b == ',':
		f.endMember()
	case b > ' ':
		f.keep(b)
	}
}

func (f *idFinder) keep(b byte) {
	if f.depth == 1 && len(f.token) <= maxID {
		f.token = append(f.token, b)
	}
}

func (f *idFinder) endMember() {
	if f.depth != 1 {
		return
	}
	if f.isID && len(f.token) <= maxID && json.Valid(f.token) {
		f.id = bytes.Clone(f.token)
	}
	f.isID, f.token = false, nil
}
