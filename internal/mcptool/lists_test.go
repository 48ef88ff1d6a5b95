package mcptool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/fault"
)

func TestAccept_AListHasAtMostTwoHundredTextsOfTwoThousandCharacters(t *testing.T) {
	type input struct {
		Names []string `json:"names" jsonschema:"Names"`
	}
	s := inputSchema("test", reflect.TypeFor[input]())
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
		_, err = validation{}.accept(s, arguments)
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

func TestInvocation_ThatComputesForItsWholeTimeBlamesNoProvider(t *testing.T) {
	for waited, want := range map[time.Duration]fault.Code{0: fault.LimitReached, 20 * time.Second: fault.UpstreamError} {
		synctest.Test(t, func(t *testing.T) {
			s := orchardServer(&mender{}, "orchard", func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			})
			s.options.Waited = func(context.Context) (time.Duration, int) { return waited, 0 }
			got := s.callAs(t, writer, "read", `{"name":"x"}`)
			text := got.Content[0].Text
			if !strings.Contains(text, `"error_code":"`+string(want)+`"`) || strings.Contains(text, "Orchard") != (want == fault.UpstreamError) {
				t.Errorf("%v: %s", waited, text)
			}
		})
	}
}
