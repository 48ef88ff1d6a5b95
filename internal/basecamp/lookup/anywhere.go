package lookup

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
)

// maxNamesakes is the number of items of one title that are read to verify it.
const maxNamesakes = 10

// mostGuesses is the number of unknown titles of a batch for which similar ones are searched.
const mostGuesses = 3

// byTitleAnywhere finds an item by its title in every project of the user. Basecamp's search finds
// it, or the list of the items of its kind that changed last, which has new titles sooner. An item
// counts only if a read now returns the same title and status.
//
// A call that writes needs the whole title: search may not know all titles with this part.
func (rs *Resolver) byTitleAnywhere(ctx context.Context, w titleWanted) (basecamp.Listed, error) {
	words := Mapped(strings.Fields(w.title), func(word string) string { return strings.Trim(word, naming.Marks) })
	items, err := rs.titlesAnywhere(ctx, w, strings.Join(words, " "))
	if err != nil {
		return basecamp.Listed{}, err
	}
	options := w.among(items)
	found := naming.Exactly(items, w.title, options.Label)
	if part := naming.Containing(items, w.title, options.Label); len(found) == 0 && len(part) > 0 {
		if mcptool.Writes(ctx) {
			return basecamp.Listed{}, options.Ambiguous(part, "%s is only part of a title; give the whole title, type:id, or project", plaintext.Quote(w.title))
		}
		found = part
	}
	now, err := rs.StillSo(ctx, found[:min(len(found), maxNamesakes)])
	if err != nil {
		return basecamp.Listed{}, err
	}
	if len(now) > 0 {
		return pickTitle(ctx, w.among(now), w.title)
	}
	return basecamp.Listed{}, unfound(ctx, rs.unknownAnywhere(ctx, w, items))
}

// StillSo reads items again, and returns those that have not changed.
func (rs *Resolver) StillSo(ctx context.Context, items []basecamp.Listed) ([]basecamp.Listed, error) {
	now, err := listing.InParallel(ctx, items, rs.readAgain)
	return Matching(now, func(item basecamp.Listed) bool { return item.ID != 0 }), err
}

// titlesAnywhere returns the items with the wanted kinds and statuses that Basecamp finds by words,
// and those that changed last.
func (rs *Resolver) titlesAnywhere(ctx context.Context, w titleWanted, words string) ([]basecamp.Listed, error) {
	ctx = fence.Aside(ctx)
	recent := w.recent()
	if len(recent) == 0 && !w.kinds[0].isSearched() {
		return nil, fault.Invalid(w.argument, "give type:title, or project, to find archived and trashed items by title")
	}
	lists, err := listing.InParallel(ctx, append(recent, titlesOf{}), func(ctx context.Context, of titlesOf) ([]basecamp.Listed, error) {
		if of == (titlesOf{}) {
			return rs.searchTitles(ctx, w, words)
		}
		page, err := basecamp.RecordingsIn[basecamp.Listed](KindOf(of.kind).Upstream, 0, of.status, basecamp.Sorted("updated_at", "desc")).Page(ctx, rs.BC, 1)
		return page.Items, err
	})
	return eachOnce(slices.Concat(lists...)), err
}

func eachOnce(items []basecamp.Listed) (all []basecamp.Listed) {
	for _, item := range items {
		if !slices.ContainsFunc(all, func(other basecamp.Listed) bool { return other.ID == item.ID }) {
			all = append(all, item)
		}
	}
	return all
}

// recent returns the lists of which the items that changed last are read: none if too many kinds
// are wanted.
func (w titleWanted) recent() []titlesOf {
	const most = 4
	// Basecamp does not list questions across projects.
	lists := Matching(w.lists(), func(of titlesOf) bool { return of.kind != QuestionKind.Kind })
	if len(lists) > most {
		return nil
	}
	return lists
}

// isSearched reports whether search finds items with the statuses in which a title is searched.
func (k Kind) isSearched() bool { return slices.Contains(k.sought(), Active) }

// searchTitles returns the active items of the wanted kinds that Basecamp's search finds by words.
func (rs *Resolver) searchTitles(ctx context.Context, w titleWanted, words string) ([]basecamp.Listed, error) {
	if !w.kinds[0].isSearched() {
		return nil, nil
	}
	asked := basecamp.Search{Text: words}
	for _, k := range w.kinds {
		if word := cmp.Or(k.searched, k.Upstream); !slices.Contains(asked.Types, word) {
			asked.Types = append(asked.Types, word)
		}
	}
	page, err := rs.BC.Search(fence.Aside(ctx), asked, 1)
	var items []basecamp.Listed
	for _, r := range page.Items {
		item := listedResult(r)
		if slices.ContainsFunc(w.kinds, func(k Kind) bool { return k.Upstream == item.Type }) {
			items = append(items, item)
		}
	}
	return items, err
}

// listedResult returns a search result in the form of lists. For a file it is the upload, or an
// item without an ID if the file is in a text.
func listedResult(r basecamp.SearchResult) basecamp.Listed {
	found := basecamp.Listed{Recording: r.Recording}
	if r.IsFile() && r.Parent != nil {
		found.ID, found.Type, found.Title, found.Status = r.Parent.ID, r.Parent.Type, cmp.Or(r.Parent.Title, r.Filename), Active
	}
	if found.Type != UploadKind.Upstream && r.IsFile() {
		return basecamp.Listed{}
	}
	return found
}

// unknownAnywhere returns the error for a title that was not found, with the nearest titles. Unless
// the batch is large, it looks for titles with the longest words of this one.
func (rs *Resolver) unknownAnywhere(ctx context.Context, w titleWanted, items []basecamp.Listed) error {
	words := strings.Fields(w.title)
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	if listing.BatchOf(ctx) > mostGuesses { // it has no requests to spare
		words = nil
	}
	for _, word := range words[:min(len(words), 2)] {
		more, err := rs.searchTitles(ctx, w, word)
		if _, ok := listing.Dispensable(err); err != nil && !ok {
			return err
		}
		items = append(items, more...)
	}
	unknown := w.among(eachOnce(items)).Unknown(w.title)
	unknown.Message += "; with project, all its titles are looked up"
	return unknown
}
