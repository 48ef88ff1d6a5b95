package overview

import (
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/accounts"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/waiting"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

// Waiting is who waits for an answer of a person, and for whom the person waits, the newest first.
type Waiting struct {
	Person   string
	Since    time.Time // in the caller's time zone
	ToAnswer []hub.Item
	WaitsFor []hub.Item
	Gaps     []hub.Gap
}

// patience is how long a call waits for what it reads.
const patience = 4 * hub.Patience

// Waiting returns what waits for a person, or whom the person waits for, as far as the caller sees
// it, in the accounts that a call names. "" names all for the caller, and the default one for
// anyone else.
func (rs *Resolver) Waiting(ctx context.Context, argument string, person toolargs.Ref, account string) (Waiting, error) {
	named, err := rs.Accounts.DayAccounts(ctx, account)
	if err != nil {
		return Waiting{}, err
	}
	if named == nil {
		return rs.waitingHere(ctx, argument, person)
	}
	if account == "" && !strings.EqualFold(person.Name, "me") {
		named = named[:1]
	}
	caller, _ := identity.From(ctx)
	failed := make([]error, len(named))
	all, err := listing.InParallel(ctx, named, func(ctx context.Context, in fence.Account) (Waiting, error) {
		there, _ := caller.In(in.ID)
		inside := fence.WithRoute(identity.With(ctx, there), &fence.Route{Bound: accounts.AccountArgument, Beside: len(named) > 1})
		found, err := rs.waitingHere(inside, argument, person)
		if f, ok := listing.Dispensable(err); ok {
			failed[slices.Index(named, in)] = f
			return Waiting{Gaps: []hub.Gap{{Source: in.Name, Code: f.Code, Reason: f.Message}}}, nil
		}
		accounts.LabelItems(found.ToAnswer, in, caller)
		accounts.LabelItems(found.WaitsFor, in, caller)
		for i := range found.Gaps {
			found.Gaps[i].Source += " of " + in.Name
		}
		return found, err
	})
	if err != nil {
		return Waiting{}, err
	}
	if !slices.Contains(failed, nil) {
		return Waiting{}, failed[0]
	}
	v := all[slices.Index(failed, nil)]
	v.ToAnswer, v.WaitsFor, v.Gaps = nil, nil, nil
	for _, there := range all {
		v.ToAnswer, v.WaitsFor, v.Gaps = append(v.ToAnswer, there.ToAnswer...), append(v.WaitsFor, there.WaitsFor...), append(v.Gaps, there.Gaps...)
	}
	return v, nil
}

// waitingHere does what Waiting does in the account of the call.
func (rs *Resolver) waitingHere(ctx context.Context, argument string, person toolargs.Ref) (Waiting, error) {
	of, me := basecamp.Person{}, basecamp.Person{}
	err := listing.Together(ctx,
		func(ctx context.Context) (err error) { of, err = rs.Person(ctx, argument, person, 0); return err },
		func(ctx context.Context) (err error) { me, err = rs.Me(ctx); return err },
	)
	if err != nil {
		return Waiting{}, err
	}
	r, err := rs.newWaitReader(ctx, of, me, true)
	if err != nil {
		return Waiting{}, err
	}
	waits, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := r.readAll(waits); err != nil {
		return Waiting{}, err
	}
	return Waiting{Person: plaintext.Clean(of.Name), Since: r.since, Gaps: r.gaps, ToAnswer: r.toAnswer(true), WaitsFor: r.waitsFor()}, nil
}

// WaitingForMe returns who waits for an answer of the caller, as a part of a day: without what is
// overdue, which the day has.
func (rs *Resolver) WaitingForMe(ctx context.Context) (map[string][]hub.Item, error) {
	me, err := rs.Me(ctx)
	if err != nil {
		return nil, err
	}
	r, err := rs.newWaitReader(ctx, me, me, false)
	if err != nil {
		return nil, err
	}
	if err := r.readAll(ctx); err != nil {
		return nil, err
	}
	for _, g := range r.gaps {
		if g.Code != fault.LimitReached {
			err = fault.New(g.Code, "%s: %s", g.Source, g.Reason)
		}
	}
	return map[string][]hub.Item{"waiting_for_you": r.toAnswer(false)}, err
}

// toAnswer returns what waits for the person.
func (r *waitReader) toAnswer(overdue bool) (items []hub.Item) {
	for _, w := range r.talk.Waits(r.of.ID, false) {
		if !slices.Contains(w.For, r.of.ID) || r.mayBeAnswered(w) {
			continue
		}
		item := r.itemOf(w)
		item.By = plaintext.Clean(w.By.Name)
		items = append(items, item)
	}
	for _, q := range r.owed {
		key := parts.RefOf(lookup.QuestionKind.Kind, q.Question.ID)
		items = append(items, hub.Item{
			Ref: key.ID, Title: plaintext.Clean(q.Question.Title), In: plaintext.Clean(q.Question.Bucket.Name), By: "check-in", At: q.GroupOn,
			Says: plaintext.Clean(q.Question.Title), Answer: &hub.Call{Tool: "answer_checkin", Arguments: map[string]any{"question": q.Question.ID, "date": q.GroupOn}},
		})
	}
	for _, t := range r.due {
		by := t.by
		if by.ID == 0 {
			by = r.talk.Thread(t.id).By
		}
		if overdue && lookup.IsAmong(t.assignees, r.of.ID) && by.ID != r.of.ID { // one's own date is no request
			item := itemOfDue(t)
			item.By = plaintext.Clean(by.Name)
			items = append(items, item)
		}
	}
	return items
}

// mayBeAnswered reports whether a text is the last line of a chat that the caller has read, and
// whose lines were not read: the notification does not say if the caller answered.
func (r *waitReader) mayBeAnswered(w waiting.Wait) bool {
	n, shown := r.shown[w.ID]
	return shown && n.UnreadCount == 0 && !r.heard[w.Thread]
}

// waitsFor returns for whom the person waits.
func (r *waitReader) waitsFor() (items []hub.Item) {
	for _, w := range r.talk.Waits(r.of.ID, true) {
		if len(w.For) == 0 {
			continue
		}
		item := r.itemOf(w)
		item.By = strings.Join(lookup.Mapped(w.For, func(who int64) string { return plaintext.Clean(r.talk.Name(who)) }), ", ")
		items = append(items, item)
	}
	for _, t := range r.due {
		others := slices.DeleteFunc(slices.Clone(t.assignees), func(p basecamp.Person) bool { return p.ID == r.of.ID })
		if t.by.ID == r.of.ID && len(others) > 0 {
			item := itemOfDue(t)
			item.By = strings.Join(lookup.PeopleNames(others), ", ")
			items = append(items, item)
		}
	}
	return items
}

// itemOf returns a text that waits, with the call that answers it.
func (r *waitReader) itemOf(w waiting.Wait) hub.Item {
	th := r.talk.Thread(w.Thread)
	item := hub.Item{
		Title: plaintext.Clean(th.Title), In: plaintext.Clean(th.Bucket.Name), Says: parts.Saying(w.Says),
		At: w.At.In(r.since.Location()).Format("2006-01-02 15:04"),
	}
	if th.Kind == lookup.Chat.Kind || th.Kind == lookup.PingKind {
		item.URL = th.URL
		item.Answer = &hub.Call{Tool: "post_chat_line", Arguments: map[string]any{"to": th.URL}}
		if th.Kind == lookup.Chat.Kind {
			item.Answer.Arguments["chat"] = th.ID
		}
		return item
	}
	item.Ref = parts.RefOf(w.Kind, w.ID).ID
	item.Answer = callToComment(parts.RefOf(th.Kind, th.ID).ID)
	return item
}

func callToComment(ref string) *hub.Call {
	return &hub.Call{Tool: "create_comment", Arguments: map[string]any{"item": ref}}
}

func itemOfDue(t dueTask) hub.Item {
	return hub.Item{
		Ref: t.ref.ID, Key: t.ref, Title: plaintext.Clean(t.title), DueOn: t.dueOn, In: plaintext.Clean(t.bucket.Name), Answer: callToComment(t.on),
	}
}
