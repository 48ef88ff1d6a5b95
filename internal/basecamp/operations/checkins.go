package operations

// checkinRows are about the questions of automatic check-ins.
var checkinRows = []Row{
	{
		Name: "create_checkin", Does: "Asks a new question in the automatic check-ins of a project", Covers: "CreateQuestion", Page: "questions",
		Method: "POST", Path: "questionnaires/{questionnaire}/questions", Says: "add a check-in question", Makes: "Question", Undo: trash, Words: "ask people each Monday add automatic question schedule daily weekly standup",
		Args: []Arg{
			inProject, {Name: "questionnaire", Kind: Tool, Of: "questionnaire", To: "{questionnaire}"}, {Name: "title", To: "question.title", Need: true, Max: 250},
			{Name: "frequency", To: "question.schedule.frequency", Need: true, Of: frequencies},
			{Name: "time", Kind: Clock, To: "question.schedule.time_of_day", Need: true}, {Name: "days", Kind: Weekdays, To: "question.schedule.days", Need: true}, clients,
		},
	},
	{
		Name: "update_checkin", Does: "Changes a check-in's question, or when it is asked", Covers: "UpdateQuestion", Page: "questions",
		Method: "PUT", Path: "questions/{question}", Before: "questions/{question}", Together: "frequency time days", TakenBackBy: "update_checkin", Words: "automatic edit reschedule",
		Args: []Arg{
			question, itsProject, {Name: "title", To: "question.title", Max: 250}, {Name: "frequency", To: "question.schedule.frequency", Was: "schedule", Of: frequencies},
			{Name: "time", Kind: Clock, To: "question.schedule.time_of_day", Was: "-"}, {Name: "days", Kind: Weekdays, To: "question.schedule.days", Was: "-"},
		},
	},
	{
		Name: "pause_checkin", Does: "Pauses a check-in: Basecamp stops asking", Covers: "PauseQuestion", Page: "questions",
		Method: "POST", Idempotent: true, Path: "questions/{question}/pause", Args: []Arg{question, itsProject}, Says: "pause a check-in", Sets: on("paused"), Undo: reverse(""), Words: "automatic question stop",
	},
	{
		Name: "resume_checkin", Does: "Resumes a paused check-in", Covers: "ResumeQuestion", Page: "questions",
		Method: "DELETE", Path: "questions/{question}/pause", Args: []Arg{question, itsProject}, Says: "resume a check-in", Sets: off("paused"), Undo: reverse(""), Words: "automatic question unpause restart",
	},
	{
		Name: "set_checkin_notifications", Does: "Decides whether Basecamp asks you a check-in's question, and tells you the answers", Covers: "UpdateQuestionNotificationSettings", Page: "questions",
		Method: "PUT", Path: "questions/{question}/notification_settings", TakenBackBy: "set_checkin_notifications", Words: "stop asking me automatic subscribe reminders",
		Args: []Arg{question, itsProject, {Name: "asked", Kind: Flag, To: "responding"}, {Name: "told", Kind: Flag, To: "subscribed"}},
	},
	{
		Name: "list_checkin_answers", Does: "Lists what people answered to a check-in, the newest first", Covers: "ListAnswers", Page: "question_answers",
		Path: "questions/{question}/answers", Items: ".", Words: "automatic replies of a person",
		Args: []Arg{question, itsProject, {Name: "date", Kind: PastDate, To: "?date"}, {Name: "person", Kind: Person, To: "?creator_id"}},
	},
	{
		Name: "list_checkin_people", Does: "Lists the people who have answered a check-in", Covers: "ListQuestionAnswerers", Page: "question_answers",
		Path: "questions/{question}/answers/by", Items: ".", Args: []Arg{question, itsProject}, Words: "automatic answerers who",
	},
	{Name: "list_all_checkin_answers", Does: "Lists the newest check-in answers of all projects", Covers: "GetEverythingCheckins", Page: "everything", Path: "checkins", Place: AcrossProjects, Items: ".", Words: "automatic"},
}

const frequencies = "every_day|every_week|every_other_week|every_month|on_certain_days"

var question = Arg{Name: "question", Kind: Item, Of: "question", To: "{question}", Need: true}
