package sandbox

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVaults_NestAndTwoFoldersMayShareAName(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	folders := func(id string) []object { return c.all("/vaults/%s/vaults.json", id) }
	root := folders(fmt.Sprint(s.ToolID(launch, "vault")))
	if diff := cmp.Diff([]string{"Frame", "Suppliers", "Launch day"}, titles(root)); diff != "" {
		t.Error(diff)
	}
	inSuppliers, inLaunchDay := folders(root[1].text("id")), folders(root[2].text("id"))
	if inSuppliers[0].text("title") != "Contracts" || inLaunchDay[0].text("title") != "Contracts" {
		t.Error(titles(inSuppliers), titles(inLaunchDay))
	}
	if inSuppliers[0].text("documents_count") != "1" || inSuppliers[0].text("uploads_count") != "2" {
		t.Error(inSuppliers[0])
	}
}

func TestDocument_UpdateReplacesAndRefusesOnlyAStatus(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	vault := s.ToolID(launch, "vault")
	d := c.post(fmt.Sprintf("/vaults/%d/documents.json", vault), object{"title": "Bells", "content": "<div>Loud</div>"}).want(201).object()
	path := "/documents/" + d.text("id") + ".json"
	if d.text("status") != "drafted" {
		t.Error(d.text("status"))
	}
	as(t, s, "Sam Okafor").get("%s", path).want(http.StatusNotFound)
	c.put(path, object{"status": "active"}).want(http.StatusBadRequest)
	if got := c.put(path, object{"title": "Bells", "content": "<div>Loud</div>", "status": "active"}).want(200).object().text("status"); got != "active" {
		t.Error(got)
	}
	as(t, s, "Sam Okafor").get("%s", path).want(200)
	if got := c.put(path, object{"title": "Only the title"}).want(200).object().text("content"); got != "" {
		t.Errorf("the old content is still there: %s", got)
	}
}

func TestDocuments_ListsOmitDraftsArchivedOnesAndFolders(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	path := fmt.Sprintf("/vaults/%d/documents.json", s.ToolID(launch, "vault"))
	got := titles(c.all("%s", path))
	if !slices.Contains(got, "Assembly handbook") || slices.Contains(got, "Ideas for the second colour round") ||
		slices.Contains(got, "Old price list, do not use") || slices.Contains(got, "Welding sequence") {
		t.Error(got)
	}
	if diff := cmp.Diff([]string{"Old price list, do not use"}, titles(c.all("/projects/recordings.json?type=Document&status=archived"))); diff != "" {
		t.Error(diff)
	}
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

func TestUpload_AcceptsNewNamesAndNewVersions(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	id := s.FindIn(launch, "Upload", "torque-values.md")
	path := fmt.Sprintf("/uploads/%d", id)
	renamed := c.put(path+".json", object{"base_name": "torque"}).want(200).object()
	if renamed.text("filename") != "torque.md" || renamed.text("description") == "" {
		t.Error(renamed)
	}
	sent := c.with("Content-Type", "text/markdown").do("POST", "/attachments.json?name=torque-2.md", []byte("# Torque")).want(201).object()
	next := c.post(path+"/versions.json", object{"attachable_sgid": sent.text("attachable_sgid")}).want(201).object()
	if next.text("id") != fmt.Sprint(id) || next.text("filename") != "torque-2.md" {
		t.Error(next)
	}
	versions := c.get("%s/versions.json", path).want(200).list()
	if len(versions) != 2 || versions[0].text("upload", "current") != "true" || versions[0].text("action") != "blob_changed" {
		t.Error(versions)
	}
	c.post(path+"/versions.json", object{"attachable_sgid": "nothing"}).want(422)
}

func TestAttachment_NeedsANameAContentTypeAndBytes(t *testing.T) {
	c := ines(t, newSandbox(t))
	c.do("POST", "/attachments.json", []byte("x")).want(400)
	c.with("Content-Type", "").do("POST", "/attachments.json?name=a.txt", []byte("x")).want(415)
	c.with("Content-Type", "text/plain").do("POST", "/attachments.json?name=a.txt", nil).want(422)
}

func TestFiles_AreListedByKindAndPerson(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	for _, o := range c.all("/files.json?kind=images") {
		if !strings.HasPrefix(o.text("content_type"), "image/") {
			t.Error(o)
		}
	}
	inline := filter(c.all("/files.json"), func(o object) bool { return o.text("type") == "Attachment" })
	if len(inline) < 15 || inline[0].text("filename") == "" || inline[0].text("url") != inline[0].text("parent", "url") {
		t.Errorf("%d files within texts: %v", len(inline), inline)
	}
	noemie := s.Person("Noémie Laurent").ID
	mine := c.all("/files.json?people_ids[]=%d", noemie)
	if len(mine) < 8 || len(mine) >= len(c.all("/files.json")) {
		t.Errorf("%d files", len(mine))
	}
	for _, o := range mine {
		if o.text("creator", "id") != fmt.Sprint(noemie) {
			t.Error(o.text("creator", "name"))
		}
	}
}

func TestFiling_MovesAFolderADocumentOrAFileWithinItsProject(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	root := s.ToolID(launch, "vault")
	frame, suppliers := s.FindIn(launch, "Vault", "Frame"), s.FindIn(launch, "Vault", "Suppliers")
	file := func(id, parent int64, more object) response {
		body := object{"parent_id": parent}
		maps.Copy(body, more)
		return c.post(fmt.Sprintf("/recordings/%d/filing.json", id), body)
	}
	file(s.Find("Document", "Assembly handbook"), frame, nil).want(204)
	if got := titles(c.all("/vaults/%d/documents.json", frame)); got[0] != "Assembly handbook" {
		t.Error(got)
	}
	file(frame, suppliers, object{"position": 1}).want(204)
	if got := titles(c.all("/vaults/%d/vaults.json", suppliers)); got[0] != "Frame" {
		t.Error(got)
	}
	file(suppliers, frame, nil).want(422) // in itself
	file(suppliers, root, object{"position": 0}).want(400)
	file(suppliers, s.ToolID("Winter Kit", "vault"), nil).want(404)
	file(root, frame, nil).want(404)
	file(s.Find("Todo", "Order cartons"), root, nil).want(404)
}
