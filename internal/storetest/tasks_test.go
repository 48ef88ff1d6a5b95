package storetest

import (
	"reflect"
	"testing"
)

func TestNewTask_FillsEveryField(t *testing.T) {
	v := reflect.ValueOf(newTask())
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s is empty", v.Type().Field(i).Name)
		}
	}
}
