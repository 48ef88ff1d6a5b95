package dynamo

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/authserver"
)

// key is the primary key of an item. A family and its tokens share a pk, and so do the grants of a
// user.
type key struct{ pk, sk string }

// The role of the MCP function may write items with some prefixes of pk and not with others. It
// must not be able to make a token, a code or a step of a login. So what it writes about a family,
// and the links that it makes, have prefixes of their own.
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

func stepKey(step authserver.Hash) key {
	if link, ok := strings.CutPrefix(string(step), authserver.LinkKey); ok {
		return key{"LK#" + link, main}
	}
	return key{"ST#" + string(step), main}
}

func codeKey(code authserver.Hash) key { return key{"CO#" + string(code), main} }

func familyKey(family string) key { return key{familyPrefix + family, main} }

func accessKey(family string, token authserver.Hash) key {
	return key{familyPrefix + family, "A#" + string(token)}
}

func refreshKey(family string, token authserver.Hash) key {
	return key{familyPrefix + family, "R#" + string(token)}
}

// marksKey returns the key of the marks of a family.
func marksKey(family string) key { return key{"FS#" + family, main} }

// indexKey returns the key of a user's index entry for a family.
func indexKey(subject, family string) key { return key{loginsKey(subject), indexPrefix + family} }

// recordKey returns the key of a user's grant at a provider.
func recordKey(subject, provider string) key { return key{personKey(subject), recordPrefix + provider} }

// endedCodesKey returns the key of the item that ends the codes of a user that expire at its
// time or earlier.
func endedCodesKey(subject string) key { return key{loginsKey(subject), "E#codes"} }

// personKey returns the pk of a user's grants. All functions write them.
func personKey(subject string) string { return "UR#" + subject }

// loginsKey returns the pk of what only the OAuth function writes about a user.
func loginsKey(subject string) string { return "UF#" + subject }

func (k key) item() item { return item{"pk": text(k.pk), "sk": text(k.sk)} }

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
