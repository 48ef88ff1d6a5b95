package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// pictures are those of the documents. They are written only with UPDATE_PICTURES=1.
const pictures = "../../../docs/pictures/"

func updatesPictures() bool { return os.Getenv("UPDATE_PICTURES") != "" }

// reducePalette makes pictures a quarter of their size.
func reducePalette(t *testing.T, files ...string) {
	t.Helper()
	if out, err := exec.Command("go", append([]string{"run", pictures + "palette.go"}, files...)...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// The pictures of the pages: what a user sees from the request of a client to the account page.
func TestPictures_ShowTheLoginAndTheAccountPage(t *testing.T) {
	into := t.TempDir() + "/"
	if updatesPictures() {
		into = pictures
	}
	s, b := start(t), browse(t, true)
	app := register(t, s, "Claude", "https://claude.ai/api/mcp/auth_callback")
	begun := app.begins()
	bearer := app.redeem(newPerson(t, "ines").logsIn(begun.url).Query().Get("code"), begun.verifier).AccessToken
	call(t, s, bearer, "list_todos", map[string]any{"project": "Cargo Bike Launch"})
	call(t, s, bearer, "create_todos", map[string]any{"project": "Cargo Bike Launch", "list": "Launch checklist", "todos": []any{map[string]any{"content": "Order gas"}}})
	call(t, s, bearer, "create_document", map[string]any{"project": "Cargo Bike Launch", "title": "Notes of the week", "body": "All frames are welded."})

	var taken []string
	look := func(name string) {
		taken = append(taken, into+name+".png")
		b.does("look", taken[len(taken)-1])
	}
	chat, err := filepath.Abs(pictures + "chat.html")
	if err != nil {
		t.Fatal(err)
	}
	b.goes("file://" + chat)
	look("chat")
	b.wants(b.goes(app.begins().url), "Let “Claude” use your Basecamp?")
	look("consent")
	b.wants(b.clicks("Approve"), "Choose who you are")
	look("login")
	b.goes(s.at("/account"))
	b.clicks("Continue to Basecamp")
	b.wants(b.clicks("Ines Albrecht"), "Connected apps")
	look("account")
	reducePalette(t, taken...)
}
