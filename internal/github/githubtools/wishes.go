package githubtools

import (
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/text/plaintext"
)

// wishes are the parts of an issue that GitHub drops without an error if the user may not set them.
// nil stays as it is.
type wishes struct {
	labels, assignees []string
	milestone         *github.Milestone // with the number 0 for none
	state             string
	exactly           bool // the lists have no other entries; a new issue may get some from GitHub
}

// missing returns the wishes that an issue does not meet.
func (w wishes) missing(i github.Issue) []string {
	missing := []string{}
	compare := func(name string, wanted, has []string) {
		if wanted == nil {
			return
		}
		for _, one := range parts.Without(wanted, has) {
			missing = append(missing, name+": "+plaintext.Word(one))
		}
		if !w.exactly {
			return
		}
		for _, one := range parts.Without(has, wanted) {
			missing = append(missing, name+": "+plaintext.Word(one)+" (not removed)")
		}
	}
	compare("labels", w.labels, i.Labels)
	compare("assignees", w.assignees, i.Assignees)
	switch {
	case w.milestone == nil || w.milestone.Number == milestoneOf(i):
	case w.milestone.Number == 0:
		missing = append(missing, "milestone: "+plaintext.Word(i.Milestone.Title)+" (not removed)")
	default:
		missing = append(missing, "milestone: "+plaintext.Word(w.milestone.Title))
	}
	if w.state != "" && w.state != i.State {
		missing = append(missing, "state: "+w.state)
	}
	return missing
}

func milestoneOf(i github.Issue) int {
	if i.Milestone == nil {
		return 0
	}
	return i.Milestone.Number
}
