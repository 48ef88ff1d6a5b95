package upstream

import "testing"

func TestFindLink_FindsTheRelationInAnyLink(t *testing.T) {
	for header, want := range map[string]string{
		``:                                 "",
		` , ,`:                             "",
		`<a>; rel="next"`:                  "a",
		`<a>;rel=next`:                     "a",
		`<a> ; REL = "NEXT"`:               "a",
		`<a>; rel="prev", <b>; rel="next"`: "b",
		`<a>; rel="prev next last"`:        "a",
		`<a>; title="x, <z>; rel=next"; rel="next"`:            "a",
		`<a>; title="say \"hi\"; rel=\"prev\""; rel=next; foo`: "a",
		`<a,b;c>; rel="next"`:                                  "a,b;c",
		`<a>; rel="prev"; rel="next"`:                          "",
		`<a>; rel="nextish"`:                                   "",
		`<a>`:                                                  "",
		`<a>; foo; bar=; rel=next`:                             "a",
		`<a>; rel=first , <b>; rel=next`:                       "b",
		`< a >; rel="next"`:                                    "a",
	} {
		if got, ok, err := findLink([]string{header}, "next"); err != nil || got != want || ok != (want != "") {
			t.Errorf("%s leads to %q, %v; want %q", header, got, err, want)
		}
	}
	if got, _, err := findLink([]string{`<a>; rel="prev"`, `<b>; rel="next"`}, "next"); err != nil || got != "b" {
		t.Errorf("in two headers: %q, %v", got, err)
	}
}

func TestFindLink_RejectsAMalformedHeader(t *testing.T) {
	for _, header := range []string{`a; rel="next"`, `<a; rel="next"`, `<a> rel="next"`, `<a>; rel="next`, `<a>; rel="next"x`, `<a>; rel="next\`, `<`} {
		if got, _, err := findLink([]string{header}, "next"); err == nil {
			t.Errorf("%s leads to %q", header, got)
		}
	}
}
