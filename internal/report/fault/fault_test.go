package fault

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestCodes_HaveDistinctNumbers(t *testing.T) {
	codes := []Code{InvalidInput, TokenExpired, PermissionDenied, NotFound, ToolNotEnabled, Ambiguous, Conflict, RateLimited,
		LimitReached, UpstreamError, InternalError, NotLinked}
	seen := map[int]Code{}
	for _, code := range codes {
		n := code.Number()
		if n > -31001 || n < -31012 || seen[n] != "" {
			t.Errorf("%s has the number %d, as has %q", code, n, seen[n])
		}
		seen[n] = code
	}
}

func TestNew_OnlyTransientFailuresAreRetryable(t *testing.T) {
	for code, want := range map[Code]bool{RateLimited: true, UpstreamError: true, NotFound: false, Conflict: false, InternalError: false} {
		if got := New(code, "x").Retryable; got != want {
			t.Errorf("%s: retryable %v", code, got)
		}
	}
}

func TestFrom_AnUnclassifiedErrorIsAnInternalError(t *testing.T) {
	cause := errors.New("secret")
	f := From(fmt.Errorf("read: %w", cause))
	if f.Code != InternalError || !errors.Is(f, cause) || f.Message == "" || f.Retryable {
		t.Errorf("got %+v", f)
	}
	known := New(NotFound, "no bike %d", 7)
	if got := From(fmt.Errorf("get bike: %w", known)); got != known || !Is(got, NotFound) || Is(got, Conflict) {
		t.Errorf("got %+v", got)
	}
}

func TestInvalidInputs_SayTheFirstProblemAndHowManyMoreThereAre(t *testing.T) {
	page, todo := Violation{"page", "must be at least 1, got 0", "out_of_range"}, Violation{"todo_id", "is required", "required"}
	for want, violations := range map[string][]Violation{
		"page: must be at least 1, got 0":                                           {page},
		"page: must be at least 1, got 0 (and 1 more problem: see data.validation)": {page, todo},
		"todo_id: is required (and 2 more problems: see data.validation)":           {todo, page, page},
	} {
		if f := InvalidInputs(violations...); f.Message != want || f.Code != InvalidInput || len(f.Validation) != len(violations) {
			t.Errorf("got %v, want %s", f, want)
		}
	}
}

func TestAll_KeepsWhatIsNearest(t *testing.T) {
	unknown := New(NotFound, "label: found nothing")
	unknown.Nearest = []Candidate{{Ref: "bug", Name: "Bug"}}
	f := From(All(unknown, New(NotFound, "milestone: found nothing")))
	if f.Code != NotFound || len(f.Nearest) != 1 || len(f.Validation) != 2 || f.Validation[1] != (Violation{"milestone", "found nothing", "not_found"}) {
		t.Errorf("got %+v", f)
	}
}

func TestError_NamesItsCauseForTheLog(t *testing.T) {
	if got := New(NotFound, "no bike").Because(errors.New("status 404")).Error(); got != "NOT_FOUND: no bike: status 404" {
		t.Errorf("got %q", got)
	}
}

func TestPanicked_TellsWhatTheRuntimeFoundAndNothingThatWasPutIntoAPanic(t *testing.T) {
	recovered := func(f func()) (text string) {
		defer func() { text = Panicked(recover()) }()
		f()
		return ""
	}
	none := []string{}
	for want, f := range map[string]func(){
		"panic: runtime error: index out of range [3] with length 0": func() { _ = none[len("abc")] },
		"panic with a string":              func() { panic("an answer") },
		"panic with a *errors.errorString": func() { panic(errors.New("an answer")) },
	} {
		if got := recovered(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAll_NamesCandidatesByTheirReference(t *testing.T) {
	ambiguous := New(Ambiguous, "label: matches 2 labels")
	ambiguous.Candidates = []Candidate{{Ref: "bug", Name: "Bug"}, {Type: "todo", ID: 7, Name: "Bugs"}}
	if got := From(All(ambiguous, Invalid("title", "is required"))).Validation[0].Message; !strings.Contains(got, `"Bug" (bug), "Bugs" (todo:7)`) {
		t.Errorf("got %q", got)
	}
}
