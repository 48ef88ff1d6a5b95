package mistakes

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/e2e/agent"
)

// tables has one wrong call on each line:
//
//	tool {arguments} | CODE argument clue... | retry
//	tool {arguments} | at once | retry
//
// The middle is the refusal that is due: its code (several with slashes), the argument that it
// names (- if none) and words that the retry needs, with _ for spaces. "At once" marks a call whose
// meaning is clear: it should work, and do the same as the retry. The retry has the arguments that
// change, null for those that go, and a tool if it is another. "without null" leaves out all nulls.
//
// {day:+3} is the date in three days, {words:+3} is that date as people write it, and {weekday:+3}
// its weekday. {notification} is the ID of an unread notification, which depends on the day.
//
//go:embed tables
var tables embed.FS

// mistake is a wrong call and what should follow.
type mistake struct {
	name   string // its file and line
	call   call
	atOnce bool
	codes  []string
	names  string // the argument that the refusal names, or "" if none
	clues  []string
	retry  call
}

// call is a tool with its arguments.
type call struct {
	tool      string
	arguments map[string]any
}

func (c call) String() string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c.arguments); err != nil {
		return err.Error()
	}
	return c.tool + " " + strings.TrimSpace(text.String())
}

// read returns all mistakes of the tables.
func read(t *testing.T) (all []mistake) {
	t.Helper()
	files, err := tables.ReadDir("tables")
	if err != nil {
		t.Fatal(err)
	}
	unread := agent.Connect(t, agent.Start(t), agent.Ines).Call("get_notifications", nil).String("items.0.id")
	for _, file := range files {
		text, err := tables.ReadFile("tables/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.ReplaceAll(dated(string(text)), "{notification}", unread), "\n") {
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			m, err := parse(line)
			if err != nil {
				t.Fatalf("%s:%d: %v", file.Name(), i+1, err)
			}
			m.name = fmt.Sprintf("%s:%d", file.Name(), i+1)
			all = append(all, m)
		}
	}
	return all
}

func parse(line string) (m mistake, err error) {
	parts := strings.Split(line, " | ")
	if len(parts) != 3 {
		return m, fmt.Errorf("%d parts instead of three", len(parts))
	}
	if m.call, err = parseCall(parts[0]); err != nil {
		return m, err
	}
	if words := strings.Fields(parts[1]); parts[1] == "at once" {
		m.atOnce = true
	} else if len(words) < 2 {
		return m, fmt.Errorf("no argument in %q", parts[1])
	} else {
		m.codes, m.names, m.clues = strings.Split(words[0], "/"), strings.TrimPrefix(words[1], "-"), words[2:]
	}
	m.retry, err = m.call.patched(parts[2])
	return m, err
}

func parseCall(text string) (c call, err error) {
	c.tool, text, _ = strings.Cut(text, " ")
	return c, decode(text, &c.arguments)
}

// decode decodes JSON and keeps ids exact that a float64 cannot hold.
func decode(text string, into any) error {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// patched returns the call with the changes of a retry.
func (c call) patched(retry string) (call, error) {
	changed := call{tool: c.tool, arguments: maps.Clone(c.arguments)}
	if retry == "without null" {
		changed.arguments, _ = withoutNull(changed.arguments).(map[string]any)
		return changed, nil
	}
	if !strings.HasPrefix(retry, "{") {
		changed.tool, retry, _ = strings.Cut(retry, " ")
	}
	var changes map[string]any
	if err := decode(retry, &changes); err != nil {
		return c, err
	}
	maps.Copy(changed.arguments, changes)
	maps.DeleteFunc(changed.arguments, func(_ string, value any) bool { return value == nil })
	return changed, nil
}

// withoutNull returns a value without the properties that are null, at any depth.
func withoutNull(value any) any {
	switch v := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, part := range v {
			if part != nil {
				kept[name] = withoutNull(part)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i, part := range v {
			kept[i] = withoutNull(part)
		}
		return kept
	}
	return value
}

var placeholder = regexp.MustCompile(`\{(day|words|weekday):([+-]\d+)\}`)

// now returns the time where the sandbox's first person is.
func now() time.Time {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		return time.Now()
	}
	return time.Now().In(zone)
}

func today() string { return now().Format(time.DateOnly) }

// dated fills in the days of a text.
func dated(text string) string {
	start := now()
	layouts := map[string]string{"day": time.DateOnly, "words": "January 2", "weekday": "Monday"}
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		parts := placeholder.FindStringSubmatch(found)
		days, _ := strconv.Atoi(parts[2]) // the expression admits only numbers
		return start.AddDate(0, 0, days).Format(layouts[parts[1]])
	})
}
