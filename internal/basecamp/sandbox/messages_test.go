package sandbox

import "testing"

func TestMessages(t *testing.T) {
	const (
		board   = "/message_boards/{message_board: Cargo Bike Launch}/messages"
		date    = "/messages/{Message: We have a date}"
		comment = "POST /recordings/{Message: We have a date}/comments"
		active  = `"subject": "Who hears this?", "status": "active"`
		rich    = `{"content": "<div onclick=\"x()\">Hello <bc-attachment sgid=\"{noemie.attachable_sgid}\"></bc-attachment> <script>steal()</script><blink>see</blink></div>` +
			`<bc-attachment sgid=\"{file.sgid}\" caption=\"Notes\"></bc-attachment><bc-attachment sgid=\"unknown\"></bc-attachment>"}`
	)
	stories{
		"messages are the newest first, and sortable": {
			{"", "ALL " + board, "", 200, `"#>34"`},
			{"", "oldest = ALL " + board + "?sort=created_at&direction=asc", "", 200, ""},
			{"", "GET /messages/{oldest.0.id}", "", 200, `{"subject": "Welcome to the launch project"}`},
			{"", "PUT /messages/{oldest.0.id}", `{"subject": "Welcome again"}`, 200, ""},
			{"", "changed = GET " + board + "?sort=updated_at", "", 200, ""},
			{"", "GET /messages/{changed.0.id}", "", 200, `{"subject": "Welcome again"}`},
		},
		"a message is a draft by default, which its author alone sees": {
			{"", "draft = POST " + board, `{"subject": "Bells", "content": "<div>Louder</div>"}`, 201, `{"status": "drafted"}`},
			{"", "GET /messages/{draft.id}", "", 200, ""},
			{"Sam O", "GET /messages/{draft.id}", "", 404, ""},
			{"", "ALL /my/drafts", "", 200, `["...", "Bells"]`},
			{"", "PUT /messages/{draft.id}", `{"status": "active"}`, 200, `{"status": "active", "content": "<div>Louder</div>", "subject": "Bells"}`},
			{"Sam O", "GET /messages/{draft.id}", "", 200, ""},
			{"", "now = GET " + board, "", 200, ""},
			{"", "GET /messages/{now.0.id}", "", 200, `{"subject": "Bells"}`},
		},
		"an update keeps what it does not have": {
			{"", "before = GET " + date, "", 200, ""},
			{"", "PUT /messages/{before.id}", `{"subject": "We still have a date"}`, 200, `{"content": "~The launch is in eight weeks", "category": "Announcement", "subject": "We still have a date"}`},
			{"", "PUT /messages/{before.id}", `{"subject": ""}`, 422, `{"errors": {"subject": ["can't be blank"]}}`},
		},
		"a message subscribes all members unless it names people": {
			{"", "all = POST " + board, `{` + active + `}`, 201, ""},
			{"", "team = ALL /projects/{Project: Cargo Bike Launch}/people", "", 200, `"#12"`},
			{"", "GET /recordings/{all.id}/subscription", "", 200, `{"count": 12}`},
			{"", "none = POST " + board, `{` + active + `, "subscriptions": []}`, 201, ""},
			{"", "GET /recordings/{none.id}/subscription", "", 200, `{"count": 1}`},
			// he is not on the project
			{"", "some = POST " + board, `{` + active + `, "subscriptions": [{Person: Hanna Koivisto}, {Person: Sam Lindqvist}]}`, 201, ""},
			{"", "GET /recordings/{some.id}/subscription", "", 200, `{"count": 2}`},
		},
		"categories belong to the project": {
			{"", "kinds = GET /buckets/{Project: Cargo Bike Launch}/categories", "", 200, `["Announcement", "FYI", "Heartbeat", "Pitch", "Question"]`},
			{"", "GET /categories", "", 404, ""},
			{"", "POST " + board, `{"subject": "Pitch", "status": "active", "category_id": {kinds.3.id}}`, 201, `{"category": "Pitch"}`},
		},
		"rich text is completed and cleaned": {
			{"", "noemie = GET /people/{Person: Noémie Laurent}", "", 200, ""},
			{"", "file = SEND notes.txt", "three lines", 201, ""},
			{"", "made = " + comment, rich, 201, `{"content": "~content-type=\"application/vnd.basecamp.mention\"", "content_attachments": [
				{"filename": "notes.txt", "byte_size": 11, "sgid": "{file.sgid}", "caption": null, "key": null, "status_url": null, "attachable_sgid": null}]}`},
			{"", "GET /comments/{made.id}", "", 200, `{"content": "~<figcaption>Noémie</figcaption></figure></bc-attachment> see</div>"}`},
			{"", "GET /comments/{made.id}", "", 200, `{"content": "~filename=\"notes.txt\" caption=\"Notes\""}`},
		},
		"comments are counted": {
			{"", "before = GET /documents/{Document: Welding sequence}", "", 200, `{"comments_count": 0}`},
			{"Tomás", "POST /recordings/{before.id}/comments", `{"content": "<div>Yes.</div>"}`, 201, `{"app_url": "~#__recording_", "parent": {"id": {before.id}}}`},
			{"", "ALL /recordings/{before.id}/comments", "", 200, `["...", {"content": "<div>Yes.</div>"}]`},
			{"", "GET /documents/{before.id}", "", 200, `{"comments_count": 1}`},
			{"", "POST /recordings/{vault: Cargo Bike Launch}/comments", `{"content": "x"}`, 404, ""},
			{"", comment, `{"content": " "}`, 422, `{"content": ["can't be blank"]}`},
		},
		"only authors change their comments": {
			{"", "all = ALL /recordings/{Message: Rejected: the cup holder}/comments", "", 200, `["...", {"creator": "Sam Okafor"}]`},
			{"Hanna", "PUT /comments/{all.0.id}", `{"content": "no"}`, 403, ""},
			{"Sam O", "PUT /comments/{all.0.id}", `{"content": "A very sad day."}`, 200, ""},
		},
		"a message is pinned and unpinned": {
			{"", "POST /recordings/{Message: We have a date}/pin", "", 204, ""},
			{"", "DELETE /recordings/{Message: We have a date}/pin", "", 204, ""},
			{"", "POST /recordings/{Todo: Order cartons}/pin", "", 404, ""},
		},
	}.run(t)
}
