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

// taskFields have no exp: tasks are kept until somebody deletes them.
func taskFields(t *task.Task) fields {
	return fields{
		"title": &t.Title, "description": &t.Description,
		"created": &t.CreatedAt, "updated": &t.UpdatedAt, "completed": &t.CompletedAt,
	}
}

// taskKey needs no index beside it: ids follow each other in time.
func taskKey(subject, id string) key { return key{"TK#" + subject, id} }

func readTask(it item) (task.Task, error) {
	k := keyOf(it)
	if k.sk == "" {
		return task.Task{}, errUnreadable
	}
	t := task.Task{ID: k.sk}
	err := taskFields(&t).read(it)
	return t, err
}

// AddTask keeps a new task. Nothing else has its id, so that this may simply be repeated.
func (t *Table) AddTask(ctx context.Context, subject string, added task.Task) error {
	return t.put(ctx, "add a task", taskKey(subject, added.ID), taskFields(&added))
}

// Tasks gives the tasks that the filter picks, newest first, and how many it would pick without its bounds. It reads
// through all of a person's, a MB at a time, for their number; once the list is full they are counted where they lie.
func (t *Table) Tasks(ctx context.Context, subject string, f task.Filter) (found []task.Task, total int, err error) {
	const doing = "list tasks"
	input := &dynamodb.QueryInput{
		TableName: &t.name, ConsistentRead: new(true), ScanIndexForward: new(false),
		KeyConditionExpression: new("pk = :pk"), FilterExpression: ofStatus(f.Status),
		ExpressionAttributeValues: item{":pk": text(taskKey(subject, "").pk)},
	}
	for {
		out, err := t.client.Query(ctx, input, noSilence)
		if err != nil {
			return nil, 0, failed(doing, err)
		}
		total += int(out.Count)
		if found, err = pickTasks(found, out.Items, f); err != nil {
			return nil, 0, failed(doing, err)
		}
		if len(out.LastEvaluatedKey) == 0 {
			return found, total, nil
		}
		input.ExclusiveStartKey = out.LastEvaluatedKey
		if len(found) == f.Limit {
			input.Select = types.SelectCount
		}
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

// pickTasks adds what lies within the filter's bounds.
func pickTasks[M ~map[string]types.AttributeValue](found []task.Task, items []M, f task.Filter) ([]task.Task, error) {
	for _, it := range items {
		if len(found) == f.Limit {
			break
		}
		t, err := readTask(item(it))
		if err != nil {
			return nil, err
		}
		if f.Before == "" || t.ID < f.Before {
			found = append(found, t)
		}
	}
	return found, nil
}

// ChangeTask changes a task and gives it as it then is, or ErrNotFound. It touches no other field than those to change, and
// nothing at all when they are as they should be; so it may simply be repeated, and needs no transaction.
func (t *Table) ChangeTask(ctx context.Context, subject, id string, c task.Change) (task.Task, error) {
	const doing = "change a task"
	input, err := taskUpdate(c)
	if err != nil {
		return task.Task{}, failed(doing, err)
	}
	input.TableName, input.Key = &t.name, taskKey(subject, id).item()
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
	if err != nil {
		return task.Task{}, failed(doing, err)
	}
	return changed, nil
}

// taskUpdate is [task.Change.Apply] in DynamoDB's words: a condition that the task is there and would be another, and what
// to make of it. The answer is the task either way.
func taskUpdate(c task.Change) (*dynamodb.UpdateItemInput, error) {
	e := edit{set: []string{"updated = :updated"}, values: fields{":updated": &c.At}}
	if c.Title != nil {
		e.to("title", c.Title)
	}
	if c.Description != nil {
		e.to("description", c.Description)
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

// edit is an update in the making: what it does, and in what the item differs from what it will be.
type edit struct {
	set, remove, differs []string
	values               fields
}

// to gives an attribute a value; what is zero is left out of items. That what is missing differs too is said, rather than
// left to what <> makes of it.
func (e *edit) to(name string, value any) {
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

// DeleteTask removes a task and gives it, or ErrNotFound. It reads first because a transaction, which alone knows its own
// second try, does not give what it removes.
func (t *Table) DeleteTask(ctx context.Context, subject, id string) (task.Task, error) {
	const doing = "delete a task"
	k := taskKey(subject, id)
	it, err := t.get(ctx, doing, k)
	if err != nil {
		return task.Task{}, err
	}
	if it == nil {
		return task.Task{}, task.ErrNotFound
	}
	deleted, err := readTask(it)
	if err != nil {
		return task.Task{}, failed(doing, err)
	}
	tx := t.begin(doing)
	tx.delete(k, condition{text: "attribute_exists(pk)"})
	refused, err := tx.commit(ctx)
	if refused > 0 {
		err = task.ErrNotFound
	}
	if err != nil {
		return task.Task{}, err
	}
	return deleted, nil
}
