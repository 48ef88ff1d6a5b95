package app

import (
	"log/slog"
	"net/http"

	"basecamp-mcp/internal/app/awsstores"
	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/grant"
)

// inAWS returns storage in a DynamoDB table and in Secrets Manager.
func inAWS(c config.AWS, log *slog.Logger, transport http.RoundTripper) (storage, error) {
	in, err := awsstores.Open(c, log, transport)
	if err != nil {
		return storage{}, err
	}
	items := in.Items
	application := func(secret string) credentials { return in.Application(secret) }
	return storage{
		Stores: Stores{authserver.NewStore(items), items, items, items, items, items.EndCall, items, items, in.Sealer()},
		grantStores: grantStores{
			func(providerID string) grant.Records { return items.Records(providerID) },
			func(providerID string) grant.Store { return in.Tokens(providerID) },
		},
		applications: applications{application(c.LaunchpadSecret), storeCommand(c.Region, c.LaunchpadSecret), application},
		endpoint: func(s storage) storage {
			s.Auth, s.grants = authserver.NewStore(items.Endpoint()), in.Refreshed
			return s
		},
		checkRing: in.CheckRing,
	}, nil
}

// storeCommand returns the command line that stores an application's credentials in a secret. It
// reads them from its input, because a shell keeps command lines in its history.
func storeCommand(region, secret string) string {
	return "aws secretsmanager put-secret-value --region " + region + " --secret-id " + secret +
		" --secret-string file:///dev/stdin"
}
