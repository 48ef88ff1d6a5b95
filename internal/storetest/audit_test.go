package storetest

import (
	"reflect"
	"testing"
)

func TestNewEntry_FillsEveryStoredField(t *testing.T) {
	v := reflect.ValueOf(newEntry(newClock().Now()))
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if v.Field(i).IsZero() && field.Tag.Get("json") != "-" {
			t.Errorf("%s is empty", field.Name)
		}
	}
}
