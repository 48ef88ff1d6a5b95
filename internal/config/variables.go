package config

// Variable is an environment variable that Load reads, as docs/configuration.md lists it. Meaning
// and Default are Markdown. A Default that is only code is the value that a missing variable has.
type Variable struct {
	Name, Meaning, Default string
}

// Group is a list of variables for one kind of server.
type Group struct {
	Title     string
	Variables []Variable
}

const mustBeSet = "must be set"

// Variables lists every variable that Load reads.
func Variables() []Group {
	return []Group{
		{"Every server", []Variable{
			{"PUBLIC_URL", "Origin at which clients reach the server, `https://host`", "the host name of the gateway, or the local address"},
			{"TOOLSETS", "Toolsets to serve, comma separated", "all but `basecamp_admin`; `github` only to clients that name it, and only where GitHub is set up"},
			{"READ_ONLY", "`true` serves only the tools that read", "`false`"},
			{"ALLOWED_ACCOUNTS", "IDs of the Basecamp accounts that may use the server, comma separated, or `*` for any", mustBeSet + "; any account on a local server that no other machine can reach"},
			{"ALLOWED_CLIENTS", "Hosts of the clients that may connect, comma separated; `localhost` for those on a user's machine, `programs` for those without a browser", "all"},
			{"USER_AGENT_CONTACT", "Email address or https link of the operator, which Basecamp requires", "`PUBLIC_URL`; the real Basecamp needs one of the two"},
			{"BASECAMP_API_URL", "Origin of Basecamp's API, or `sandbox` for the made-up company", "`https://3.basecampapi.com`"},
			{"LAUNCHPAD_URL", "Origin of 37signals' sign-on", "`https://launchpad.37signals.com`"},
			{"GITHUB_URL", "Origin of GitHub: another one for an Enterprise Server or `https://NAME.ghe.com`", "`https://github.com`"},
			{"GITHUB_API_URL", "Base of GitHub's REST API", "that of `GITHUB_URL`: `https://api.github.com`, `https://api.NAME.ghe.com`, or `/api/v3` on an Enterprise Server"},
			{"GITHUB_LOCKDOWN", "`true` leaves out what people wrote on GitHub who do not work on the repository", "`false`"},
			{"LOG_LEVEL", "`DEBUG`, `INFO`, `WARN` or `ERROR`", "`INFO`"},
		}},
		{"Stores in AWS", []Variable{
			{"TABLE_NAME", "DynamoDB table", mustBeSet},
			{"SECRET_PREFIX", "Prefix of the names of the users' secrets, up to a slash", mustBeSet},
			{"TOKEN_STORE", "Where users' tokens are: `secrets`, one secret for each user, or `envelope`, sealed in the table", "`secrets`"},
			{"KEY_RING_SECRET", "Name or ARN of the secret with the keys that seal tokens", "none; must be set for `envelope`"},
			{"LAUNCHPAD_SECRET", "Name of the secret with the credentials of the application at 37signals", mustBeSet},
			{"GITHUB_SECRET", "Name of the secret with the credentials of the application at GitHub, which users can link then", "no GitHub"},
			{"AWS_REGION", "Region. Lambda sets it.", mustBeSet},
			{"AWS_ACCESS_KEY_ID", "Credentials. Lambda sets them.", mustBeSet},
			{"AWS_SECRET_ACCESS_KEY", "Credentials. Lambda sets them.", mustBeSet},
			{"AWS_SESSION_TOKEN", "Session token of temporary credentials. Lambda sets it.", "none"},
			{"AWS_ENDPOINT_URL_DYNAMODB", "Another endpoint for DynamoDB, for tests", "the endpoint of the region"},
			{"AWS_ENDPOINT_URL_SECRETS_MANAGER", "Another endpoint for Secrets Manager, for tests", "the endpoint of the region"},
		}},
		{"Local server only", []Variable{
			{"BASECAMP_ACCESS_TOKEN", "A Basecamp access token of yours. Without `BASECAMP_CLIENT_ID`, the local server then serves only you", "none"},
			{"BASECAMP_ACCOUNT_ID", "Account to use if that token opens several", "the only account of the token"},
			{"BASECAMP_CLIENT_ID", "Client ID of an application registered with 37signals, so that users can log in", "none"},
			{"BASECAMP_CLIENT_SECRET", "Client secret of that application", "none"},
			{"GITHUB_CLIENT_ID", "Client ID of an application registered with GitHub, so that users can link GitHub", "none"},
			{"GITHUB_CLIENT_SECRET", "Client secret of that application", "none"},
			{"GITHUB_ACCESS_TOKEN", "A GitHub access token of yours, for the connection of `BASECAMP_ACCESS_TOKEN`", "none"},
		}},
	}
}
