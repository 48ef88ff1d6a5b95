package toolanswer

import (
	"fmt"
	"sync"
	"testing"
)

func TestNew_TheNextAnswerDoesNotChangeTheOneBefore(t *testing.T) {
	type item struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	}
	var known Plans
	encoded := func(name string) []byte {
		answer, err := New(struct {
			Items []item `json:"items"`
		}{[]item{{1, name}}}, &known)
		if err != nil {
			t.Error(err)
		}
		return answer.JSON
	}
	var users sync.WaitGroup
	for user := range 4 {
		users.Go(func() {
			name := fmt.Sprintf("user %d", user)
			want := fmt.Sprintf(`{"items":[{"id":1,"name":%q}]}`, name)
			for range 200 {
				first := encoded(name)
				encoded("someone else")
				if string(first) != want {
					t.Errorf("got %s, want %s", first, want)
					return
				}
			}
		})
	}
	users.Wait()
}
