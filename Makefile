# Every step says one line when all is well, and everything it has to say when it is not.

GOLANGCI_VERSION := v2.15.0
SAM_VERSION      := 1.170.0
MOTO_VERSION     := 5.2.5
AWSCLI_VERSION   := 1.46.3

TOOLS    := .tools
DIST     := dist
GOLANGCI := $(TOOLS)/golangci-lint-$(GOLANGCI_VERSION)/golangci-lint
SAM      := $(TOOLS)/sam-$(SAM_VERSION)/bin/sam
MOTO     := $(TOOLS)/moto-$(MOTO_VERSION)/bin/moto_server
AWSCLI   := $(TOOLS)/awscli-$(AWSCLI_VERSION)/bin/aws
DYNAMODB := $(TOOLS)/dynamodb-local/installed
CHROMIUM := $(or $(shell command -v chromium),/usr/bin/chromium)
E2E      := internal/e2e
CLIENTS  := $(E2E)/clients
PACKAGES := $(CLIENTS)/node_modules/.package-lock.json $(CLIENTS)/node/node_modules/.package-lock.json
NPM_CI    = cd $(@D)/.. && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error

# Every file of ours, to which find's tests and actions are added.
every = find functions internal -name node_modules -prune -o

# $(call quietly,what it is,command): the command's output is shown if it fails, and kept from us otherwise.
quietly = @printf '%-44s ' '$(1)'; began=$$(date +%s); \
	if said=$$({ $(2); } 2>&1); then echo "ok, $$(($$(date +%s) - began)) s"; \
	else echo FAILED; printf '%s\n' "$$said"; exit 1; fi

.DEFAULT_GOAL := help

##@ Every day

.PHONY: help
help: ## List what make can do
	@awk 'BEGIN { FS = ":.*## " } /^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z0-9-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## Serve the whole product on this machine, with a made-up company as Basecamp
	go run ./functions/local

.PHONY: test
test: ## Run the tests; they need nothing but Go
	go test ./...

.PHONY: check
check: fmt vet lint race generated ## Run what every change must pass

.PHONY: integration
integration: gated cold e2e sam sam-local ## Run the real parts: stores, clients, browser, SAM (needs npm, Python, Java, Maven)

##@ The parts of check

.PHONY: fmt
fmt: ## Check that gofmt has nothing to do
	$(call quietly,gofmt,! gofmt -l $$($(every) -name '*.go' -print) 2>&1 | grep .)

.PHONY: vet
vet: ## Run go vet
	$(call quietly,go vet,go vet ./... && cd $(E2E) && go vet ./...)

.PHONY: lint
lint: $(GOLANGCI) ## Run golangci-lint, which also holds the table of imports
	$(call quietly,golangci-lint,$(GOLANGCI) run --allow-parallel-runners ./... && \
		cd $(E2E) && ../../$(GOLANGCI) run --allow-parallel-runners --config ../../.golangci.yml ./...)

# The tools' tests take minutes under the race detector, and on a busy machine more than the ten that Go allows a package.
.PHONY: race
race: ## Run the tests with the race detector
	$(call quietly,go test -race ./...,go test -race -timeout 30m ./...)

# Tests write these only when they are told to, so what changes now was forgotten. The lines name old and new.
made = find README.md RECIPES.md $$(find functions internal -name node_modules -prune -o -name testdata -print) -type f -exec cksum {} + | sort -k 3
makers = $(every) -name '*_test.go' -exec grep -l UPDATE_GOLDEN {} + | xargs -n 1 dirname | sort -u

.PHONY: generated
generated: ## Check that golden files and the README are what the code makes of them
	$(call quietly,golden files and README,before=$$($(made)); UPDATE_GOLDEN=1 go test -count=1 $$($(makers) | sed 's|^|./|') && \
		after=$$($(made)) && ! printf '%s\n' "$$before" "$$after" | sort -k 3 | uniq -u | grep .)

##@ The parts of integration

# Which tests ran can be read in the logs that these two leave in $(TOOLS).
own_gated = $(every) -path '$(E2E)' -prune -o -name '*_test.go' -exec grep -l '"INTEGRATION"' {} + | xargs -r -n 1 dirname | sort -u

.PHONY: gated
gated: $(MOTO) $(DYNAMODB) $(AWSCLI) $(PACKAGES) ## Run the product's own tests that wait for INTEGRATION=1, if there are any
	@mkdir -p $(TOOLS)
	$(if $(shell $(own_gated)),$(call quietly,tests that wait for INTEGRATION=1,INTEGRATION=1 go test -count=1 -v \
		$(addprefix ./,$(shell $(own_gated))) > $(TOOLS)/gated.log || { grep -v -e '^=== ' -e '--- PASS' $(TOOLS)/gated.log; false; }))

.PHONY: cold
cold: $(MOTO) $(DYNAMODB) ## Start the endpoint twice for each figure of bench-cold, and expect the warm-ups to be worth something
	$(call quietly,cold starts,BENCH_COLD=2 $(bench_cold))

.PHONY: e2e
e2e: $(PACKAGES) $(MOTO) $(DYNAMODB) $(CHROMIUM) ## Drive the real server with the conformance suite and real clients
	@mkdir -p $(TOOLS)
	$(call quietly,conformance suite and real clients,cd $(E2E) && INTEGRATION=1 go test -count=1 -parallel 4 -v ./... \
		> ../../$(TOOLS)/e2e.log || { grep -v -e '^=== ' -e '--- PASS' ../../$(TOOLS)/e2e.log; false; })

# In the source, for a copy of it would take all of $(TOOLS) along.
.PHONY: sam
sam: ## Validate the template and build it
ifneq ($(wildcard template.yaml),)
sam: export SAM_CLI_TELEMETRY = 0
sam: export AWS_DEFAULT_REGION ?= us-east-1
sam: $(SAM)
	$(call quietly,sam validate --lint,$(SAM) validate --lint)
	$(call quietly,sam build,$(SAM) build --build-in-source --no-cached --build-dir $(TOOLS)/sam-build)
endif

##@ Now and then

.PHONY: bench
bench: ## Weigh definitions and answers, and run every benchmark COUNT times, for benchstat
	@go test -count=1 -v -run '^(TestCatalog_StaysWithinItsBudget|TestAnswers_WeighSixKilobytesInTheMiddle)$$' ./internal/tools | \
		sed -nE 's/^ +[a-z_]+\.go:[0-9]+: /# /p'
	@go test -run '^$$' -bench . -benchmem -benchtime 0.3s -count $(or $(COUNT),1) -timeout 20m \
		$$($(every) -name '*_test.go' -exec grep -l '^func Benchmark' {} + | xargs -n 1 dirname | sort -u | sed 's|^|./|')

bench_cold = go test -run '^$$' -bench '^BenchmarkCold$$' -benchtime 1x ./functions

.PHONY: bench-cold
bench-cold: $(MOTO) $(DYNAMODB) ## Measure cold starts as Lambda has them (Linux, root); UPDATE_BENCH=1 writes them into the README
	@BENCH_COLD=$(or $(STARTS),20) $(bench_cold)

# What reads the texts and references that people and models write.
TEXTS := FuzzParseLink|FuzzReference|FuzzMarkdown|FuzzHTML|FuzzRoundTrip|FuzzReplace|FuzzAppend

.PHONY: fuzz
fuzz: ## Fuzz every target (or those that match ONLY) for FUZZTIME (30s), one after the other
	@$(every) -name '*_test.go' -exec grep -HoE '^func ($(or $(ONLY),Fuzz\w+))\b' {} + | sed -E 's|/[^/]*:func | |' | sort | while read -r package target; do \
		printf '%-44s ' "$$target"; \
		if said=$$(go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(or $(FUZZTIME),30s) "./$$package" 2>&1); then echo ok; \
		else echo FAILED; printf '%s\n' "$$said"; exit 1; fi; \
	done

.PHONY: fuzz-texts
fuzz-texts: ## Fuzz what reads texts and references
	@$(MAKE) --no-print-directory fuzz ONLY='$(TEXTS)'

.PHONY: clean
clean: ## Remove what the other targets installed or built
	rm -rf $(TOOLS) .aws-sam $(DIST) $(CLIENTS)/node_modules $(CLIENTS)/node/node_modules

##@ Deployment

# The flags of what runs on Lambda. Without net/rpc, which nothing there calls, and without symbols it is half the size and
# starts sooner; -buildvcs=false makes it the same from a checkout and from the copy that SAM builds in.
LAMBDA_GOARCH := arm64
LAMBDA_FLAGS := -trimpath -buildvcs=false -tags lambda.norpc -ldflags "-s -w"

.PHONY: build build-McpFunction build-OAuthFunction
build: ## Build what sam deploy uploads
	sam build

# sam build calls build-<LogicalId> for each function of template.yaml.
for_lambda = CGO_ENABLED=0 GOOS=linux GOARCH=$(LAMBDA_GOARCH) go build $(LAMBDA_FLAGS) -o "$(ARTIFACTS_DIR)/bootstrap"

build-McpFunction:
	$(for_lambda) ./functions/mcp

build-OAuthFunction:
	$(for_lambda) ./functions/oauth

.PHONY: release
release: ## Pack both functions into dist/, with a template that deploys them without Go, and checksums
	@rm -rf $(DIST) && mkdir -p $(DIST)
	@for id in McpFunction OAuthFunction; do $(MAKE) --no-print-directory build-$$id ARTIFACTS_DIR=$(CURDIR)/$(TOOLS)/release/$$id >/dev/null || exit 1; done
	@go run ./functions/release $(TOOLS)/release template.yaml $(DIST) && cat $(DIST)/SHA256SUMS

.PHONY: smoke
smoke: ## Check a deployment from outside, and say how to mend it: make smoke URL=https://...
	@go run ./functions/smoke $(URL)

.PHONY: sam-local
sam-local: $(SAM) ## Run every event by sam local invoke, in containers made of what this machine has
	$(call quietly,sam local invoke and start-api,SAM=$(CURDIR)/$(SAM) .ci/sam-local go test -count=1 -parallel 2 -v -run SamLocal ./functions \
		> $(TOOLS)/sam-local.log 2>&1 || { grep -v -e '^=== ' -e '--- PASS' $(TOOLS)/sam-local.log; false; })

.PHONY: purge
purge: ## List the secrets that a stack made for people and left behind: make purge STACK=name, and DELETE=1 to delete them
	@functions/purge.sh '$(STACK)' $(if $(filter 1,$(DELETE)),--delete)

# What the targets above need, installed once, below directories that git ignores.

.PHONY: tools
tools: ## Install what check and integration need
tools: $(GOLANGCI) $(SAM) $(MOTO) $(AWSCLI) $(DYNAMODB) $(CHROMIUM) $(PACKAGES)

$(GOLANGCI):
	$(call quietly,install golangci-lint $(GOLANGCI_VERSION),GOBIN=$(CURDIR)/$(@D) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION))

$(SAM):
	$(call quietly,install the SAM CLI $(SAM_VERSION),python3 -m venv $(TOOLS)/sam-$(SAM_VERSION) && \
		$(TOOLS)/sam-$(SAM_VERSION)/bin/pip install --quiet aws-sam-cli==$(SAM_VERSION))

$(MOTO):
	$(call quietly,install moto $(MOTO_VERSION),python3 -m venv $(TOOLS)/moto-$(MOTO_VERSION) && \
		$(TOOLS)/moto-$(MOTO_VERSION)/bin/pip install --quiet 'moto[server]==$(MOTO_VERSION)')

$(AWSCLI):
	$(call quietly,install the AWS CLI $(AWSCLI_VERSION),python3 -m venv $(TOOLS)/awscli-$(AWSCLI_VERSION) && \
		$(TOOLS)/awscli-$(AWSCLI_VERSION)/bin/pip install --quiet awscli==$(AWSCLI_VERSION))

# All of it anew, for whatever lies there is on the class path.
$(DYNAMODB): internal/dynamo/dynamotest/pom.xml
	$(call quietly,install DynamoDB Local,rm -rf $(@D) && mvn --batch-mode --quiet --file $< dependency:copy-dependencies \
		-DincludeScope=runtime -DoutputDirectory=$(CURDIR)/$(@D) && touch $@)

$(CHROMIUM):
	$(call quietly,install chromium,test "$$(id -u)" = 0 || { echo 'chromium is missing: apt-get install chromium'; false; } && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium)

$(CLIENTS)/node_modules/.package-lock.json: $(CLIENTS)/package-lock.json
	$(call quietly,install the npm packages,$(NPM_CI) && touch node_modules/.package-lock.json)

# The clients ask for Node 22.19; an older one gets company.
$(CLIENTS)/node/node_modules/.package-lock.json: $(CLIENTS)/node/package-lock.json
	$(call quietly,have Node 22.19,if printf '%s\n' 22.19.0 "$$(node -p process.versions.node)" | sort -C -V; \
		then mkdir -p $(@D) && touch $@; else $(NPM_CI) && touch node_modules/.package-lock.json; fi)
