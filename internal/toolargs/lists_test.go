package toolargs

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestAccept_AListHasAtMostTwoHundredTextsOfTwoThousandCharacters(t *testing.T) {
	type input struct {
		Names []string `json:"names" jsonschema:"Names"`
	}
	s := schemaOf[input]()
	for _, x := range []struct {
		entries, characters int
		want                string
	}{
		{200, 2000, ""},
		{201, 1, "names: must hold at most 200 items"},
		{1, 2001, "names[0]: must be at most 2000 characters"},
	} {
		names := make([]string, x.entries)
		for i := range names {
			names[i] = strings.Repeat("ä", x.characters)
		}
		arguments, err := json.Marshal(input{names})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Rules{}.Accept(s, arguments)
		if x.want == "" && err != nil || x.want != "" && !strings.Contains(fmt.Sprint(err), x.want) {
			t.Errorf("%d entries of %d characters: %v", x.entries, x.characters, err)
		}
	}
}

func TestLikeliest_OfALongListAreTwoHundred(t *testing.T) {
	names := make([]string, 5000)
	for i := range names {
		names[i] = fmt.Sprintf("spoke %d", i)
	}
	names[4321] = "brake lever"
	same := func(name string) string { return name }
	if found := Likeliest(names, "brake levers", same); len(found) != 200 || found[0] != "brake lever" {
		t.Errorf("%d, first %q", len(found), found[0])
	}
	if found := Likeliest(names[:200], "brake levers", same); len(found) != 200 || found[0] != "spoke 0" {
		t.Errorf("%d, first %q", len(found), found[0])
	}
}
