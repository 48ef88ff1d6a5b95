package mcptool

import (
	"fmt"
	"strings"
	"testing"
)

func TestResource_IsReadWithItsVariables(t *testing.T) {
	for _, era := range eras {
		for uri, want := range map[string]string{
			"basecamp://bikes/7":                            "<7>",
			"basecamp://bikes/Cargo%20bike%2F%C3%A9":        "<Cargo bike/é>",
			"basecamp://bikes/Red%20bike/wheels/2":          "# Wheel 2 of Red bike, true",
			"basecamp://bikes/https%3A%2F%2Fx.y%2F1":        "<https://x.y/1>",
			"basecamp://bikes/" + strings.Repeat("x", 1000): "<" + strings.Repeat("x", 1000) + ">",
		} {
			got := newLibrary().read(t, reader, era, "resources/read", fmt.Sprintf(`"uri":%q`, uri))
			c := got.Result.Contents
			if len(c) != 1 || c[0].URI != uri || c[0].MIMEType != "text/markdown" || c[0].Text != want {
				t.Errorf("%s %s: %s", era, uri, got.body)
			}
			if era == eras[0] && (got.Result.CacheScope != "private" || *got.Result.TTLMs != 0) {
				t.Errorf("cached: %s", got.body)
			}
		}
	}
}

func TestResource_ThatDoesNotExistIsNotFound(t *testing.T) {
	for _, era := range eras {
		want := -32002
		if era == eras[0] {
			want = -32602
		}
		for _, uri := range []string{
			"basecamp://bikes/", "basecamp://bikes", "basecamp://bikes/7/", "basecamp://bikes/7/wheels/", "basecamp://bikes//wheels/1",
			"basecamp://bikes/7?x=1", "basecamp://bikes/a b", "basecamp://bikes/%ff", "basecamp://wheels/7", "file:///etc/passwd", "audit://calls",
			"basecamp://bikes/a,b", "basecamp://bikes/7/wheels/1,2",
			"basecamp://bikes/" + strings.Repeat("x", 1001),
		} {
			got := newLibrary().read(t, reader, era, "resources/read", fmt.Sprintf(`"uri":%q`, uri))
			got.refused(t, era, want, "there is no resource at ")
			if got.Error.Data["uri"] != uri || got.Error.Data["error_code"] != "NOT_FOUND" {
				t.Errorf("%s: %s", uri, got.body)
			}
		}
		newLibrary().read(t, reader, era, "resources/read", `"uri":"basecamp://bikes/missing"`).refused(t, era, want, "there is no such bike")
	}
}

func TestResource_AtATooLongURIIsNotFound(t *testing.T) {
	for _, era := range eras {
		want := -32002
		if era == eras[0] {
			want = -32602
		}
		uri := "basecamp://bikes/" + strings.Repeat("%41", mostURI/3)
		got := newLibrary().read(t, reader, era, "resources/read", fmt.Sprintf(`"uri":%q`, uri))
		got.refused(t, era, want, "there is no resource at ")
		if got.Error.Data["uri"] != nil || len(got.body) > 1000 {
			t.Errorf("%s", got.body)
		}
	}
}
