package app

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"basecamp-mcp/internal/mcptest"
)

// inUse returns the bytes on the heap that are still in use.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // the first collection only moves what pools hold
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return int64(memory.HeapAlloc)
}

// paths returns the paths of all selections of toolsets.
func paths(toolsets []string) (all []string) {
	for chosen := 1; chosen < 1<<len(toolsets); chosen++ {
		var names []string
		for i, name := range toolsets {
			if chosen>>i&1 == 1 {
				names = append(names, name)
			}
		}
		path := "/mcp/x/" + strings.Join(names, ",")
		all = append(all, path, path+"/readonly")
	}
	return all
}

// A client that lists the tools of every selection must not fill the memory of a function.
func TestSelections_HoldLittleMemory(t *testing.T) {
	const most = 6 << 20
	h := unchanging(t)
	ask := func(method, path, body string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer sandbox-ines")
		w := &sink{header: http.Header{}}
		h.ServeHTTP(w, r)
		if w.status != 0 && w.status != http.StatusOK {
			t.Fatalf("%s: HTTP %d", path, w.status)
		}
	}
	message := mcptest.Message("tools/list", "{}")
	all := paths([]string{"basecamp", "todolist", "tasks", "account"})
	ask(http.MethodPost, "/mcp", message)
	before := inUse()
	for _, path := range all {
		ask(http.MethodPost, path, message)
	}
	for _, path := range all {
		query := strings.TrimPrefix(path, "/mcp/x/")
		query, readOnly := strings.CutSuffix(query, "/readonly")
		if query = "?toolsets=" + query; readOnly {
			query += "&readonly=true"
		}
		ask(http.MethodGet, "/tools"+query, "")
	}
	grown := inUse() - before
	runtime.KeepAlive(h)
	t.Logf("%d selections hold %d KB", len(all), grown>>10)
	if grown > most {
		t.Errorf("%d selections hold %d bytes, at most %d are allowed", len(all), grown, most)
	}
}
