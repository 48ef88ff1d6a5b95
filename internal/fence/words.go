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
		say("Uses only %s.", f.Read.words("your tasks and checklists")+f.within(f.Read))
	}
	if f.Write != nil {
		say("Writes only in %s.", f.Write.words("your tasks and checklists")+f.within(f.Write))
	}
	if f.NoPings && f.Read == nil {
		say("Does not use pings.")
	}
	if f.Lockdown {
		say("Does not see what people wrote on GitHub who do not work on the repository.")
	}
	for _, k := range Kinds() {
		if slices.Contains(f.Ask, k) {
			say("Asks you before each write %s.", f.When(k))
		}
	}
	if f.AskAfterOutsiders {
		say("For a day after it has read a text by an outsider, asks you before it notifies, publishes or links.")
	}
	if f.WritesAnHour > 0 {
		say("Makes at most %s an hour.", counted(f.WritesAnHour, "write", "writes"))
	}
	switch {
	case f.NoLinks && len(f.LinkHosts) > 0:
		say("Writes no links, except to %s.", listed(f.LinkHosts))
	case f.NoLinks:
		say("Writes no links.")
	}
	return all
}

// When says which writes a kind has, after "each write".
func (f Fence) When(k Kind) string {
	switch k {
	case SeenByClients:
		return "that clients of your account see"
	case Notifies:
		if f.AskAbove == 0 {
			return "that notifies people"
		}
		return "that notifies more than " + counted(f.AskAbove, "person", "people")
	case Trashes:
		return "that archives, trashes or deletes"
	case Public:
		return "that is public on GitHub"
	case Admin:
		return "that administers the account"
	}
	return "to Basecamp or GitHub"
}

// within names the account of the places of a client with several.
func (f Fence) within(p *Places) string {
	for _, a := range f.Accounts {
		if a.ID == p.Account && len(p.Projects) > 0 {
			return ", with projects of the account " + a.Name
		}
	}
	return ""
}

// words counts the places. It returns none if there are none.
func (p *Places) words(none string) string {
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
		return none
	}
	return listed(parts)
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
