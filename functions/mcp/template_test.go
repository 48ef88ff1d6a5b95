package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestTemplate(t *testing.T) {
	text, err := os.ReadFile(root + "/template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	template := string(text)

	t.Run("401 and 403 carry the challenge under its own name", func(t *testing.T) {
		for _, status := range []string{"401", "403"} {
			want := regexp.MustCompile(`(?m)^ +"` + status + `":\n +ResponseParameters:\n` +
				` +- Destination: overwrite:header\.www-authenticate\n +Source: \$response\.header\.x-mcp-challenge$`)
			if !want.MatchString(template) {
				t.Errorf("no mapping for %s", status)
			}
		}
	})

	t.Run("the function gives up before the gateway does", func(t *testing.T) {
		timeout, gateway := number(t, template, "Timeout"), number(t, template, "TimeoutInMillis")
		if timeout*1000 >= gateway || gateway > 30_000 {
			t.Errorf("Timeout %d s, gateway %d ms", timeout, gateway)
		}
	})

	t.Run("Go may use 70 % of the memory", func(t *testing.T) {
		memory := number(t, template, "MemorySize")
		if want := fmt.Sprintf("GOMEMLIMIT: %dMiB", memory*7/10); !strings.Contains(template, want) {
			t.Errorf("MemorySize is %d, but there is no %s", memory, want)
		}
		if !strings.Contains(template, `GOGC: "off"`) {
			t.Error("GOMEMLIMIT does nothing without GOGC=off")
		}
	})

	t.Run("every function runs what the Makefile builds", func(t *testing.T) {
		makefile, err := os.ReadFile(root + "/Makefile")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(template, "Architectures: [arm64]") || !strings.Contains(template, "Runtime: provided.al2023") {
			t.Error("not arm64 on provided.al2023")
		}
		for _, name := range resources(template, "AWS::Serverless::Function") {
			target := regexp.MustCompile(`(?m)^build-` + name + `:\n\t.*GOOS=linux GOARCH=arm64 go build \$\(LAMBDA_FLAGS\)`)
			if !target.Match(makefile) {
				t.Errorf("the Makefile does not build %s for arm64 with LAMBDA_FLAGS", name)
			}
		}
	})

	t.Run("no permission is a wildcard", func(t *testing.T) {
		if bad := regexp.MustCompile(`(?m)^.*(Action|Resource|Principal):.*\*.*$`).FindAllString(template, -1); bad != nil {
			t.Errorf("%q", bad)
		}
	})

	t.Run("logs are kept for a while, not for ever", func(t *testing.T) {
		groups := len(resources(template, "AWS::Logs::LogGroup"))
		if groups != len(resources(template, "AWS::Serverless::Function")) || groups != strings.Count(template, "RetentionInDays:") {
			t.Errorf("%d log groups, %d retentions", groups, strings.Count(template, "RetentionInDays:"))
		}
	})

	t.Run("two stacks fit into one account, in any region", func(t *testing.T) {
		for _, fixed := range []string{"FunctionName: [^!]", "RoleName:", "LogGroupName:", `[a-z]{2}-[a-z]+-\d`, `arn:aws:`} {
			if found := regexp.MustCompile(fixed).FindString(template); found != "" {
				t.Errorf("%q is fixed", found)
			}
		}
	})
}

// number is the only value of a property.
func number(t *testing.T, template, property string) int {
	t.Helper()
	found := regexp.MustCompile(`(?m)^ +`+property+`: (\d+)\b`).FindAllStringSubmatch(template, -1)
	if len(found) != 1 {
		t.Fatalf("%s is set %d times", property, len(found))
	}
	n, err := strconv.Atoi(found[0][1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// resources are the logical ids of the resources of a type.
func resources(template, kind string) (ids []string) {
	for _, match := range regexp.MustCompile(`(?m)^  (\w+):\n    Type: (\S+)$`).FindAllStringSubmatch(template, -1) {
		if match[2] == kind {
			ids = append(ids, match[1])
		}
	}
	return ids
}
