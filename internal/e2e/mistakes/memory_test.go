package mistakes

import (
	"fmt"
	"strings"
	"testing"

	"basecamp-mcp/internal/e2e/agent"
)

// maxFromMemory is how many changes may reach an item that no longer has the title given. Lower it
// when the tools get better; never raise it.
const maxFromMemory = 0

// stale has calls by a title that is not valid any more: learn makes the server read the title,
// change trashes, archives or renames the item, and act must be refused.
var stale = []struct {
	by                 string // who changes it
	learn, change, act string
}{
	{
		"ines", `get_todo {"todo_id":"Print the serial number plates","project_id":"Cargo Bike Launch"}`,
		`set_item_status {"items":["todo:4812096679"],"status":"trashed"}`,
		`set_completed {"item":"todo:Print the serial number plates","project":"Cargo Bike Launch","completed":true}`,
	},
	{
		"samo", `get_todo {"todo_id":"Print the serial number plates","project_id":"Cargo Bike Launch"}`,
		`set_item_status {"items":["todo:4812096679"],"status":"trashed"}`,
		`set_completed {"item":"todo:Print the serial number plates","project":"Cargo Bike Launch","completed":true}`,
	},
	{
		"samo", `get_todo {"todo_id":"Print the serial number plates","project_id":"Cargo Bike Launch"}`,
		`set_item_status {"items":["todo:4812096679"],"status":"archived"}`,
		`update_work {"items":["todo:Print the serial number plates"],"project":"Cargo Bike Launch","due_on":"friday"}`,
	},
	{
		"ines", `get_todo {"todo_id":"Print the serial number plates","project_id":"Cargo Bike Launch"}`,
		`update_work {"items":[{"item":"todo:4812096679","title":"Print the name plates"}]}`,
		`update_work {"items":["todo:Print the serial number plates"],"project":"Cargo Bike Launch","due_on":"friday"}`,
	},
	{
		"samo", `get_todo {"todo_id":"Print the serial number plates","project_id":"Cargo Bike Launch"}`,
		`update_work {"items":[{"item":"todo:4812096679","title":"Print the name plates"}]}`,
		`add_subtasks {"item":"todo:Print the serial number plates","project":"Cargo Bike Launch","steps":[{"title":"Cut"}]}`,
	},
	{
		"noemie", `get_card {"item":"Matt clear coat","project":"Cargo Bike Launch"}`,
		`set_item_status {"items":["card:4812108064"],"status":"trashed"}`,
		`update_work {"items":["card:Matt clear coat"],"project":"Cargo Bike Launch","column":"Done"}`,
	},
	{
		"noemie", `get_card {"item":"Matt clear coat","project":"Cargo Bike Launch"}`,
		`update_work {"items":[{"item":"card:4812108064","title":"Gloss coat"}]}`,
		`update_work {"items":["card:Matt clear coat"],"project":"Cargo Bike Launch","due_on":"friday"}`,
	},
	{
		"noemie", `get_message {"message_id":"Rejected: the cup holder","project_id":"Cargo Bike Launch"}`,
		`set_item_status {"items":["message:4812102914"],"status":"trashed"}`,
		`update_message {"message":"Rejected: the cup holder","project":"Cargo Bike Launch","append":"More."}`,
	},
	{
		"noemie", `get_message {"message_id":"Rejected: the cup holder","project_id":"Cargo Bike Launch"}`,
		`update_message {"message":"4812102914","subject":"The cup holder comes"}`,
		`set_item_status {"items":["message:Rejected: the cup holder"],"project":"Cargo Bike Launch","status":"trashed"}`,
	},
	{
		"aoife", `get_document {"document_id":"Travel costs","project_id":"Company HQ"}`,
		`set_item_status {"items":["document:{id}"],"status":"trashed"}`,
		`update_document {"document":"Travel costs","project":"Company HQ","append":"By train."}`,
	},
}

func TestMistakes_HitAnItemFromMemoryNoMoreOftenThanBefore(t *testing.T) {
	hits := make([]string, len(stale))
	t.Run("title", func(t *testing.T) {
		for i, s := range stale {
			t.Run(fmt.Sprint(i+1), func(t *testing.T) {
				t.Parallel()
				url := agent.Start(t)
				c := agent.Connect(t, url, agent.Ines)
				learnt := do(t, c, s.learn)
				change := strings.ReplaceAll(s.change, "{id}", learnt.String("id"))
				for _, a := range []agent.Answer{learnt, do(t, agent.Connect(t, url, "sandbox-"+s.by), change)} {
					if a.Failed {
						t.Fatal(a.Text)
					}
				}
				if !do(t, c, s.act).Failed {
					hits[i] = fmt.Sprintf("%s, after %s by %s\n", s.act, change, s.by)
				}
			})
		}
	})
	var list string
	var hit int
	for _, h := range hits {
		list += h
		if h != "" {
			hit++
		}
	}
	t.Logf("\n%s\nof %d changes by a title that is not valid any more, %d hit an item; the target is 0", list, len(stale), hit)
	if hit > maxFromMemory {
		t.Errorf("%d changes hit an item from memory; the limit is %d", hit, maxFromMemory)
	}
}

// do calls a tool as a table writes it.
func do(t *testing.T, c *agent.Client, text string) agent.Answer {
	t.Helper()
	call, err := parseCall(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return c.Call(call.tool, call.arguments)
}
