// Package toolanswer makes the answers of tools: the JSON of a result, compact or in full, and of a
// failure. It knows no protocol.
package toolanswer

import (
	"fmt"
	"slices"
)

// UnderstoodField is the field of an answer that reports the arguments that were read in another
// form than the schema's.
const UnderstoodField = "understood"

// Answer is what a tool returned, encoded.
type Answer struct {
	JSON   []byte // a compact object
	Images []Image
	Failed []ItemError // the entries of a batch that failed
}

// Image is a picture in an answer. If a tool's result has a method Images() []Image, the server
// adds them after the text. The schema does not mention them, and idempotency keys do not store
// them: only tools that may be repeated safely have images.
type Image struct {
	Data     []byte
	MIMEType string
}

// Illustrated is a result with images.
type Illustrated interface{ Images() []Image }

// New returns the answer of a tool that returned a result. It is compact if there are plans.
func New(out any, plans *Plans) (Answer, error) {
	filled, failed := FillLists(out)
	a := Answer{Failed: failed}
	var err error
	if plans != nil {
		a.JSON, err = encodeCompact(filled, plans)
	} else {
		a.JSON, err = Encode(filled)
	}
	if err != nil {
		return Answer{}, fmt.Errorf("encode result: %w", err)
	}
	if shown, ok := filled.(Illustrated); ok {
		a.Images = shown.Images()
	}
	return a, nil
}

// AddUnderstood adds the notes on the arguments to the JSON. A stored result has none, because the
// call that repeats it may be spelled as the schema wants.
func (a *Answer) AddUnderstood(notes []string) {
	if len(notes) > 0 {
		a.add(UnderstoodField, notes)
	}
}

// RepeatedField is the field of an answer that belongs to an earlier call with the same idempotency
// key.
const RepeatedField = "repeated"

// AddRepeated adds to the JSON that it is the answer of an earlier call, and what became of that
// call since, unless it is "".
func (a *Answer) AddRepeated(since string) {
	note := "the answer of the first call with this idempotency_key; nothing was done now"
	if since != "" {
		note += "; " + since
	}
	a.add(RepeatedField, note)
}

// The fields of an answer with the ID that undoes the call, or with the reason why nothing does.
const (
	UndoField   = "undo"
	NoUndoField = "no_undo"
)

// AddUndo adds the ID that undoes the call to the JSON, or the reason why nothing does.
func (a *Answer) AddUndo(id, cannot string) {
	if cannot != "" {
		a.add(NoUndoField, cannot)
	} else if id != "" {
		a.add(UndoField, id)
	}
}

// FencedField is the field of an answer with the number of things that are left out of it, because
// the client's fence does not name their places.
const FencedField = "fenced"

// AddFenced adds the number of things that are left out, unless it is 0.
func (a *Answer) AddFenced(n int) {
	if n > 0 {
		a.add(FencedField, n)
	}
}

// AccountField is the field of an answer, or of an item in it, with the name of its account, if the
// connection has several.
const AccountField = "account"

// AddAccount adds the name of the account to the JSON.
func (a *Answer) AddAccount(name string) { a.add(AccountField, name) }

// ReferenceField is the field of an answer with the form of references to its items.
const ReferenceField = "reference"

// AddReference adds the form of references to the items of the answer to the JSON.
func (a *Answer) AddReference(form string) { a.add(ReferenceField, form) }

// add adds a field before the others.
func (a *Answer) add(field string, value any) {
	if len(a.JSON) < 2 {
		return
	}
	with := slices.Concat([]byte(`{"`+field+`":`), MustEncode(value))
	if rest := a.JSON[1:]; len(rest) > 1 { // not only the closing brace
		with = append(append(with, ','), rest...)
	} else {
		with = append(with, '}')
	}
	a.JSON = with
}
