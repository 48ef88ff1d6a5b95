package main

// setting is what a client asks its user for.
type setting struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Sensitive   bool   `json:"sensitive,omitempty"`
	Default     any    `json:"default,omitempty"`
}

// asked are the settings of the program, which bundles and the registry ask for. All are optional.
// A desktop program passes the name of a setting on if it has no value, so each has a default.
var asked = []struct {
	name, variable string
	setting
}{
	{"client_id", "BASECAMP_CLIENT_ID", setting{
		Type: "string", Title: "Client ID", Default: "",
		Description: "Of an application that you register at https://launchpad.37signals.com/integrations, with the redirect URI " +
			"http://127.0.0.1:8787/oauth/callback. The first answer then has a link to log in, once in 180 days. " +
			"Without an application and a token, you see a made-up company.",
	}},
	{"client_secret", "BASECAMP_CLIENT_SECRET", setting{
		Type: "string", Title: "Client secret", Default: "", Sensitive: true,
		Description: "The page of your application at https://launchpad.37signals.com/integrations shows it below the client ID.",
	}},
	{"access_token", "BASECAMP_ACCESS_TOKEN", setting{
		Type: "string", Title: "Access token", Default: "", Sensitive: true,
		Description: "Only in place of an application: a token that such an application received for you. It is valid for two weeks. " +
			"Basecamp has no page that makes one.",
	}},
	{"account_id", "BASECAMP_ACCOUNT_ID", setting{
		Type: "string", Title: "Account ID", Default: "",
		Description: "The number after basecamp.com/ in your browser. Only needed if an access token opens several accounts.",
	}},
	{"read_only", "READ_ONLY", setting{
		Type: "boolean", Title: "Read only", Default: false,
		Description: "Your choice: offers no tool that changes anything in Basecamp.",
	}},
}

// variable is a setting in the words of the MCP registry.
type variable struct {
	Name        string `json:"name,omitempty"`
	Description string `json:"description"`
	Placeholder string `json:"placeholder,omitempty"`
	IsRequired  bool   `json:"isRequired"`
	IsSecret    bool   `json:"isSecret,omitempty"`
	Format      string `json:"format,omitempty"`
}
