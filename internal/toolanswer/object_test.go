package toolanswer

import "testing"

func TestObject_IsShortenedButNeverToNothing(t *testing.T) {
	type list struct {
		Items []Object `json:"items"`
	}
	for _, test := range []struct {
		object Object
		want   string
	}{
		{Object{{"id", int64(7)}, {"enabled", false}, {"note", nil}}, `{"items":[{"id":7}]}`},
		{Object{{"enabled", false}, {"dots", []Object{}}, {"note", nil}}, `{"items":[{"enabled":false,"dots":[]}]}`},
		{Object{{"note", nil}}, `{"items":[{}]}`},
	} {
		answer, err := New(list{[]Object{test.object}}, new(Plans))
		if err != nil || string(answer.JSON) != test.want {
			t.Errorf("%v: %s, %v; want %s", test.object, answer.JSON, err, test.want)
		}
	}
}
