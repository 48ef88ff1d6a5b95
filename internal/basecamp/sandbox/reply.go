package sandbox

import (
	"fmt"
	"net/http"
	"strconv"
)

// A reply is the result of a handler: a status and an optional value for the JSON body.
type reply struct {
	status int
	header http.Header
	body   any
}

// An answer is a response with its body in bytes.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func replyWith(status int, body any) reply {
	return reply{status: status, header: http.Header{}, body: body}
}

func ok(body any) reply      { return replyWith(http.StatusOK, body) }
func created(body any) reply { return replyWith(http.StatusCreated, body) }
func noContent() reply       { return replyWith(http.StatusNoContent, nil) }

// answered returns the reply of handle, or the refusal that ended it.
func answered(handle func() reply) (answer reply) {
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case reply:
			answer = ended
		default:
			panic(ended)
		}
	}()
	return handle()
}

// refuse ends a request with a refusal under a condition.
func refuse(condition bool, refusal reply) {
	if condition {
		panic(refusal)
	}
}

// located adds the URL of the web page that shows the written recording.
func (r reply) located(appURL string) reply {
	r.header.Set("Location", appURL)
	return r
}

// failure returns a reply in Basecamp's usual error format, {"error": ...}.
func failure(status int, message string) reply {
	return replyWith(status, view{{"error", message}})
}

// because adds the reason for a refusal.
func (r reply) because(reason string) reply {
	r.header.Set("Reason", reason)
	return r
}

// notFound returns the reply for a recording that does not exist or that the caller may not see.
// Basecamp does not distinguish the two.
func notFound() reply { return refusal(http.StatusNotFound, "Not Found") }

func badRequest(message string) reply { return refusal(http.StatusBadRequest, message) }
func unsupported() reply              { return refusal(http.StatusUnsupportedMediaType, "Unsupported Media Type") }
func forbidden() reply                { return refusal(http.StatusForbidden, "Forbidden") }

func refusal(status int, message string) reply {
	return replyWith(status, view{{"error", message}, {"status", status}})
}

// invalid refuses invalid input with {"error": ...}. Some routes of Basecamp use another format:
// invalidField or invalidBare.
func invalid(message string) reply { return failure(http.StatusUnprocessableEntity, message) }

// invalidField refuses invalid input with {"errors": {field: ...}}.
func invalidField(name, problem string) reply {
	return replyWith(http.StatusUnprocessableEntity, view{{"errors", view{{name, []any{problem}}}}})
}

// invalidBare refuses invalid input with {field: ...}.
func invalidBare(name, problem string) reply {
	return replyWith(http.StatusUnprocessableEntity, view{{name, []any{problem}}})
}

const blank = "can't be blank"

// answer encodes the reply. Integers stay exact, whatever their size.
func (r reply) answer() answer {
	a := answer{status: r.status, header: r.header}
	if r.body == nil {
		return a
	}
	a.header.Set("Content-Type", jsonType)
	a.body = appendJSON(make([]byte, 0, 4096), r.body)
	return a
}

func plainAnswer(status int, text string) answer {
	return answer{status: status, header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, body: []byte(text)}
}

// gears are the sizes of the first pages. All further pages have the last size.
var gears = []int{15, 30, 50, 100}

// page replies with one page of a list, with Basecamp's growing page sizes. The items are shown in
// the form of an object, or in the usual one of their type.
func page[T any](c *call, items []T, object string) reply {
	from, to, more := cut(len(items), c.page(), gears)
	return c.pageReply(c.shown(object, items[from:to]), len(items), more)
}

// pageOf replies with one page of a list, with a fixed page size.
func pageOf[T, V any](c *call, size int, items []T, show func(T) V) reply {
	from, to, more := cut(len(items), c.page(), []int{size})
	return c.pageReply(apply(items[from:to], show), len(items), more)
}

// whole replies with a list that Basecamp does not paginate.
func whole(c *call, items any, object string) reply { return ok(c.shown(object, items)) }

// cut returns the bounds of a page, and whether another page follows.
func cut(total, page int, sizes []int) (from, to int, more bool) {
	size := sizes[0]
	for n := 1; n < page && from < total; n++ {
		from += size
		size = sizes[min(n, len(sizes)-1)]
	}
	from = min(from, total)
	to = min(from+size, total)
	return from, to, to < total
}

func (c *call) pageReply(body any, total int, more bool) reply {
	r := ok(body)
	r.header.Set("X-Total-Count", strconv.Itoa(total))
	if more {
		next := c.r.URL.Query()
		next.Set("page", strconv.Itoa(c.page()+1))
		r.header.Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, c.origin, c.r.URL.EscapedPath(), next.Encode()))
	}
	return r
}

// page returns the requested page. A value that is not a positive number counts as 1.
func (c *call) page() int {
	n, err := strconv.Atoi(c.query.Get("page"))
	if err != nil || n < 1 {
		return 1
	}
	return n
}
