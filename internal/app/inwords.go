package app

import (
	"strings"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github/githubtools"
)

// inWords returns the name of a tool as users read it: "get_message" is "Read message". The process
// that shows pages has no catalogue of tools.
func inWords(tool string) string {
	if tool == "get_me" {
		return "Read your name and access"
	}
	name, onGitHub := strings.CutPrefix(tool, githubtools.Name+"_")
	if got, ok := strings.CutPrefix(name, "get_"); ok {
		name = "read_" + got
	}
	words := strings.ReplaceAll(name, "_", " ")
	if words != "" {
		words = strings.ToUpper(words[:1]) + words[1:]
	}
	if onGitHub {
		words += " on GitHub"
	}
	return words
}

// whyFailed says why a call failed, or "" if it did not. A code without words is one already.
func whyFailed(outcome string) string {
	if outcome == audit.OK {
		return ""
	}
	if why := reasons[fault.Code(outcome)]; why != "" {
		return why
	}
	return strings.ToLower(strings.ReplaceAll(outcome, "_", " "))
}

var reasons = map[fault.Code]string{
	fault.InvalidInput:     "the app sent a wrong argument",
	fault.TokenExpired:     "you had to sign in",
	fault.PermissionDenied: "you or the app may not do this",
	fault.NotFound:         "nothing was found",
	fault.ToolNotEnabled:   "the app may not use this tool",
	fault.Ambiguous:        "several things had this name",
	fault.Conflict:         "something had changed in the meantime",
	fault.RateLimited:      "there were too many calls",
	fault.LimitReached:     "a limit was reached",
	fault.UpstreamError:    "the service did not answer as expected",
	fault.InternalError:    "of an error in this server",
	fault.Held:             "you wanted to approve it first",
}
