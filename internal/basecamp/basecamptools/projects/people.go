package projects

import (
	"context"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

type noInput struct{}

// AccountRef is an account by its ID and name.
type AccountRef struct {
	ID   int64  `json:"id"`
	Name string `json:"name,omitempty"`
}

// Me is the caller.
type Me struct {
	lookup.Person
	Title     string           `json:"title,omitempty"`
	Company   string           `json:"company,omitempty"`
	TimeZone  string           `json:"time_zone"`
	LocalTime string           `json:"local_time"`
	Weekday   string           `json:"weekday"`
	Account   AccountRef       `json:"account"`
	Accounts  []AccountRef     `json:"accounts,omitempty"` // of a connection with several, the default first
	Scopes    []identity.Scope `json:"scopes"`
	ReadOnly  bool             `json:"read_only"`
	listing.Gaps
}

// GetMe returns the tool get_me.
func GetMe(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "get_me",
		Title: "Who am I",
		Description: "Shows the Basecamp user and account of this connection, the user's time zone and current time, and " +
			"whether it may write.",
	}, func(ctx context.Context, _ noInput) (Me, error) {
		id, err := rs.BC.Account(ctx)
		if err != nil {
			return Me{}, err
		}
		var account basecamp.Account
		profile, left, err := listing.Beside(ctx, rs.ReadMe, listing.Into("name of the account", &account, func(ctx context.Context) (basecamp.Account, error) { return basecamp.OwnAccount.Get(ctx, rs.BC) }))
		if err != nil {
			return Me{}, err
		}
		zone, err := rs.Zone(ctx)
		if err != nil {
			return Me{}, err
		}
		there := rs.Now().In(zone)
		caller, _ := identity.From(ctx)
		var accounts []AccountRef
		if len(caller.Fence.Accounts) > 1 {
			for _, a := range caller.Fence.Accounts {
				accounts = append(accounts, AccountRef(a))
			}
		}
		return Me{
			Person:    lookup.ViewPerson(profile),
			Title:     plaintext.Clean(profile.Title),
			Company:   plaintext.Clean(profile.Company.Name),
			TimeZone:  zone.String(),
			LocalTime: there.Format(time.RFC3339),
			Weekday:   there.Weekday().String(),
			Account:   AccountRef{ID: id, Name: plaintext.Clean(account.Name)},
			Accounts:  accounts,
			Scopes:    caller.Scopes,
			ReadOnly:  mcptool.ReadOnly(ctx) || !caller.Can(identity.Write),
			Gaps:      left,
		}, nil
	})
}

type listPeopleInput struct {
	Project toolargs.Ref `json:"project,omitzero" jsonschema:"Only in it"`
	Query   string       `json:"query,omitzero" jsonschema:"Part of the name" limits:"word maxlen=200"`
	listing.ScrollInput
	parts.AccountInput
}

// PersonItem is a person as lists show it.
type PersonItem struct {
	lookup.Person
	Type    string `json:"type"`
	Title   string `json:"title,omitempty"`
	Company string `json:"company,omitempty"`
	Client  bool   `json:"client"`
}

// Trim does nothing: the fields of a person are short.
func (p *PersonItem) Trim(int) {}

// ListPeople returns the tool list_people.
func ListPeople(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "list_people",
		Title: "People on a project",
		Description: "Lists people on a Basecamp project, or in the account: name, title, company, client. Only people on a project can " +
			"be given its work or mentioned there.",
		Words: "who is on the project, members, team",
	}, func(ctx context.Context, in listPeopleInput) (listing.Scroll[PersonItem], error) {
		var project int64
		if !in.Project.IsZero() {
			var err error
			if project, err = rs.ProjectID(ctx, "project", in.Project); err != nil {
				return listing.Scroll[PersonItem]{}, err
			}
		}
		l := &listing.List[basecamp.Person]{
			Of:      listing.Digest("people", project, in.Query),
			ID:      func(p basecamp.Person) int64 { return p.ID },
			Sources: []listing.Source[basecamp.Person]{rs.PeopleOf(project)},
		}
		if in.Query != "" {
			l.Keep = func(p basecamp.Person) bool { return strings.Contains(naming.Fold(p.Name), naming.Fold(in.Query)) }
		}
		found, err := l.Collect(ctx, in.Paging())
		return listing.Scrolled(listing.Answer(l, found, viewPersonItem)), err
	})
}

func viewPersonItem(p basecamp.Person) PersonItem {
	return PersonItem{
		Person: lookup.ViewPerson(p), Type: "person", Title: plaintext.Clean(p.Title), Company: plaintext.Clean(p.Company.Name), Client: p.Client,
	}
}

// ShowPerson reads a person.
func (rs *Resolver) ShowPerson(ctx context.Context, id int64) (PersonItem, error) {
	p, err := basecamp.PersonAt.Get(ctx, rs.BC, id)
	return viewPersonItem(p), err
}
