//go:build race

package richtext

const underRace = true
