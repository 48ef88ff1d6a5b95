package dynamo

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// item is what lies in the table.
type item map[string]types.AttributeValue

// fields are the attributes of an item, each with a pointer to its value in a Go struct, so that one list serves both ways.
// Strings, numbers, times and bytes are what they are, anything else is JSON. What is zero is left out.
type fields map[string]any

// retention is how long an item stays in the table after exp, at least. Codes need it, to notice replays; to all others it
// does not matter.
const retention = 24 * time.Hour

// timeLayout has one width, so that DynamoDB orders times as they follow each other.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

var errUnreadable = errors.New("unreadable item")

// item is the attributes under a key.
func (f fields) item(k key) (item, error) {
	it, err := f.attributes()
	if err != nil {
		return nil, err
	}
	it["pk"], it["sk"] = text(k.pk), text(k.sk)
	return it, nil
}

// attributes are those that are not zero. When exp is among them they have the ttl by which the table cleans itself, in
// seconds as DynamoDB asks for it.
func (f fields) attributes() (item, error) {
	it, err := f.all()
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(it, func(name string, _ types.AttributeValue) bool { return isZero(f[name]) })
	if exp, ok := f["exp"].(*time.Time); ok && !exp.IsZero() {
		it["ttl"] = number(exp.Add(retention + time.Second).Unix())
	}
	return it, nil
}

// all are the attributes, zero or not.
func (f fields) all() (item, error) {
	it := make(item, len(f)+3)
	for name, value := range f {
		attribute, err := encode(value)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", name, err)
		}
		it[name] = attribute
	}
	return it, nil
}

// read puts the item's attributes where the fields point to, leaving alone what it lacks.
func (f fields) read(it item) error {
	for name, value := range f {
		attribute, ok := it[name]
		if !ok {
			continue
		}
		if err := decode(attribute, value); err != nil {
			return fmt.Errorf("%w: %s", errUnreadable, name)
		}
	}
	return nil
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func encode(value any) (types.AttributeValue, error) {
	switch v := value.(type) {
	case *string:
		return text(*v), nil
	case *int:
		return number(int64(*v)), nil
	case *int64:
		return number(*v), nil
	case *[]byte:
		return &types.AttributeValueMemberB{Value: *v}, nil
	case *time.Time:
		return text(v.UTC().Format(timeLayout)), nil
	default:
		encoded, err := json.Marshal(v)
		return text(string(encoded)), err
	}
}

func isZero(value any) bool {
	switch v := value.(type) {
	case *string:
		return *v == ""
	case *int:
		return *v == 0
	case *int64:
		return *v == 0
	case *[]byte:
		return len(*v) == 0
	case *time.Time:
		return v.IsZero()
	default:
		return false
	}
}

func decode(attribute types.AttributeValue, into any) (err error) {
	switch a := attribute.(type) {
	case *types.AttributeValueMemberS:
		switch v := into.(type) {
		case *string:
			*v = a.Value
			return nil
		case *time.Time:
			*v, err = time.Parse(timeLayout, a.Value)
			return err
		case *int, *int64, *[]byte:
		default:
			return json.Unmarshal([]byte(a.Value), v)
		}
	case *types.AttributeValueMemberN:
		switch v := into.(type) {
		case *int:
			*v, err = strconv.Atoi(a.Value)
			return err
		case *int64:
			*v, err = strconv.ParseInt(a.Value, 10, 64)
			return err
		}
	case *types.AttributeValueMemberB:
		if v, ok := into.(*[]byte); ok {
			*v = a.Value
			return nil
		}
	}
	return fmt.Errorf("a %T for a %T", attribute, into)
}
