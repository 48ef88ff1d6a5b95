package basecamptools

import (
	"maps"
	"slices"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/report/fault"
)

// The addresses of the launch's folder "Frame" and of others like it.
const (
	launchURL = "https://3.basecamp.com/{account}/buckets/{project:Cargo Bike Launch}"
	frameID   = "{Vault:Frame@Cargo Bike Launch}"
	glossary  = "{Document:Glossary@Cargo Bike Launch}"
)

func TestListDocuments(t *testing.T) {
	cases(t, "list_documents", args{"project_id": launch},
		row{fact: "long texts are cut", holds: holds{"items.*.content": most(files.MaxPreview), "items.0.truncated": nil, "items.1.truncated": true},
			then: []row{
				{tool: "get_document", in: args{"document_id": "{0.items.0.id}"}, holds: holds{"content": "{0.items.0.content}"}},
				{tool: "get_document", in: args{"document_id": "{0.items.1.id}"}, holds: holds{"content": least(files.MaxPreview + 1)}},
			}},
		row{fact: "a folder can be an ID, a name or a URL", each: []args{{"folder": frameID}, {"folder": "Frame"}, {"folder": launchURL + "/vaults/" + frameID}},
			holds: holds{"items.#": 3, "items.0.title": "Revision log"}},
		row{fact: "folders are counted, and only on the first page", in: args{"limit": 2}, holds: holds{"folders.#": 3, "folders.0.name": "Frame", "folders.0.documents_count": 3},
			then: []row{{in: args{"limit": 2, "cursor": "{.next_cursor}"}, holds: holds{"folders": nil, "items.#": 2}}}},
		row{fact: "a folder must be in the project", fails: fault.NotFound, says: says{"folder"},
			each: []args{{"folder": "https://3.basecamp.com/{account}/buckets/{project:Company HQ}/vaults/" + frameID}, {"project_id": "Company HQ", "folder": frameID}}},
		row{fact: "a document is not a folder", in: args{"folder": launchURL + "/documents/" + glossary}, fails: fault.InvalidInput, says: says{"folder", "get_document"}},
		row{fact: "the nearest names are told", in: args{"folder": "No such folder"}, fails: fault.NotFound, says: says{"folder", "nearest"}},
	)
}

func TestCreateDocument(t *testing.T) {
	made := row{holds: holds{"title": "Bells", "status": "active", "type": "document"},
		then: []row{{tool: "GET /documents/{.id}.json", holds: holds{"title": "Bells", "status": "active", "content": has("<em>please</em>")}}}}
	in := func(fact string, folder any, requests int, vault string) row {
		r := made
		r.fact, r.in, r.requests, r.writes = fact, args{"folder": folder}, requests, []string{"POST /vaults/" + vault + "/documents.json"}
		return r
	}
	cases(t, "create_document", args{"project": launch, "title": " Bells ", "body": "Louder, *please*."},
		in("it is made in the top folder", nil, 3, "{tool:vault@Cargo Bike Launch}"),
		in("it is made in a folder by its ID", frameID, 4, frameID),
		in("it is made in a folder by its URL", launchURL+"/vaults/"+frameID, 4, frameID),
		in("it is made in a folder by its name", "Frame", 7, frameID),
		row{fact: "a title is required", in: args{"title": " "}, fails: fault.InvalidInput, says: says{"title: must not be blank"}},
		row{fact: "a text is required", in: args{"body": " "}, fails: fault.InvalidInput, says: says{"body: must not be blank"}},
		row{fact: "the project must exist", in: args{"project": "No such thing"}, fails: fault.NotFound, says: says{"project:"}},
		row{fact: "the project must have Docs & Files", in: args{"project": "Newsletter Refresh"}, fails: fault.ToolNotEnabled, says: says{"Docs & Files"}},
		row{fact: "the folder must exist", each: []args{{"folder": "Fram work"}, {"folder": 5}}, fails: fault.NotFound, says: says{"folder"}},
		row{fact: "the folder must be in the project", in: args{"project": "Company HQ", "folder": frameID}, fails: fault.NotFound, says: says{"in project"}},
		row{fact: "whom it mentions must be on the project", in: args{"mentions": "Sam Lindqvist"}, fails: fault.InvalidInput, says: says{"not on the project"}},
	)
}

func TestEditText_OfADocument(t *testing.T) {
	bad := func(fact, words string, in args) row {
		return row{fact: fact, in: in, fails: fault.InvalidInput, says: says{words}}
	}
	cases(t, "edit_text", args{"document": glossary},
		row{fact: "a draft is published unchanged", tool: "create_document", in: args{"project": launch, "title": "Bells", "body": "Louder.", "draft": true}, holds: holds{"status": "drafted"},
			then: []row{
				{tool: "edit_text", in: args{"document": "{0.id}", "append": "Much."}, holds: holds{"status": "drafted"}},
				{tool: "edit_text", in: args{"document": "{0.url}", "publish": true}, holds: holds{"status": "active", "unchanged": nil}},
				{tool: "GET /documents/{0.id}.json", holds: holds{"status": "active", "title": "Bells", "content": "<div>Louder.</div><div><br></div><div>Much.</div>"}},
				{tool: "edit_text", in: args{"document": "{0.id}", "publish": true, "title": "Bells"}, requests: 1, writes: []string{}, holds: holds{"unchanged": true, "status": "active"}},
			}},
		bad("one change is required", "title, publish", nil),
		bad("a document is not made a draft", "title, publish", args{"publish": false}),
		bad("no edits are no change", "title, publish", args{"edits": []any{}}),
		bad("a title is not blank", "title: must not be blank", args{"title": " "}),
		bad("what is appended is not blank", "append: must not be blank", args{"append": " "}),
		bad("find alone is no argument", "find: is not an argument", args{"title": "x", "find": "y"}),
		bad("the words must be in the text", "not in the text", args{"find": "no such words", "replace": "y"}),
		bad("the words of each edit must be in the text", "edits[1].find: these words are not in the text",
			args{"edits": []args{{"find": "e", "replace": "i", "all": true}, {"find": "no such words", "replace": "y"}}}),
		bad("whom it mentions must be on the project", "not on the project", args{"append": "x", "mentions": "Sam Lindqvist"}),
		bad("words that stand several times need all", "times in the text", args{"edits": []args{{"find": "e", "replace": "y"}}}),
		bad("each edit says what replaces", "edits[0].replace: is required", args{"edits": []args{{"find": "x"}}}),
		bad("there are at most 50 edits", "edits: must have at most 50 entries, got 51", args{"edits": slices.Repeat([]args{{"find": "e", "replace": "i"}}, 51)}),
		row{fact: "part of a title is not enough", in: args{"document": nil, "item": "document:Gloss", "title": "x"}, fails: fault.Ambiguous, says: says{"only part of a title"}},
		row{fact: "the document must be in the project", in: args{"project": "Company HQ", "title": "x"}, fails: fault.NotFound, says: says{"item: there is no document"}},
	)
}

func TestCreateFolder(t *testing.T) {
	made := holds{"result.title": "Bells", "result.type": "folder", "result.project.name": launch, "result.url": some}
	empty := []row{{tool: "list_documents", in: args{"project_id": launch, "folder": "{.result.id}"}, holds: holds{"items.#": 0}}}
	in := func(more args) args {
		arguments := args{"project": launch, "title": "Bells"}
		maps.Copy(arguments, more)
		return args{"arguments": arguments}
	}
	cases(t, "change_basecamp", args{"operation": "create_folder"},
		row{fact: "it is made in the top folder", in: in(nil), holds: made, writes: []string{"POST /vaults/{tool:vault@Cargo Bike Launch}/vaults.json"}, then: empty},
		row{fact: "it is made in a folder by its ID", in: in(args{"folder": frameID}), holds: made, writes: []string{"POST /vaults/" + frameID + "/vaults.json"}, then: empty},
		row{fact: "it is made in a folder by its name", in: in(args{"folder": "Frame"}), holds: made, writes: []string{"POST /vaults/" + frameID + "/vaults.json"}, then: []row{
			{tool: "create_document", in: args{"project": launch, "folder": "Bells", "title": "Filed", "body": "There."}}}},
		row{fact: "it is made in a folder by its URL", in: in(args{"folder": launchURL + "/vaults/" + frameID}), holds: made, writes: []string{"POST /vaults/" + frameID + "/vaults.json"}},
		row{fact: "a title is required", in: in(args{"title": " \u200b"}), fails: fault.InvalidInput, says: says{"title"}},
		row{fact: "the folder must exist", in: in(args{"folder": "No such folder"}), fails: fault.NotFound, says: says{"folder"}},
		row{fact: "a document is not a folder", in: in(args{"folder": launchURL + "/documents/" + frameID}), fails: fault.InvalidInput, says: says{"folder"}},
		row{fact: "the folder is not in the trash", before: []string{"PUT /recordings/" + frameID + "/status/trashed.json"}, in: in(args{"folder": frameID}), fails: fault.InvalidInput, says: says{"trashed"}},
	)
}
