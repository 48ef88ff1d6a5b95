package toolanswer

import (
	"reflect"
	"strings"
)

// FillLists returns out with empty slices in place of nil slices, and the failed entries of a
// batch in it. It copies the outermost struct, which is a value.
func FillLists(out any) (filled any, failed []ItemError) {
	v := reflect.New(reflect.TypeOf(out))
	v.Elem().Set(reflect.ValueOf(out))
	fillInPlace(v, &failed)
	return v.Interface(), failed
}

// fillInPlace replaces every nil slice below v by an empty one: schemas promise a list, and Go's
// encoder would write null. It looks into slices, structs and interfaces; results contain nothing
// else. Absent optional fields stay absent. It also collects the entries that failed.
func fillInPlace(v reflect.Value, failed *[]ItemError) {
	switch v.Kind() {
	case reflect.Pointer:
		fillInPlace(v.Elem(), failed)
	case reflect.Interface:
		if v.IsNil() || !v.CanSet() {
			return
		}
		held := reflect.New(v.Elem().Type()).Elem() // the value in an interface cannot be set in place
		held.Set(v.Elem())
		fillInPlace(held, failed)
		v.Set(held)
	case reflect.Slice:
		if v.IsNil() && v.CanSet() && v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			fillInPlace(v.Index(i), failed)
		}
	case reflect.Struct:
		if v.Type() == itemErrorType {
			*failed = append(*failed, v.Interface().(ItemError))
		}
		for i := range v.NumField() {
			if !mayHoldLists(v.Field(i)) {
				continue
			}
			field := v.Type().Field(i)
			tag := field.Tag.Get("json")
			if !field.IsExported() && !field.Anonymous || tag == "-" || strings.Contains(tag, ",omit") && v.Field(i).IsZero() {
				continue
			}
			fillInPlace(v.Field(i), failed)
		}
	}
}

// mayHoldLists reports whether fillInPlace can find something in a field.
func mayHoldLists(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil()
	case reflect.Slice, reflect.Struct:
		return true
	}
	return false
}
