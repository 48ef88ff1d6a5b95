package dynamo

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/task"
)

// tally is the number of tasks that a user has. It is an item of its own, written in the
// transactions that change the tasks. Users whose tasks are older than tallies have none, until it
// is first needed.
type tally struct{ Tasks, Completed int }

// tallyKey returns a key whose pk differs from those of all users' tasks, because subjects do not
// begin with #.
func tallyKey(subject string) key { return key{"TK##" + subject, main} }

func (n *tally) fields() fields { return fields{"tasks": &n.Tasks, "completed": &n.Completed} }

// of returns how many tasks are of a status.
func (n *tally) of(s task.Status) int {
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
// own condition fails, and 2 if most is positive and the user has that many tasks already. The
// first write for a user also stores the tally, after it has counted the tasks.
func (t *Table) counted(ctx context.Context, doing, subject string, by tally, most int, write func(tx *transaction)) (refused int, err error) {
	tx := t.begin(doing)
	write(tx)
	tx.count(subject, by, most)
	if refused, err = tx.commit(ctx); refused != 2 || tx.refused != nil {
		return refused, err
	}
	n, err := t.countTasks(ctx, doing, subject)
	if err != nil {
		return 0, err
	}
	if most > 0 && n.Tasks >= most {
		_, err = t.addTally(ctx, doing, subject, n)
		return 2, err
	}
	n.Tasks, n.Completed = n.Tasks+by.Tasks, n.Completed+by.Completed
	tx = t.begin(doing)
	write(tx)
	tx.put(tallyKey(subject), n.fields(), condition{text: "attribute_not_exists(pk)"})
	if refused, err = tx.commit(ctx); refused != 2 {
		return refused, err
	}
	tx = t.begin(doing) // another call has stored the tally
	write(tx)
	tx.count(subject, by, most)
	return tx.commit(ctx)
}

// count changes an existing tally, if it is below most; 0 means no limit. A transaction that the
// tally refuses returns it.
func (tx *transaction) count(subject string, by tally, most int) {
	values := item{":none": number(0), ":tasks": number(int64(by.Tasks)), ":completed": number(int64(by.Completed))}
	still := "attribute_exists(pk)"
	if most > 0 {
		still += " AND (attribute_not_exists(tasks) OR tasks < :most)"
		values[":most"] = number(int64(most))
	}
	tx.writes = append(tx.writes, types.TransactWriteItem{Update: &types.Update{
		TableName: &tx.table.name, Key: tallyKey(subject).item(), ConditionExpression: &still,
		UpdateExpression: new(strings.Join([]string{
			"SET tasks = if_not_exists(tasks, :none) + :tasks", "completed = if_not_exists(completed, :none) + :completed",
		}, ", ")),
		ExpressionAttributeValues:           values,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}})
}

// tally returns the number of tasks that a user has. If there is no tally yet, it counts the tasks
// and stores the tally. Until then, no task can be added or deleted, so the count is correct.
func (t *Table) tally(ctx context.Context, doing, subject string) (n tally, err error) {
	k := tallyKey(subject)
	it, err := t.get(ctx, doing, k)
	if err != nil {
		return n, err
	}
	if it == nil {
		if n, err = t.countTasks(ctx, doing, subject); err != nil {
			return n, err
		}
		refused, err := t.addTally(ctx, doing, subject, n)
		if refused == 0 {
			return n, err
		}
		if it, err = t.get(ctx, doing, k); err != nil {
			return n, err
		}
		n = tally{}
	}
	return n, failed(doing, n.fields().read(it))
}

// addTally stores the tally of a user who has none.
func (t *Table) addTally(ctx context.Context, doing, subject string, n tally) (refused int, err error) {
	tx := t.begin(doing)
	tx.put(tallyKey(subject), n.fields(), condition{text: "attribute_not_exists(pk)"})
	return tx.commit(ctx)
}

// countTasks counts the tasks by reading all of them.
func (t *Table) countTasks(ctx context.Context, doing, subject string) (n tally, err error) {
	input := t.tasksOf(subject)
	input.ProjectionExpression = new("completed")
	for {
		out, err := t.client.Query(ctx, input, noSilence)
		if err != nil {
			return tally{}, failed(doing, err)
		}
		n.Tasks += len(out.Items)
		for _, it := range out.Items {
			if _, completed := it["completed"]; completed {
				n.Completed++
			}
		}
		if len(out.LastEvaluatedKey) == 0 {
			return n, nil
		}
		input.ExclusiveStartKey = out.LastEvaluatedKey
	}
}
