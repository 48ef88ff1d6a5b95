package storetest

import (
	"reflect"
	"slices"
	"testing"
)

// The suites must fill a new field of a stored type.
func TestFixtures_FillEveryField(t *testing.T) {
	c := newClock()
	l := storeEnv{clock: c}.newLogin(newSubject())
	_, rotated, _, access := storeEnv{clock: c}.turn(l.family, l.refresh)
	for _, tt := range []struct {
		fixture any
		later   []string // fields that the suites fill later
	}{
		{newClient(c.Now()), nil},
		{newStep(c.Now()), []string{"Kind"}}, // see Floods
		{l.code, []string{"UsedAt"}},
		{l.family, []string{"RevokedAt", "RevokedFor", "Unconfirmed"}},
		{l.access, nil},
		{access, []string{"Generation"}},
		{rotated, nil},
		{newGrantRecord(), []string{"Change"}},
		{newTokens(1), nil},
		{newTask(), nil},
		{newCall(c.Now()), nil},
		{newCall(c.Now()).Entry, nil},
		{*keyOf(newCall(c.Now())), []string{"Answer"}},
	} {
		v := reflect.ValueOf(tt.fixture)
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if v.Field(i).IsZero() != slices.Contains(tt.later, name) {
				t.Errorf("%s.%s is %v", v.Type(), name, v.Field(i))
			}
		}
	}
}
