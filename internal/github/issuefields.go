package github

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"basecamp-mcp/internal/github/writes"
	"basecamp-mcp/internal/report/fault"
)

// IssueField is a field that an organization gives to all its issues (GitHub Docs, "REST API
// endpoints for issue fields").
type IssueField struct {
	ID      int64
	Name    string
	Type    string `json:"data_type"` // text, date, single_select, multi_select or number
	Options []struct{ Name string }
}

// Field returns the field as one of a project. The ID of an option is its name, because REST sets
// options by their names.
func (f IssueField) Field() Field {
	as := Field{ID: strconv.FormatInt(f.ID, 10), Name: f.Name, DataType: strings.ToUpper(f.Type)}
	for _, o := range f.Options {
		as.Options = append(as.Options, Option{o.Name, o.Name})
	}
	return as
}

// ofOrganization returns a request to a part of an organization.
func (c *Client) ofOrganization(owner, part string) request {
	about := fault.Resource{Type: "organization", ID: owner}
	return request{method: http.MethodGet, url: c.rest.JoinPath("orgs", url.PathEscape(owner), part), of: core, about: about}
}

// IssueFields returns the issue fields of an organization. It returns none if the owner is a user,
// or does not show them to the user.
func (c *Client) IssueFields(ctx context.Context, owner string) ([]IssueField, error) {
	all, err := get[Page[IssueField]](ctx, c, c.ofOrganization(owner, "issue-fields"))
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return all.Items, err
}

// IssueFieldValue is the value of an issue field, by the ID of the field.
type IssueFieldValue struct {
	FieldID int64  `json:"issue_field_id"`
	Type    string `json:"data_type"`
	Value   any    // a string, a number or a list of strings; an option by its name
}

// fieldNames has the argument that sets issue fields, by its name in REST.
var fieldNames = map[string]string{"issue_field_values": "issue_fields"}

// SetIssueFields sets issue fields of an issue: each setting has a field_id and a value. Its other
// fields stay.
func (c *Client) SetIssueFields(ctx context.Context, repo Repo, number int, settings []Fields) error {
	// An issue that a plan makes up has no number above zero.
	r := c.requestIn(repo, repo.about("issue", number), "issues", strconv.Itoa(number), writes.FieldValues)
	r.again, r.names = true, fieldNames
	_, err := send[Page[IssueFieldValue]](ctx, c, http.MethodPost, r, map[string]any{"issue_field_values": settings})
	return err
}

// ClearIssueField clears an issue field of an issue.
func (c *Client) ClearIssueField(ctx context.Context, repo Repo, number int, field int64) error {
	_, err := send[restored](ctx, c, http.MethodDelete, c.issue(repo, number, writes.FieldValues, strconv.FormatInt(field, 10)), nil)
	return err
}

// fieldValuesIn reads the values of the issue fields of an issue. They are nil if the issue does
// not say them: then this GitHub has no issue fields.
func fieldValuesIn(raw json.RawMessage) (values []IssueFieldValue, err error) {
	if len(raw) == 0 || isNull(raw) {
		return nil, nil
	}
	values = []IssueFieldValue{}
	err = json.Unmarshal(raw, &values)
	return values, err
}

// UnmarshalJSON implements json.Unmarshaler. An option is known by its name, whatever the value is.
func (v *IssueFieldValue) UnmarshalJSON(data []byte) error {
	type plain IssueFieldValue
	wire := struct {
		*plain
		Option *struct{ Name string } `json:"single_select_option"`
	}{plain: (*plain)(v)}
	err := json.Unmarshal(data, &wire)
	if wire.Option != nil {
		v.Value = wire.Option.Name
	}
	return err
}
