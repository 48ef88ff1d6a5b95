package mcptool

import "slices"

// understoodField is the field of an answer that reports the arguments that were read in another
// form than the schema's.
const understoodField = "understood"

// withUnderstood adds the field to the schema of a tool's results.
func withUnderstood(out *schema) *schema {
	if out.property(understoodField) != nil {
		panic("the field " + understoodField + " is reserved for the server")
	}
	told := *out
	told.properties = append(slices.Clip(out.properties), property{
		name: understoodField, schema: &schema{kind: array, items: &schema{kind: text}},
	})
	return &told
}

// tell adds the field to the JSON of a result. A stored result has none, because the call that
// repeats it may be spelled as the schema wants.
func (o *Outcome) tell(understood []string) {
	if len(understood) == 0 || len(o.JSON) < 2 {
		return
	}
	told := append([]byte(`{"`+understoodField+`":`), mustEncode(understood)...)
	if rest := o.JSON[1:]; len(rest) > 1 { // not only the closing brace
		told = append(append(told, ','), rest...)
	} else {
		told = append(told, '}')
	}
	o.JSON = told
}
