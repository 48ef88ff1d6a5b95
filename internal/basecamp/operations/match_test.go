package operations

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// closedPaths are the documented paths that are closed to a client that is held to projects.
var closedPaths = []string{
	"account/name", "account/logo", "calendars/12345", "my/drafts", "stacks", "stacks/12345", "lineup/markers", "lineup/markers/12345", "my/notes",
	"people/12345/out_of_office", "searches/metadata", "templates", "templates/12345", "templates/12345/project_constructions",
	"templates/12345/project_constructions/12345", "template_library/todolists", "template_library/card_tables", "template_library/copies",
	"template_library/copies/12345", "webhooks/12345",
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// Every documented path has a place: a project, an item whose project can be learned, a list of all
// projects that is screened, or none, and then it is closed. Every write has an opposite, or says
// why it has none.
func TestRows_SayWhereEachPathIsAndWhatUndoesEachWrite(t *testing.T) {
	documented, err := os.ReadFile("../sandbox/documented/routes.txt")
	if err != nil {
		t.Fatal(err)
	}
	gets := map[string]bool{}
	var closed []string
	for line := range strings.Lines(string(documented)) {
		words := strings.Fields(line)
		if len(words) < 2 || strings.HasPrefix(line, "#") {
			continue
		}
		path := placeholder.ReplaceAllStringFunc(strings.TrimLeft(words[1], "~/"), func(name string) string {
			if name == "{id}" || name == "{project}" {
				return "12345"
			}
			return "word"
		})
		if words[0] == "GET" {
			gets[path] = true
		}
		if at := Locate(path + ".json"); at.Place == NoProject && !slices.Contains(closed, path) {
			closed = append(closed, path)
		}
	}
	if !slices.Equal(closed, closedPaths) {
		t.Errorf("closed:\n%s", strings.Join(closed, "\n"))
	}
	for path := range allRoutes().places {
		if at := Locate(strings.ReplaceAll(path, "#", "12345")); at.Reads != "" && !gets[at.Reads+"/12345"] {
			t.Errorf("no page documents how to read %s, by which the project of %s is learned", at.Reads, path)
		}
	}
	for write, row := range allRoutes().writes {
		undo := row.Undo
		if undo == nil || undo.Cannot == "" && (undo.By == Removes) != (row.Makes != "") || undo.By == Restores && undo.Cannot == "" && undo.Fields == nil {
			t.Errorf("%s: makes %q, and %+v undoes it", write, row.Makes, undo)
		}
		if method, path, _ := strings.Cut(undo.With, " "); undo.With != "" && method != "DELETE" && allRoutes().writes[method+" "+strings.ReplaceAll(path, "{id}", "#")] == nil {
			t.Errorf("%s: %s is not a row", write, undo.With)
		}
	}
	if row, _ := Write("POST", "things/1/others.json"); row.Undo.Cannot == "" {
		t.Error("what is not in the table has an opposite")
	}
}
