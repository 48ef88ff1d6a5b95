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
	Files    map[string]string `json:"files"` // contents of text files; other files are generated
	Accounts []accountData     `json:"accounts"`
	Pings    []pingData        `json:"pings"` // in the first account
}

type accountData struct {
	ID       int64         `json:"id"`
	Name     string        `json:"name"`
	Inactive bool          `json:"inactive,omitempty"`
	People   []personData  `json:"people"`
	Projects []projectData `json:"projects,omitempty"`
	Contents []contentData `json:"contents,omitempty"`
	UpNext   []string      `json:"up_next,omitempty"` // titles of the first person's priorities and bookmarks
	Progress *progressData `json:"progress,omitempty"`
}

type personData struct {
	Handle   string `json:"handle"`
	Name     string `json:"name"`
	Email    string `json:"email"`
	Title    string `json:"title,omitempty"`
	Place    string `json:"place,omitempty"`
	Zone     string `json:"zone"`
	ID       int64  `json:"id"`
	Identity int64  `json:"identity,omitempty"` // 0 for a person who cannot log in
	Bio      string `json:"bio,omitempty"`
	Admin    bool   `json:"admin,omitempty"`
	Owner    bool   `json:"owner,omitempty"`
	Client   bool   `json:"client,omitempty"`
	Kind     string `json:"kind,omitempty"` // User if empty
	Company  string `json:"company,omitempty"`
	Away     []int  `json:"away,omitempty"` // first and last day out of office
}

type projectData struct {
	ID          int64               `json:"id"`
	Name        string              `json:"name"`
	Description any                 `json:"description,omitempty"`
	Age         age                 `json:"age"`
	Status      status              `json:"status,omitempty"`
	Team        []string            `json:"team"`
	Tools       []string            `json:"tools,omitempty"`  // the dock names of those in use
	Titles      map[string]string   `json:"titles,omitempty"` // by dock name
	More        map[string][]string `json:"more,omitempty"`   // titles of further tools, by dock name
	Clients     bool                `json:"clients,omitempty"`
	Timesheet   bool                `json:"timesheet,omitempty"`
}

// contentData are recordings at one place: a tool of a project, or a folder or column in it.
type contentData struct {
	Project string     `json:"project"`
	In      []string   `json:"in"` // titles, from the tool on
	Items   []itemData `json:"items"`
}

type pingData struct {
	People []string   `json:"people"`
	Age    age        `json:"age"`
	Lines  []itemData `json:"lines"`
}

// progressData is what the pages about progress show of a project.
type progressData struct {
	Project      string   `json:"project"`
	OnHill       []string `json:"on_hill"` // titles of to-do lists
	Needle       int      `json:"needle"`  // position on the gauge
	Color        string   `json:"color"`
	Body         string   `json:"body"`
	Template     string   `json:"template"`
	TemplateBody string   `json:"template_body"`
	WorkedOn     string   `json:"worked_on"` // title
	Hours        string   `json:"hours"`
	Work         string   `json:"work"`
}

// itemData is a recording with what is below it.
type itemData struct {
	Type     kind     `json:"type"`
	ID       int64    `json:"id,omitempty"` // if tests name it
	Title    string   `json:"title,omitempty"`
	By       string   `json:"by"`
	Age      age      `json:"age,omitempty"`
	Updated  age      `json:"updated,omitempty"`
	Status   status   `json:"status,omitempty"`
	Public   bool     `json:"public,omitempty"`
	Pinned   bool     `json:"pinned,omitempty"`
	Paused   bool     `json:"paused,omitempty"`
	Color    string   `json:"color,omitempty"`
	Category string   `json:"category,omitempty"`
	From     string   `json:"from,omitempty"` // sender of a forward
	File     string   `json:"file,omitempty"` // name
	Body     string   `json:"body,omitempty"`
	People   []string `json:"people,omitempty"`   // assignees or participants
	Notified []string `json:"notified,omitempty"` // when the task is completed
	Starts   *int     `json:"starts,omitempty"`   // day
	Due      *int     `json:"due,omitempty"`      // day
	Done     age      `json:"done,omitempty"`
	Moved    age      `json:"moved,omitempty"` // when a card left Triage

	// Of an entry, a question or an answer. Clocks are in the company's time zone.
	Day         int    `json:"day,omitempty"`
	Clock       string `json:"clock,omitempty"` // "" for all-day entries
	Until       string `json:"until,omitempty"`
	Days        int    `json:"days,omitempty"` // number of whole days, 1 if 0
	Link        string `json:"link,omitempty"`
	Weekly      bool   `json:"weekly,omitempty"`
	Saturday    bool   `json:"saturday,omitempty"` // on the first Saturday from that day on
	Highlighted bool   `json:"highlighted,omitempty"`
	AskedOn     []int  `json:"asked_on,omitempty"` // days of the week

	Items []itemData `json:"items,omitempty"`
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
