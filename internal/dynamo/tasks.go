package dynamo

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/task"
)

var _ task.Store = (*Table)(nil)

// taskFields returns fields without exp: tasks are stored until their user deletes them.
func taskFields(t *task.Task) fields {
	return fields{
		"title": &t.Title, "description": &t.Description, "due": &t.DueOn,
		"created": &t.CreatedAt, "updated": &t.UpdatedAt, "completed": &t.CompletedAt,
	}
}

// taskKey returns a key that needs no index: IDs are in the order of time.
func taskKey(subject, id string) key { return key{"TK#" + subject, id} }

func readTask(it item) (t task.Task, err error) {
	t.ID, err = taskFields(&t).readNamed(it)
	return t, err
}

// AddTask stores a new task, or returns ErrFull.
func (t *Table) AddTask(ctx context.Context, subject string, added task.Task, most int) error {
	count := tally{Tasks: 1}
	if added.Completed() {
		count.Completed = 1
	}
	refused, err := t.counted(ctx, "add a task", subject, count, most, func(tx *transaction) {
		tx.put(taskKey(subject, added.ID), taskFields(&added), always)
	})
	if refused > 0 {
		return task.ErrFull
	}
	return err
}

// readAhead is how many tasks a first page reads at least. If the user has no more, their number is
// known without the request that reads the tally, which takes longer than reading these tasks.
const readAhead = 100

// Tasks returns the tasks that the filter selects, newest first, and how many it would select
// without its bounds. Only if it has not read all tasks, it reads the stored total.
func (t *Table) Tasks(ctx context.Context, subject string, f task.Filter) (found []task.Task, total int, err error) {
	const doing = "list tasks"
	found, total, whole, err := t.selectTasks(ctx, doing, subject, f)
	if err != nil {
		return nil, 0, err
	}
	if whole && f.Before == "" {
		return found, total, nil
	}
	count, err := t.tally(ctx, doing, subject)
	if err != nil {
		return nil, 0, err
	}
	return found, count.count(f.Status), nil
}

// selectTasks reads the tasks that the filter selects, one MB at a time. It also returns how many
// such tasks it has read, and whether it reached the end of the user's tasks.
func (t *Table) selectTasks(ctx context.Context, doing, subject string, f task.Filter) (found []task.Task, seen int, whole bool, err error) {
	input := &dynamodb.QueryInput{
		TableName: &t.name, ConsistentRead: new(true), ScanIndexForward: new(false), FilterExpression: ofStatus(f.Status),
		KeyConditionExpression: new("pk = :pk"), ExpressionAttributeValues: item{":pk": text(taskKey(subject, "").pk)},
	}
	least := readAhead
	if f.Before != "" {
		input.KeyConditionExpression = new("pk = :pk AND sk < :before")
		input.ExpressionAttributeValues[":before"] = text(f.Before)
		least = 0
	}
	if input.FilterExpression == nil {
		input.Limit = new(int32(max(f.Limit, least)))
	}
	for {
		out, err := t.client.Query(ctx, input, noSilence)
		if err != nil {
			return nil, 0, false, failed(doing, err)
		}
		seen += len(out.Items)
		for _, it := range out.Items[:min(len(out.Items), f.Limit-len(found))] {
			picked, err := readTask(it)
			if err != nil {
				return nil, 0, false, failed(doing, err)
			}
			found = append(found, picked)
		}
		if len(out.LastEvaluatedKey) == 0 {
			return found, seen, true, nil
		}
		if len(found) == f.Limit {
			return found, seen, false, nil
		}
		input.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

func ofStatus(s task.Status) *string {
	switch s {
	case task.Pending:
		return new("attribute_not_exists(completed)")
	case task.Completed:
		return new("attribute_exists(completed)")
	default:
		return nil
	}
}

// ChangeTask changes a task and returns the result, or ErrNotFound. It writes only the changed
// fields, and writes nothing if they have their new values already.
func (t *Table) ChangeTask(ctx context.Context, subject, id string, c task.Change) (task.Task, error) {
	const doing = "change a task"
	if c.Completed == nil {
		return t.editTask(ctx, doing, taskKey(subject, id), c)
	}
	for attempt := range attempts {
		changed, err := t.toggleTask(ctx, doing, subject, id, c, attempt == 0)
		if !errors.Is(err, errToggled) {
			return changed, err
		}
	}
	return task.Task{}, failed(doing, errToggled)
}

// errToggled means that another call changed the task in the meantime.
var errToggled = errors.New("changed in the meantime")

// toggleTask makes a change that may complete or reopen a task, and so also changes the tally. It
// returns errToggled if another call completed or reopened the task in the meantime. If strict is
// true, it also does so after any other change of the task, and otherwise knows the result. If
// strict is false, it reads the result.
func (t *Table) toggleTask(ctx context.Context, doing, subject, id string, c task.Change, strict bool) (task.Task, error) {
	k := taskKey(subject, id)
	stored, was, err := t.task(ctx, doing, k)
	if err != nil {
		return task.Task{}, err
	}
	if was.Completed() == *c.Completed {
		if c.Title == nil && c.Description == nil && c.DueOn == nil {
			return was, nil
		}
		c.Completed = nil
		return t.editTask(ctx, doing, k, c)
	}
	update, err := taskUpdate(c)
	if err != nil {
		return task.Task{}, failed(doing, err)
	}
	count, still := tally{Completed: -1}, "attribute_exists(completed)"
	if *c.Completed {
		count, still = tally{Completed: 1}, "attribute_exists(pk) AND attribute_not_exists(completed)"
	}
	values := update.ExpressionAttributeValues
	if strict {
		still += unchanged(stored, values)
	}
	refused, err := t.counted(ctx, doing, subject, count, 0, func(tx *transaction) {
		tx.writes = append(tx.writes, types.TransactWriteItem{Update: &types.Update{
			TableName: &t.name, Key: k.item(), UpdateExpression: update.UpdateExpression,
			ConditionExpression: &still, ExpressionAttributeValues: values,
		}})
	})
	if err != nil {
		return task.Task{}, err
	}
	if refused > 0 {
		return task.Task{}, errToggled
	}
	if strict {
		return c.Apply(was), nil
	}
	_, is, err := t.task(ctx, doing, k) // includes concurrent changes
	if errors.Is(err, task.ErrNotFound) {
		return c.Apply(was), nil
	}
	return is, err
}

// unchanged returns the part of a condition that requires the attributes that a change may write to
// be as they were read. It adds their values to those of the condition.
func unchanged(stored, values item) string {
	var text strings.Builder
	for _, name := range []string{"title", "description", "due", "updated"} {
		attribute, ok := stored[name]
		if !ok {
			text.WriteString(" AND attribute_not_exists(" + name + ")")
			continue
		}
		values[":was_"+name] = attribute
		text.WriteString(" AND " + name + " = :was_" + name)
	}
	return text.String()
}

// task reads a task, and returns it as it is stored, too. Error: ErrNotFound.
func (t *Table) task(ctx context.Context, doing string, k key) (item, task.Task, error) {
	it, err := t.get(ctx, doing, k)
	if err != nil {
		return nil, task.Task{}, err
	}
	if it == nil {
		return nil, task.Task{}, task.ErrNotFound
	}
	is, err := readTask(it)
	return it, is, failed(doing, err)
}

// editTask changes the texts of a task. It can simply be repeated, so it needs no transaction.
func (t *Table) editTask(ctx context.Context, doing string, k key, c task.Change) (task.Task, error) {
	input, err := taskUpdate(c)
	if err != nil {
		return task.Task{}, failed(doing, err)
	}
	input.TableName, input.Key = &t.name, k.item()
	var is item
	err = patiently(ctx, func() error {
		out, err := t.client.UpdateItem(ctx, input, noSilence)
		if err == nil {
			is = out.Attributes
		}
		return err
	})
	if refused, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		if len(refused.Item) == 0 {
			return task.Task{}, task.ErrNotFound
		}
		is, err = refused.Item, nil
	}
	if err != nil {
		return task.Task{}, failed(doing, err)
	}
	changed, err := readTask(is)
	return changed, failed(doing, err)
}

// taskUpdate returns [task.Change.Apply] as an update: a condition that the task exists and would
// change, and the assignments. DynamoDB returns the task in both cases.
func taskUpdate(c task.Change) (*dynamodb.UpdateItemInput, error) {
	e := edit{set: []string{"updated = :updated"}, values: fields{":updated": &c.At}}
	if c.Title != nil {
		e.assign("title", c.Title)
	}
	if c.Description != nil {
		e.assign("description", c.Description)
	}
	if c.DueOn != nil {
		e.assign("due", c.DueOn)
	}
	if c.Completed != nil {
		e.complete(*c.Completed)
	}
	values, err := e.values.all()
	if err != nil {
		return nil, err
	}
	update := "SET " + strings.Join(e.set, ", ")
	if len(e.remove) > 0 {
		update += " REMOVE " + strings.Join(e.remove, ", ")
	}
	return &dynamodb.UpdateItemInput{
		UpdateExpression: &update, ExpressionAttributeValues: values,
		ConditionExpression:                 new("attribute_exists(pk) AND (" + strings.Join(e.differs, " OR ") + ")"),
		ReturnValues:                        types.ReturnValueAllNew,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}, nil
}

// edit builds an update: its assignments, and the condition that one of them changes the item.
type edit struct {
	set, remove, differs []string
	values               fields
}

// assign assigns a value to an attribute; zero values are omitted from items. The condition names a
// missing attribute explicitly, and does not rely on how <> treats it.
func (e *edit) assign(name string, value any) {
	if isZero(value) {
		e.remove = append(e.remove, name)
		e.differs = append(e.differs, "attribute_exists("+name+")")
		return
	}
	e.set = append(e.set, name+" = :"+name)
	e.differs = append(e.differs, "attribute_not_exists("+name+")", name+" <> :"+name)
	e.values[":"+name] = value
}

// complete keeps the time of a task that is completed already.
func (e *edit) complete(completed bool) {
	if !completed {
		e.remove = append(e.remove, "completed")
		e.differs = append(e.differs, "attribute_exists(completed)")
		return
	}
	e.set = append(e.set, "completed = if_not_exists(completed, :updated)")
	e.differs = append(e.differs, "attribute_not_exists(completed)")
}

// DeleteTask removes a task and returns it, or ErrNotFound. It reads the task first: only a
// transaction recognizes its own retry, and a transaction does not return what it removes.
func (t *Table) DeleteTask(ctx context.Context, subject, id string) (task.Task, error) {
	const doing = "delete a task"
	for range attempts {
		_, deleted, err := t.task(ctx, doing, taskKey(subject, id))
		if err != nil {
			return task.Task{}, err
		}
		count, still := tally{Tasks: -1}, "attribute_exists(pk) AND attribute_not_exists(completed)"
		if deleted.Completed() {
			count.Completed, still = -1, "attribute_exists(completed)"
		}
		refused, err := t.counted(ctx, doing, subject, count, 0, func(tx *transaction) {
			tx.delete(taskKey(subject, id), condition{text: still})
		})
		if err != nil {
			return task.Task{}, err
		}
		if refused == 0 {
			return deleted, nil
		}
	}
	return task.Task{}, failed(doing, errToggled)
}
