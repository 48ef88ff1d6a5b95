package naming

import (
	"fmt"
	"testing"
)

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
