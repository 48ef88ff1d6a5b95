package naming

import "slices"

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

// mostCompared is how many names are compared letter by letter with a name that was not found.
const mostCompared = 200

// Likeliest returns the items whose names have the most pairs of letters in common with a name, at
// most 200. To compare all names of a long list letter by letter takes seconds.
func Likeliest[T any](items []T, name string, nameOf func(T) string) []T {
	if len(items) <= mostCompared {
		return items
	}
	wanted := pairs(name)
	shared, order := make([]int, len(items)), make([]int, len(items))
	for i, item := range items {
		order[i] = i
		for pair := range pairs(nameOf(item)) {
			if wanted[pair] {
				shared[i]++
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return shared[b] - shared[a] })
	found := make([]T, mostCompared)
	for i := range found {
		found[i] = items[order[i]]
	}
	return found
}

// pairs returns the neighbouring letters in the first hundred bytes of a name.
func pairs(name string) map[[2]byte]bool {
	name = name[:min(len(name), 100)]
	found := map[[2]byte]bool{}
	for i := 1; i < len(name); i++ {
		found[[2]byte{name[i-1], name[i]}] = true
	}
	return found
}
