package githubtools

import (
	"context"

	"basecamp-mcp/internal/github"
)

// labels returns the labels of a repository that the caller names, as GitHub writes them.
func (k *kit) labels(ctx context.Context, repo github.Repo, argument string, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	all, err := k.github.Labels(ctx, repo)
	if err != nil {
		return nil, err
	}
	return labelsOf(ctx, all, argument, names)
}

func labelsOf(ctx context.Context, all []github.Label, argument string, names []string) ([]string, error) {
	c := choice[github.Label]{argument: argument, noun: "labels", items: all, partly: true, name: func(l github.Label) string { return l.Name }, look: looking(ctx)}
	var found, unknown []string
	for _, name := range names {
		label, known, err := c.find(name)
		switch {
		case err != nil:
			return nil, err
		case !known:
			unknown = append(unknown, name)
		case !hasName(found, label.Name):
			found = append(found, label.Name)
		}
	}
	if len(unknown) > 0 {
		return nil, c.unknown(unknown...)
	}
	return found, nil
}
