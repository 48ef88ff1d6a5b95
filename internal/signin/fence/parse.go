package fence

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// MaxSize is the largest fence that is stored, in bytes of JSON. With it, what every request reads
// about a client stays below 4 KB, which DynamoDB reads as one unit.
const MaxSize = 2500

// Equal reports whether two fences have the same members.
func (f Fence) Equal(other Fence) bool { return f.Text() == other.Text() }

// Text returns the fence in JSON. Equal fences have the same text.
func (f Fence) Text() string {
	encoded, err := json.Marshal(f)
	if err != nil {
		panic(err) // its members are strings, numbers and lists of them
	}
	return string(encoded)
}

// Project returns the ID in a text that is one, or the URL of a project or of an item in it.
func Project(text string) (id int64, ok bool) {
	if u, err := url.Parse(text); err == nil && u.Scheme == "https" {
		path := strings.Split(strings.Trim(u.Path, "/"), "/")
		at := slices.IndexFunc(path, func(s string) bool { return s == "projects" || s == "buckets" })
		if at < 0 || at+1 == len(path) {
			return 0, false
		}
		text = path[at+1]
	}
	return number(text)
}

// Repo returns owner/name of a text that is that, or the URL of a repository or of a page in it.
func Repo(text string) (name string, ok bool) {
	if path, isURL := pathOf(text); isURL {
		text = strings.Join(path[:min(2, len(path))], "/")
	}
	owner, name, _ := strings.Cut(text, "/")
	return text, isName(owner, "-_") && isName(name, "-_.") && strings.Trim(name, ".") != ""
}

// Board returns owner/number of a text that is that, or the URL of a board.
func Board(text string) (name string, ok bool) {
	if path, isURL := pathOf(text); isURL {
		if len(path) < 4 || path[0] != "orgs" && path[0] != "users" || path[2] != "projects" {
			return "", false
		}
		text = path[1] + "/" + path[3]
	}
	owner, digits, _ := strings.Cut(text, "/")
	_, ok = number(digits)
	return text, ok && isName(owner, "-_")
}

func pathOf(text string) (path []string, isURL bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" {
		return nil, false
	}
	return strings.Split(strings.Trim(u.Path, "/"), "/"), true
}

// number reads a positive number as people write one, without a sign.
func number(text string) (n int64, ok bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n > 0 && text[0] != '+'
}

// isName reports whether a text has 1 to 100 ASCII letters, digits and other characters.
func isName(text, other string) bool {
	return text != "" && len(text) <= 100 && !strings.ContainsFunc(text, func(c rune) bool {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		return !letter && !strings.ContainsRune(other, c)
	})
}
