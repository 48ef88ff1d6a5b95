# A step prints one line when it succeeds, and its whole output when it fails.

TOOLS    := .tools
GOLANGCI := $(TOOLS)/golangci-lint-v2.15.0/golangci-lint
RELEASER := $(TOOLS)/goreleaser-v2.17.0/goreleaser
SAM      := $(TOOLS)/sam-1.170.0/bin/sam
MOTO     := $(TOOLS)/moto-5.2.5/bin/moto_server
AWSCLI   := $(TOOLS)/awscli-1.46.3/bin/aws
DYNAMODB := $(TOOLS)/dynamodb-local/installed
CHROMIUM := $(or $(shell command -v chromium),/usr/bin/chromium)
E2E      := internal/proof/e2e
CLIENTS  := $(E2E)/clients
PACKAGES := $(CLIENTS)/node_modules/.package-lock.json $(CLIENTS)/node/node_modules/.package-lock.json \
            $(CLIENTS)/python/.venv/installed
NPM_CI    = cd $(@D)/.. && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error

# A find command for all files of this repository; add tests and actions.
every = find functions internal -name node_modules -prune -o
own   = $(every) -path '$(E2E)' -prune -o

# $(call quietly,name,command) runs a command and prints its output only if it fails. While the
# command runs, it prints a dot every 8 s, until the shell of the recipe ends.
quietly = @printf '%-44s ' '$(1)'; began=$$(date +%s); \
	{ while sleep 8 >/dev/null 2>&1 && kill -0 $$$$ 2>/dev/null; do printf .; done & } 2>/dev/null; dots=$$!; \
	said=$$({ $(2); } 2>&1); failed=$$?; { kill $$dots; wait $$dots; } 2>/dev/null; \
	if [ $$failed = 0 ]; then echo "ok, $$(($$(date +%s) - began)) s"; \
	else echo FAILED; printf '%s\n' "$$said"; exit 1; fi

# Every target that help lists is a command, not a file.
.PHONY: build-McpFunction build-OAuthFunction $(shell sed -nE 's/^([a-z0-9-]+):.*[#]{2} .*/\1/p' $(MAKEFILE_LIST))

##@ Daily work

help: ## List all targets
	@awk 'BEGIN { FS = ":.*## " } /^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z0-9-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Run the whole product on this machine, with a fictional company as Basecamp
	go run ./functions/local
test: ## Run the tests that take at most seconds (they need only Go)
	go test -short ./...
check: fmt systems lint race ## Run all checks that a change must pass
integration: gated e2e sam sam-local container ## Test with real stores, clients, a browser and SAM (needs npm, Python, Java, Maven)

##@ Parts of check

fmt: ## Check that all Go files are formatted by gofmt
	$(call quietly,gofmt,! gofmt -l $$($(every) -name '*.go' -print) 2>&1 | grep .)
# Only what names a system can differ between systems. The programs compile all other code.
systems: ## Check that all code, and tests that ask the system for something, compile for Windows and macOS
	$(call quietly,go vet for Windows and macOS,for os in windows darwin; do GOOS=$$os CGO_ENABLED=0 go vet ./functions/... \
		$$($(own) -name '*.go' -exec grep -lE '^//go:build.*(windows|unix|darwin|linux)|"syscall"|/x/sys/' {} + | xargs -n 1 dirname | \
		sort -u | sed 's|^|./|') || exit 1; done)
lint: $(GOLANGCI) ## Run golangci-lint, which includes go vet
	$(call quietly,golangci-lint,$(GOLANGCI) run --allow-parallel-runners ./... && \
		(cd $(E2E) && ../../../$(GOLANGCI) run --allow-parallel-runners --config ../../../.golangci.yml ./...))

# The race detector runs all tests of a package that starts goroutines. Of PARTLY, whose tests take long, it runs those
# whose names say that things happen at once. The tests of stacktest start programs without it.
PARTLY := $(addprefix internal/,app signin/authserver basecamp/basecamptools basecamp/richtext basecamp/sandbox catalog/tools)
raced  = $(filter-out $(PARTLY) internal/proof/stacktest,$(shell $(own) -name '*.go' -exec grep -lE '^\s*(defer )?go [a-z]|\.Go\b|AfterFunc\b' {} + | xargs -n 1 dirname | sort -u))
go_race = CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 go test -race -short -vet=off -timeout 30m

race: ## Run the tests of the packages that start goroutines with the race detector
	$(call quietly,go test -race of goroutines,$(go_race) $(addprefix ./,$(raced)) && \
		$(go_race) -run 'AtOnce|Concurrent|During|EveryTool|Instances|Meanwhile|OneProcess|Parallel|Rules_|Seat_|Survives|Together|Wherever' $(addprefix ./,$(PARTLY)))

##@ Parts of integration

# gated and e2e write logs with the names of all tests to $(TOOLS). .ci/run sets WAITING to the tests that go test ./...
# has skipped, so that no other runs twice.
gated_in = $(addprefix ./,$(shell $(own) -name '*_test.go' -exec grep -l '"INTEGRATION"' {} + | xargs -r -n 1 dirname | sort -u))

gated: $(MOTO) $(DYNAMODB) $(AWSCLI) $(PACKAGES) ## Run the module's own tests that need INTEGRATION=1
	$(if $(gated_in),$(call quietly,tests that wait for INTEGRATION=1,INTEGRATION=1 go test -count=1 -v -run "$${WAITING:-.}" \
		$(gated_in) > $(TOOLS)/gated.log || { grep -v -e '^=== ' -e '--- PASS' $(TOOLS)/gated.log; false; }))

e2e: $(PACKAGES) $(MOTO) $(DYNAMODB) $(CHROMIUM) ## Test the server with the conformance suite and real clients
	$(call quietly,conformance suite and real clients,cd $(E2E) && INTEGRATION=1 go test -count=1 -parallel 4 -v ./... \
		> ../../../$(TOOLS)/e2e.log || { grep -v -e '^=== ' -e '--- PASS' ../../../$(TOOLS)/e2e.log; false; })

# --build-in-source, because a copy of the source would include all of $(TOOLS).
sam: export SAM_CLI_TELEMETRY = 0
sam: export AWS_DEFAULT_REGION ?= us-east-1
sam: $(SAM) ## Validate and build the template
	$(call quietly,sam validate --lint,$(SAM) validate --lint)
	$(call quietly,sam build,$(SAM) build --build-in-source --no-cached --build-dir $(TOOLS)/sam-build)

##@ Occasional work

bench: ## Measure the size of definitions and answers, in bytes and tokens, and run every benchmark COUNT times
	@go test -count=1 -v -run '^(TestCatalog_StaysWithinItsBudget|TestAnswers_WeighSixKilobytesInTheMiddle)$$' ./internal/catalog/tools ./internal/basecamp/basecamptools | \
		sed -nE 's/^ +[a-z_]+\.go:[0-9]+: /# /p'
	@go test -run '^$$' -bench . -benchmem -benchtime 0.3s -count $(or $(COUNT),1) -timeout 20m \
		$$($(every) -name '*_test.go' -exec grep -l '^func Benchmark' {} + | xargs -n 1 dirname | sort -u | sed 's|^|./|')

jobs: ## Measure what a hundred requests of users cost an agent: calls, errors and tokens
	@said=$$(cd $(E2E) && INTEGRATION=1 go test -count=1 -parallel 4 -v -run '^(TestJobs|TestCatalog)_' .) || { printf '%s\n' "$$said"; exit 1; }; \
		printf '%s\n' "$$said" | grep -E '^ {8,}[^-]|tokens$$'

fuzz: ## Fuzz every target, or those that match ONLY, for FUZZTIME (30s, or runs such as 2000x) each
	@$(every) -name '*_test.go' -exec grep -HoE '^func ($(or $(ONLY),Fuzz\w+))\b' {} + | sed -E 's|/[^/]*:func | |' | sort | while read -r package target; do \
		printf '%-44s ' "$$target"; \
		if said=$$(go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(or $(FUZZTIME),30s) "./$$package" 2>&1); then echo ok; \
		else echo FAILED; printf '%s\n' "$$said"; exit 1; fi; \
	done
clean: ## Remove everything that other targets installed or built
	rm -rf $(TOOLS) .aws-sam dist $(CLIENTS)/node_modules $(CLIENTS)/node/node_modules

##@ Deployment

# The version is the tag: v1.2.3, v1.2.3-4-gabcdef four commits later, dev without a tag.
VERSION := $(shell git describe --tags --match 'v[0-9]*' 2>/dev/null | grep -xE 'v[0-9A-Za-z.+-]+' || echo dev)
STAMP   := -X basecamp-mcp/internal/config/version.tag=$(VERSION)

# Build flags for Lambda. Without symbols and the unused net/rpc, the binary has half the size and
# starts faster. -buildvcs=false makes every checkout of a tag produce the same binary.
LAMBDA_GOARCH := arm64
LAMBDA_FLAGS := -trimpath -buildvcs=false -tags lambda.norpc -ldflags "-s -w $(STAMP)"

# Values reach the commands in environment variables, so that neither make nor a shell reads them: make would
# expand a $ in them, and value prevents it. The make of sam build must not have them on its command line.
ifneq ($(filter deploy,$(MAKECMDGOALS)),)
$(if $(filter-out deploy,$(MAKECMDGOALS)),$(error make deploy takes only Name=value))
named := $(strip $(foreach name,$(.VARIABLES),$(if $(findstring command,$(origin $(name))),$(name))))
$(foreach name,$(named),$(eval override $(name) := $$(value $(name)))$(eval export $(name)))
# $(call given,quote) lists the parameters with their values in these quotes.
given = $(foreach name,$(filter-out STACK,$(named)),"$(patsubst ACCOUNTS,AllowedAccounts,$(patsubst CONTACT,UserAgentContact,$(name)))=$(1)$$$(name)$(1)")
endif

# Without the stack, the command asks for the parameters that have no default. CloudFormation keeps the others.
deploy: ## Deploy to AWS, or upgrade: make deploy ACCOUNTS=1234567 CONTACT=you@example.com
	@unset MAKEFLAGS MFLAGS; : "$${STACK:=basecamp-mcp}"; said=$$(aws cloudformation describe-stacks --stack-name "$$STACK" 2>&1 >/dev/null) || \
		case $$said in *'does not exist'*) new=-new ;; *) printf '%s\n' "$$said" >&2; exit 1 ;; esac; \
	echo 'Checking the parameters; the first time, Go compiles for about two minutes.'; \
	go run ./functions/local check $$new $(given) && sam build && sam deploy --stack-name "$$STACK" $(if $(given),--parameter-overrides $(call given,\"))

# sam build calls build-<LogicalId> for each function of template.yaml.
for_lambda = CGO_ENABLED=0 GOOS=linux GOARCH=$(LAMBDA_GOARCH) go build $(LAMBDA_FLAGS) -o "$(ARTIFACTS_DIR)/bootstrap"

build-McpFunction: ; $(for_lambda) ./functions/mcp
build-OAuthFunction: ; $(for_lambda) ./functions/oauth

# Without PUBLISH=1, GoReleaser publishes nothing.
release: $(RELEASER) ## Write a release to dist/: programs, desktop bundles, functions, checksums; with OWNER, server.json
	$(if $(PUBLISH),@release/hooks.py notes '$(VERSION)' > $(TOOLS)/notes.md)
	$(call quietly,goreleaser,VERSION='$(VERSION)' OWNER='$(OWNER)' $(RELEASER) release --clean \
		$(if $(PUBLISH),--release-notes $(TOOLS)/notes.md,--snapshot))
	@cat dist/checksums.txt

credentials: ## Ask for the application's client ID and secret, and store them: make credentials (GITHUB=https://github.com VERIFY=1)
	@GITHUB='$(GITHUB)' VERIFY='$(VERIFY)' functions/local/stack.sh credentials '$(or $(STACK),basecamp-mcp)'
users: ## List the users of a stack (STACK=basecamp-mcp)
	@functions/local/stack.sh users '$(or $(STACK),basecamp-mcp)'
end-access: ## End all access of a user of a stack: make end-access USER=37s:1049715914 (STACK=basecamp-mcp)
	@functions/local/stack.sh end-access '$(or $(STACK),basecamp-mcp)' '$(USER)'
smoke: ## Check a deployment from outside: make smoke URL=https://...
	@go run ./internal/proof/smoke $(URL)
sam-local: $(SAM) ## Test all events with sam local, in containers
	$(call quietly,sam local invoke and start-api,SAM=$(CURDIR)/$(SAM) .ci/sam-local go test -count=1 -parallel 2 -v -run SamLocal ./internal/proof/stacktest \
		> $(TOOLS)/sam-local.log 2>&1 || { grep -v -e '^=== ' -e '--- PASS' $(TOOLS)/sam-local.log; false; })
container: ## Build the container image basecamp-mcp without the internet and run it once; skipped without a container engine
	@printf '%-44s ' 'container image'; .ci/container '$(VERSION)'
purge: ## List the secrets, key rings and tables that a stack left (DELETE=1 deletes the secrets): make purge STACK=name
	@functions/local/purge.sh '$(STACK)' $(if $(filter 1,$(DELETE)),--delete)

# They are installed once, in directories that git ignores.
tools: $(GOLANGCI) $(SAM) $(MOTO) $(AWSCLI) $(DYNAMODB) $(CHROMIUM) $(PACKAGES) ## Install the tools for check and integration

go_install = $(call quietly,install $(notdir $@) $*,GOBIN=$(CURDIR)/$(@D) go install $(1)@$*)
pip_install = $(call quietly,install $(1) $*,python3 -m venv $(patsubst %/bin,%,$(@D)) && $(@D)/pip install --quiet --no-compile '$(1)==$*')

$(TOOLS)/golangci-lint-%/golangci-lint: ; $(call go_install,github.com/golangci/golangci-lint/v2/cmd/golangci-lint)
$(TOOLS)/goreleaser-%/goreleaser: ; $(call go_install,github.com/goreleaser/goreleaser/v2)
$(TOOLS)/sam-%/bin/sam: ; $(call pip_install,aws-sam-cli)
$(TOOLS)/moto-%/bin/moto_server: ; $(call pip_install,moto[server])
$(TOOLS)/awscli-%/bin/aws: ; $(call pip_install,awscli)

# Install into an empty directory, because every file there is on the class path.
$(DYNAMODB): internal/store/dynamo/dynamotest/pom.xml
	$(call quietly,install DynamoDB Local,rm -rf $(@D) && mvn --batch-mode --quiet --file $< dependency:copy-dependencies \
		-DincludeScope=runtime -DoutputDirectory=$(CURDIR)/$(@D) && touch $@)

$(CHROMIUM):
	$(call quietly,install chromium,test "$$(id -u)" = 0 || { echo 'chromium is missing: apt-get install chromium'; false; } && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium)

$(CLIENTS)/node_modules/.package-lock.json: $(CLIENTS)/package-lock.json
	$(call quietly,install the npm packages,$(NPM_CI) && touch node_modules/.package-lock.json)

# The clients need Node 22.19. If node is older, install a newer one next to it.
$(CLIENTS)/node/node_modules/.package-lock.json: $(CLIENTS)/node/package-lock.json
	$(call quietly,have Node 22.19,if printf '%s\n' 22.19.0 "$$(node -p process.versions.node)" | sort -C -V; \
		then mkdir -p $(@D) && touch $@; else $(NPM_CI) && touch node_modules/.package-lock.json; fi)

$(CLIENTS)/python/.venv/installed: $(CLIENTS)/python/requirements.txt
	$(call quietly,install the Python clients,python3 -m venv $(@D) && $(@D)/bin/pip install --quiet --no-compile --only-binary :all: -r $< && touch $@)
