//go:build !race

package richtext

const underRace = false
