package basecamptools

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/memo"
)

// prompts returns the tasks that a user can pick from a menu. Their texts name the tools that do
// the task in the fewest calls.
func prompts(rs *resolver) []mcptool.Prompt {
	project := mcptool.PromptArgument{Name: "project", Description: "Project, by name; all projects if left empty", Complete: rs.completeProject}
	since := mcptool.PromptArgument{Name: "since", Description: "Start of the period, such as Monday, yesterday or 2026-01-31; the last 7 days if left empty"}
	return slices.Concat(lookingBack(project, since), lookingAhead(project))
}

func required(a mcptool.PromptArgument) mcptool.PromptArgument {
	a.Required, a.Description = true, "Project, by name"
	return a
}

func lookingBack(project, since mcptool.PromptArgument) []mcptool.Prompt {
	return []mcptool.Prompt{
		{
			Name: "catch_up", Title: "Catch me up",
			Description: "What happened in Basecamp while you were away, and what is waiting for you",
			Arguments:   []mcptool.PromptArgument{project, since},
			Text: prompt(`Catch me up on Basecamp{project: in the project "|"}{since:, since |}.
Read get_notifications and get_activity (with project and since, if I named them). Open an item with get_item only if they leave it unclear.
Start with what is waiting for me: questions to me, mentions, to-dos assigned to me. Then list what was decided or finished, then other changes, one line each.
Name people and projects, link every item, and leave out everything that does not need my attention.`),
		},
		{
			Name: "weekly_recap", Title: "Recap a week",
			Description: "A week in a project, ready to post: done, decided, stuck, next",
			Arguments: []mcptool.PromptArgument{required(project), since,
				{Name: "audience", Description: "Readers of the recap, such as \"the team\" or \"the client\""}},
			Text: prompt(`Write a recap of the Basecamp project "{project}"{since:, since |; over the last 7 days}{audience:, for |}.
Read get_report for the project and that period; open with get_item only what it leaves unclear.
Write four short parts: Done, Decided, Stuck or late (with the person it depends on), Next week. Link the item in every line. Claim only what the items say.
Show me the recap; I will decide where to post it.`),
		},
	}
}

func lookingAhead(project mcptool.PromptArgument) []mcptool.Prompt {
	return []mcptool.Prompt{
		{
			Name: "plan_project", Title: "Plan a project",
			Description: "To-do lists with people and dates, agreed with you before anything is created", Writes: true,
			Arguments: []mcptool.PromptArgument{required(project), {Name: "goal", Description: "What to achieve, and by when", Required: true}},
			Text: prompt(`Help me plan in the Basecamp project "{project}". The goal: {goal}
First read what exists: list_todolists, list_people and get_upcoming for the project.
Propose to-do lists with their to-dos. For each to-do, say what will be true once it is done, who does it, and a due date that fits the schedule. Mark your guesses, and ask me about everything that you cannot know.
Create nothing before I agree. Then create each list with create_todolist and its to-dos with one create_todos per list, and show me the links.`),
		},
		{
			Name: "draft_checkin", Title: "Draft a check-in answer",
			Description: "Your answer to an automatic check-in, based on what you did", Writes: true,
			Arguments: []mcptool.PromptArgument{required(project), {Name: "question", Description: "Which question, if the project asks several"}},
			Text: prompt(`Draft my answer to the automatic check-in{question: "|"} of the Basecamp project "{project}".
Find the question with list_checkins. Collect my work since my last answer from get_activity with person "me", and my completed and next tasks from get_my_work.
Write a few lines in the first person, plain and specific, with links to the items. Claim only what the items show.
Show me the draft. Post it only after I agree, with answer_checkin; set "date" to the day that the answer is for.`),
		},
		{
			Name: "prepare_meeting", Title: "Prepare a meeting",
			Description: "Participants, news since the last meeting, open points, decisions to make",
			Arguments: []mcptool.PromptArgument{
				{Name: "meeting", Description: "The schedule entry's name or URL, or what the meeting is about", Required: true}, project},
			Text: prompt(`Prepare me for a meeting: {meeting}{project: (Basecamp project "|")}.
Find it with get_upcoming or list_schedule_entries; if it is not on a schedule, search for its subject. Read its notes and the items that they link to. Read list_work for the participants' open work on the subject, and get_activity for recent changes.
Write one page: when and with whom; what has happened since the last meeting; open points, each with its link and the person responsible; decisions to make, with arguments for and against; my own promises.`),
		},
		{
			Name: "triage_my_work", Title: "Triage my assignments",
			Description: "Your assignments, sorted: do now, next, later, hand over, drop",
			Arguments:   []mcptool.PromptArgument{{Name: "hours", Description: "Hours you have for this work this week"}},
			Text: prompt(`Help me triage my assignments in Basecamp{hours:. I have about | hours this week}.
Read get_my_work with scope all; open with get_item only items that you cannot judge by their title and date.
Sort them: now (overdue or blocking another person), next, later (with a new date), hand over to another person, drop. Write one line for each, with its link and the reason.
Propose the changes as a list: new dates, new assignees, done, trash. Change nothing before I agree.`),
		},
	}
}

// prompt returns a function that fills a template. {name} is replaced by an argument. With
// {name:before|after;else}, a non-empty argument stands between before and after, and an empty
// one is replaced by else.
func prompt(template string) func(context.Context, map[string]string) (string, error) {
	return func(_ context.Context, arguments map[string]string) (string, error) {
		var b strings.Builder
		for rest := template; ; {
			before, after, found := strings.Cut(rest, "{")
			b.WriteString(before)
			if !found {
				return b.String(), nil
			}
			slot, behind, _ := strings.Cut(after, "}")
			name, frame, _ := strings.Cut(slot, ":")
			b.WriteString(framed(before, frame, arguments[name]))
			rest = behind
		}
	}
}

func framed(lead, frame, value string) string {
	frame, otherwise, _ := strings.Cut(frame, ";")
	if value == "" {
		return otherwise
	}
	before, after, _ := strings.Cut(frame, "|")
	return before + given(value, strings.HasSuffix(lead+before, `"`)) + after
}

// given returns an argument in a form that cannot be mistaken for the prompt's own words: between
// quotation marks its own marks are escaped, and several lines become a quotation.
func given(value string, between bool) string {
	switch {
	case between:
		return parts.Escaped(value)
	case !strings.Contains(parts.LineEnds.Replace(value), "\n"):
		return value
	}
	return "\n\n" + parts.Quoted(value) + "\n\n"
}

// completeProject returns the names of active projects that begin with a prefix, then those that
// contain it elsewhere.
func (rs *resolver) completeProject(ctx context.Context, prefix string) ([]string, error) {
	projects, _, err := rs.ProjectList(ctx, lookup.Active, memo.Life)
	if err != nil {
		return nil, err
	}
	var begin, contain []string
	for _, p := range lookup.Matching(projects, func(p basecamp.Project) bool {
		return strings.Contains(naming.Fold(lookup.ProjectName(p)), naming.Fold(prefix))
	}) {
		if strings.HasPrefix(naming.Fold(lookup.ProjectName(p)), naming.Fold(prefix)) {
			begin = append(begin, lookup.ProjectName(p))
		} else {
			contain = append(contain, lookup.ProjectName(p))
		}
	}
	return append(begin, contain...), nil
}
