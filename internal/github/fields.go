package github

// Field is a field of a project.
type Field struct {
	Kind          string `json:"__typename"`
	ID            string // GitHub's node ID
	Name          string
	DataType      string // such as TEXT or SINGLE_SELECT
	Options       []Option
	Configuration *struct {
		Iterations          []Iteration
		CompletedIterations []Iteration
	}
}

// Option is an option of a single-select field.
type Option struct{ ID, Name string }

// Iteration is an iteration of an iteration field.
type Iteration struct {
	ID        string
	Title     string
	StartDate string // a date
	Duration  int    // in days
}

// Iterations returns the current and coming iterations, and the completed ones.
func (f Field) Iterations() (open, completed []Iteration) {
	if f.Configuration == nil {
		return nil, nil
	}
	return f.Configuration.Iterations, f.Configuration.CompletedIterations
}

func (f Field) check() (hidden int, err error) { return identified(f.ID != "" && f.Name != "") }
