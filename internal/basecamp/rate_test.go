package basecamp

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestClient_SendsAtMostFortyFiveRequestsInTenSeconds(t *testing.T) {
	for unlimited, atLeast := range map[bool]time.Duration{false: 10 * time.Second, true: 0} {
		synctest.Test(t, func(t *testing.T) {
			c := client(t, Config{Transport: transportOf(says(200, `{"id": 5}`)), Unlimited: unlimited})
			start := time.Now()
			for range 46 {
				if err := read5(t.Context(), c); err != nil {
					t.Fatal(err)
				}
			}
			if took := time.Since(start); took < atLeast || unlimited && took != 0 {
				t.Errorf("46 requests took %s", took)
			}
		})
	}
}
