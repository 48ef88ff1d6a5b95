package lookup

import (
	"context"
	"sync"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/report/fault"
)

const (
	maxCopies    = 5        // files of other texts that a call attaches anew
	maxCopyBytes = 10 << 20 // their size in bytes
)

// copies counts the files of other texts that a call attaches anew. Basecamp cannot use a file in
// two texts, so each is downloaded and uploaded.
type copies struct {
	mu    sync.Mutex
	files int
	bytes int64
}

type copiesKey struct{}

// WithCopies returns the context of a call with its own count.
func WithCopies(ctx context.Context) context.Context {
	return context.WithValue(ctx, copiesKey{}, &copies{})
}

func (c *copies) add(argument string, files int, size int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files += files
	c.bytes += size
	if c.files > maxCopies || c.bytes > maxCopyBytes {
		return fault.Invalid(argument, "has files of other texts, and a call copies at most %d files and %d MB; write the rest in further calls, or remove their lines", maxCopies, maxCopyBytes>>20)
	}
	return nil
}

// copyFiles attaches anew the files of other texts whose lines, such as "[Attachment: plan.pdf]", a
// text contains. It returns their SGIDs, or an error if it cannot find one of the files: the line
// would become plain text.
func (rs *Resolver) copyFiles(ctx context.Context, p Prose, lines []richtext.FileLine) (map[richtext.FileLine]string, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	counted, _ := ctx.Value(copiesKey{}).(*copies)
	if counted == nil {
		counted = &copies{}
	}
	if err := counted.add(p.Argument, len(lines), 0); err != nil {
		return nil, err
	}
	copied := map[richtext.FileLine]string{}
	for _, line := range lines {
		var err error
		if copied[line], err = rs.copyFile(ctx, p.Argument, line, counted); err != nil {
			return nil, err
		}
	}
	return copied, nil
}

// copyFile downloads the file of a line and uploads it. It returns its new SGID.
func (rs *Resolver) copyFile(ctx context.Context, argument string, line richtext.FileLine, counted *copies) (sgid string, err error) {
	f, err := rs.fileOfLine(ctx, argument, line)
	if err != nil {
		return "", err
	}
	if f.ByteSize > maxCopyBytes {
		return "", counted.add(argument, 0, f.ByteSize)
	}
	content, err := rs.BC.Download(ctx, f.DownloadURL, maxCopyBytes)
	if fault.Is(err, fault.NotFound) {
		return "", noFile(argument, line, "no longer exists, or you may not read it")
	}
	if err == nil {
		err = counted.add(argument, 0, int64(len(content.Content)))
	}
	if err != nil {
		return "", err
	}
	return rs.BC.CreateAttachment(ctx, f.Filename, content.Content)
}

// fileOfLine returns the file for which a line stands: the one at its address, or the only one with
// its name and type that Basecamp's search finds.
func (rs *Resolver) fileOfLine(ctx context.Context, argument string, line richtext.FileLine) (basecamp.Attachment, error) {
	if line.Address != "" {
		name := basecamp.FileName(line.Address)
		if name == "" {
			return basecamp.Attachment{}, noFile(argument, line, "is not at this address")
		}
		return basecamp.Attachment{Filename: name, DownloadURL: line.Address}, rs.InAccount(ctx, argument, basecamp.FileAccount(line.Address))
	}
	page, err := rs.BC.Search(ctx, basecamp.Search{Text: line.Name(), Types: []string{"Attachment"}}, 1)
	if err != nil {
		return basecamp.Attachment{}, err
	}
	found := map[string]basecamp.Attachment{}
	for _, r := range page.Items {
		if r.IsFile() && line.Shows(r.Filename, r.ContentType) {
			found[r.DownloadURL] = r.Attachment
		}
	}
	for _, f := range found {
		if len(found) == 1 {
			return f, nil
		}
		return f, noFile(argument, line, "is not the only one with this name")
	}
	return basecamp.Attachment{}, noFile(argument, line, "was not found by its name")
}

// noFile returns the error for a line whose file cannot be attached.
func noFile(argument string, line richtext.FileLine, why string) error {
	return fault.Invalid(argument, "the file in the line %s %s; write [Attachment: %s](download_url) with the download_url that its item shows, remove the line, or put it into backticks",
		ShownLine(line), why, Shorten(line.Name()))
}

// ShownLine returns the line of a file, for errors.
func ShownLine(line richtext.FileLine) string { return "\"[Attachment: " + Shorten(line.Label) + "]\"" }
