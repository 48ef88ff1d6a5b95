package basecamptools

import (
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

type updateCommentInput struct {
	Comment toolargs.Ref `json:"comment" jsonschema:"Id, URL or answer:ID"`
	editInput
}

// changedComment is a comment or an answer after an update. Unchanged is true if it already had the
// wanted text.
type changedComment struct {
	comment
	Unchanged bool `json:"unchanged,omitempty"`
	lookup.Reach
}

func updateComment(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "update_comment",
		Title:       "Edit a comment",
		Description: "Edits a Basecamp comment or check-in answer: replaces or appends text, fixes a passage or typo.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in updateCommentInput) (changedComment, error) {
		if !in.asked() {
			return changedComment{}, nothingToChange("body, append or edits")
		}
		if err := in.check(); err != nil {
			return changedComment{}, err
		}
		old, err := rs.remark(ctx, in.Comment)
		if err == nil {
			err = lookup.NotPutAway("comment", old.Recording)
		}
		if err != nil {
			return changedComment{}, err
		}
		beside := rs.AudienceBeside(ctx, old.Recording)
		text, err := rs.edited(ctx, old.Bucket.ID, old.Content, in.editInput)
		if err != nil {
			return changedComment{}, err
		}
		by, err := rs.CallerOf(ctx, text)
		switch {
		case err != nil:
			return changedComment{}, err
		case text.HTML == string(old.Content):
			return rs.changedComment(old, true, beside.Reached(by, old.Recording, text)), nil
		case lookup.Plainly(rs.Markdown(basecamp.HTML(text.HTML))) == "":
			return changedComment{}, fault.Invalid("edits", "this change would leave the comment empty; to trash it, use set_item_status")
		}
		c, err := rs.rewrite(ctx, old, text.HTML)
		if err != nil {
			return changedComment{}, in.doubted(err)
		}
		v := rs.changedComment(c, false, beside.Reached(by, c.Recording, text))
		rs.showEdit(in.editInput, old.Content, c.Content, &v.Content, &v.Truncated, c.Attachments)
		return v, nil
	})
}

func (rs *resolver) changedComment(r remark, unchanged bool, by lookup.Reach) changedComment {
	v := changedComment{rs.writtenRemark(r), unchanged, by}
	v.Seen = by.ViewClients()
	return v
}

// remark is a comment, or a check-in answer in the form of one.
type remark struct {
	basecamp.Comment
	day string // that an answer is for, YYYY-MM-DD; empty for a comment
}

func answerAsRemark(a basecamp.CheckinAnswer) remark {
	return remark{basecamp.Comment{Recording: a.Recording, Content: a.Content, Attachments: a.Attachments}, a.GroupOn}
}

// writtenRemark returns a remark as the answer of a tool that wrote it.
func (rs *resolver) writtenRemark(r remark) comment {
	v := rs.writtenComment(r.Comment)
	if r.day != "" {
		v.Type = lookup.AnswerKind.Kind
	}
	return v
}

// rewrite replaces the text of a remark and returns it. Basecamp does not return a changed answer,
// so rewrite reads it; the change succeeded even if that read fails.
func (rs *resolver) rewrite(ctx context.Context, old remark, html string) (remark, error) {
	if old.day == "" {
		c, err := rs.BC.UpdateComment(ctx, old.ID, html)
		return remark{c, ""}, err
	}
	err := rs.BC.UpdateCheckinAnswer(ctx, old.ID, basecamp.NewCheckinAnswer{Content: html, GroupOn: old.day})
	if err != nil {
		return remark{}, err
	}
	if a, err := rs.BC.CheckinAnswer(ctx, old.ID); err == nil {
		return answerAsRemark(a), nil
	}
	old.Content = basecamp.HTML(html)
	return old, nil
}

// remark reads the comment or the answer that a reference names. A URL may be its own, or that of a
// comment's item with the comment's anchor.
func (rs *resolver) remark(ctx context.Context, ref toolargs.Ref) (remark, error) {
	t, err := rs.remarkNamed(ctx, ref)
	if err != nil {
		return remark{}, err
	}
	if t.Kind.Kind == lookup.AnswerKind.Kind {
		a, err := lookup.ReadIn(ctx, t.In, t.Kind, t.ID, rs.BC.CheckinAnswer)
		return answerAsRemark(a), err
	}
	c, err := lookup.ReadIn(ctx, t.In, t.Kind, t.ID, rs.BC.Comment)
	if fault.Is(err, fault.NotFound) && ref.ID != 0 { // an id without a type
		if a, err := rs.BC.CheckinAnswer(ctx, ref.ID); err == nil {
			return answerAsRemark(a), nil
		}
	}
	return remark{c, ""}, err
}

var remarkKinds = []lookup.Kind{lookup.CommentKind, lookup.AnswerKind}

func (rs *resolver) remarkNamed(ctx context.Context, ref toolargs.Ref) (lookup.Thing, error) {
	comment := lookup.CommentKind.WithArguments("comment", "project")
	if ref.ID != 0 {
		return lookup.Thing{Kind: comment, ID: ref.ID}, nil
	}
	if word, _ := lookup.CutType(ref.Name); ref.Name != "" && word == "" {
		return lookup.Thing{}, fault.Invalid("comment", "must be an id, the URL of a comment, or answer:id, got %s", plaintext.Quote(ref.Name))
	}
	if ref.URL != "" {
		link, err := rs.Link(ctx, "comment", ref.URL)
		if err != nil || link.Comment != 0 {
			return lookup.Thing{Kind: comment, ID: link.Comment, In: lookup.Place{ID: link.Project}}, err
		}
	}
	return rs.Thing(ctx, "comment", lookup.ItemInput{Item: ref.String()}, remarkKinds...)
}
