package dynamo

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/authserver"
)

// key says where an item lies. A family and all its tokens share a pk, and so do all things of one person.
type key struct{ pk, sk string }

const (
	main         = "M" // the item that the others of its pk belong to
	familyPrefix = "FA#"
	indexPrefix  = "F#"
)

// clientKey hashes the id, which may be a URL of any length.
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

// indexKey is where a person's families are found.
func indexKey(subject, family string) key { return key{personKey(subject), indexPrefix + family} }

// recordKey is the key of a user's grant at a provider.
func recordKey(subject, provider string) key { return key{personKey(subject), "P#" + provider} }

// endedCodesKey is where it says which codes of a person were ended.
func endedCodesKey(subject string) key { return key{personKey(subject), "E#codes"} }

func personKey(subject string) string { return "UR#" + subject }

func (k key) item() item { return item{"pk": text(k.pk), "sk": text(k.sk)} }

// family is the id in the key of a family or of its entry in the index.
func (k key) family() string {
	if id, ok := strings.CutPrefix(k.sk, indexPrefix); ok {
		return id
	}
	return strings.TrimPrefix(k.pk, familyPrefix)
}

// keyOf is the key of an item that was read.
func keyOf(it item) (k key) {
	if pk, ok := it["pk"].(*types.AttributeValueMemberS); ok {
		k.pk = pk.Value
	}
	if sk, ok := it["sk"].(*types.AttributeValueMemberS); ok {
		k.sk = sk.Value
	}
	return k
}
