package texts

import (
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
)

// Forward is a forwarded e-mail in full, with the first page of the team's replies.
type Forward struct {
	lookup.Head
	Subject      string              `json:"subject"`
	From         string              `json:"from"`
	Content      string              `json:"content"`
	Truncated    bool                `json:"truncated,omitempty"`
	NextOffset   int                 `json:"next_offset,omitempty"`
	Status       string              `json:"status"`
	Attachments  []parts.File        `json:"content_attachments,omitempty"`
	RepliesCount int                 `json:"replies_count"`
	Replies      []parts.CommentItem `json:"replies"`
	MoreReplies  bool                `json:"more_replies"`
	lookup.Meta
	listing.Gaps
}

func (rs *Resolver) firstReplies(ctx context.Context, forward int64) (basecamp.Page[basecamp.Comment], error) {
	return basecamp.RepliesTo.Page(ctx, rs.BC, 1, forward)
}

// ShowForward reads a forwarded e-mail with its first replies.
func (rs *Resolver) ShowForward(ctx context.Context, id int64, in parts.CommentsInput) (Forward, error) {
	if in.Shows() {
		listing.Expect(ctx, id, rs.firstReplies)
	}
	f, err := basecamp.ForwardAt.Get(ctx, rs.BC, id)
	if err != nil {
		return Forward{}, err
	}
	v := Forward{
		Head: lookup.Head{ID: f.ID, Type: lookup.ForwardKind.Kind}, Subject: plaintext.Clean(f.Subject), From: plaintext.Clean(f.From), Content: rs.Markdown(f.Content, f.Attachments...),
		Status: f.Status, Attachments: parts.ViewFiles(f.Content, f.Attachments), RepliesCount: f.RepliesCount, MoreReplies: f.RepliesCount > 0,
		Meta: lookup.ViewMeta(f.Recording),
	}
	if v.NextOffset, err = listing.Part(&v.Content, in.Offset, &v.Truncated); err != nil {
		return Forward{}, err
	}
	if !in.Shows() || f.RepliesCount == 0 {
		return v, nil
	}
	var replies basecamp.Page[basecamp.Comment]
	v.Gaps, err = listing.Extras(ctx, listing.Into("replies", &replies, func(ctx context.Context) (basecamp.Page[basecamp.Comment], error) {
		return rs.firstReplies(ctx, id)
	}))
	if err != nil || len(v.LeftOut) > 0 {
		return v, err
	}
	for _, r := range replies.Items {
		reply := rs.ViewComment(r)
		reply.Type = parts.ReplyKind.Kind
		listing.Excerpt(&reply.Content, parts.MaxComment, &reply.Truncated)
		v.Replies = append(v.Replies, reply)
	}
	v.MoreReplies = replies.Next > 0
	return v, nil
}
