package parts

import (
	"context"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

// ItemOrItems returns an error unless a call names one item, or several.
func ItemOrItems(item string, items []string) error {
	switch {
	case item != "" && items != nil:
		return fault.Invalid("items", "give either item or items, not both")
	case items != nil && len(items) == 0:
		return fault.Invalid("items", "must contain at least one item")
	case item == "" && items == nil:
		return fault.Invalid("item", "is required, or items for several")
	}
	return nil
}

// PlanItems plans what a call does to each of several items, which it must name once. The function
// plan gets the path of its item. An error names the problems of all.
func PlanItems[P interface{ Reference() string }](
	ctx context.Context, rs *Base, items []string, project toolargs.Ref, plan func(ctx context.Context, path string, in lookup.ItemInput) (P, error),
) ([]P, error) {
	within, wrong := rs.SharedProject(ctx, project)
	planned, err := listing.Plan(ctx, wrong, "items", items, func(ctx context.Context, path, item string) (P, error) {
		return plan(ctx, path, lookup.ItemInput{Item: item, Project: within})
	})
	if err == nil {
		err = listing.Once("items", planned, P.Reference)
	}
	return planned, err
}
