package dynamo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// scanned returns a page of a scan that used read units. After it, there are more.
func scanned(units float64, versions ...string) http.HandlerFunc {
	items := make([]string, len(versions))
	for i, v := range versions {
		items[i] = fmt.Sprintf(`{"sk": {"S": "V#%s"}}`, v)
	}
	return says(200, fmt.Sprintf(`{"Items": [%s], "ConsumedCapacity": {"CapacityUnits": %g},
		"LastEvaluatedKey": {"pk": {"S": "UR#1"}, "sk": {"S": "M"}}}`, strings.Join(items, ", "), units))
}

var lastPage = says(200, `{"Items": [{"sk": {"S": "V#e1.k2.b.4"}}], "ConsumedCapacity": {"CapacityUnits": 5}}`)

func sealedVersions(ctx context.Context, t *Table) (found []string, err error) {
	err = SealedVersions(ctx, t.client, t.name, 100, func(version string) { found = append(found, version) })
	return found, err
}

func TestSealedVersions_ReadsAllPagesNoFasterThanItIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := answers(scanned(150, "e1.k1.a.1", "e1.k1.a.2"), scanned(0.5), scanned(50, "e1.k2.b.3"), lastPage)
		start := time.Now()
		found, err := sealedVersions(t.Context(), wired(f))
		if want := []string{"e1.k1.a.1", "e1.k1.a.2", "e1.k2.b.3", "e1.k2.b.4"}; err != nil || !slices.Equal(found, want) {
			t.Errorf("found %q, %v; want %q", found, err, want)
		}
		if took := time.Since(start); took != 2005*time.Millisecond {
			t.Errorf("200.5 read units took %s at 100 a second", took)
		}
		for i, c := range f.calls {
			if more := c.input.ExclusiveStartKey["pk"].S == "UR#1"; c.operation != "Scan" || !c.input.ConsistentRead || more != (i > 0) {
				t.Errorf("call %d: %+v", i, c)
			}
		}
	})
}

func TestSealedVersions_AFailureIsNotTheEnd(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"denied": refuses("AccessDeniedException"), "missing": refuses("ResourceNotFoundException"), "garbage": says(200, secret),
		"5xx": says(503, secret), "nothing": says(200, ""), "hang up": hangsUp,
	} {
		for _, f := range []*fake{answers(answer), answers(scanned(0, "e1.k1.a.1"), answer)} {
			if found, err := sealedVersions(t.Context(), tableOf(t, f)); err == nil || strings.Contains(err.Error(), secret) {
				t.Errorf("%s: found %q, %v", name, found, err)
			}
		}
	}
}

func TestSealedVersions_EndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := sealedVersions(ctx, wired(answers(scanned(1000))))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestSealedVersions_FindsNoOtherItems(t *testing.T) {
	client, table := integration(t)
	want := make([]string, 600) // two pages
	for i := range want {
		want[i] = fmt.Sprintf("e1.k1.a.%04d", i)
	}
	add := func(k key) {
		t.Helper()
		if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: k.item()}); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range want {
		add(key{"UT#37s#12", "V#" + v})
	}
	for _, other := range []key{{"UT#37s#12", "M"}, {"UR#12", "V#e1.k1.a.1"}, {"UR#12", "P#37s"}} {
		add(other)
	}
	found, err := sealedVersions(t.Context(), New(client, table, nil))
	slices.Sort(found)
	if err != nil || !slices.Equal(found, want) {
		t.Errorf("found %d, %v", len(found), err)
	}
}
