package basecamptools

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/accounts"
	"basecamp-mcp/internal/basecamp/basecamptools/changes"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// The names of the accounts of the person with several.
const (
	fernhill = "Fernhill Bikes"
	books    = "Brennan Bookkeeping"
	choir    = "Quayside Choir"
)

// accountsEnv is the environment of a user with three accounts, of which the first is the default,
// and a fourth one that the connection does not use.
type accountsEnv struct {
	*toolEnv
	ids    map[string]int64
	unused int64
}

func inAccounts(t *testing.T, work func(d accountsEnv)) {
	t.Helper()
	at(t, func(d *toolEnv) { work(withAccounts(d)) })
}

func withAccounts(d *toolEnv) accountsEnv {
	aoife := d.sandbox.Bookkeeper()
	e := accountsEnv{ids: map[string]int64{fernhill: d.sandbox.Account(), books: d.sandbox.BooksAccount()}}
	e.ids[choir] = d.openAccount(choir, "Spring Concert",
		`"title": "Print the programme", "age": "30d", "people": ["aoife"], "due": -1`, `"title": "Order thread", "age": "29d", "people": ["aoife"], "due": 2`)
	e.unused = d.openAccount("Allotment", "Beans and Peas", `"title": "Water the beans", "age": "30d", "people": ["aoife"], "due": -3`)
	e.toolEnv = d.as(aoife.Name)
	e.who.Account = e.ids[fernhill]
	for _, name := range []string{fernhill, books, choir} {
		e.who.Fence.Accounts = append(e.who.Fence.Accounts, fence.Account{ID: e.ids[name], Name: name})
	}
	return e
}

// openAccount opens a further account of Aoife Brennan, with a project of one list.
func (d *toolEnv) openAccount(name, project string, todos ...string) int64 {
	aoife, items := d.sandbox.Bookkeeper(), ""
	for i, todo := range todos {
		items += strings.Repeat(", ", min(i, 1)) + `{"type": "Todo", "by": "aoife", ` + todo + `}`
	}
	return d.sandbox.OpenAccount(fmt.Sprintf(`{"name": %q, "people": [{"handle": "aoife", "name": %q, "email": %q, "identityID": %d,
			"zone": "Europe/Dublin", "admin": true, "owner": true}],
		"projects": [{"name": %[5]q, "age": "90d", "team": ["aoife"], "description": "", "tools": ["message_board", "todoset", "vault", "schedule", "chat"]}],
		"contents": [{"project": %[5]q, "in": ["To-dos"], "items": [{"type": "Todolist", "title": "Errands", "by": "aoife", "age": "30d", "items": [%s]}]}]}`,
		name, aoife.Name, aoife.Email, aoife.IdentityID, project, items))
}

// asksIn returns the accounts, by name, that work sends requests to. It fails for any other.
func (e accountsEnv) asksIn(work func()) (names []string) {
	e.Helper()
	e.asked(work)
	for _, r := range e.sandbox.Requests() {
		if r.Account == "" {
			continue
		}
		name := "another account: " + r.Account
		for known, id := range e.ids {
			if r.Account == strconv.FormatInt(id, 10) {
				name = known
			}
		}
		if strings.HasPrefix(name, "another") {
			e.Errorf("%s %s went to %s", r.Method, r.Path, name)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// in returns the ID of an item of another account.
func (e accountsEnv) in(account, item string) int64 {
	e.Helper()
	other := *e.toolEnv
	other.who = identity.Caller{Subject: e.who.Subject, Scopes: e.who.Scopes, Account: e.ids[account]}
	return call[pageOf](&other, "get_item", args{"item": item}).Item.ID
}

type pageOf struct {
	Account   string
	Reference string
	Type      string
	Item      struct {
		ID    int64
		Title string
	}
}

func TestAccounts_AReferenceGoesToItsAccount(t *testing.T) {
	inAccounts(t, func(d accountsEnv) {
		programme := d.in(choir, "Print the programme")
		id := strconv.FormatInt(programme, 10)
		url := "https://3.basecamp.com/" + strconv.FormatInt(d.ids[choir], 10) + "/buckets/1/todos/" + id
		for name, test := range map[string]struct {
			item string
			in   []string
		}{
			"a URL":                    {strings.Replace(url, "/buckets/1", "", 1), []string{choir}},
			"type:id and a name":       {"todo:" + id + "@" + choir, []string{choir}},
			"type:id and an ID":        {"todo:" + id + "@" + strconv.FormatInt(d.ids[choir], 10), []string{choir}},
			"a title in another only":  {"Print the programme", []string{books, fernhill, choir}},
			"a title, in another case": {"print the PROGRAMME", []string{books, fernhill, choir}},
		} {
			var page pageOf
			asked := d.asksIn(func() { page = call[pageOf](d.toolEnv, "get_item", args{"item": test.item}) })
			if page.Account != choir || page.Item.ID != programme || page.Reference != accounts.ReferenceForm {
				d.Errorf("%s: got %+v", name, page)
			}
			slices.Sort(test.in)
			if !slices.Equal(asked, test.in) {
				d.Errorf("%s: asked %v, want %v", name, asked, test.in)
			}
		}
		f := d.fails(fault.NotFound, "get_item", args{"item": "todo:" + id}, "Fernhill Bikes", "only", "type:id@account")
		if strings.Contains(f.Message, id+"@") {
			d.Errorf("got %s", f.Message)
		}
		d.fails(fault.NotFound, "get_item", args{"item": "No such thing anywhere"}, "looked for in the accounts", fernhill, books, choir)
		d.fails(fault.InvalidInput, "get_item", args{"item": "https://3.basecamp.com/" + strconv.FormatInt(d.unused, 10) + "/todos/5"}, "this connection uses")
		d.fails(fault.NotFound, "get_item", args{"item": "todo:5@Allotment"}, "Allotment")
	})
}

func TestAccounts_ANameOfTheDefaultAccountStaysThere(t *testing.T) {
	inAccounts(t, func(d accountsEnv) {
		d.openAccount("Not used", "Year-end Accounts")
		twice := d.openAccount("Second books", "Year-end Accounts", `"title": "Ask the choir for its bank statements", "age": "30d"`)
		d.ids["Second books"] = twice
		d.who.Fence.Accounts = append(d.who.Fence.Accounts, fence.Account{ID: twice, Name: "Second books"})
		f := d.fails(fault.Ambiguous, "list_todos", args{"project": "Year-end Accounts"}, "2 accounts")
		if len(f.Data.Candidates) != 2 || f.Data.Candidates[0].Where != books || f.Data.Candidates[1].Where != "Second books" {
			d.Errorf("got %+v", f.Data.Candidates)
		}
		asked := d.asksIn(func() {
			d.fails(fault.Ambiguous, "set_completed", args{"completed": true, "item": "Ask the choir for its bank statements"}, "2 accounts")
			call[any](d.toolEnv, "list_todos", args{"project": "Company HQ"})
		})
		if !slices.Contains(asked, fernhill) {
			d.Errorf("asked %v", asked)
		}
	})
}

func TestAccounts_NothingCrosses(t *testing.T) {
	inAccounts(t, func(d accountsEnv) {
		id := strconv.FormatInt(d.in(choir, "Print the programme"), 10)
		there := "todo:" + id + "@" + choir
		for name, test := range map[string]struct {
			tool  string
			with  args
			words []string
		}{
			"a batch":               {"set_completed", args{"completed": true, "items": []string{there, "todo:1"}}, []string{"items[1]", fernhill, choir}},
			"a batch of two others": {"set_completed", args{"completed": true, "items": []string{there, "todo:1@" + books}}, []string{"items[1]", books, choir}},
			"a person":              {"update_work", args{"item": there, "assignees": []string{"Ines Albrecht"}}, []string{fernhill, choir, "do not cross"}},
			"a move":                {"update_work", args{"item": there, "project": "Company HQ"}, []string{fernhill}},
			"a project and an item": {"get_item", args{"item": there, "project": "Company HQ"}, []string{fernhill, choir}},
		} {
			written := d.written(func() { d.fails(fault.InvalidInput, test.tool, test.with, test.words...) })
			if len(written) > 0 {
				d.Errorf("%s wrote %v", name, written)
			}
		}
	})
}

func TestAccounts_WritesGoToTheirAccountAndCanBeUndone(t *testing.T) {
	inAccounts(t, func(d accountsEnv) {
		id := strconv.FormatInt(d.in(choir, "Print the programme"), 10)
		var done merged
		asked := d.asksIn(func() {
			done = call[merged](d.toolEnv, "set_completed", args{"completed": true, "item": "todo:" + id + "@" + choir})
		})
		if done.Account != choir || !slices.Equal(asked, []string{choir}) {
			d.Errorf("got %+v, asked %v", done, asked)
		}
		planned := d.written(func() {
			got := call[previewed](d.toolEnv, "preview", args{"tool": "set_completed", "arguments": args{"completed": false, "item": "todo:" + id + "@" + choir}})
			if got.Total != 1 {
				d.Errorf("got %+v", got)
			}
		})
		if len(planned) > 0 {
			d.Errorf("a preview wrote %v", planned)
		}
		d.fails(fault.InvalidInput, "create_comment", args{"item": "todo:" + id + "@" + choir, "body": "@Ines have a look"}, fernhill, choir)
		d.fails(fault.InvalidInput, "set_completed", args{"item": "todo:" + id + "@" + choir, "completed": true, "everywhere": true}, "default account")
	})
}

type merged struct {
	Account string
	Groups  []struct {
		Scope string
		Items []struct{ Title, Account string }
	}
	Items      []struct{ Title, Name, Account string }
	HasMore    bool     `json:"has_more"`
	NextCursor *string  `json:"next_cursor"`
	LeftOut    []string `json:"left_out"`
	Reference  string
}

func TestAccounts_OwnWorkIsThatOfAllAccounts(t *testing.T) {
	inAccounts(t, func(d accountsEnv) {
		d.short = true
		got := call[merged](d.toolEnv, "get_my_work", args{"scope": []string{"overdue"}})
		in := map[string]int{}
		for _, g := range got.Groups {
			for _, item := range g.Items {
				in[item.Account]++
			}
		}
		if len(got.Groups) != 1 || in[fernhill] == 0 || in[choir] != 1 || in[""] > 0 || got.Reference == "" {
			d.Errorf("got %+v", got)
		}
		if got := call[merged](d.toolEnv, "get_my_work", args{"account": choir}); got.Account != choir {
			d.Errorf("got %+v", got)
		}
	})
}

// A tool that reads and can name an account reads all of them, unless the call names one, or
// something of one. If it finds nothing there, it says which ones it did not look in.
func TestEveryTool_ReadsAllAccountsOrNamesTheOthers(t *testing.T) {
	inAccounts(t, func(d accountsEnv) {
		calls := map[string]args{
			"search": {"query": "programme"}, "list_people": {}, "list_work": {"assignee": "me"}, "get_activity": {"person": "me"},
			"read_basecamp": {"operation": "list_templates"},
		}
		found := 0
		for _, tool := range ofBasecamp() {
			if !strings.Contains(string(tool.InputSchema()), `"account":`) || tool.Effect != mcptool.Reads {
				continue
			}
			found++
			with := calls[tool.Name]
			for _, shown := range []bool{true, false} {
				d.short = shown
				asked := d.asksIn(func() { call[any](d.toolEnv, tool.Name, with) })
				if !slices.Equal(asked, []string{books, fernhill, choir}) {
					d.Errorf("%s %v asked %v", tool.Name, with, asked)
				}
				time.Sleep(20 * time.Second)
			}
		}
		if found < 10 {
			d.Errorf("%d tools", found)
		}
		for tool, with := range map[string]args{
			"search": {"query": "zymurgy", "project": "Company HQ"}, "get_activity": {"person": "Ines Albrecht", "since": "now"},
		} {
			got := call[merged](d.toolEnv, tool, with)
			if said := strings.Join(got.LeftOut, "; "); got.Account != fernhill || !strings.Contains(said, books+", "+choir+": not looked in") {
				d.Errorf("%s %v: %+v", tool, with, got)
			}
		}
	})
}

func TestAccounts_PagesThroughAllAccounts(t *testing.T) {
	inAccounts(t, func(d accountsEnv) {
		d.short = true
		with, seen := args{"limit": 2}, map[string]int{}
		for range 20 {
			page := call[merged](d.toolEnv, "list_projects", with)
			for _, p := range page.Items {
				seen[p.Account+": "+p.Name]++
			}
			if page.HasMore != (page.NextCursor != nil) {
				d.Fatalf("got %+v", page)
			}
			if !page.HasMore {
				break
			}
			with = args{"limit": 2, "cursor": *page.NextCursor}
		}
		for name, n := range seen {
			if n != 1 {
				d.Errorf("%s was shown %d times", name, n)
			}
		}
		if seen[choir+": Spring Concert"] != 1 || seen[books+": Year-end Accounts"] != 1 || len(seen) < 5 {
			d.Errorf("saw %v", seen)
		}
		d.fails(fault.InvalidInput, "list_projects", args{"account": books, "cursor": accounts.CursorPrefix + "~" + strconv.FormatInt(d.ids[choir], 10) + "~x"}, "cursor")
		d.fails(fault.InvalidInput, "list_projects", args{"cursor": accounts.CursorPrefix + "~" + strconv.FormatInt(d.unused, 10) + "~x"}, "no longer uses")
	})
}

func TestAccounts_AMissingAccountIsLeftOut(t *testing.T) {
	inAccounts(t, func(d accountsEnv) {
		gone := fence.Account{ID: d.sandbox.InactiveAccount(), Name: "Fernhill Repair Café"}
		d.ids[gone.Name] = gone.ID
		d.who.Fence.Accounts = append(d.who.Fence.Accounts, gone)
		got := call[merged](d.toolEnv, "get_my_work", nil)
		if len(got.LeftOut) != 1 || !strings.HasPrefix(got.LeftOut[0], gone.Name+": ") || len(got.Groups) == 0 {
			d.Errorf("got %v", got.LeftOut)
		}
		d.fails(fault.NotFound, "list_projects", args{"account": gone.Name})
		writesIn := call[changes.Answer](d.toolEnv, "get_changes", nil)
		if len(writesIn.LeftOut) == 0 || !strings.Contains(writesIn.Cursor, strconv.FormatInt(gone.ID, 10)) {
			d.Errorf("got %+v", writesIn)
		}
		d.who.Fence.Accounts = d.who.Fence.Accounts[:2]
		again := call[changes.Answer](d.toolEnv, "get_changes", args{"cursor": writesIn.Cursor})
		if len(again.LeftOut) != 2 || strings.Contains(again.Cursor, strconv.FormatInt(gone.ID, 10)) {
			d.Errorf("got %+v", again)
		}
	})
}

func TestAccounts_UndoStaysInTheAccountOfTheWrite(t *testing.T) {
	inAccounts(t, func(d accountsEnv) {
		d.keepUndo()
		item := "todo:" + strconv.FormatInt(d.in(choir, "Print the programme"), 10) + "@" + choir
		call[any](d.toolEnv, "set_completed", args{"item": item, "completed": true})
		type undone struct {
			Undone []struct{ Result, Reason string }
		}
		less := d
		few := *d.toolEnv
		less.toolEnv = &few
		few.who.Fence.Accounts = d.who.Fence.Accounts[:2]
		asked := less.asksIn(func() {
			if got := call[undone](less.toolEnv, "undo", args{"last": 1}); got.Undone[0].Result != "cannot" || !strings.Contains(got.Undone[0].Reason, "account") {
				d.Errorf("got %+v", got)
			}
		})
		if slices.Contains(asked, choir) {
			d.Errorf("asked %v", asked)
		}
		asked = d.asksIn(func() {
			if got := call[undone](d.toolEnv, "undo", args{"last": 1}); got.Undone[0].Result != "undone" {
				d.Errorf("got %+v", got)
			}
		})
		if !slices.Equal(asked, []string{choir}) {
			d.Errorf("asked %v", asked)
		}
	})
}

// A fence names the account of its places: an ID of another account is not one of them.
func TestAccounts_AFenceClosesTheOthers(t *testing.T) {
	inAccounts(t, func(d accountsEnv) {
		item := "todo:" + strconv.FormatInt(d.in(choir, "Print the programme"), 10)
		project := d.sandbox.ProjectID("Company HQ")
		d.who.Fence.Read = &fence.Places{Account: d.ids[fernhill], Projects: []int64{project}}
		d.fails(fault.PermissionDenied, "get_item", args{"item": item + "@" + choir}, "places")
		got := call[merged](d.toolEnv, "list_projects", args{"account": "all"})
		if len(got.Items) != 1 || got.Items[0].Name != "Company HQ" {
			d.Errorf("got %+v", got)
		}
	})
}

func TestAccounts_ADayIsThatOfAllAccounts(t *testing.T) {
	inAccounts(t, func(d accountsEnv) {
		ctx, w := identity.With(d.Context(), d.who), New(d.client, nil, nil)
		today := func(context.Context) (time.Time, error) { return time.Now(), nil }
		asked := hub.DayOf{Begins: today, Since: func(context.Context) (time.Time, error) { return time.Time{}, nil }}
		for account, want := range map[string][]string{"": {fernhill, books, choir}, "all": {fernhill, books, choir}, choir: {choir}} {
			sources, err := w.DaySources(ctx, asked, account)
			if err != nil || len(sources) != 4*len(want) || !strings.HasSuffix(sources[0].Name, want[0]) {
				d.Errorf("%q: %d sources, %v", account, len(sources), err)
			}
		}
		sources, _ := w.DaySources(ctx, asked, choir)
		sections, gaps := hub.ReadDay(ctx, sources)
		overdue := sections["overdue"]
		if len(gaps) > 0 || len(overdue) != 1 || overdue[0].Account != choir || !strings.HasSuffix(overdue[0].Ref, "@"+choir) {
			d.Errorf("got %+v, %+v", sections, gaps)
		}
		waits, err := w.Waiting(ctx, "for", toolargs.Ref{Name: "me"}, "")
		if err != nil || len(waits.ToAnswer) == 0 || slices.ContainsFunc(waits.ToAnswer, func(item hub.Item) bool { return item.Account != fernhill }) {
			d.Errorf("got %+v, %v", waits.ToAnswer, err) // what is overdue in the choir is the caller's own
		}
		if _, err := w.DaySources(ctx, asked, "Allotment"); !fault.Is(err, fault.NotFound) {
			d.Errorf("got %v", err)
		}
		if _, err := w.Find(ctx, "item", overdue[0].Ref); !fault.Is(err, fault.InvalidInput) {
			d.Errorf("got %v", err)
		}
	})
}

func TestCutAccount(t *testing.T) {
	for text, want := range map[string][2]string{
		"todo:5@Oak & Co": {"todo:5", "Oak & Co"}, "5@12": {"5", "12"}, "todo:x@Oak": {"", ""}, "a@b.example": {"", ""}, "todo:5@": {"", ""},
	} {
		bare, account, ok := accounts.CutAccount(text)
		if ok != (want[0] != "") || ok && (bare != want[0] || account != want[1]) {
			t.Errorf("%s: got %s, %s, %v", text, bare, account, ok)
		}
	}
}
