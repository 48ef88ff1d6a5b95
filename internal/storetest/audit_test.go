package storetest

import (
	"reflect"
	"testing"
)

func TestNewEntry_FillsEveryField(t *testing.T) {
	v := reflect.ValueOf(newEntry(newClock().Now()))
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s is empty", v.Type().Field(i).Name)
		}
	}
}
