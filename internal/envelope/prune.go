package envelope

import (
	"slices"
	"time"
)

const (
	// settled is four times as long as any call, because a function runs for 15 minutes at most. The
	// call that saved a version so long ago has ended, and so has every call that saw the record
	// before that: the record names the version by now or never.
	settled = time.Hour
	// mostOfOne is how many settled versions of one revision stay. They pile up only if records
	// cannot be written while tokens can.
	mostOfOne = 48
	// mostRemoved limits the rows of one write: DynamoDB limits the size of a transaction.
	mostRemoved = 20
)

// add adds a version as the newest. It returns at most mostRemoved versions to remove, which it has
// removed from p, each once: a transaction cannot remove an item twice, also if an attacker has
// repeated it. What is not the name of a version has no row, and a table would refuse it.
//
// A call saves revision n after it has seen the record at n-1. Then no record names an older
// revision, except if the user has disconnected and connected since, which starts again at one
// (and late calls may still save for the grant before). So add removes a version only if all
// revisions from its own to n were saved one after another since.
func (p *Pointer) add(v Kept) (removed []string) {
	p.Kept = append(p.Kept, v)
	var stay []Kept
	for i, old := range p.Kept {
		goes := v.SavedAt.Sub(old.SavedAt) >= settled && (p.succeeded(i, v.Revision) || p.surplus(i, v.Revision))
		switch {
		case !goes || len(removed) == mostRemoved:
			stay = append(stay, old)
		case isName(old.Version) && !slices.Contains(removed, old.Version):
			removed = append(removed, old.Version)
		}
	}
	p.Kept = stay
	return removed
}

// renew notes that a version was saved again, so that it is not removed before the call that saved
// it again has ended. It returns errUnchanged if that is certain without a note.
func (p *Pointer) renew(i int, now time.Time) error {
	if now.Sub(p.Kept[i].SavedAt) < settled/2 {
		return errUnchanged
	}
	p.Kept[i].SavedAt = now
	return nil
}

// succeeded reports whether at least two revisions followed a version, each saved after the one
// before, up to the latest.
func (p *Pointer) succeeded(i int, latest int64) bool {
	next := p.Kept[i].Revision + 1
	for _, later := range p.Kept[i+1:] {
		if later.Revision == next {
			next++
		}
	}
	return next > latest && latest >= p.Kept[i].Revision+2
}

// surplus reports whether a version has the latest revision, and mostOfOne more were saved after
// it.
func (p *Pointer) surplus(i int, latest int64) bool {
	later := 0
	for _, v := range p.Kept[i+1:] {
		if v.Revision == latest {
			later++
		}
	}
	return p.Kept[i].Revision == latest && later >= mostOfOne
}
