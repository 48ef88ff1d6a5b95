package fence

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// MaxSize is the largest fence that is stored, in bytes of JSON. With it, what every request reads
// about a client stays below 4 KB, which DynamoDB reads as one unit.
const MaxSize = 2500

// MaxWritesAnHour is the largest number of writes in an hour.
const MaxWritesAnHour = 10_000

// Parse reads a fence in JSON. It refuses unknown members, and everything that Check refuses.
func Parse(text string) (Fence, error) {
	in := json.NewDecoder(strings.NewReader(text))
	in.DisallowUnknownFields()
	var f Fence
	if err := in.Decode(&f); err != nil {
		return Fence{}, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return Fence{}, errors.New("text follows the object")
	}
	return f, f.Check()
}

// Check returns an error that names the first member of a fence that is invalid.
func (f Fence) Check() error {
	if i := slices.IndexFunc(f.Accounts, func(a Account) bool { return a.ID <= 0 }); i >= 0 {
		return fmt.Errorf("accounts[%d] must have the ID of an account", i)
	}
	for name, p := range map[string]*Places{"read": f.Read, "write": f.Write} {
		if p == nil {
			continue
		}
		if i := slices.IndexFunc(p.Projects, func(id int64) bool { return id <= 0 }); i >= 0 {
			return fmt.Errorf("%s.projects[%d] must be the ID of a project", name, i)
		}
		if i := slices.IndexFunc(p.Repos, func(s string) bool { r, ok := Repo(s); return !ok || r != s }); i >= 0 {
			return fmt.Errorf("%s.repos[%d] must be owner/name", name, i)
		}
		if i := slices.IndexFunc(p.Boards, func(s string) bool { b, ok := Board(s); return !ok || b != s }); i >= 0 {
			return fmt.Errorf("%s.boards[%d] must be owner/number", name, i)
		}
	}
	if i := slices.IndexFunc(f.LinkHosts, func(s string) bool { h, ok := Host(s); return !ok || h != s }); i >= 0 {
		return fmt.Errorf("link_hosts[%d] must be a host name in lower case, such as fernhill.example", i)
	}
	switch {
	case f.WritesAnHour < 0 || f.WritesAnHour > MaxWritesAnHour:
		return fmt.Errorf("writes_an_hour must be from 0 to %d", MaxWritesAnHour)
	case len(f.Text()) > MaxSize:
		return fmt.Errorf("it takes %d bytes of JSON, and %d is the most", len(f.Text()), MaxSize)
	}
	return nil
}

// IsZero reports whether the fence bounds nothing.
func (f Fence) IsZero() bool { return f.Equal(Fence{}) }

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

// Host returns the host name of a text that is one, or the URL of a page on it, in lower case.
func Host(text string) (host string, ok bool) {
	if u, err := url.Parse(text); err == nil && strings.HasPrefix(u.Scheme, "http") {
		text = u.Hostname()
	}
	host = strings.ToLower(text)
	labels := strings.Split(host, ".")
	wrong := func(label string) bool {
		return !isName(label, "-") || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-")
	}
	return host, len(host) <= 253 && len(labels) > 1 && !slices.ContainsFunc(labels, wrong)
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
