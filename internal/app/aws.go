package app

import (
	"log/slog"
	"net/http"

	"basecamp-mcp/internal/app/awsstores"
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
		auth:      items,
		endpoint:  items.Endpoint(),
		records:   func(providerID string) grant.Records { return items.Records(providerID) },
		lists:     items,
		tasks:     items,
		once:      items,
		audit:     items,
		endCall:   items.EndCall,
		grants:    func(providerID string) grant.Store { return in.Tokens(providerID) },
		refreshed: in.Refreshed,
		checkRing: in.CheckRing,

		credentials: application(c.LaunchpadSecret),
		application: application,
		setup:       storeCommand(c.Region, c.LaunchpadSecret),
	}, nil
}

// storeCommand returns the command line that stores an application's credentials in a secret. It
// reads them from its input, because a shell keeps command lines in its history.
func storeCommand(region, secret string) string {
	return "aws secretsmanager put-secret-value --region " + region + " --secret-id " + secret +
		" --secret-string file:///dev/stdin"
}
