package dynamo

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/sweep"
)

var _ sweep.Table = (*Table)(nil)

// mostScanned is the number of items that a page of a scan looks at. A page takes about 25 read
// units.
const mostScanned = 500

// sweptKey returns the key of the item with the place where the last sweep stopped.
func sweptKey() key { return key{"SW#place", main} }

// Grants returns the next page of the grants of all users. It reads every item of the table, and of
// each only the keys: the role of the sweep allows no other attribute.
func (t *Table) Grants(ctx context.Context, from string) (sweep.Page, error) {
	const doing = "scan for grants"
	start, err := placeOf(from)
	if err != nil {
		return sweep.Page{}, failed(doing, err)
	}
	in := &dynamodb.ScanInput{
		TableName: &t.name, Limit: new(int32(mostScanned)), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		FilterExpression:     new("begins_with(pk, :persons) AND begins_with(sk, :records)"),
		ProjectionExpression: new("pk, sk"), Select: types.SelectSpecificAttributes,
		ExpressionAttributeValues: item{":persons": text(personKey("")), ":records": text(recordPrefix)}, ExclusiveStartKey: start,
	}
	out, err := t.client.Scan(ctx, in, noSilence)
	if err != nil {
		return sweep.Page{}, failed(doing, err)
	}
	var page sweep.Page
	for _, it := range out.Items {
		k := keyOf(it)
		page.Grants = append(page.Grants, sweep.Grant{
			Subject: strings.TrimPrefix(k.pk, personKey("")), Provider: strings.TrimPrefix(k.sk, recordPrefix),
		})
	}
	if out.ConsumedCapacity != nil && out.ConsumedCapacity.CapacityUnits != nil {
		page.Units = *out.ConsumedCapacity.CapacityUnits
	}
	if len(out.LastEvaluatedKey) > 0 {
		var place []byte
		k := keyOf(out.LastEvaluatedKey)
		place, err = json.Marshal([]string{k.pk, k.sk})
		page.Next = string(place)
	}
	return page, failed(doing, err)
}

// placeOf returns the key of a place, or nil for "".
func placeOf(text string) (item, error) {
	if text == "" {
		return nil, nil
	}
	var parts []string
	if json.Unmarshal([]byte(text), &parts) != nil || len(parts) != 2 || parts[0] == "" || parts[1] == "" {
		return nil, errUnreadable
	}
	return key{parts[0], parts[1]}.item(), nil
}

// SweptTo returns the place that a sweep saved last. If it is unreadable, the sweep begins at the
// start of the table.
func (t *Table) SweptTo(ctx context.Context) (place string, err error) {
	if _, err := t.load(ctx, "read the place of a sweep", sweptKey(), fields{"place": &place}); err != nil {
		return "", err
	}
	if _, unreadable := placeOf(place); unreadable != nil {
		place = ""
	}
	return place, nil
}

// SaveSweptTo stores the place where a sweep stopped.
func (t *Table) SaveSweptTo(ctx context.Context, place string) error {
	return t.put(ctx, "save the place of a sweep", sweptKey(), fields{"place": &place})
}
