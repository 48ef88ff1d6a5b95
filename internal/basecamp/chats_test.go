package basecamp

import (
	"testing"
	"testing/synctest"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

func TestCreateChatLine_PostsPlainTextUnlessTheTypeIsHTML(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{})
		c := sandboxClient(t, s, "Ines Albrecht")
		room := s.ToolID(launch, "chat")
		plain, err := c.CreateChatLine(t.Context(), room, NewChatLine{Content: "2 < 3 & <em>so</em> on"})
		if err != nil || plain.IsHTML() || plain.Content != "2 < 3 & <em>so</em> on" {
			t.Errorf("%+v, %v", plain, err)
		}
		rich, err := c.CreateChatLine(t.Context(), room, NewChatLine{Content: "<em>so</em>", Type: HTMLLine})
		if err != nil || !rich.IsHTML() {
			t.Errorf("%+v, %v", rich, err)
		}
		again, err := c.ChatLine(t.Context(), room, rich.ID)
		if err != nil || again.Content != "<em>so</em>" || again.Parent.ID != room {
			t.Errorf("%+v, %v", again, err)
		}
		if f := wantFault(t, errOf(c.ChatLine(t.Context(), room, 1)), fault.NotFound); f.Resource.Type != "chat_line" {
			t.Errorf("about %+v", f.Resource)
		}
	})
}
