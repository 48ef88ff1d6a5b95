package basecamptools

import (
	"context"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/toolanswer"
)

// gitHubTime is how long an answer waits for GitHub.
const gitHubTime = 12 * time.Second

// addGitHub adds what changed on GitHub, as far as the answer has room beside Basecamp's. What
// cannot be read is named, and comes later.
func (rs *resolver) addGitHub(ctx context.Context, s *changeState, a *changesAnswer) error {
	switch {
	case !s.Filter.GitHub:
		return nil
	case rs.github == nil:
		a.LeaveOut("github", fault.New(fault.ToolNotEnabled, "the operator of this server has not configured GitHub"))
		return nil
	}
	of := hub.ChangesOf{
		Since: time.Unix(s.Since, 0), Place: s.GitHub, Mine: s.Filter.Mine, IncludeMe: s.Filter.IncludeMe, ExcludePerson: s.Filter.ExcludePerson,
		Items: mostChanged, Bytes: mostChangeBytes - toolanswer.Size(a.Projects),
	}
	for _, p := range a.Projects {
		of.Items -= len(p.Items)
	}
	waits, cancel := context.WithTimeout(ctx, gitHubTime)
	defer cancel()
	got := rs.github(waits, of)
	s.GitHub = got.Place
	a.GitHub, a.Excluded, a.HasMore = got.News, a.Excluded+got.Excluded, a.HasMore || got.More
	a.NotCovered = append(a.NotCovered, got.NotCovered...)
	for _, part := range got.Failed {
		f := fault.From(part.Err)
		if f.Code == fault.InternalError {
			return part.Err
		}
		a.LeaveOut(part.Name, f)
	}
	return nil
}
