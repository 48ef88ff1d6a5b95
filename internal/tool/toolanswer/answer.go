// Package toolanswer makes the answers of tools: the JSON of a result, compact or in full, and of a
// failure. It knows no protocol.
package toolanswer

import (
	"fmt"
	"slices"
)

// The fields that the server adds to an answer.
const (
	UnderstoodField = "understood"   // the arguments that were read in another form than the schema's
	RepeatedField   = "repeated"     // says that the first call with an idempotency key was undone since
	UndoField       = "undo"         // the ID that undoes the call
	NoUndoField     = "no_undo"      // why nothing undoes it
	NotAsAskedField = "not_as_asked" // the fields that the provider answered otherwise than asked, and what they are
	// FencedField is the number of things that are left out, because the client's fence does not name
	// their places. It stands only beside arguments without words.
	FencedField = "fenced"
	// AccountField is the name of the account of an answer or of an item in it, if the connection has
	// several.
	AccountField   = "account"
	ReferenceField = "reference" // the form of references to the items of the answer
)

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

// Add adds a field before the others.
func (a *Answer) Add(field string, value any) {
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
