package jobs

import "testing"

// What the jobs of everyday verbs may cost together, and the answer to a list of fifteen to-dos.
// Never raise a limit.
const (
	maxVerbCalls     = 39
	maxVerbErrors    = 0
	maxVerbTokens    = 13_000
	maxFifteenTokens = 900
)

// The places of jobs with limits of their own.
const (
	sixCards = 0
	thirty   = 1
	fifteen  = 18
)

var verbJobs = []job{
	{"Put these six cards of the web shop into Testing, for Marguerite too", sixToTesting},
	{"Correct thirty torques in our document, as in this list", thirtyPlaces},
	{"Write under these four things that prices are final", sameComment},
	{"Ask Hanna privately for photos; what does she say?", pingHanna},
	{"Remind me of the demo rides on Monday; church square first up next", remindMe},
	{"Clap for the load test; no, take it back", boostAndBack},
	{"Website texts is now Shop texts, on top, with a group for Dutch", renameList},
	{"Put the hall plan, the survey and Read me first into a folder Forms", fileInFolder},
	{"Here is the new launch budget", newVersion},
	{"Correct what I wrote in the chat and in today's check-in", correctMine},
	{"A stand-up every Monday at nine until spring, with Priya and Jonas", everyMonday},
	{"Let the client see the message on the second year, and pin it", showToClient},
	{"Bring back all that I trashed today", bringBack},
	{"Aoife and Dele join Winter Kit, Tomás leaves it", changePeople},
	{"Copy the dealers' evening to the trade fair, ninety days later", copyList},
	{"Hanna takes over all open work of Sam Lindqvist at the dealers'", takeOver},
	{"Test rides onto the hill chart, suppliers off; a column Blocked in the shop", hillAndColumn},
	{"I worked 90 minutes on the cartons yesterday; out of office at New Year", timeAndAbsence},
	{"Make to-dos of these fifteen notes", fifteenNotes},
	{"Show me first: archive the list Parking lot. Yes, do it", showMeFirst},
}

func TestVerbs_CostNoMoreThanBefore(t *testing.T) {
	if len(verbJobs) != 20 {
		t.Errorf("there are %d jobs", len(verbJobs))
	}
	runs, all := measured(t, verbJobs, "")
	for _, limit := range []struct {
		what     string
		got, max int
	}{
		{"calls", all.calls, maxVerbCalls},
		{"errors", all.errors, maxVerbErrors},
		{"tokens", all.tokens, maxVerbTokens},
		{"jobs that are not done", len(runs) - all.done, 0},
		{"calls to move six cards", runs[sixCards].calls, 1},
		{"calls to edit thirty places", runs[thirty].calls, 1},
		{"tokens of the answer to fifteen to-dos", runs[fifteen].tokens, maxFifteenTokens},
	} {
		if limit.got > limit.max {
			t.Errorf("%d %s; the limit is %d", limit.got, limit.what, limit.max)
		}
	}
}
