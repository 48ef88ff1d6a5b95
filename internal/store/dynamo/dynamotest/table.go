package dynamotest

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/proof/stacktest"
)

// definition is the Table of template.yaml: the input of CreateTable, and the properties for which
// the API has calls of their own.
type definition struct {
	dynamodb.CreateTableInput
	TimeToLiveSpecification          struct{ AttributeName, Enabled string }
	PointInTimeRecoverySpecification any // DynamoDB Local keeps no backups
	DeletionProtectionEnabled        any // a test's table is deleted with its server
	OnDemandThroughput               any // limits costs
}

// Table creates the table of template.yaml under a name of its own, and returns the name. The
// server removes expired items within a second or two, by the clock of this machine.
func (s *Server) Table(tb testing.TB) string {
	tb.Helper()
	d, err := deployed()
	if err != nil {
		tb.Fatal(err)
	}
	d.TableName = new(rand.Text())
	client := s.Client()
	if _, err := client.CreateTable(tb.Context(), &d.CreateTableInput); err != nil {
		tb.Fatal(err)
	}
	if ttl := d.TimeToLiveSpecification; ttl.Enabled == "true" {
		_, err = client.UpdateTimeToLive(tb.Context(), &dynamodb.UpdateTimeToLiveInput{
			TableName:               d.TableName,
			TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &ttl.AttributeName, Enabled: new(true)},
		})
	}
	if err != nil {
		tb.Fatal(err)
	}
	return *d.TableName
}

// deployed returns the table of the template. An unknown property is an error, because the tests'
// table would lack it.
func deployed() (d definition, err error) {
	properties, err := stacktest.Resource("Table")
	if err != nil {
		return definition{}, err
	}
	encoded, err := json.Marshal(properties)
	if err != nil {
		return definition{}, err
	}
	known := json.NewDecoder(bytes.NewReader(encoded))
	known.DisallowUnknownFields()
	if err := known.Decode(&d); err != nil {
		return definition{}, fmt.Errorf("read the table of the template: %w", err)
	}
	return d, nil
}
