package sandbox

import "testing"

func TestChats(t *testing.T) {
	const (
		lines  = "/chats/{chat: Cargo Bike Launch}/lines"
		boosts = "/recordings/{Message: We have a date}/boosts"
	)
	stories{
		"a chat has many lines of every kind": {
			{"", "up = ALL " + lines, "", 200, `["...", {"type": "Chat::Lines::Text"}, {"type": "Chat::Lines::RichText"}, {"type": "Chat::Lines::Upload", "attachments": "#1"}]`},
			{"", "ALL " + lines, "", 200, `"#>159"`},
			{"", "down = GET " + lines + "?sort=created_at&direction=desc", "", 200, ""},
			{"", "GET /chats/{chat: Cargo Bike Launch}/lines/{down.0.id}", "", 200, `{"created_at": "~2031-05-14T11"}`},
		},
		"a line is plain text unless it is HTML": {
			{"", "POST " + lines, `{"content": "a < b & <strong>c</strong>"}`, 201, `{"type": "Chat::Lines::Text", "content": "a < b & <strong>c</strong>"}`},
			{"", "rich = POST " + lines, `{"content": "<strong>now</strong>", "content_type": "text/html"}`, 201, `{"type": "Chat::Lines::RichText", "title": "now"}`},
			{"", "GET " + lines + "/{rich.id}", "", 200, `{"app_url": "~@{rich.id}"}`},
			{"", "POST " + lines, `{"content": "\n"}`, 422, ""},
		},
		"authors change their lines, and administrators too may delete them": {
			{"Hanna", "line = POST " + lines, `{"content": "hello"}`, 201, ""},
			{"Sam O", "PUT " + lines + "/{line.id}", `{"content": "bye"}`, 403, ""},
			{"Sam O", "DELETE " + lines + "/{line.id}", "", 403, ""},
			{"Hanna", "PUT " + lines + "/{line.id}", `{"content": "hello <em>all</em>"}`, 204, ""},
			{"Hanna", "GET " + lines + "/{line.id}", "", 200, `{"type": "Chat::Lines::RichText", "content": "hello <em>all</em>"}`},
			{"", "DELETE " + lines + "/{line.id}", "", 204, ""},
			{"Hanna", "GET " + lines + "/{line.id}", "", 404, ""},
		},
		"chats of all projects are listed, without those not in use": {
			{"", "ALL /chats", "", 200, `["...", {"title": "Chat", "bucket": "Cargo Bike Launch"}, {"title": "Workshop floor"}, {"title": "Spare parts", "bucket": "Workshop & Tools"}]`},
			{"", "ALL /chats", "", 200, `"#10"`},
		},
		"a ping is found or made for its people": {
			{"", "known = ALL /circles", "", 200, `"#2"`},
			{"Hanna", "ALL /circles", "", 200, `"#1"`},
			{"", "POST /circles", `{"user_ids": [{Person: Hanna Koivisto}]}`, 201, `{"id": {known.0.id}}`},
			{"", "fresh = POST /circles", `{"user_ids": [{Person: Priya Raman}, {Person: Lieke van der Meer}]}`, 201, `{"people": ["Ines Albrecht", "Priya Raman"]}`},
			{"", "ALL /circles", "", 200, `"#2"`}, // it has no line yet
			{"", "POST /circles", `{"user_ids": [{Person: Lieke van der Meer}]}`, 422, ""},
			{"Lieke", "GET /circles", "", 403, ""},
			{"Priya", "GET /circles/{known.0.id}", "", 404, ""},
			{"", "POST /chats/{Chat::Transcript: Ines A., Priya R.}/lines", `{"content": "Hello."}`, 201, ""},
			{"Hanna", "GET /chats/{Chat::Transcript: Ines A., Priya R.}/lines", "", 404, ""},
			{"", "ALL /circles", "", 200, `[{"id": {fresh.id}}, {}, {}]`},
			{"Priya", "GET /my/readings", "", 200, `{"unreads": ["...", {"section": "pings", "participants": ["Ines Albrecht"]}]}`},
		},
		"boosts are on what can be boosted": {
			{"", "mine = POST " + boosts, `{"content": "Hooray"}`, 201, ""},
			{"Sam O", "POST " + boosts, `{"content": "👍"}`, 201, ""},
			{"", "ALL " + boosts, "", 200, `[{"booster": "Ines Albrecht"}, {"booster": "Sam Okafor"}]`},
			{"", "GET /messages/{Message: We have a date}", "", 200, `{"boosts_count": 2}`},
			{"", "POST " + boosts, `{"content": "Seventeen letters"}`, 422, ""},
			{"", "POST /recordings/{vault: Cargo Bike Launch}/boosts", `{"content": "x"}`, 404, ""},
			{"Sam O", "DELETE /boosts/{mine.id}", "", 403, ""},
			{"", "GET /boosts/{mine.id}", "", 200, `{"recording": "We have a date"}`},
			{"", "DELETE /boosts/{mine.id}", "", 204, ""},
			{"", "GET /boosts/{mine.id}", "", 404, ""},
		},
	}.run(t)
}
