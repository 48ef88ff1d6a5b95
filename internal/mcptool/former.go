package mcptool

import (
	"encoding/json"

	"basecamp-mcp/internal/toolargs"
)

// Former is a name that a tool had, or the name of a tool that another one replaces. A call by that
// name runs the tool. Lists do not show it.
type Former struct {
	Name string
	Tool string // the tool that runs now, of the same toolset
	// Rewrite changes the arguments of the former tool, which are not checked yet, to those of Tool.
	// If it is nil, they stay as they are.
	Rewrite func(arguments map[string]json.RawMessage)
}

// checkFormer panics if a former name of a toolset has no tool, or is the name of one.
func (s *Server) checkFormer(toolset Toolset) {
	for _, former := range toolset.Former {
		if _, taken := s.tools[former.Name]; taken {
			panic("the former name " + former.Name + " is the name of a tool")
		}
		if _, known := s.tools[former.Tool]; !known {
			panic("the former name " + former.Name + " has no tool " + former.Tool)
		}
	}
}

// findFormer returns the tool of a selection that had a name, and false if there is none.
func (s *Server) findFormer(chosen Selection, name string) (Tool, bool) {
	for toolset := range s.chosenToolsets(chosen.Toolsets) {
		for i, former := range toolset.Former {
			tool := s.tools[former.Tool]
			if former.Name == name && (tool.Effect == Reads || !chosen.ReadOnly) {
				tool.former = &toolset.Former[i]
				return tool, true
			}
		}
	}
	return Tool{}, false
}

// accept checks the arguments of a call against the tool's schema or, if it has Operations, against
// that of the operation that they name. It first rewrites those of a former tool, and then
// Understood begins with the new name.
func (t Tool) accept(arguments json.RawMessage) (toolargs.Accepted, error) {
	if t.former != nil {
		arguments = t.former.rewritten(arguments)
	}
	schema := t.schemas().in
	if t.Operation != nil {
		name, fields, err := t.Operation(arguments)
		if err != nil {
			return toolargs.Accepted{}, err
		}
		if name != "" {
			schema = schema.For(name, fields)
		}
	}
	accepted, err := t.checks.Accept(schema, arguments)
	if t.former != nil {
		accepted.Understood = append([]string{t.former.Name + " -> " + t.Name}, accepted.Understood...)
	}
	return accepted, err
}

// rewritten returns the arguments of a call as those of the tool that runs now. What is not an
// object stays as it is: the check refuses it.
func (f *Former) rewritten(arguments json.RawMessage) json.RawMessage {
	var given map[string]json.RawMessage
	if f.Rewrite == nil || json.Unmarshal(arguments, &given) != nil || given == nil {
		return arguments
	}
	f.Rewrite(given)
	encoded, err := json.Marshal(given)
	if err != nil {
		return arguments
	}
	return encoded
}
