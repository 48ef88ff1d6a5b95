package basecamp

import (
	"context"
	"net/http"
	"time"
)

// Boost is a short cheer on an item.
type Boost struct {
	ID        int64     `json:"id"`
	Content   string    `json:"content"` // plain text, usually an emoji
	Booster   Person    `json:"booster"`
	CreatedAt time.Time `json:"created_at"`
}

func (b Boost) key() int64 { return b.ID }

// Boosts lists the boosts on an item.
func (c *Client) Boosts(ctx context.Context, item int64, page int) (Page[Boost], error) {
	return list[Boost](ctx, c, requestAt("item", item, "recordings/%d/boosts.json"), page)
}

// CreateBoost boosts an item as the user.
func (c *Client) CreateBoost(ctx context.Context, item int64, content string) (Boost, error) {
	return send[Boost](ctx, c, http.MethodPost, requestAt("item", item, "recordings/%d/boosts.json"), struct {
		Content string `json:"content"`
	}{content})
}

// DeleteBoost takes back a boost of the user.
func (c *Client) DeleteBoost(ctx context.Context, id int64) error {
	_, err := send[struct{}](ctx, c, http.MethodDelete, requestAt("boost", id, "boosts/%d.json"), nil)
	return err
}
