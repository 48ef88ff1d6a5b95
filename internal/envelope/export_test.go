package envelope

// Seal seals any text as a row of a user.
func (t *Tokens) Seal(k Key, subject string, r Row, text string) (Row, error) {
	return t.seal(k, subject, r, text)
}
