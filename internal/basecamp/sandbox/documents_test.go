package sandbox

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestDocuments(t *testing.T) {
	const (
		root      = "/vaults/{vault: Cargo Bike Launch}"
		frame     = "{Vault: Frame @ Cargo Bike Launch}"
		suppliers = "{Vault: Suppliers @ Cargo Bike Launch}"
		torque    = "/uploads/{Upload: torque-values.md @ Cargo Bike Launch}"
		colours   = `"content": "<div>Loud</div>"`
	)
	stories{
		"folders nest, and two may share a name": {
			{"", "folders = ALL " + root + "/vaults", "", 200, `["Frame", "Suppliers", "Launch day"]`},
			{"", "ALL /vaults/{folders.1.id}/vaults", "", 200, `[{"title": "Contracts", "documents_count": 1, "uploads_count": 2}]`},
			{"", "ALL /vaults/{folders.2.id}/vaults", "", 200, `["Contracts", "Press"]`},
		},
		"an update replaces, and refuses a status alone": {
			{"", "made = POST " + root + "/documents", `{"title": "Bells", ` + colours + `}`, 201, `{"status": "drafted"}`},
			{"Sam O", "GET /documents/{made.id}", "", 404, ""},
			{"", "PUT /documents/{made.id}", `{"status": "active"}`, 400, ""},
			{"", "PUT /documents/{made.id}", `{"title": "Bells", ` + colours + `, "status": "active"}`, 200, `{"status": "active"}`},
			{"Sam O", "GET /documents/{made.id}", "", 200, ""},
			{"", "PUT /documents/{made.id}", `{"title": "Only the title"}`, 200, `{"content": ""}`},
		},
		"lists omit drafts, archived documents and folders": {
			{"", "ALL " + root + "/documents", "", 200, `["...", "Assembly handbook"]`},
			{"", "ALL " + root + "/documents", "", 200, `"#6"`},
			{"", "ALL /projects/recordings?type=Document&status=archived", "", 200, `["Old price list, do not use"]`},
		},
		"an upload takes new names and versions": {
			{"", "file = PUT " + torque, `{"base_name": "torque"}`, 200, `{"filename": "torque.md", "description": "~div"}`},
			{"", "sent = SEND torque-2.md", "# Torque", 201, ""},
			{"", "next = POST /uploads/{file.id}/versions", `{"attachable_sgid": "{sent.sgid}"}`, 201, `{"id": {file.id}, "filename": "torque-2.md"}`},
			{"", "GET /uploads/{next.id}/versions", "", 200, `[{"upload": {"current": true}, "action": "blob_changed"}, {"upload": {"current": false}}]`},
			{"", "POST /uploads/{next.id}/versions", `{"attachable_sgid": "nothing"}`, 422, ""},
			{"", "POST /attachments", "x", 400, ""},
			{"", "SEND empty.txt", "", 422, ""},
		},
		"files are listed by kind and person": {
			{"", "ALL /files?kind=images", "", 200, `["...", {"content_type": "~image/"}]`},
			{"", "ALL /files?kind=pdfs", "", 200, `["...", {"filename": "~.pdf"}]`},
			{"", "ALL /files?people_ids[]={Person: Noémie Laurent}", "", 200, `["...", {"creator": "Noémie Laurent", "type": "Attachment", "filename": "~."}]`},
		},
		"a folder, a document or a file moves within its project": {
			{"", "POST /recordings/{Document: Assembly handbook}/filing", `{"parent_id": ` + frame + `}`, 204, ""},
			{"", "ALL /vaults/" + frame + "/documents", "", 200, `["Assembly handbook", {}, {}, {}]`},
			{"", "POST /recordings/" + frame + "/filing", `{"parent_id": ` + suppliers + `, "position": 1}`, 204, ""},
			{"", "ALL /vaults/" + suppliers + "/vaults", "", 200, `["Frame", "Contracts"]`},
			// in itself
			{"", "POST /recordings/" + suppliers + "/filing", `{"parent_id": ` + frame + `}`, 422, ""},
			{"", "POST /recordings/" + suppliers + "/filing", `{"parent_id": {vault: Cargo Bike Launch}, "position": 0}`, 400, ""},
			{"", "POST /recordings/" + suppliers + "/filing", `{"parent_id": {vault: Winter Kit}}`, 404, ""},
			{"", "POST /recordings/{vault: Cargo Bike Launch}/filing", `{"parent_id": ` + frame + `}`, 404, ""},
			{"", "POST /recordings/{Todo: Order cartons}/filing", `{"parent_id": {vault: Cargo Bike Launch}}`, 404, ""},
		},
	}.run(t)
}

func TestUpload_IsCreatedFromAnAttachmentAndDownloadedThroughARedirect(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	sent := c.with("Content-Type", "text/csv").do("POST", "/attachments.json?name=grips.csv", []byte("a,b\n1,2\n")).want(201).object()
	u := c.post(fmt.Sprintf("/vaults/%d/uploads.json", s.ToolID(launch, "vault")), object{
		"attachable_sgid": sent.text("attachable_sgid"), "base_name": "softer-grips", "description": "<div>Take these</div>",
	}).want(201).object()
	if u.text("filename") != "softer-grips.csv" || u.text("byte_size") != "8" || u.text("content_type") != "text/csv" {
		t.Error(u)
	}
	from, err := url.Parse(u.text("download_url"))
	if err != nil || from.Host == strings.TrimPrefix(BaseURL, "https://") {
		t.Fatalf("download_url %s is on the API's host", u.text("download_url"))
	}
	r := c.get("%s%s", BaseURL, from.Path).want(http.StatusFound)
	location := r.Header.Get("Location")
	if got := c.with("Authorization", "").get("%s", location).want(200); string(got.body) != "a,b\n1,2\n" || got.Header.Get("Content-Type") != "text/csv" {
		t.Errorf("%s %v", got.body, got.Header)
	}
	c.get("%s", location).want(http.StatusBadRequest)
	c.with("Authorization", "").get("%s", strings.Split(location, "?")[0]).want(http.StatusForbidden)
	c.with("Authorization", "").get("%s%s", BaseURL, from.Path).want(http.StatusUnauthorized)
}
