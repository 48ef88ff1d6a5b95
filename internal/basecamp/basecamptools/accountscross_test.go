package basecamptools

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/basecamp/sandbox/documented"
	"basecamp-mcp/internal/report/fault"
)

// elsewhereIn returns the calls of a tool that name what another account has, or what the
// connection may not use: with references to it, with an argument account, and with both.
func (e accountsEnv) elsewhereIn(arguments any) (calls []args) {
	encoded, _ := json.Marshal(arguments)
	texts := []string{string(encoded)}
	for _, account := range []string{choir, strconv.FormatInt(e.unused, 10)} {
		texts = append(texts, anID.ReplaceAllString(string(encoded), `"$1@`+account+`"`))
	}
	for _, account := range []int64{e.ids[choir], e.unused} {
		texts = append(texts, strings.ReplaceAll(string(encoded), strconv.FormatInt(e.sandbox.Account(), 10), strconv.FormatInt(account, 10)))
	}
	for _, text := range texts {
		for _, account := range []string{"", "all", choir, strconv.FormatInt(e.unused, 10)} {
			with := args{}
			_ = json.Unmarshal([]byte(text), &with)
			if account != "" {
				with["account"] = account
			}
			calls = append(calls, with)
		}
	}
	return calls
}

var anID = regexp.MustCompile(`"((?:[a-z_]+:)?[0-9]{6,})"`)

// stranger returns the environment of the other person, who has one account.
func (e accountsEnv) stranger() accountsEnv {
	noor := e
	noor.toolEnv = e.as(e.sandbox.Stranger().Name)
	noor.ids = map[string]int64{"Haddad Atelier": e.sandbox.OtherAccount()}
	return noor
}

// Two people have five accounts. No request reaches an account that the connection does not have.
func TestEveryTool_NeverLeavesTheAccountsOfItsConnection(t *testing.T) {
	unlimited(t, func(plain *toolEnv) {
		calls := typical(plain)
		d := withAccounts(plain)
		noor := d.stranger()
		for _, tool := range ofBasecamp() {
			if calls[tool.Name] == nil {
				d.Errorf("%s: no typical call; add one to typical in weights_test.go", tool.Name)
				continue
			}
			for _, with := range d.elsewhereIn(calls[tool.Name]) {
				d.asksIn(func() { d.raw(tool.Name, with) })
			}
			noor.asksIn(func() { noor.raw(tool.Name, calls[tool.Name]) })
		}
	})
}

func TestOperations_NeverLeaveTheAccountsOfTheirConnection(t *testing.T) {
	t.Parallel()
	table := documented.Read()
	synctest.Test(t, func(t *testing.T) {
		for row := range operations.All {
			s := &standIn{table: table, t: t, row: row}
			d := withAccounts(newToolEnvOn(t, sandbox.Options{RateLimit: -1}, func(next http.RoundTripper) http.RoundTripper {
				s.next = next
				return s
			}))
			in := args{"operation": row.Name, "arguments": usual(d.toolEnv, row)}
			for _, with := range d.elsewhereIn(in) {
				d.asksIn(func() { d.raw(row.Runner(), with) })
			}
			noor := d.stranger()
			noor.asksIn(func() { noor.raw(row.Runner(), in) })
		}
	})
}

func TestAccounts_ACopyOfAListCrosses(t *testing.T) {
	inAccounts(t, func(d accountsEnv) {
		type copied struct {
			Account     string
			CopiedTodos int      `json:"copied_todos"`
			NotCopied   []string `json:"not_copied"`
		}
		for name, of := range map[string]any{"a name": "Errands", "a typed ID": "todolist:" + strconv.FormatInt(d.in(choir, "todolist:Errands"), 10) + "@choir"} {
			var made copied
			asked := d.asksIn(func() {
				made = call[copied](d.toolEnv, "create_todolist", args{"project": "Year-end Accounts", "copy_of": of, "name": "Of the choir " + name})
			})
			if made.Account != books || made.CopiedTodos != 2 || !strings.Contains(strings.Join(made.NotCopied, "; "), choir) || !slices.Contains(asked, choir) {
				d.Errorf("%s: got %+v, asked %v", name, made, asked)
			}
			if strings.Contains(strings.Join(made.NotCopied, "; "), "Aoife") {
				d.Errorf("%s: %v", name, made.NotCopied)
			}
		}
		d.fails(fault.NotFound, "create_todolist", args{"project": "Year-end Accounts", "copy_of": "todolist:5@Allotment", "name": "X"}, "Allotment")
	})
}
