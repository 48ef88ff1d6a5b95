package main

import (
	"path/filepath"
	"strings"
)

// startCommand returns the command line that starts this program again with the same arguments, as
// the user's shell reads it: a POSIX shell, or PowerShell on Windows.
func startCommand(program string, arguments []string, windows bool) string {
	words := []string{shellWord(program, windows)}
	if windows {
		words = []string{"&", words[0]} // otherwise, PowerShell prints a quoted path
	}
	if fromSource(program) {
		words = []string{"go", "run", "./functions/local"}
	}
	for _, argument := range arguments {
		words = append(words, shellWord(argument, windows))
	}
	return strings.Join(words, " ")
}

// fromSource reports whether go run built the program. It runs from a directory that go removes.
func fromSource(program string) bool {
	path := strings.Split(filepath.ToSlash(strings.ReplaceAll(program, `\`, "/")), "/")
	return len(path) > 3 && path[len(path)-2] == "exe" && strings.HasPrefix(path[len(path)-4], "go-build")
}

// shellWord returns a word that the shell does not change.
func shellWord(word string, windows bool) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:"
	quote, extra := `'\''`, ""
	if windows {
		quote, extra = "''", `\`
	}
	if word != "" && strings.Trim(word, plain+extra) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", quote) + "'"
}
