package jobs

// weeklyReport is the number of the job whose tokens have a limit of their own.
const weeklyReport = 27

var jobs = []job{
	{"What is overdue in the launch?", overdue},
	{"Who is on the courier project, and who of them is a client?", people},
	{"What happened in the last 3 days, everywhere?", lastDays},
	{"What do I have to do this week, in order?", week},
	{"Post that the jig is free, mention Priya and Noémie, quietly", post},
	{"Correct the typo in my message", typo},
	{"Reply to the newest comment that mentions me", replyToMention},
	{"Make a list with five to-dos, with assignees and dates", listOfFive},
	{"Complete final prices, serial plates, displays; reopen Order cartons", completeThree},
	{"Move the rear light card to In review and tell its assignee", moveCard},
	{"Add three steps to the to-do; the first is done", steps},
	{"What did Sam Okafor do yesterday?", personYesterday},
	{"Add a sentence to our document on range in winter", appendToDocument},
	{"Replace a sentence in our document on travel costs", replaceSentence},
	{"Plan a meeting tomorrow at 3 with Priya and Sam; then an hour later", meeting},
	{"Answer today's check-in", checkin},
	{"Show unread notifications, open the first, mark all as read", notifications},
	{"Upload this text as a file, and read it back", upload},
	{"Look at the picture on the card about the cable exit", image},
	{"Find everything on brakes", keyword},
	{"Archive the list Website texts, then restore it", archiveList},
	{"Put the message about the cup holder in the trash", trashMessage},
	{"Who changed the to-do about the serial number plates?", whoChanged},
	{"What was said in the chat since yesterday? Say thanks", chat},
	{"Move the serial number plates to Test rides, on top", moveTodo},
	{"Give Hanna's overdue launch to-dos to Jonas", reassign},
	{"Write the weekly report", report},
	{"Keep a six-step checklist; find it again in another session", checklist},
	{"Remember three tasks for me", tasks},
	{"What is this comment about? Reply to it: {URL}", commentURL},
}
