package githubauth

import "basecamp-mcp/internal/provider"

// scopes are the scopes of an OAuth App that the tools use (GitHub Docs, "Scopes for OAuth apps").
// A first link asks only for what reads projects and lists the user's organizations.
var scopes = provider.Scopes{
	First: []string{"read:project", "read:org"},
	Permits: map[string]string{
		"read:project": "read projects",
		"project":      "read and change projects",
		"repo":         "read and write issues and milestones, also in private repositories; GitHub has no smaller permission for this",
		"public_repo":  "read and write issues and milestones in public repositories",
		"read:org":     "see your organizations",
	},
	Includes: map[string][]string{
		"project":   {"read:project"},
		"repo":      {"public_repo", "repo:status", "repo_deployment", "repo:invite", "security_events"},
		"write:org": {"read:org"},
		"admin:org": {"write:org", "read:org"},
		"user":      {"read:user", "user:email", "user:follow"},
	},
}

// Grants reports whether scopes contain another one, by its name or as part of a broader one.
func Grants(granted []string, scope string) bool {
	return len(scopes.Missing(granted, []string{scope})) == 0
}
