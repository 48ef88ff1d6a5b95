package writeplan

import "testing"

func TestFrom_IsNilWhereWritesAreCarriedOut(t *testing.T) {
	if From(t.Context()) != nil {
		t.Error("a plan without With")
	}
	ctx, plan := With(t.Context())
	if From(ctx) != plan {
		t.Error("another plan")
	}
}

func TestMakeUp_ReturnsNegativeIDsOnce(t *testing.T) {
	_, plan := With(t.Context())
	if first, second := plan.MakeUp(), plan.MakeUp(); first != "-1" || second != "-2" {
		t.Errorf("%s, %s", first, second)
	}
}

func TestObjects_AreFoundByIDAndAddress(t *testing.T) {
	_, plan := With(t.Context())
	plan.Saw("https://a.example/1", []byte(`{"id": 9007199254741623, "dock": [{"id": 2, "title": "Chat"}]}`))
	plan.Saw("https://a.example/2", []byte(`not JSON`))
	chat := plan.Objects("2")
	if len(chat) != 1 || chat[0].Fields["title"] != "Chat" || Text(chat[0].In.Fields["id"]) != "9007199254741623" {
		t.Errorf("%+v", chat)
	}
	if whole := plan.Objects("https://a.example/1"); len(whole) != 1 || len(plan.Objects("9007199254741623")) != 1 {
		t.Errorf("%+v", whole)
	}
	plan.Saw("https://a.example/2", []byte(`[{"id": 2}]`))
	if len(plan.Objects("2")) != 2 || plan.Objects("3") != nil {
		t.Error("what is read later is not found")
	}
	plan.Saw("https://a.example/1", []byte(`{"dock": [{"title": "Chat"}], "title": "Feed"}`))
	for name, want := range map[string]string{"title": `"Feed"`, "id": ""} {
		if got := plan.Member("https://a.example/1", name); string(got) != want {
			t.Errorf("%s is %s", name, got)
		}
	}
	if got := plan.Member("https://a.example/2", "id"); got != nil {
		t.Errorf("a list has %s", got)
	}
}
