package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// answerAboutTheCaller answers as an AWS CLI with these credentials and this region.
func answerAboutTheCaller() int {
	if slices.Contains(os.Args, "configure") {
		fmt.Println(os.Getenv("CONFIGURED_REGION"))
		return 0
	}
	if refusal := os.Getenv("STS_REFUSES"); refusal != "" {
		fmt.Fprintln(os.Stderr, refusal)
		return 254
	}
	fmt.Println(`{"UserId":"A","Account":"123456789012","Arn":"arn:aws:iam::123456789012:user/ines"}`)
	return 0
}

func TestDeploy_ChecksCredentialsAndRegionBeforeItBuilds(t *testing.T) {
	for name, test := range map[string]struct {
		refuses, region, want string
		builds                bool
	}{
		"all right":      {"", "eu-central-1", "The stack basecamp-mcp is in the AWS account 123456789012, region eu-central-1. You are arn:aws:iam::123456789012:user/ines.\n", true},
		"no region":      {"", "", "no AWS region is chosen; add REGION=", false},
		"no credentials": {"Unable to locate credentials.", "eu-central-1", "AWS accepts no credentials of yours: exit status 254: Unable to locate credentials.\nRun aws configure", false},
	} {
		t.Run(name, func(t *testing.T) {
			asked := samRecorder(t)
			t.Setenv("STS_REFUSES", test.refuses)
			t.Setenv("CONFIGURED_REGION", test.region)
			said, err := deployed(t, t.TempDir(), two)
			if got := fmt.Sprint(said, err); !strings.Contains(got, test.want) || (err == nil) != test.builds {
				t.Errorf("it said %s", got)
			}
			if calls := asked(); (len(calls) > 0) != test.builds {
				t.Errorf("it ran %v", calls)
			}
		})
	}
}

func TestDeploy_LeavesOutTheAdviceOfSAM(t *testing.T) {
	samRecorder(t)
	said, err := deployed(t, t.TempDir(), two)
	if err != nil || strings.Contains(said, "--guided") || strings.Contains(said, adviceTitle) || !strings.Contains(said, "Build Succeeded\n") {
		t.Errorf("%v, it said %s", err, said)
	}
}

func TestProgress_IsNeverSilentForTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var out timed
		p := startProgress(ctx, "sam build", &out)
		s := &stream{progress: p, out: &out}
		out.last = time.Now()
		for _, pause := range []time.Duration{time.Second, 5 * time.Second, 95 * time.Second} {
			time.Sleep(pause)
			_, _ = s.Write([]byte("a line\n"))
		}
		stop()
		synctest.Wait()
		if out.silent > 10*time.Second || strings.Count(out.text.String(), "a line\n") != 3 || !strings.Contains(out.text.String(), "sam build is running, 94 s") {
			t.Errorf("it was silent for %v and printed %s", out.silent, out.text.String())
		}
	})
}

// timed measures the longest time between two writes.
type timed struct {
	text   bytes.Buffer
	last   time.Time
	silent time.Duration
}

func (w *timed) Write(b []byte) (int, error) {
	w.silent, w.last = max(w.silent, time.Since(w.last)), time.Now()
	return w.text.Write(b)
}
