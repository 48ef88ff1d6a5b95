package a

// Any sentence.
func TestGood_HelpsNobody(t *testing.T) {}
