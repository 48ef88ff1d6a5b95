package mcptool

// Distance returns the Levenshtein distance of the first hundred characters of two names.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	x, y = x[:min(len(x), 100)], y[:min(len(y), 100)]
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0]++
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(y)]
}
