package listing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/wire/upstream"
	"basecamp-mcp/internal/wire/writeplan"
)

// Outcome is the result of one entry of a batch: an item or an error.
type Outcome[T any] struct {
	Index int                   `json:"index"`
	OK    bool                  `json:"ok"`
	Item  *T                    `json:"item,omitempty"`
	Error *toolanswer.ItemError `json:"error,omitempty"`
}

// mostRequests is how many requests a batch may send. A call has no time for more: a provider takes
// some fifteen at once and three a second.
const mostRequests = 80

// minRemaining is the time that a call must have left to start another entry.
const minRemaining = 2 * time.Second

// Plan prepares every entry of a batch before the first one is written. If entries are wrong, it
// returns one error that names the problems of all, and the caller must write nothing; the plans
// of the other entries are valid. The function plan gets the path of its entry, such as todos[2];
// paths in its errors may leave that out. Plan prepares the first entry before it starts the
// others, which find in the caches what it read.
//
// shared is the error of the arguments that all entries share, or nil. With it, plan must work
// without what these arguments name; the error of Plan has the problems of both.
func Plan[A, P any](ctx context.Context, shared error, argument string, entries []A, plan func(ctx context.Context, path string, entry A) (P, error)) ([]P, error) {
	if shared != nil && !fault.OfArguments(shared) {
		return nil, Unwritten(len(entries), shared)
	}
	plans, problems := make([]P, len(entries)), make([]error, len(entries))
	ctx = context.WithValue(ctx, batchKey{}, &batch{size: len(entries)})
	var planned atomic.Int64
	prepare := func(ctx context.Context, i int) (struct{}, error) {
		path := fmt.Sprintf("%s[%d]", argument, i)
		err := affordable(ctx, argument, int(planned.Load()), len(entries))
		if err != nil {
			return struct{}{}, err
		}
		defer planned.Add(1)
		if plans[i], err = plan(ctx, path, entries[i]); err == nil {
			return struct{}{}, nil
		}
		if !fault.OfArguments(err) {
			return struct{}{}, err // every other entry would fail too
		}
		problems[i] = fault.Within(path, err)
		return struct{}{}, nil
	}
	indexes := make([]int, len(entries))
	for i := range indexes {
		indexes[i] = i
	}
	first := min(1, len(indexes))
	for _, some := range [][]int{indexes[:first], indexes[first:]} {
		if _, err := InParallel(ctx, some, prepare); err != nil {
			return nil, Unwritten(len(entries), cmp.Or(shared, err))
		}
	}
	return plans, Unwritten(len(entries), WithShared(shared, fault.All(problems...)))
}

// WithShared returns the problems of the arguments that all entries share together with the
// problems of the entries. A name that is ambiguous without the shared arguments is no problem.
func WithShared(shared, entries error) error {
	if shared == nil {
		return entries
	}
	if !fault.OfArguments(shared) || !fault.OfArguments(entries) {
		return shared
	}
	return fault.All(shared, fault.Unambiguous(entries))
}

type batchKey struct{}

// batch is what the plans of a batch share.
type batch struct {
	size   int
	failed sync.Map // the errors of reads, by ID
}

// BatchOf returns how many entries the batch has that ctx plans; 0 outside a batch.
func BatchOf(ctx context.Context) int {
	if b, ok := ctx.Value(batchKey{}).(*batch); ok {
		return b.size
	}
	return 0
}

// FailOnce reads the thing with an ID. What could not be read for one entry of a batch is not asked
// for again for the others.
func FailOnce[T any](ctx context.Context, id int64, read func(context.Context, int64) (T, error)) (T, error) {
	b, ok := ctx.Value(batchKey{}).(*batch)
	if !ok {
		return read(ctx, id)
	}
	if err, failed := b.failed.Load(id); failed {
		var none T
		return none, err.(error)
	}
	v, err := read(ctx, id)
	if err != nil {
		b.failed.Store(id, err)
	}
	return v, err
}

// affordable returns an error if a call has no request left to write each of its entries. It says
// how many entries to send, by what those that are planned needed.
func affordable(ctx context.Context, argument string, planned, entries int) error {
	spent, _ := upstream.Spent(ctx)
	if spent+entries <= mostRequests {
		return nil
	}
	most := max(1, mostRequests*planned/(spent+planned+1))
	return fault.Invalid(argument, "%d entries need more than the %d requests that a call has time for; send at most %d at once; ids need fewer requests than titles, and items of one list fewer than of several", entries, mostRequests, most)
}

const unwritten = " (nothing was written)"

// Unwritten adds to the error of a batch of n entries that none of them was written.
func Unwritten(n int, err error) error {
	f, known := errors.AsType[*fault.Error](err)
	switch {
	case err == nil || n < 2 && known:
		return err
	case !known && errors.Is(err, context.DeadlineExceeded):
		f := fault.New(fault.LimitReached, "the time ran out while the entries were read; nothing was written; send fewer at once, at most %d", max(1, n/2))
		return f.Because(err)
	case !known:
		return err
	}
	told := *f
	if !strings.HasSuffix(told.Message, unwritten) {
		told.Message += unwritten
	}
	return &told
}

// Each runs do for one entry after the other, or for a few at once if any order will do. It returns
// the outcomes in the order of the entries with the number of failures. After a failed entry it
// goes on with the next. It stops when the user must sign in again, when a limit is reached, or
// when the call's time is up: the entries that remain fail untried. If all entries fail, Each
// returns an error.
func Each[A, T any](ctx context.Context, argument string, entries []A, order Order, do func(ctx context.Context, entry A) (T, error)) ([]Outcome[T], int, error) {
	outcomes, failures, stop := run(ctx, entries, order, do)
	for i := len(outcomes); i < len(entries); i++ {
		untried := toolanswer.Failure(stop)
		outcomes = append(outcomes, Outcome[T]{Index: i, Error: &untried})
		failures = append(failures, stop)
	}
	if len(failures) == len(entries) {
		return nil, 0, allFailed(argument, failures)
	}
	return outcomes, len(failures), nil
}

// Order says whether the entries of a batch are written in their order.
type Order bool

// The orders.
const (
	InOrder  Order = false
	AnyOrder Order = true
)

const (
	writesAtOnce = 3
	manyEntries  = 8 // of a batch that would take long one after the other
)

// run runs do for one entry after the other, or for a few at once, until one fails hopelessly or
// the call's time is up. It returns the outcomes of the entries that it tried, the errors of those
// that failed, and the reason why it did not try the others.
func run[A, T any](ctx context.Context, entries []A, order Order, do func(ctx context.Context, entry A) (T, error)) (outcomes []Outcome[T], failures []error, stop error) {
	outcomes = make([]Outcome[T], 0, len(entries))
	atOnce := 1
	if order == AnyOrder && len(entries) >= manyEntries && writeplan.From(ctx) == nil {
		atOnce = writesAtOnce
	}
	for some := range slices.Chunk(entries, atOnce) {
		if stop == nil {
			stop = MayGoOn(ctx)
		}
		if stop != nil {
			break
		}
		errs := make([]error, len(some))
		items := make([]T, len(some))
		var wait sync.WaitGroup
		for i := range some[1:] {
			wait.Go(func() {
				items[i+1], errs[i+1] = guarded(ctx, func(ctx context.Context) (T, error) { return do(ctx, some[i+1]) })
			})
		}
		items[0], errs[0] = do(ctx, some[0])
		wait.Wait()
		for i, err := range errs {
			o := Outcome[T]{Index: len(outcomes), OK: err == nil}
			if o.OK {
				o.Item = &items[i]
			} else {
				if Hopeless(err) && stop == nil {
					stop = NotTried(err)
				}
				failed := toolanswer.Failure(err)
				o.Error = &failed
				failures = append(failures, err)
			}
			outcomes = append(outcomes, o)
		}
	}
	return outcomes, failures, stop
}

// Applied is the answer of a batch that changes existing items. Another call can continue it.
type Applied[T any] struct {
	Results []Outcome[T] `json:"results"`
	Progress
}

// Progress says how far a batch came.
type Progress struct {
	Done   int `json:"done"`
	Failed int `json:"failed"`
	Rest
}

// Rest is what a call did not come to.
type Rest struct {
	NotAttempted []string `json:"not_attempted,omitempty"` // references of the items
	HowToGoOn    string   `json:"how_to_go_on,omitempty"`  // with NotAttempted
}

// Apply does what Each does, but it lists the entries that it did not try in NotAttempted, by
// their references, and says how to go on with them. Repeating a change must change nothing.
func Apply[A, T any](ctx context.Context, argument string, entries []A, order Order, reference func(A) string, do func(ctx context.Context, entry A) (T, error)) (Applied[T], error) {
	outcomes, failures, stop := run(ctx, entries, order, do)
	tried := len(outcomes)
	switch {
	case tried == 0 && stop != nil:
		f := fault.New(fault.UpstreamError, "the time ran out before the first entry was written; nothing was written; send fewer at once, at most %d", max(1, len(entries)/2))
		f.Retryable = false // the same call would end in the same way
		return Applied[T]{}, f
	case len(failures) == tried:
		err := allFailed(argument, failures)
		if untried := len(entries) - tried; untried > 0 {
			err.Message += fmt.Sprintf("; %d more were not tried", untried)
		}
		return Applied[T]{}, err
	}
	a := Applied[T]{Results: outcomes, Progress: Progress{Done: tried - len(failures), Failed: len(failures)}}
	for _, entry := range entries[tried:] {
		a.NotAttempted = append(a.NotAttempted, reference(entry))
	}
	if len(a.NotAttempted) > 0 {
		reason := "the call's time was up"
		if f := fault.From(stop); f.Code != fault.UpstreamError {
			reason = f.Message
		}
		a.HowToGoOn = fmt.Sprintf("%s; call again with %s = not_attempted and the other arguments as before", reason, argument)
	}
	return a, nil
}

// Once returns an error that names every entry that is the same item as an earlier one. One of the
// two references is probably a mistake.
func Once[A any](argument string, entries []A, reference func(A) string) error {
	first := map[string]int{}
	problems := make([]error, len(entries))
	for i, entry := range entries {
		ref := reference(entry)
		if j, known := first[ref]; known {
			problems[i] = fault.Invalid(fmt.Sprintf("%s[%d]", argument, i), "is the same item as %s[%d] (%s); name each item once", argument, j, ref)
			continue
		}
		first[ref] = i
	}
	return Unwritten(len(entries), fault.All(problems...))
}

// MayGoOn returns an error if the call has too little time or too few requests left for another
// write.
func MayGoOn(ctx context.Context) error { return cmp.Or(TimeLeft(ctx), requestsLeft(ctx)) }

// TimeLeft returns an error if the call has too little time left to start another entry.
func TimeLeft(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < minRemaining {
		return fault.New(fault.UpstreamError, "the call ran out of time before it tried this entry; send the entry in another call")
	}
	return nil
}

// requestsLeft returns an error if the call has sent as many requests as it may.
func requestsLeft(ctx context.Context) error {
	if spent, _ := upstream.Spent(ctx); spent >= mostRequests {
		return fault.New(fault.LimitReached, "the call had sent %d requests before it tried this entry; send the entry in another call", spent)
	}
	return nil
}

// Hopeless reports whether the entries that follow would fail in the same way.
func Hopeless(err error) bool {
	return fault.Is(err, fault.TokenExpired) || fault.Is(err, fault.NotLinked) || fault.Is(err, fault.RateLimited) || fault.Is(err, fault.LimitReached)
}

// NotTried returns the error of the entries that follow a hopeless one.
func NotTried(err error) error {
	f := *fault.From(err)
	f.Message = "not tried, because an earlier entry failed: " + f.Message
	f.MayHaveHappened = false
	return &f
}

// allFailed returns the error of a batch in which every entry failed. It has the code of the first
// failure and the messages of all.
func allFailed(argument string, failures []error) *fault.Error {
	first := *fault.From(failures[0])
	if len(failures) == 1 {
		return &first
	}
	first.Message = fmt.Sprintf("none of the %d entries succeeded; the first: %s", len(failures), first.Message)
	first.Validation = nil
	for i, err := range failures {
		f := fault.From(err)
		first.MayHaveHappened = first.MayHaveHappened || f.MayHaveHappened
		first.Retryable = first.Retryable && f.Retryable
		first.Validation = append(first.Validation, fault.Violation{
			Path: fmt.Sprintf("%s[%d]", argument, i), Message: f.Message, Code: string(f.Code),
		})
	}
	return &first
}
