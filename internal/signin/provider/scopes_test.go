package provider_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/signin/provider"
)

var orchard = provider.Scopes{
	Permits:  map[string]string{"read:trees": "see trees", "trees": "see and plant trees"},
	Includes: map[string][]string{"trees": {"read:trees"}},
}

func TestScopes_AScopeGrantsTheNarrowerOnes(t *testing.T) {
	for _, test := range []struct{ granted, asked, want []string }{
		{nil, nil, nil},
		{nil, []string{"trees", "trees"}, []string{"trees"}},
		{[]string{"trees"}, []string{"read:trees", "trees"}, nil},
		{[]string{"read:trees"}, []string{"read:trees", "trees", "bees"}, []string{"trees", "bees"}},
	} {
		if got := orchard.Missing(test.granted, test.asked); !slices.Equal(got, test.want) {
			t.Errorf("%v granted, %v asked: %v, want %v", test.granted, test.asked, got, test.want)
		}
	}
}

func TestScopes_AreToldInWordsAndUnknownOnesByName(t *testing.T) {
	got := orchard.Words([]string{"read:trees", "bees", "trees", "bees"})
	if diff := cmp.Diff([]string{"bees", "see and plant trees"}, got); diff != "" {
		t.Error(diff)
	}
	if got := (provider.Scopes{}).Words([]string{"trees"}); len(got) != 1 || got[0] != "trees" {
		t.Errorf("without a table: %q", got)
	}
}
