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
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/upstream"
	"basecamp-mcp/internal/wire/writeplan"
)

const fetchTime = 15 * time.Second

// File is the content of a file. ContentType is detected from the content, regardless of its
// declared type.
type File struct {
	ContentType string
	Content     []byte
}

func newFile(content []byte) File {
	return File{ContentType: http.DetectContentType(content), Content: content}
}

// Download fetches a file of at most limit bytes by the download_url of an upload or attachment.
// It sends the token only to the API, regardless of the host in the URL, and sends no
// identification to the host that the API redirects to.
func (c *Client) Download(ctx context.Context, downloadURL string, limit int64) (File, error) {
	r, err := c.download(ctx, downloadURL)
	if err != nil {
		return File{}, err
	}
	call, err := c.newCall(ctx, r)
	if err != nil {
		return File{}, err
	}
	a, err := c.upstream.Do(ctx, call.request())
	switch {
	case err != nil:
		return File{}, err
	case upstream.IsRedirect(a.Status):
		return c.fetchStored(ctx, a, limit)
	case int64(len(a.Body)) > limit:
		return File{}, oversize(limit)
	}
	return newFile(a.Body), nil
}

// download returns the API request for a file, built from the path of its address.
func (c *Client) download(ctx context.Context, downloadURL string) (request, error) {
	account, err := c.Account(ctx)
	if err != nil {
		return request{}, err
	}
	address, err := url.Parse(downloadURL)
	if err != nil {
		return request{}, fileFault("has an invalid address", false).Because(err)
	}
	below, ok := strings.CutPrefix(address.EscapedPath(), "/"+strconv.FormatInt(account, 10)+"/")
	switch {
	case !ok:
		return request{}, fileFault("is not in this account", false)
	case !isDownload(address):
		return request{}, fileFault("has an invalid address", false)
	}
	if at := strings.Index(below, "/blobs/"); at >= 0 && isBucket(below[:at]) {
		below = below[at+1:]
	}
	return request{path: below, query: address.Query(), file: true}, nil
}

// fileHosts are the hosts that the API's documentation shows in a download_url.
var fileHosts = []string{"storage.3.basecamp.com", "3.basecamp-static.com", "3.basecampapi.com", "3.basecamp.com"}

// FileName returns the name of the file in a text that an address downloads: the download_url of
// an attachment. It returns "" for any other address. See the pages attachments and rich_text of
// Basecamp's API documentation.
func FileName(downloadURL string) string {
	address, err := url.Parse(downloadURL)
	switch {
	case err != nil, address.Scheme != "https", address.User != nil, !slices.Contains(fileHosts, address.Host), !isDownload(address):
		return ""
	}
	parts := strings.Split(address.Path, "/")
	if len(parts) == 8 && isBucket(parts[2]+"/"+parts[3]) {
		parts = slices.Delete(parts, 2, 4)
	}
	if len(parts) != 6 || parts[2] != "blobs" {
		return ""
	}
	return parts[5]
}

// IsOwn reports whether an address is one of Basecamp: of a page, of the API, or of a file.
func IsOwn(address string) bool {
	u, err := url.Parse(strings.TrimSpace(address))
	return err == nil && (slices.Contains(fileHosts, u.Host) || slices.Contains(linkHosts, u.Host))
}

// FileAccount returns the account in the address of a file that [FileName] accepts.
func FileAccount(downloadURL string) int64 {
	address, err := url.Parse(downloadURL)
	if err != nil {
		return 0
	}
	account, _, _ := strings.Cut(strings.TrimPrefix(address.Path, "/"), "/")
	id, _ := strconv.ParseInt(account, 10, 64) // 0 for another word
	return id
}

// isBucket reports whether a path is buckets/ID, which the addresses of files in search results
// have before the path that the API serves.
func isBucket(path string) bool {
	id, ok := strings.CutPrefix(path, "buckets/")
	_, err := strconv.ParseInt(id, 10, 64)
	return ok && err == nil
}

// isDownload reports whether the path of an address ends in download and a name. A path with
// dots would lead to another address of the API.
func isDownload(address *url.URL) bool {
	parts := strings.Split(address.Path, "/")
	dots := func(part string) bool { return part == "" || part == "." || part == ".." }
	return len(parts) > 4 && parts[len(parts)-2] == "download" && !slices.ContainsFunc(parts[1:], dots)
}

// fetchStored fetches a file from the storage that the API redirects to.
func (c *Client) fetchStored(ctx context.Context, a upstream.Answer, limit int64) (File, error) {
	address, err := a.URL.Parse(a.Header.Get("Location"))
	if err != nil {
		return File{}, fileFault("has an invalid address", false).Because(err)
	}
	status, content, err := c.fetch(ctx, address, limit)
	switch {
	case errors.Is(err, errOversize):
		return File{}, oversize(limit)
	case err != nil:
		return File{}, fileFault("could not be fetched from Basecamp's storage; try again in a moment", true).Because(err)
	case status != http.StatusOK:
		return File{}, fileFault("could not be fetched from Basecamp's storage; try again in a moment", true).Because(fmt.Errorf("status %d", status))
	}
	return newFile(content), nil
}

func fileFault(why string, retryable bool) *fault.Error {
	f := fault.New(fault.UpstreamError, "the file %s", why)
	f.Retryable = retryable
	return f
}

func oversize(limit int64) *fault.Error {
	return fileFault(fmt.Sprintf("is larger than %d bytes", limit), false)
}

// FetchPublic fetches a file of at most limit bytes from an https URL that a caller chose. It
// connects only to public hosts and does not follow redirects. Its faults are INVALID_INPUT. Under
// a plan it checks the address and fetches nothing.
func (c *Client) FetchPublic(ctx context.Context, address string, limit int64) (File, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Port() != "" {
		return File{}, fault.New(fault.InvalidInput, "the address must be an https URL without a port or a password").Because(err)
	}
	if writeplan.From(ctx) != nil {
		return File{}, nil
	}
	status, content, err := c.fetch(ctx, u, limit)
	switch {
	case errors.Is(err, errOversize):
		return File{}, fault.New(fault.InvalidInput, "the file is larger than the limit of %d MiB", limit>>20)
	case err != nil:
		return File{}, fault.New(fault.InvalidInput, "the file could not be fetched; its host must be public and answer within %d s", fetchTime/time.Second).Because(err)
	case upstream.IsRedirect(status):
		return File{}, fault.New(fault.InvalidInput, "the address redirects to another one; pass that address instead")
	case status != http.StatusOK:
		return File{}, fault.New(fault.InvalidInput, "the host of the file returned status %d", status)
	case len(content) == 0:
		return File{}, fault.New(fault.InvalidInput, "the file is empty")
	}
	return newFile(content), nil
}

var errOversize = errors.New("the file is larger than the limit")

// fetch fetches a file without any identification and without following redirects. It reads only
// the body of a 200.
func (c *Client) fetch(ctx context.Context, address *url.URL, limit int64) (status int, content []byte, err error) {
	if address.Scheme != "https" {
		return 0, nil, errors.New("the address of the file is not https")
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
	request.Header.Set("Accept-Encoding", "identity") // no decompression, so that the limit also limits memory
	response, err := c.outside.RoundTrip(request)     // unlike http.Client, it follows no redirects
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return response.StatusCode, nil, nil
	}
	content, err = io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = errOversize
	}
	return response.StatusCode, content, err
}

// CreateAttachment uploads a file and returns the SGID for a new upload. The attachment is
// invisible until an upload uses it, so a failed call has no visible effect and can be repeated.
func (c *Client) CreateAttachment(ctx context.Context, name string, content []byte) (sgid string, err error) {
	r := request{
		path: "attachments.json", query: url.Values{"name": {name}}, body: content, repeatable: true,
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
		err = fault.New(fault.UpstreamError, "Basecamp accepted the file but returned no ID for it; try again in a moment")
	}
	return made.SGID, err
}
