package upstream

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestWhole_TheNextBodyDoesNotChangeTheOneBefore(t *testing.T) {
	var users sync.WaitGroup
	for user := range 4 {
		users.Go(func() {
			want := fmt.Sprintf("the body of user %d", user)
			for range 200 {
				first, err := whole(strings.NewReader(want), int64(len(want)))
				_, other := whole(strings.NewReader("a longer body of another user"), -1)
				if string(first) != want || err != nil || other != nil {
					t.Errorf("got %q, want %q; %v, %v", first, want, err, other)
					return
				}
				recycle(first)
			}
		})
	}
	users.Wait()
}
