package basecamptools

import (
	"context"

	"basecamp-mcp/internal/basecamp"
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
	reach
}

func updateComment(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "update_comment",
		Title:       "Edit a comment",
		Description: "Edits a Basecamp comment or check-in answer: replaces or appends text, or fixes one passage or typo.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in updateCommentInput) (changedComment, error) {
		if !in.asked() {
			return changedComment{}, nothingToChange("body, append, or find with replace")
		}
		if err := in.check(); err != nil {
			return changedComment{}, err
		}
		old, err := rs.remark(ctx, in.Comment)
		if err == nil {
			err = notPutAway("comment", old.Recording)
		}
		if err != nil {
			return changedComment{}, err
		}
		beside := rs.audienceBeside(ctx, old.Recording)
		text, err := rs.edited(ctx, old.Bucket.ID, old.Content, in.editInput)
		if err != nil {
			return changedComment{}, err
		}
		by, err := rs.callerOf(ctx, text)
		switch {
		case err != nil:
			return changedComment{}, err
		case text.html == string(old.Content):
			return rs.changedComment(old, true, beside.reached(by, old.Recording, text)), nil
		case plainly(rs.markdown(basecamp.HTML(text.html))) == "":
			return changedComment{}, fault.Invalid("replace", "this change would leave the comment empty; to trash it, use set_item_status")
		}
		c, err := rs.rewrite(ctx, old, text.html)
		if err != nil {
			return changedComment{}, in.doubted(err)
		}
		v := rs.changedComment(c, false, beside.reached(by, c.Recording, text))
		rs.showEdit(in.editInput, old.Content, c.Content, &v.Content, &v.Truncated, c.Attachments)
		return v, nil
	})
}

func (rs *resolver) changedComment(r remark, unchanged bool, by reach) changedComment {
	v := changedComment{rs.writtenRemark(r), unchanged, by}
	v.seen = by.clientsSee()
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
		v.Type = answerKind.kind
	}
	return v
}

// rewrite replaces the text of a remark and returns it. Basecamp does not return a changed answer,
// so rewrite reads it; the change succeeded even if that read fails.
func (rs *resolver) rewrite(ctx context.Context, old remark, html string) (remark, error) {
	if old.day == "" {
		c, err := rs.bc.UpdateComment(ctx, old.ID, html)
		return remark{c, ""}, err
	}
	err := rs.bc.UpdateCheckinAnswer(ctx, old.ID, basecamp.NewCheckinAnswer{Content: html, GroupOn: old.day})
	if err != nil {
		return remark{}, err
	}
	if a, err := rs.bc.CheckinAnswer(ctx, old.ID); err == nil {
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
	if t.kind.kind == answerKind.kind {
		a, err := readIn(ctx, t.in, t.kind, t.id, rs.bc.CheckinAnswer)
		return answerAsRemark(a), err
	}
	c, err := readIn(ctx, t.in, t.kind, t.id, rs.bc.Comment)
	if fault.Is(err, fault.NotFound) && ref.ID != 0 { // an id without a type
		if a, err := rs.bc.CheckinAnswer(ctx, ref.ID); err == nil {
			return answerAsRemark(a), nil
		}
	}
	return remark{c, ""}, err
}

var remarkKinds = []kind{commentKind, answerKind}

func (rs *resolver) remarkNamed(ctx context.Context, ref toolargs.Ref) (thing, error) {
	comment := commentKind.withArguments("comment", "project")
	if ref.ID != 0 {
		return thing{kind: comment, id: ref.ID}, nil
	}
	if word, _ := cutType(ref.Name); ref.Name != "" && word == "" {
		return thing{}, fault.Invalid("comment", "must be an id, the URL of a comment, or answer:id, got %s", plaintext.Quote(ref.Name))
	}
	if ref.URL != "" {
		link, err := rs.link(ctx, "comment", ref.URL)
		if err != nil || link.Comment != 0 {
			return thing{kind: comment, id: link.Comment, in: place{id: link.Project}}, err
		}
	}
	return rs.thing(ctx, "comment", itemInput{Item: ref.String()}, remarkKinds...)
}
