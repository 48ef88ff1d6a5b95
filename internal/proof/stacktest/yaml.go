package stacktest

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Parse reads YAML with CloudFormation's tags as maps, lists and strings. Every scalar is a string.
// A tag stays in front of a scalar or of a list on one line, as in "!Ref Table" and "!Equals [a,
// b]". A tag above a list is the key of a map that holds the list.
func Parse(text string) (any, error) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return nil, err
	}
	if len(document.Content) == 0 {
		return nil, errors.New("the text is empty")
	}
	return yamlValue(document.Content[0]), nil
}

func yamlValue(n *yaml.Node) any {
	tag := tagOf(n)
	switch {
	case n.Kind == yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			m[n.Content[i].Value] = yamlValue(n.Content[i+1])
		}
		return m
	case n.Kind == yaml.SequenceNode && tag != "" && n.Style&yaml.FlowStyle != 0:
		return inline(n)
	case n.Kind == yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			list[i] = yamlValue(item)
		}
		if tag != "" {
			return map[string]any{tag: list}
		}
		return list
	case tag != "":
		return inline(n)
	}
	return n.Value
}

// inline returns a scalar or a list as it is written on one line.
func inline(n *yaml.Node) string {
	text := n.Value
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		text = `"` + text + `"`
	}
	if n.Kind == yaml.SequenceNode {
		items := make([]string, len(n.Content))
		for i, item := range n.Content {
			items[i] = inline(item)
		}
		text = "[" + strings.Join(items, ", ") + "]"
	}
	return strings.TrimSpace(tagOf(n) + " " + text)
}

// tagOf returns the tag that names a function of CloudFormation, or "".
func tagOf(n *yaml.Node) string {
	if n.Style&yaml.TaggedStyle == 0 || strings.HasPrefix(n.ShortTag(), "!!") {
		return ""
	}
	return n.Tag
}
