package toolanswer

import (
	"bytes"
	"slices"
)

// shareFields moves what all items of the answer share into one object in front of them.
func (o *briefObject) shareFields() {
	for _, array := range ItemArrays {
		items := o.elements(array, nil)
		if len(items) < 2 {
			continue
		}
		shared := &briefObject{}
		for _, name := range sharedKeys {
			if value, ok := sharedBy(items, name); ok {
				shared.members = append(shared.members, briefMember{name: name, value: value})
				for _, item := range items {
					item.remove(name)
				}
			}
		}
		if len(shared.members) > 0 {
			o.members = slices.Insert(o.members, 0, briefMember{name: SharedPrefix + array, value: shared})
		}
	}
}

// elements returns the objects in all arrays of a name, at any depth.
func (o *briefObject) elements(name string, found []*briefObject) []*briefObject {
	for _, m := range o.members {
		array, ok := m.value.(briefArray)
		if !ok {
			continue
		}
		for _, element := range array {
			object, ok := element.(*briefObject)
			switch {
			case !ok:
			case m.name == name:
				found = append(found, object)
			default:
				found = object.elements(name, found)
			}
		}
	}
	return found
}

// sharedBy returns the value of a field if all items have the same.
func sharedBy(items []*briefObject, name string) (brief, bool) {
	first, ok := items[0].member(name)
	if !ok || first.kept {
		return nil, false
	}
	text := first.value.append(nil)
	var other []byte
	for _, item := range items[1:] {
		m, ok := item.member(name)
		if !ok || m.kept {
			return nil, false
		}
		if other = m.value.append(other[:0]); !bytes.Equal(other, text) {
			return nil, false
		}
	}
	return first.value, true
}
