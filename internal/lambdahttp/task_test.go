package lambdahttp

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestTask_AnswersInJSONOrFails(t *testing.T) {
	broken := errors.New("the table is down")
	echo := task(func(_ context.Context, event []byte) (any, error) {
		if len(event) == 0 {
			return nil, broken
		}
		return map[string]int{"bytes": len(event)}, nil
	})
	if answer, err := echo.Invoke(t.Context(), []byte("{}")); err != nil || string(answer) != `{"bytes":2}` {
		t.Errorf("%s, %v", answer, err)
	}
	if answer, err := echo.Invoke(t.Context(), nil); !errors.Is(err, broken) || answer != nil {
		t.Errorf("%s, %v", answer, err)
	}
}

func TestTask_LeavesTimeForTheAnswer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var left time.Duration
	_, err := task(func(ctx context.Context, _ []byte) (any, error) {
		end, _ := ctx.Deadline()
		left = time.Until(end)
		return nil, nil
	}).Invoke(ctx, nil)
	if err != nil || left > time.Minute-spare || left < time.Minute-2*spare {
		t.Errorf("%s, %v", left, err)
	}
}
