package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/task"
)

// tally is the number of tasks that a user has. It is an item of its own, written in the
// transactions that change the tasks; a user without tasks may have none.
type tally struct{ Tasks, Completed int }

// tallyKey returns a key whose pk differs from those of all users' tasks, because subjects do not
// begin with #.
func tallyKey(subject string) key { return key{"TK##" + subject, main} }

func (n *tally) fields() fields { return fields{"tasks": &n.Tasks, "completed": &n.Completed} }

// count returns how many tasks are of a status.
func (n *tally) count(s task.Status) int {
	switch s {
	case task.Pending:
		return n.Tasks - n.Completed
	case task.Completed:
		return n.Completed
	default:
		return n.Tasks
	}
}

// counted does one write in a transaction that also changes the tally. Refused is 1 if the write's
// own condition fails, and 2 if most is positive and the user has that many tasks already.
func (t *Table) counted(ctx context.Context, doing, subject string, by tally, most int, write func(tx *transaction)) (refused int, err error) {
	tx := t.begin(doing)
	write(tx)
	values := item{":none": number(0), ":tasks": number(int64(by.Tasks)), ":completed": number(int64(by.Completed))}
	update := types.Update{
		TableName: &t.name, Key: tallyKey(subject).item(), ExpressionAttributeValues: values,
		UpdateExpression: new("SET tasks = if_not_exists(tasks, :none) + :tasks, completed = if_not_exists(completed, :none) + :completed"),
	}
	if most > 0 {
		update.ConditionExpression = new("attribute_not_exists(tasks) OR tasks < :most")
		values[":most"] = number(int64(most))
	}
	tx.writes = append(tx.writes, types.TransactWriteItem{Update: &update})
	return tx.commit(ctx)
}

// tally returns the number of tasks that a user has.
func (t *Table) tally(ctx context.Context, doing, subject string) (n tally, err error) {
	_, err = t.load(ctx, doing, tallyKey(subject), n.fields())
	return n, err
}
