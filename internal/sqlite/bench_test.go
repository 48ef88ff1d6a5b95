package sqlite

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/items"
)

// fill writes n clients of a usual size.
func fill(t *testing.T, s *Store, n int) {
	t.Helper()
	if testing.Short() {
		t.Skip("writes ten thousand items")
	}
	all := make([]items.Item, n)
	for i := range all {
		c := authserver.Client{
			ID: fmt.Sprintf("c_%06d", i), Name: "Plumcot", RedirectURIs: []string{"http://127.0.0.1/callback", "https://app.fernhill.example/callback"},
			AuthMethod: "none", CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour),
		}
		all[i] = itemOf(t, items.Key{Kind: "client", Name: digest(c.ID)}, c, c.ExpiresAt)
	}
	s.fill(t, all)
}

// measure opens a file, reads an item, writes one, and prints how long that took and how much
// memory the process holds.
func measure(path string, _ []string) error {
	start := time.Now()
	s, err := openPart(path, nil)
	if err != nil {
		return err
	}
	if _, err := s.Client(context.Background(), "c_004711"); err != nil {
		return err
	}
	took := time.Since(start)
	if err := s.SaveClient(context.Background(), authserver.Client{ID: "c"}); err != nil {
		return err
	}
	fmt.Println(took.Microseconds(), resident())
	return s.Close()
}

// resident returns the most memory that this process has held, in KB; 0 where the system does not
// tell.
func resident() int {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "VmHWM:" {
			n, _ := strconv.Atoi(words[1])
			return n
		}
	}
	return 0
}

func TestOpen_IsFastAndSmallWithTenThousandRecords(t *testing.T) {
	if raceEnabled {
		t.Skip("measures time and memory")
	}
	const most = 50 * time.Millisecond
	path := pathIn(t)
	s := openAt(t, path, nil)
	fill(t, s, 10_000)
	best, memory := time.Hour, 0
	for try := 0; try < 5 || try < 50 && best > most; try++ { // other programs slow some tries down
		var microseconds, kilobytes int
		p := process(t, "measure", path)
		_, err := fmt.Sscan(p.line(), &microseconds, &kilobytes)
		must(t, err)
		best, memory = min(best, time.Duration(microseconds)*time.Microsecond), max(memory, kilobytes)
	}
	found, err := os.Stat(path)
	must(t, err)
	t.Logf("open and first read: %v; %d KB resident; file of %d KB", best, memory, found.Size()/1024)
	if best > most || memory > 40_000 {
		t.Errorf("took %v and %d KB, want at most 50 ms and 40,000 KB", best, memory)
	}
}
