package dynamo

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/authserver"
)

// key is the primary key of an item. A family and its tokens share a pk, and so do the items of one
// user.
type key struct{ pk, sk string }

const (
	main         = "M" // the main item of a pk
	familyPrefix = "FA#"
	indexPrefix  = "F#"
	recordPrefix = "P#"
)

// clientKey returns a key with a hash, because a client ID may be a long URL.
func clientKey(id string) key {
	sum := sha256.Sum256([]byte(id))
	return key{"CL#" + hex.EncodeToString(sum[:]), main}
}

func stepKey(step authserver.Hash) key { return key{"ST#" + string(step), main} }

func codeKey(code authserver.Hash) key { return key{"CO#" + string(code), main} }

func familyKey(family string) key { return key{familyPrefix + family, main} }

func accessKey(family string, token authserver.Hash) key {
	return key{familyPrefix + family, "A#" + string(token)}
}

func refreshKey(family string, token authserver.Hash) key {
	return key{familyPrefix + family, "R#" + string(token)}
}

func sessionKey(family string, session authserver.Hash) key {
	return key{familyPrefix + family, "S#" + string(session)}
}

// indexKey returns the key of a user's index entry for a family.
func indexKey(subject, family string) key { return key{personKey(subject), indexPrefix + family} }

// recordKey returns the key of a user's grant at a provider.
func recordKey(subject, provider string) key { return key{personKey(subject), recordPrefix + provider} }

// endedCodesKey returns the key of the item that ends the codes of a user that expire at its
// time or earlier.
func endedCodesKey(subject string) key { return key{personKey(subject), "E#codes"} }

func personKey(subject string) string { return "UR#" + subject }

func (k key) item() item { return item{"pk": text(k.pk), "sk": text(k.sk)} }

// family returns the family ID in the key of a family or of its index entry.
func (k key) family() string {
	if id, ok := strings.CutPrefix(k.sk, indexPrefix); ok {
		return id
	}
	return strings.TrimPrefix(k.pk, familyPrefix)
}

// keyOf returns the key of an item.
func keyOf(it item) (k key) {
	if pk, ok := it["pk"].(*types.AttributeValueMemberS); ok {
		k.pk = pk.Value
	}
	if sk, ok := it["sk"].(*types.AttributeValueMemberS); ok {
		k.sk = sk.Value
	}
	return k
}
