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

// item is an item of the table.
type item map[string]types.AttributeValue

// fields are the attributes of an item. Each points to its value in a Go struct, so that one list
// serves to write and to read. Strings, numbers, times, bytes and sets of bytes have attribute
// types of their own; all other values are JSON. Zero values are omitted.
type fields map[string]any

// retention is the shortest time for which an item stays in the table after exp. Codes need it, so
// that replays are detected.
const retention = 24 * time.Hour

// timeLayout has a fixed width, so that DynamoDB sorts times correctly.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

var errUnreadable = errors.New("unreadable item")

// item returns the attributes with a key.
func (f fields) item(k key) (item, error) {
	it, err := f.attributes()
	if err != nil {
		return nil, err
	}
	it["pk"], it["sk"] = text(k.pk), text(k.sk)
	return it, nil
}

// attributes returns the attributes that are not zero. If exp is among them, it adds the ttl in
// seconds by which the table removes the item.
func (f fields) attributes() (item, error) {
	it, err := f.all()
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(it, func(name string, _ types.AttributeValue) bool { return isZero(f[name]) })
	if exp, ok := f["exp"].(*time.Time); ok && !exp.IsZero() {
		it["ttl"] = ttl(*exp)
	}
	return it, nil
}

// all returns all attributes, also those that are zero.
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

// read decodes the attributes of an item into the fields. Fields without an attribute keep their
// values.
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

// readNamed decodes an item of a list into the fields, and returns its ID, which is its sort key.
func (f fields) readNamed(it item) (id string, err error) {
	if id = keyOf(it).sk; id == "" {
		return "", errUnreadable
	}
	return id, f.read(it)
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func moment(at time.Time) types.AttributeValue { return text(at.UTC().Format(timeLayout)) }

// ttl returns the time in seconds from which the table removes an item that expires at exp.
func ttl(exp time.Time) types.AttributeValue { return number(exp.Add(retention + time.Second).Unix()) }

func encode(value any) (types.AttributeValue, error) {
	switch v := value.(type) {
	case types.AttributeValue: // as it was read
		return v, nil
	case *string:
		return text(*v), nil
	case *int:
		return number(int64(*v)), nil
	case *int64:
		return number(*v), nil
	case *[]byte:
		return &types.AttributeValueMemberB{Value: *v}, nil
	case *[][]byte:
		return &types.AttributeValueMemberBS{Value: *v}, nil
	case *time.Time:
		return moment(*v), nil
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
	case *[][]byte:
		return len(*v) == 0
	case *time.Time:
		return v.IsZero()
	case *[]string:
		return len(*v) == 0
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
		case *int, *int64, *[]byte, *[][]byte:
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
	case *types.AttributeValueMemberBS:
		if v, ok := into.(*[][]byte); ok {
			*v = a.Value
			return nil
		}
	}
	return fmt.Errorf("a %T for a %T", attribute, into)
}
