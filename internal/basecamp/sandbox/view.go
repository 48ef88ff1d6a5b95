package sandbox

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"
)

const (
	liveAPI   = "https://3.basecampapi.com"
	appOrigin = "https://3.basecamp.com"
)

// A stamp is a time in Basecamp's format: 2026-03-04T05:06:07.000Z.
type stamp time.Time

// MarshalJSON writes UTC to the millisecond.
func (s stamp) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(s).UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

// orNull returns nil for "", which becomes null in JSON.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// url returns a URL of the API, with the host of the client's request.
func (c *call) url(format string, args ...any) string {
	return fmt.Sprintf("%s/%d", c.origin, c.account.id) + fmt.Sprintf(format, args...)
}

// appURL returns a URL of the web application.
func (c *call) appURL(format string, args ...any) string {
	return fmt.Sprintf("%s/%d", appOrigin, c.account.id) + fmt.Sprintf(format, args...)
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

// envelope contains the fields that all recordings share.
type envelope struct {
	ID               int64          `json:"id"`
	Status           status         `json:"status"`
	VisibleToClients bool           `json:"visible_to_clients"`
	CreatedAt        stamp          `json:"created_at"`
	UpdatedAt        stamp          `json:"updated_at"`
	Title            string         `json:"title"`
	InheritsStatus   bool           `json:"inherits_status"`
	Type             kind           `json:"type"`
	URL              string         `json:"url"`
	AppURL           string         `json:"app_url"`
	BookmarkURL      string         `json:"bookmark_url"`
	SubscriptionURL  string         `json:"subscription_url,omitempty"`
	CommentsCount    *int           `json:"comments_count,omitempty"`
	CommentsURL      string         `json:"comments_url,omitempty"`
	BoostsCount      *int           `json:"boosts_count,omitempty"`
	BoostsURL        string         `json:"boosts_url,omitempty"`
	Position         int            `json:"position,omitempty"`
	Parent           *referenceJSON `json:"parent,omitempty"`
	Bucket           bucketJSON     `json:"bucket"`
	Creator          personJSON     `json:"creator"`
}

// textJSON is a recording with a text, and describedJSON one with a description.
type textJSON struct {
	envelope
	Content            string       `json:"content"`
	ContentAttachments []inlineJSON `json:"content_attachments"`
}

type describedJSON struct {
	envelope
	Description            string       `json:"description"`
	DescriptionAttachments []inlineJSON `json:"description_attachments"`
}

func (c *call) text(r *recording) textJSON { return textJSON{c.envelope(r), r.body, c.inline(r.body)} }

func (c *call) described(r *recording) describedJSON {
	return describedJSON{c.envelope(r), r.body, c.inline(r.body)}
}

type referenceJSON struct {
	ID     int64  `json:"id"`
	Title  string `json:"title"`
	Type   kind   `json:"type"`
	URL    string `json:"url"`
	AppURL string `json:"app_url"`
}

type bucketJSON struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
}

func (c *call) envelope(r *recording) envelope {
	m := kinds[r.kind]
	within := fmt.Sprintf("/buckets/%d/recordings/%d", r.bucket.id, r.id)
	e := envelope{
		ID:               r.id,
		Status:           r.effective(),
		VisibleToClients: r.public,
		CreatedAt:        stamp(r.created),
		UpdatedAt:        stamp(r.updated),
		Title:            r.headline(),
		InheritsStatus:   true,
		Type:             r.kind,
		URL:              c.url("%s.json", r.place()),
		AppURL:           c.appURL("%s", r.anchor()),
		BookmarkURL:      c.url("/my/bookmarks/%s.json", sgid("Recording", r.id, "readable")),
		Bucket:           c.inBucket(r.bucket),
		Creator:          c.person(r.creator),
	}
	if m.boosted {
		n := len(r.boosts)
		e.BoostsCount = &n
		e.BoostsURL = c.url("%s/boosts.json", within)
	}
	if m.watched {
		e.SubscriptionURL = c.url("%s/subscription.json", within)
	}
	if m.commented {
		n := len(c.comments(r))
		e.CommentsCount = &n
		e.CommentsURL = c.url("%s/comments.json", within)
	}
	if m.placed && !r.completed() && !r.disabled {
		e.Position = r.position()
	}
	if r.parent != nil {
		e.Parent = c.reference(r.parent)
	}
	return e
}

func (c *call) reference(r *recording) *referenceJSON {
	return &referenceJSON{r.id, r.headline(), r.kind, c.url("%s.json", r.place()), c.appURL("%s", r.anchor())}
}

func (c *call) inBucket(p *project) bucketJSON {
	if p.circle {
		return bucketJSON{p.id, p.name, "Circle"}
	}
	return bucketJSON{p.id, p.name, "Project"}
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
