package sandbox

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// company.json is the made-up company: its accounts in the order in which they are filled. Ages
// ("3d4h" ago) and days (2 is the day after tomorrow) are relative to the moment the sandbox is
// made. In texts, {@handle} mentions a person, {file:name} and {gallery:name} show a file, with a
// caption after a bar, and {day:+2} is the name of a day.
//
//go:embed company.json
var companyJSON []byte

// company returns the parsed data, which all sandboxes of the process share.
var company = sync.OnceValue(func() *companyData {
	data := &companyData{}
	if err := json.Unmarshal(companyJSON, data); err != nil {
		panic(fmt.Sprintf("sandbox: company.json: %v", err))
	}
	return data
})

type companyData struct {
	Picture  []byte            // content of all pictures: a small hill under a sky
	Files    map[string]string // contents of text files; other files are generated
	Accounts []accountData
	Pings    []pingData // in the first account
}

// accountData is an account. Later has what is made after the menus are filled.
type accountData struct {
	ID              int64
	Name            string
	Inactive        bool
	People          []personData
	Projects        []projectData
	Contents, Later []contentData
	UpNext          []string `json:"up_next"` // titles of the first person's priorities and bookmarks
}

// personData is a person, who can log in with an identity, and works for the account without a
// kind.
type personData struct {
	Person
	Company string
	Away    []int // first and last day out of office
}

type projectData struct {
	project
	Age    age
	Team   []string
	Tools  []string            // the dock names of those in use
	Titles map[string]string   // by dock name
	More   map[string][]string // titles of further tools, by dock name
}

// contentData are recordings at one place: a tool of a project, or a folder or column in it. Or it
// is a template.
type contentData struct {
	Project  string
	In       []string // titles, from the tool on
	Items    []itemData
	Template *projectData
}

type pingData struct {
	People []string
	Age    age
	Lines  []itemData
}

// itemData is a recording with what is below it.
type itemData struct {
	recording
	By       string
	Age      age
	Updated  age
	Category string
	File     string   // name
	People   []string // assignees or participants
	Notified []string // when the task is completed
	Starts   *int     // day
	Due      *int     // day
	Done     age
	Moved    age  // when a card left Triage
	OnHill   bool // of a to-do list on the hill chart

	// Of an entry, a question or an answer. Clocks are in the company's time zone.
	Day         int
	Clock       string // "" for all-day entries
	Until       string
	Days        int // number of whole days, 1 if 0
	Link        string
	Weekly      bool
	Saturday    bool // on the first Saturday from that day on
	Highlighted bool
	AskedOn     []int `json:"asked_on"` // days of the week

	Items []itemData
}

// An age is how long ago something happened: "3d4h10m", "90s".
type age time.Duration

// UnmarshalText parses an age.
func (a *age) UnmarshalText(text []byte) error {
	days, rest, found := strings.Cut(string(text), "d")
	if !found {
		days, rest = "0", string(text)
	}
	n, err := strconv.Atoi(days)
	if err != nil {
		return err
	}
	more := time.Duration(0)
	if rest != "" {
		if more, err = time.ParseDuration(rest); err != nil {
			return err
		}
	}
	*a = age(time.Duration(n)*24*time.Hour + more)
	return nil
}
