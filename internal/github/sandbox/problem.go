package sandbox

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// A problem is an entry of errors in an answer of the GraphQL API.
type problem struct {
	Type       string              `json:"type,omitempty"`
	Path       []any               `json:"path,omitempty"`
	Extensions map[string]any      `json:"extensions,omitempty"`
	Locations  []gqlerror.Location `json:"locations,omitempty"`
	Message    string              `json:"message"`
}

func (p *problem) Error() string { return p.Message }

func problemf(kind, format string, args ...any) *problem {
	return &problem{Type: kind, Message: fmt.Sprintf(format, args...)}
}

// unresolved says that an ID belongs to nothing that the person may see.
func unresolved(id string) *problem {
	return problemf("NOT_FOUND", "Could not resolve to a node with the global id of '%s'", id)
}

func (p *problem) located(position *ast.Position) *problem {
	if position != nil {
		p.Locations = []gqlerror.Location{{Line: position.Line, Column: position.Column}}
	}
	return p
}

// codes has the extensions.code of an invalid document by the rule that it breaks.
var codes = map[string]string{
	"FieldsOnCorrectType":          "undefinedField",
	"KnownArgumentNames":           "argumentNotAccepted",
	"ProvidedRequiredArguments":    "missingRequiredArguments",
	"NoUndefinedVariables":         "variableNotDefined",
	"NoUnusedVariables":            "variableNotUsed",
	"VariablesInAllowedPosition":   "variableMismatch",
	"VariablesAreInputTypes":       "variableRequiresValidType",
	"KnownTypeNames":               "undefinedType",
	"KnownDirectives":              "undefinedDirective",
	"ValuesOfCorrectType":          "argumentLiteralsIncompatible",
	"ScalarLeafs":                  "selectionMismatch",
	"KnownFragmentNames":           "useAndDefineFragments",
	"NoUnusedFragments":            "useAndDefineFragments",
	"NoFragmentCycles":             "infiniteLoop",
	"PossibleFragmentSpreads":      "cannotSpreadFragment",
	"FragmentsOnCompositeTypes":    "fragmentOnNonCompositeType",
	"OverlappingFieldsCanBeMerged": "fieldConflict",
	"UniqueOperationNames":         "uniquelyNamedOperations",
	"LoneAnonymousOperation":       "uniquelyNamedOperations",
	"UniqueFragmentNames":          "fragmentNotUnique",
	"UniqueArgumentNames":          "argumentNotUnique",
	"UniqueInputFieldNames":        "inputFieldNotUnique",
	"UniqueVariableNames":          "variableNotUnique",
	"UniqueDirectivesPerLocation":  "directiveNotUniqueForLocation",
	"KnownRootType":                "missingOperation",
	"SingleFieldSubscriptions":     "invalidSubscription",
	"MaxIntrospectionDepth":        "introspectionTooDeep",
}

// invalidDocument returns what is wrong with a document.
func invalidDocument(errs gqlerror.List) []*problem {
	return apply(errs, func(e *gqlerror.Error) *problem {
		code := codes[e.Rule]
		switch {
		case e.Rule == "":
			code = "parseError"
		case code == "":
			code = "invalidDocument"
		}
		return &problem{Message: strings.TrimSpace(e.Message), Locations: e.Locations, Extensions: map[string]any{"code": code}}
	})
}
