package operations

// fileRows are about files and links to files elsewhere.
var fileRows = []Row{
	{
		Name: "list_file_versions", Does: "Lists the versions of a file", Covers: "ListUploadVersions", Page: "uploads",
		Path: "uploads/{file}/versions", Items: ".", Args: []Arg{{Name: "file", Kind: Item, Of: "upload", To: "{file}", Need: true}, itsProject}, Words: "history upload",
	},
	{Name: "list_all_files", Does: "Lists the newest files of all projects", Covers: "GetEverythingFiles", Page: "everything", Path: "files", Place: AcrossProjects, Items: ".", Args: []Arg{{Name: "people", Kind: People, To: "?people_ids[]"}}, Words: "uploads attachments"},
	{Name: "list_chats", Does: "Lists the chats of all your projects", Covers: "ListCampfires", Page: "campfires", Path: "chats", Place: AcrossProjects, Items: ".", Words: "campfires"},
	{
		Name: "list_chat_files", Does: "Lists the files in a chat", Covers: "ListCampfireUploads", Page: "campfires",
		Path: "chats/{chat}/uploads", Items: ".", Args: []Arg{inProject, chat}, Words: "campfire uploads attachments",
	},
	{
		Name: "create_folder", Does: "Makes a folder in a project's Docs & Files, in another folder if one is named", Covers: "CreateVault", Page: "vaults",
		Method: "POST", Path: "vaults/{folder}/vaults", Args: []Arg{inProject, folder, {Name: "title", Need: true, Max: 1500}}, Says: "create a folder", Makes: "Vault", Undo: trash, Words: "new folder, add directory subfolder vault",
	},
	{
		Name: "link_file", Does: "Puts a link to a file elsewhere (Dropbox, Figma, Notion, ...) into Docs & Files", Covers: "CreateCloudFile", Page: "cloud_files",
		Method: "POST", Path: "buckets/{project}/vaults/{folder}/cloud_files", TakenBackBy: "set_item_status", Words: "cloud file dropbox figma notion external add create",
		Args: []Arg{
			inProject, folder, {Name: "url", To: "cloud_file.url", Need: true, Max: 2000}, {Name: "service", To: "cloud_file.service", Default: "other", Max: 50, About: "such as dropbox, figma, notion"},
			{Name: "title", To: "cloud_file.title", Max: 250}, {Name: "description", Kind: Markdown, To: "cloud_file.description"}, clients,
		},
	},
	{Name: "get_linked_file", Does: "Reads a link to a file elsewhere", Covers: "GetCloudFile", Page: "cloud_files", Path: "cloud_files/{linked_file}", Args: []Arg{linkedFile}, Words: "cloud file"},
	{
		Name: "update_linked_file", Does: "Changes a link to a file elsewhere", Covers: "UpdateCloudFile", Page: "cloud_files",
		Method: "PUT", Path: "cloud_files/{linked_file}", Before: "cloud_files/{linked_file}", ReplacesAll: true, TakenBackBy: "update_linked_file", Words: "cloud file",
		Args: []Arg{
			linkedFile, {Name: "url", To: "cloud_file.url", Max: 2000}, {Name: "service", To: "cloud_file.service", Need: true, Was: "-", Max: 50, About: "such as dropbox, figma, other"},
			{Name: "title", To: "cloud_file.title", Max: 250}, {Name: "description", Kind: Markdown, To: "cloud_file.description"},
		},
	},
	{
		Name: "link_google_document", Does: "Puts a link to a Google document into Docs & Files", Covers: "CreateGoogleDocument", Page: "google_documents",
		Method: "POST", Path: "buckets/{project}/vaults/{folder}/google_documents", TakenBackBy: "set_item_status", Words: "google docs sheet slides add create",
		Args: []Arg{
			inProject, folder, {Name: "url", To: "google_document.url", Need: true, Max: 2000}, {Name: "document_type", To: "google_document.document_type", Need: true, Of: "doc|sheet|slide|other"},
			{Name: "title", To: "google_document.title", Max: 250}, {Name: "description", Kind: Markdown, To: "google_document.description"},
			{Name: "status", To: "google_document.status", Of: "active|drafted", Default: "active"}, clients,
		},
	},
	{Name: "get_google_document", Does: "Reads a link to a Google document", Covers: "GetGoogleDocument", Page: "google_documents", Path: "google_documents/{google_document}", Args: []Arg{googleDocument}, Words: "google docs sheet slides"},
	{
		Name: "update_google_document", Does: "Changes a link to a Google document", Covers: "UpdateGoogleDocument", Page: "google_documents",
		Method: "PUT", Path: "google_documents/{google_document}", Before: "google_documents/{google_document}", ReplacesAll: true, TakenBackBy: "update_google_document", Words: "google docs sheet slides",
		Args: []Arg{
			googleDocument, {Name: "url", To: "google_document.url", Max: 2000}, {Name: "document_type", To: "google_document.document_type", Of: "doc|sheet|slide|other"},
			{Name: "title", To: "google_document.title", Max: 250}, {Name: "description", Kind: Markdown, To: "google_document.description"},
		},
	},
	{
		Name: "list_external_links", Does: "Lists the external links of projects, which are not in the dock", Covers: "ListRecordings", Page: "external_links",
		Path: "projects/recordings", Place: AcrossProjects, Items: ".", Args: []Arg{{Name: "type", To: "?type", Of: "Door", Default: "Door"}, {Name: "projects", Kind: Projects, To: "?bucket"}}, Words: "doors urls",
	},
}

var (
	chat           = Arg{Name: "chat", Kind: Tool, Of: "chat", To: "{chat}"}
	folder         = Arg{Name: "folder", Kind: Tool, Of: "vault", To: "{folder}"}
	linkedFile     = Arg{Name: "linked_file", Kind: ID, To: "{linked_file}", Need: true}
	googleDocument = Arg{Name: "google_document", Kind: ID, To: "{google_document}", Need: true}
)
