package sandbox

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

const (
	liveAPI   = "https://3.basecampapi.com"
	appOrigin = "https://3.basecamp.com"
)

// url returns a URL of the API, with the host of the client's request.
func (c *call) url(format string, args ...any) string {
	return c.base + fmt.Sprintf(format, args...)
}

// appURL returns a URL of the web application.
func (c *call) appURL(format string, args ...any) string {
	return c.appBase + fmt.Sprintf(format, args...)
}

// place returns the path of a recording within its project's bucket.
func (r *recording) place() string {
	if slices.Contains(lineKinds, r.kind) {
		return fmt.Sprintf("/buckets/%d/chats/%d/lines/%d", r.bucket.id, r.parent.id, r.id)
	}
	if r.kind == kindAttachment {
		return r.parent.place()
	}
	return fmt.Sprintf("/buckets/%d/%s/%d", r.bucket.id, kinds[r.kind].path, r.id)
}

// anchor returns the path at which the web application shows a recording. Comments, replies and
// subtasks are anchors on the page of their parent.
func (r *recording) anchor() string {
	switch r.kind {
	case kindComment, kindStep, kindReply:
		return fmt.Sprintf("%s#__recording_%d", r.parent.anchor(), r.id)
	case kindAttachment:
		return r.parent.anchor()
	case kindTextLine, kindRichLine, kindUploadLine:
		return fmt.Sprintf("%s@%d", r.parent.anchor(), r.id)
	}
	return r.place()
}

// sgid returns a signed id as Basecamp issues them: long, opaque, and constant for the same item.
func sgid(model string, id int64, purpose string) string {
	gid := fmt.Sprintf(`{"_rails":{"data":"gid://bc3/%s/%d?expires_in","pur":"%s"}}`, model, id, purpose)
	h := fnv.New128a()
	_, _ = h.Write([]byte(gid))
	sum := h.Sum(nil)
	return fmt.Sprintf("%s--%x%x", base64.RawURLEncoding.EncodeToString([]byte(gid)), sum, sum[:4])
}

// envelope returns the fields that all recordings share, and the further ones of a kind.
func (c *call) envelope(r *recording, more ...field) view {
	k := kinds[r.kind]
	within := fmt.Sprintf("/buckets/%d/recordings/%d", r.bucket.id, r.id)
	v := append(make(view, 0, 24+len(more)), view{
		{"id", r.id},
		{"status", r.effective()},
		{"visible_to_clients", r.public},
		{"created_at", r.created},
		{"updated_at", r.updated},
		{"title", r.headline()},
		{"inherits_status", true},
		{"type", r.kind},
		{"url", c.url("%s.json", r.place())},
		{"app_url", c.appURL("%s", r.anchor())},
		{"bookmark_url", c.url("/my/bookmarks/%s.json", sgid("Recording", r.id, "readable"))},
	}...)
	if k.watched {
		v = append(v, field{"subscription_url", c.url("%s/subscription.json", within)})
	}
	if k.commented {
		v = append(v, field{"comments_count", len(c.comments(r))}, field{"comments_url", c.url("%s/comments.json", within)})
	}
	if k.boosted {
		v = append(v, field{"boosts_count", len(r.boosts)}, field{"boosts_url", c.url("%s/boosts.json", within)})
	}
	if k.placed && !r.completed() && !r.disabled {
		position := r.position()
		v = append(v, field{"position", present(position > 0, position)})
	}
	if r.parent != nil {
		v = append(v, field{"parent", c.reference(r.parent)})
	}
	v = append(v, field{"bucket", c.inBucket(r.bucket)}, field{"creator", c.person(r.creator)})
	return append(v, more...)
}

// text returns a recording with a content, and described one with a description.
func (c *call) text(r *recording, more ...field) view {
	return append(c.envelope(r, field{"content", r.body}, field{"content_attachments", c.inline(r.body)}), more...)
}

func (c *call) described(r *recording, more ...field) view {
	return append(c.envelope(r, field{"description", r.body}, field{"description_attachments", c.inline(r.body)}), more...)
}

func (c *call) reference(r *recording) view {
	return view{
		{"id", r.id}, {"title", r.headline()}, {"type", r.kind}, {"url", c.url("%s.json", r.place())}, {"app_url", c.appURL("%s", r.anchor())},
	}
}

func (c *call) inBucket(p *project) view {
	if p.circle {
		return view{{"id", p.id}, {"name", p.name}, {"type", "Circle"}}
	}
	return view{{"id", p.id}, {"name", p.name}, {"type", "Project"}}
}

// headline returns the title. A recording without a title is named after its parent or the
// beginning of its text.
func (r *recording) headline() string {
	switch r.kind {
	case kindComment, kindReply:
		return "Re: " + r.parent.title
	case kindAnswer:
		return "Answer to “" + r.parent.title + "”"
	case kindTextLine:
		return shorten(r.body, 100)
	case kindRichLine:
		return shorten(plain(r.body), 100)
	case kindUploadLine:
		return r.file.name
	}
	return r.title
}

// shorten cuts text after the given number of characters.
func shorten(s string, length int) string {
	runes := []rune(strings.TrimSpace(s))
	if len(runes) <= length {
		return string(runes)
	}
	return strings.TrimSpace(string(runes[:length-1])) + "…"
}
