package stacktest

import (
	"testing"

	"basecamp-mcp/internal/lambdahttp/runtimetest"
)

func TestMain(m *testing.M) { runtimetest.Main(m) }
