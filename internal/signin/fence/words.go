package fence

import (
	"fmt"
	"slices"
	"strings"
)

// Words says in sentences, to the person, what a client may not do. It returns nil if the fence
// bounds nothing.
func (f Fence) Words() []string {
	var all []string
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if f.Read != nil {
		say("Uses only %s.", f.places(f.Read))
	}
	if f.Write != nil {
		say("Writes only in %s.", f.places(f.Write))
	}
	if f.NoPings && f.Read == nil {
		say("Does not use pings.")
	}
	if f.Lockdown {
		say("Does not see what people wrote on GitHub who do not work on the repository.")
	}
	return all
}

// places counts the places, and names their account if the client has several.
func (f Fence) places(p *Places) string {
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, counted(n, one, many))
		}
	}
	add(len(p.Projects), "project", "projects")
	add(len(p.Repos), "repository", "repositories")
	add(len(p.Boards), "board", "boards")
	if len(parts) == 0 {
		return "your tasks and checklists"
	}
	words := listed(parts)
	if i := slices.IndexFunc(f.Accounts, func(a Account) bool { return a.ID == p.Account }); i >= 0 && len(p.Projects) > 0 {
		words += ", with projects of the account " + f.Accounts[i].Name
	}
	return words
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

func listed(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
