package githubtools

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/plaintext"
)

// iterationValue reads an iteration: its title, a date in it, or its place relative to today.
func (k *kit) iterationValue(f github.Field, given any) (newValue, error) {
	open, completed := f.Iterations()
	all := slices.Concat(open, completed)
	slices.SortStableFunc(all, func(a, b github.Iteration) int { return cmp.Compare(a.StartDate, b.StartDate) })
	iterations := choice[github.Iteration]{
		argument: "value", noun: "iterations", items: all, partly: true,
		name:  func(i github.Iteration) string { return i.Title },
		where: func(i github.Iteration) string { return i.StartDate + " for " + strconv.Itoa(i.Duration) + " days" },
	}
	word, ok := wordOf(given)
	if !ok {
		return newValue{}, iterations.listed("must be the title of an iteration, @current, @next, @previous or a date, as a string")
	}
	found, named := iterationAt(all, strings.ToLower(word), k.now().UTC().Format(time.DateOnly))
	if found == nil {
		picked, known, err := iterations.find(word)
		switch {
		case err != nil:
			iterations.ref = func(i github.Iteration) string { return i.StartDate } // titles can be the same
			_, err = iterations.pick(word)
			return newValue{}, err
		case !known && named:
			return newValue{}, iterations.none("no iteration matches "+plaintext.Quote(word), word)
		case !known:
			return newValue{}, iterations.unknown(word)
		}
		found = &picked
	}
	return newValue{sent: github.Value{IterationID: &found.ID}, shown: viewValue(found.Title)}, nil
}

// iterationAt finds an iteration by a date or by a word such as @current, among iterations in the
// order of their dates. named reports whether the text is one of these.
func iterationAt(all []github.Iteration, text, today string) (found *github.Iteration, named bool) {
	day := today
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		day, text = text, "@current"
	}
	switch text {
	case "@next":
		return firstWhere(all, func(i github.Iteration) bool { return i.StartDate > today }), true
	case "@current":
		return firstWhere(all, func(i github.Iteration) bool { return i.StartDate <= day && day < endOf(i) }), true
	case "@previous":
		ended := slices.Clone(all)
		slices.Reverse(ended)
		return firstWhere(ended, func(i github.Iteration) bool { return endOf(i) <= today }), true
	}
	return nil, false
}

func firstWhere(all []github.Iteration, match func(github.Iteration) bool) *github.Iteration {
	if at := slices.IndexFunc(all, match); at >= 0 {
		return &all[at]
	}
	return nil
}

// endOf returns the day after an iteration.
func endOf(i github.Iteration) string {
	start, err := time.Parse(time.DateOnly, i.StartDate)
	if err != nil {
		return i.StartDate
	}
	return start.AddDate(0, 0, i.Duration).Format(time.DateOnly)
}
