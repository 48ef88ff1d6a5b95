package githubtools

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
)

// boardOf returns an answer with a page of items of the board, and errors.
func boardOf(errors string, nodes ...string) string {
	edges := make([]string, len(nodes))
	for i, node := range nodes {
		edges[i] = fmt.Sprintf(`{"cursor": "c%d", "node": %s}`, i+1, node)
	}
	return `{"data": {"node": {"__typename": "ProjectV2", "id": "PVT_1", "items": {"totalCount": 2, "pageInfo": {"hasNextPage": false, "endCursor": null},
		"edges": [` + strings.Join(edges, ",") + `]}}}, "errors": [` + errors + `]}`
}

const draftItem = `{"id": "PVTI_draft1", "type": "DRAFT_ISSUE", "isArchived": false, "updatedAt": "2026-02-01T00:00:00Z",
	"content": {"__typename": "DraftIssue", "id": "DI_1", "title": "Order bells", "assignees": {"totalCount": 0, "nodes": []}}, "fieldValues": {"nodes": []}}`

func TestGraphQLPartial_AnEntryWithoutACursorDoesNotStopTheList(t *testing.T) {
	d := newToolEnv(t)
	body := strings.Replace(boardOf("", "null", draftItem), `{"cursor": "c1", "node": null}`, "null", 1)
	d.sandbox.Inject(says("Items", 200, body))
	with := args{"project": launch, "limit": 1}
	first := call[parts.Page[boards.Item]](d, "list_project_items", with)
	if len(first.Items) != 1 || first.Items[0].Type != "redacted" || !first.HasMore {
		t.Fatalf("%+v", first)
	}
	with["cursor"] = *first.NextCursor
	if second := call[parts.Page[boards.Item]](d, "list_project_items", with); len(second.Items) != 1 || second.Items[0].ID != "PVTI_draft1" || second.HasMore {
		t.Errorf("%+v", second)
	}
}

func TestGraphQLPartial_ASmallerPageInTheMiddleRepeatsNothing(t *testing.T) {
	read := func(size int) func(string) (github.Page[int], error) {
		return func(next string) (github.Page[int], error) {
			first, _ := strconv.Atoi(next)
			p := github.Page[int]{Total: -1}
			for n := first; n < min(first+size, 100); n++ {
				p.Items = append(p.Items, n)
			}
			if first+size < 100 {
				p.Next = strconv.Itoa(first + size)
			}
			return p, nil
		}
	}
	numbers := parts.List[int, int]{Of: "x", View: func(n int) (int, bool) { return n, true }}
	numbers.Read = read(100)
	first, err := numbers.Collect(parts.PageInput{Limit: 60})
	if err != nil {
		t.Fatal(err)
	}
	numbers.Read = read(25) // GitHub refuses 100 now
	second, err := numbers.Collect(parts.PageInput{Limit: 10, Cursor: *first.NextCursor})
	if err != nil || second.Items[0] != 60 || len(second.Items) != 10 {
		t.Errorf("%v %v", second.Items, err)
	}
}
