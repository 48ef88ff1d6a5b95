package basecamp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/upstream"
)

// fetchTime is how long the bytes of a file may take.
const fetchTime = 15 * time.Second

// File is the bytes of a file. ContentType is what they look like, whatever anybody says they are.
type File struct {
	ContentType string
	Content     []byte
}

func newFile(content []byte) File {
	return File{ContentType: http.DetectContentType(content), Content: content}
}

// Download fetches a file of at most so many bytes by the download_url of an upload or attachment. Whatever host that names, the
// token goes to the API alone; where it sends us on to, nobody is told who we are.
func (c *Client) Download(ctx context.Context, downloadURL string, most int64) (File, error) {
	r, err := c.download(ctx, downloadURL)
	if err != nil {
		return File{}, err
	}
	call, err := c.begin(ctx, r)
	if err != nil {
		return File{}, err
	}
	a, err := c.upstream.Do(ctx, call.request())
	switch {
	case err != nil:
		return File{}, err
	case upstream.IsRedirect(a.Status):
		return c.stored(ctx, a, most)
	case int64(len(a.Body)) > most:
		return File{}, oversize(most)
	}
	return newFile(a.Body), nil
}

// download is the request for a file, made of the path of its address.
func (c *Client) download(ctx context.Context, downloadURL string) (request, error) {
	account, err := c.Account(ctx)
	if err != nil {
		return request{}, err
	}
	address, err := url.Parse(downloadURL)
	if err != nil {
		return request{}, unfetched("is at an address that cannot be read", false).Because(err)
	}
	below, ok := strings.CutPrefix(address.EscapedPath(), "/"+strconv.FormatInt(account, 10)+"/")
	if !ok {
		return request{}, unfetched("is not in this account", false)
	}
	return request{path: below, query: address.Query(), file: true}, nil
}

// stored fetches a file from where Basecamp keeps it.
func (c *Client) stored(ctx context.Context, a upstream.Answer, most int64) (File, error) {
	address, err := a.URL.Parse(a.Header.Get("Location"))
	if err != nil {
		return File{}, unfetched("is at an address that cannot be read", false).Because(err)
	}
	status, content, err := c.fetch(ctx, address, most)
	switch {
	case errors.Is(err, errOversize):
		return File{}, oversize(most)
	case err != nil:
		return File{}, unfetched("did not come from where Basecamp keeps it; try again in a moment", true).Because(err)
	case status != http.StatusOK:
		return File{}, unfetched("did not come from where Basecamp keeps it; try again in a moment", true).Because(fmt.Errorf("status %d", status))
	}
	return newFile(content), nil
}

func unfetched(why string, retryable bool) *fault.Error {
	f := fault.New(fault.UpstreamError, "the file %s", why)
	f.Retryable = retryable
	return f
}

func oversize(most int64) *fault.Error {
	return unfetched(fmt.Sprintf("is larger than %d bytes", most), false)
}

// FetchPublic fetches a file of at most so many bytes from an https URL that somebody chose: from public hosts alone, without a
// redirect. Its faults are INVALID_INPUT, worded to follow the name of the argument.
func (c *Client) FetchPublic(ctx context.Context, address string, most int64) (File, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Port() != "" {
		return File{}, fault.New(fault.InvalidInput, "must be an https URL with neither port nor password").Because(err)
	}
	status, content, err := c.fetch(ctx, u, most)
	switch {
	case errors.Is(err, errOversize):
		return File{}, fault.New(fault.InvalidInput, "is of more than %d MiB, which is the most", most>>20)
	case err != nil:
		return File{}, fault.New(fault.InvalidInput, "could not be fetched: its host must be public, and answer within %d s", fetchTime/time.Second).Because(err)
	case upstream.IsRedirect(status):
		return File{}, fault.New(fault.InvalidInput, "redirects to another address, which is not followed; give that one")
	case status != http.StatusOK:
		return File{}, fault.New(fault.InvalidInput, "was answered with status %d", status)
	case len(content) == 0:
		return File{}, fault.New(fault.InvalidInput, "is of an empty file")
	}
	return newFile(content), nil
}

var errOversize = errors.New("larger than it may be")

// fetch gets bytes without saying who asks, and follows nothing. The body of anything but a 200 is not read.
func (c *Client) fetch(ctx context.Context, address *url.URL, most int64) (status int, content []byte, err error) {
	if address.Scheme != "https" {
		return 0, nil, errors.New("the address of a file is not https")
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	leave, err := upstream.Enter(ctx)
	if err != nil {
		return 0, nil, err
	}
	defer leave()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("User-Agent", "basecamp-mcp")
	request.Header.Set("Accept-Encoding", "identity") // nothing is unpacked, so that the limit is one of memory too
	response, err := c.outside.RoundTrip(request)     // unlike a Client, this follows nothing
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return response.StatusCode, nil, nil
	}
	content, err = io.ReadAll(io.LimitReader(response.Body, most+1))
	if err == nil && int64(len(content)) > most {
		err = errOversize
	}
	return response.StatusCode, content, err
}

// CreateAttachment sends a file's bytes and gives what an upload is made of. Until one is, nobody sees it, so that a failure never
// leaves anything behind.
func (c *Client) CreateAttachment(ctx context.Context, name string, content []byte) (sgid string, err error) {
	r := request{
		path: "attachments.json", query: url.Values{"name": {name}}, body: content, twiceAsOnce: true,
		contentType: cmp.Or(mime.TypeByExtension(path.Ext(name)), http.DetectContentType(content)),
	}
	made, err := send[struct {
		SGID string `json:"attachable_sgid"`
	}](ctx, c, http.MethodPost, r, nil)
	if f, ok := errors.AsType[*fault.Error](err); ok {
		f.MayHaveHappened = false
		return "", f
	}
	if err == nil && made.SGID == "" {
		err = fault.New(fault.UpstreamError, "Basecamp took the file, and gave nothing to find it by; try again in a moment")
	}
	return made.SGID, err
}
