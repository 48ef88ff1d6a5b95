package storetest

import (
	"reflect"
	"testing"
)

func TestNewRecord_FillsAllFieldsExceptTheResult(t *testing.T) {
	v := reflect.ValueOf(newRecord(newClock()))
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; v.Field(i).IsZero() != (name == "Result") {
			t.Errorf("%s is %v", name, v.Field(i))
		}
	}
}
