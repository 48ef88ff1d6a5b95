package operations

// clientRows are about the older way to work with clients, the Clientside.
var clientRows = []Row{
	{Name: "list_client_approvals", Does: "Lists what clients of a project were asked to approve", Covers: "ListClientApprovals", Page: "client_approvals", Path: "buckets/{project}/client/approvals", Items: ".", Args: []Arg{inProject, newest}, Words: "clientside"},
	{Name: "get_client_approval", Does: "Reads what a client was asked to approve, with the answer", Covers: "GetClientApproval", Page: "client_approvals", Path: "client/approvals/{approval}", Args: []Arg{{Name: "approval", Kind: ID, To: "{approval}", Need: true}}, Words: "clientside"},
	{Name: "list_client_messages", Does: "Lists the correspondence with clients of a project", Covers: "ListClientCorrespondences", Page: "client_correspondences", Path: "buckets/{project}/client/correspondences", Items: ".", Args: []Arg{inProject, newest}, Words: "clientside correspondences"},
	{Name: "get_client_message", Does: "Reads a message to clients", Covers: "GetClientCorrespondence", Page: "client_correspondences", Path: "client/correspondences/{client_message}", Args: []Arg{{Name: "client_message", Kind: ID, To: "{client_message}", Need: true}}, Words: "clientside correspondence"},
	{Name: "list_client_replies", Does: "Lists the replies to a message or an approval of clients", Covers: "ListClientReplies", Page: "client_replies", Path: "buckets/{project}/client/recordings/{client_message}/replies", Items: ".", Args: []Arg{inProject, repliedTo}, Words: "clientside answers"},
	{
		Name: "get_client_reply", Does: "Reads one reply of clients", Covers: "GetClientReply", Page: "client_replies", Words: "clientside answer",
		Path: "buckets/{project}/client/recordings/{client_message}/replies/{reply}", Args: []Arg{inProject, repliedTo, {Name: "reply", Kind: ID, To: "{reply}", Need: true}},
	},
}

var repliedTo = Arg{Name: "client_message", Kind: ID, To: "{client_message}", Need: true, About: "id of the message or approval"}
