package stacktest

import (
	"testing"

	"basecamp-mcp/internal/serve/lambdahttp/runtimetest"
)

func TestMain(m *testing.M) { runtimetest.Main(m) }
