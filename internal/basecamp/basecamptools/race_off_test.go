//go:build !race

package basecamptools

const underRace = false
