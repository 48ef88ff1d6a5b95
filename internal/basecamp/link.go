package basecamp

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Link is the item that an address of Basecamp or of its API refers to.
type Link struct {
	Account int64
	Project int64  // 0 if the address does not name it
	Type    string // as in the path: projects, todos, messages, cards, lines, ...
	ID      int64
	Comment int64  // the comment that the address scrolls to; 0 for none
	Within  int64  // the previous ID that is not a project's: the chat of a line, the list of a group
	Day     string // occurrence of a recurring entry, YYYYMMDD
}

var linkHosts = []string{"3.basecamp.com", "app.basecamp.com", "3.basecampapi.com"}

var errNoLink = errors.New("not the address of an item in Basecamp")

// ParseLink parses an address. The last pair of a word and an ID in the path is the item. ParseLink
// ignores what follows it, such as /edit.
func ParseLink(raw string) (Link, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return Link{}, err
	}
	if u.Scheme != "https" && u.Scheme != "http" || !slices.Contains(linkHosts, strings.ToLower(u.Hostname())) {
		return Link{}, errNoLink
	}
	account, path, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	link := Link{Account: linkID(account)}
	link.follow(strings.Split(strings.TrimSuffix(path, ".json"), "/"))
	if link.Account == 0 || link.ID == 0 {
		return Link{}, errNoLink
	}
	link.scroll(u.Fragment)
	return link, nil
}

// scroll takes the item that the address scrolls to from its fragment. On the page of a chat, this
// is a line.
func (l *Link) scroll(fragment string) {
	text, ok := strings.CutPrefix(fragment, "__recording_")
	switch id := linkID(text); {
	case !ok || id == 0:
	case l.Type == "chats":
		l.Within, l.Type, l.ID = l.ID, "lines", id
	default:
		l.Comment = id
	}
}

func (l *Link) follow(path []string) {
	var word string
	for _, segment := range path {
		_, line, _ := strings.Cut(segment, "@") // chats/7@8 is line 8 of chat 7
		switch id := linkID(segment); {
		case linkID(line) > 0 && word == "circles":
			ping, _, _ := strings.Cut(segment, "@")
			l.Type, l.ID = word, linkID(ping)
		case linkID(line) > 0:
			chat, _, _ := strings.Cut(segment, "@")
			l.Within, l.Type, l.ID = linkID(chat), "lines", linkID(line)
		case id == 0:
			word = segment
		case word == "buckets":
			l.Project = id
		case word == "occurrences":
			l.Day = segment
		case word != "":
			l.Within, l.Type, l.ID = l.ID, word, id
		}
		if l.Type == "projects" {
			l.Project = l.ID
		}
	}
}

// linkID returns the positive ID in text, or 0.
func linkID(text string) int64 {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}
