package calls_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/store/memory"
)

// wrote makes a call that writes, ends it as done, and returns its code.
func wrote(t *testing.T, l *calls.Log, opposite string) string {
	t.Helper()
	ctx := as(t, "ines")
	c := calls.Start(ctx, calls.Entry{Time: time.Now(), Tool: "update_work"})
	err := l.Claim(ctx, c)
	if err == nil {
		c.State = calls.Done
		c.Undo([]byte(opposite), "")
		err = l.End(ctx, c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}

func wantFault(t *testing.T, err error, code fault.Code, inDoubt bool) {
	t.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != code || f.MayHaveHappened != inDoubt {
		t.Errorf("got %v", err)
	}
}

func TestTake_ReturnsTheOppositeOnceWithinSevenDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := open(memory.New(nil))
		first, second := wrote(t, l, "one"), wrote(t, l, "two") // in one moment
		time.Sleep(6 * 24 * time.Hour)
		r, opposite, err := l.Take(as(t, "ines"), second)
		if err != nil || string(opposite) != "two" {
			t.Fatalf("%s, %v", opposite, err)
		}
		_, _, err = l.Take(as(t, "ines"), second)
		wantFault(t, err, fault.InvalidInput, true)
		if err := l.Settle(as(t, "ines"), r, true, nil); err != nil {
			t.Fatal(err)
		}
		_, _, err = l.Take(as(t, "ines"), second)
		wantFault(t, err, fault.InvalidInput, false)
		for subject, codes := range map[string][]string{"sam": {first}, "ines": {"", "u", "uuuuuuuuuuuuuu", first + " "}} {
			for _, code := range codes {
				_, _, err = l.Take(as(t, subject), code)
				wantFault(t, err, fault.NotFound, false)
			}
		}
		time.Sleep(24 * time.Hour)
		_, _, err = l.Take(as(t, "ines"), first)
		wantFault(t, err, fault.NotFound, false)
		if all, err := l.Latest(as(t, "ines"), 9); err != nil || len(all) > 0 {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

func TestTake_IsRefusedWhereTheWriteIsInDoubt(t *testing.T) {
	l, _ := open(memory.New(nil))
	c := calls.Start(as(t, "ines"), calls.Entry{Time: time.Now()})
	if err := l.Claim(as(t, "ines"), c); err != nil {
		t.Fatal(err)
	}
	_, _, err := l.Take(as(t, "ines"), c.ID)
	wantFault(t, err, fault.InvalidInput, true)
	if lines, err := l.Recent(as(t, "ines"), "ines", 9); err != nil || len(lines) != 1 || lines[0].Outcome != calls.Running {
		t.Errorf("%+v, %v", lines, err)
	}
}

// Of writes in one moment, the last is undone first. A call with a key that wrote nothing is not
// among them.
func TestLatest_ListsThreeHundredWritesOfOneMomentInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := open(memory.New(nil))
		var codes []string
		for i := range 300 {
			codes = append(codes, wrote(t, l, "[]"))
			if i%2 == 0 {
				_, _ = once(as(t, "ines"), l, asks, func(context.Context) ([]byte, error) { return nil, fault.New(fault.NotFound, "no") })
			}
		}
		last, err := l.Latest(as(t, "ines"), 300)
		if err != nil || len(last) != 300 {
			t.Fatalf("%d, %v", len(last), err)
		}
		for i, r := range last {
			if r.ID != codes[len(codes)-1-i] {
				t.Fatalf("%d is %s", i, r.ID)
			}
		}
		if some, err := l.Since(t.Context(), "ines", time.Now(), 9); err != nil || len(some) > 0 {
			t.Errorf("%d since now, %v", len(some), err)
		}
	})
}

func TestLog_IsOfACaller(t *testing.T) {
	l, _ := open(memory.New(nil))
	claimed := l.Claim(t.Context(), calls.Start(t.Context(), calls.Entry{}))
	_, _, taken := l.Take(t.Context(), wrote(t, l, "one"))
	if _, read := l.Latest(t.Context(), 1); claimed == nil || taken == nil || read == nil {
		t.Errorf("without a caller: %v, %v, %v", claimed, taken, read)
	}
}
