# All commands run in .venv, which is created on first use from the hashed lock files in
# requirements/.

SHELL := /bin/bash
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
# The lock files are complete, so pip need not resolve anything.
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes
TORCH_CPU := 2.13.0+cpu
# A file stays in one process, because its tests share what is slow to start. Three processes on two
# cores, because much of the time a test waits for a clock or a browser; quick tests do not wait.
# tests/conftest.py orders the files.
IN_PARALLEL := -n 3 --dist loadfile --no-loadscope-reorder
TEMPLATES := template.yaml observability.yaml

.PHONY: help demo serve test test-long test-all quick check format benchmark soak load load-service scoreboard peers picture image image-test service-image audit pin check-template build-environment triton-environment lock clean

help: ## List the commands.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 20

demo: .venv/development ## Run the bot with a local Slack and a local AWS.
	@$(BIN)/toxic-bot demo

serve: .venv/development ## Serve verdicts over HTTP on this machine, with a page to try them on.
	@$(BIN)/toxic-bot serve

test: check build-environment ## Run all checks and all but the long tests: a few minutes.
	@$(BIN)/python -m pytest $(IN_PARALLEL) -m "not long"

test-long: build-environment triton-environment ## Run the long tests: soak, Triton, Ray, training, the page in every state.
	@$(BIN)/python -m pytest $(IN_PARALLEL) -m long

test-all: test test-long ## Run all checks and all tests.

quick: .venv/development ## Run the tests that finish in under a minute; none of model_build.
	@$(BIN)/python -m pytest $(IN_PARALLEL) -n 2 -m "not slow" --ignore tests/model_build

check: .venv/development ## Lint, type-check, and check the imports between rooms.
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

format: .venv/development ## Format the code.
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

benchmark: .venv/development ## Time cold and warm answers on this machine.
	@$(BIN)/python -m benchmarks answer

soak: .venv/development ## Expose thousands of reactions and watched messages to faults, and account for all; SEED=1 repeats a plan.
	@$(BIN)/python -m benchmarks soak --reactions 10000 --real-time $(if $(SEED),--seed $(SEED))
	@$(BIN)/python -m benchmarks soak --home socket --reactions 3000 $(if $(SEED),--seed $(SEED))
	@$(BIN)/python -m benchmarks soak --home listen --reactions 3000 $(if $(SEED),--seed $(SEED))
	@$(BIN)/python -m benchmarks soak --home socket --watched 1000 $(if $(SEED),--seed $(SEED))
	@$(BIN)/python -m benchmarks soak --home listen --watched 1000 $(if $(SEED),--seed $(SEED))

load: .venv/development ## Find how much load the bot and its classifier sustain, and at what cost.
	@$(BIN)/python -m benchmarks load --messages 100000
	@$(BIN)/python -m benchmarks reactions --burst 300
	@$(BIN)/python -m benchmarks reactions --burst 300 --home socket
	@$(BIN)/python -m benchmarks reactions --burst 300 --home listen
	@$(BIN)/python -m benchmarks reactions --find-limit --seconds 10
	@$(BIN)/python -m benchmarks reactions --find-limit --seconds 10 --home socket
	@$(BIN)/python -m benchmarks reactions --find-limit --seconds 10 --home listen
	@echo "The results are in build/load/README.md"

load-service: build-environment .venv/locust ## Put the service and a PyTorch peer under load, alternating.
	@$(BIN)/python -m benchmarks service

scoreboard: .venv/development peers ## Compare with other classifiers on public rows, in docs/scoreboard.md.
	@$(BIN)/python -m benchmarks scoreboard $(if $(DATA),--data $(DATA))

picture: .venv/development ## Retake the docs' pictures of the page, with Chromium.
	@$(BIN)/python -m simulators.picture page docs/page.png
	@$(BIN)/python -m simulators.picture private docs/private.png
	@$(BIN)/python -m simulators.picture settings docs/settings.png
	@$(BIN)/python -m simulators.picture report docs/report.png
	@$(BIN)/python -m simulators.picture home docs/home.png
	@$(BIN)/python -m simulators.picture digest docs/digest.png
	@$(BIN)/python -m simulators.picture cases docs/cases.png

image: ## Build the Lambda images with Docker or buildah. Needs no packages.
	@test -n "$(PYTHON)" || { echo "error: Python 3.11 or later is missing: install it, or run make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -m image build

image-test: .venv/development ## Build the bot's images, run them as Lambda does, and kill the one without AWS in a burst.
	@$(BIN)/python -m image test $(if $(IF_POSSIBLE),--if-possible)

service-image: .venv/development ## Build the service image and check that it gives verdicts.
	@$(BIN)/python -m image service $(if $(IF_POSSIBLE),--if-possible)

audit: .venv/development .venv/audit ## Look for known vulnerabilities, and list the shipped packages with their licenses.
	@$(BIN)/python -m image licences
	@# It warns that a lock file does not say which package needs which.
	@PYTHONWARNINGS=ignore .venv/audit/bin/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible \
		-o build/sbom.json requirements/runtime.txt
	@echo "wrote build/sbom.json"
	@$(BIN)/python -m image audit

pin: .venv/development ## Pin AWS's base image to today's digest, or update the pin.
	@$(BIN)/python -m image pin

check-template: .venv/development .venv/sam .venv/checkov ## Check both templates: cfn-lint, sam validate, checkov.
	@$(BIN)/cfn-lint $(TEMPLATES)
	@for file in $(TEMPLATES); do \
		SAM_CLI_TELEMETRY=0 .venv/sam/bin/sam validate --lint --template $$file && \
		.venv/checkov/bin/checkov --file $$file --framework cloudformation --compact --quiet --skip-download || exit 1; \
	done

# Their dependencies conflict with each other's and the bot's, so each has its own environment.
PEERS := .venv/alt-profanity-check .venv/better-profanity .venv/glin-profanity .venv/tox-block
.venv/sam .venv/checkov .venv/triton .venv/locust .venv/optimum .venv/ray .venv/audit $(PEERS): .venv/%: requirements/%.txt | .venv/development
	@echo "Installing $* into $@ (about a minute, once)"
	@rm -rf $@ && $(BIN)/python -m venv $@
	@$@/bin/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r $< || { rm -rf $@; exit 1; }
	@touch $@

# development.txt includes the dependencies of the runtime and of the service.
.venv/development: requirements/development.txt requirements/emulator.txt requirements/accessibility.txt
	@test -n "$(PYTHON)" || { echo "error: Python 3.11 or later is missing: install it, or run make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "error: $(PYTHON) is older than Python 3.11: run make PYTHON=/path/to/a/newer/python"; exit 1; }
	@echo "Installing the dependencies into .venv (about a minute, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(INSTALL) -r requirements/development.txt -r requirements/emulator.txt -r requirements/accessibility.txt
	@# 'compat' adds this folder to the path; the default import hook would slow down every command.
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation \
		--config-settings editable_mode=compat --editable .
	@touch $@

# What cannot be installed is left out of the scoreboard, which says so.
peers: .venv/development ## Install the scoreboard's peers, each into an environment of its own.
	@for peer in $(PEERS); do $(MAKE) --no-print-directory $$peer || true; done

# PyTorch is large, so it is installed only if pip finds its CPU build, or with BUILD=1. Without it,
# the tests of model_build are skipped.
build-environment: .venv/development
	@if [ ! -e .venv/build ] || [ requirements/build.txt -nt .venv/build ]; then \
		if $(BIN)/python -m pip download --quiet --no-deps --no-cache-dir -d .venv/torch "torch==$(TORCH_CPU)" >/dev/null 2>&1; then \
			echo "Installing the dependencies of model_build into .venv (about a minute, once)"; \
			$(INSTALL) --find-links .venv/torch -r requirements/build-cpu.txt && rm -rf .venv/torch && touch .venv/build; \
		elif [ -n "$(BUILD)" ]; then \
			echo "Installing the dependencies of model_build into .venv (several gigabytes, once)"; \
			$(INSTALL) -r requirements/build.txt && touch .venv/build; \
		else \
			echo "found no CPU build of PyTorch, so the tests of model_build are skipped: run 'make test BUILD=1' to install the full build"; \
		fi; \
	fi

# Triton's server comes in a wheel for x86-64 and NumPy 1. Without it, its tests are skipped.
triton-environment: .venv/development
	@$(MAKE) --no-print-directory .venv/triton 2>/dev/null || \
		echo "Triton's server cannot be installed here, so its tests are skipped: 'make .venv/triton' says why"

COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

lock: .venv/development ## Update the lock files from pyproject.toml.
	@$(COMPILE) --override requirements/unused.txt --extra lambda pyproject.toml -o requirements/runtime.txt
	@$(COMPILE) --extra development -c requirements/runtime.txt pyproject.toml -o requirements/development.txt
	@$(COMPILE) --override requirements/unused.txt --extra service -c requirements/development.txt pyproject.toml -o requirements/service.txt
	@$(COMPILE) --override requirements/unused.txt --extra slack -c requirements/development.txt pyproject.toml -o requirements/slack.txt
	@$(COMPILE) --override requirements/unused.txt --extra ray -c requirements/development.txt pyproject.toml -o requirements/ray.txt
	@echo 'aws-sam-cli>=1.170' | $(COMPILE) --no-deps - -o requirements/emulator.txt
	@echo 'axe-playwright-python>=0.1.8' | $(COMPILE) --no-deps - -o requirements/accessibility.txt
	@echo 'aws-sam-cli' | $(COMPILE) - -o requirements/sam.txt
	@echo 'checkov' | $(COMPILE) - -o requirements/checkov.txt
	@echo 'locust>=2.47' | $(COMPILE) - -o requirements/locust.txt
	@# It needs an older transformers than model_build.
	@echo 'optimum-onnx[onnxruntime]==0.1.0' | $(COMPILE) - -o requirements/optimum.txt
	@for peer in alt-profanity-check better-profanity glin-profanity; do \
		echo $$peer | $(COMPILE) - -o requirements/$$peer.txt; \
	done
	@# Its files are of Keras 2, which it does not ask for.
	@printf '%s\n' tox-block keras-preprocessing tensorflow tf-keras | $(COMPILE) - -o requirements/tox-block.txt
	@printf '%s\n' pip-audit cyclonedx-bom | $(COMPILE) - -o requirements/audit.txt
	@printf '%s\n' 'nvidia-pytriton>=0.7' 'tritonclient[grpc,http]>=2.73' cld3-py numpy onnxruntime tokenizers | \
		$(COMPILE) --override requirements/unused.txt --override requirements/triton-only.txt \
		-c <(grep -E '^(cld3-py|onnxruntime|tokenizers)==' requirements/runtime.txt | sed 's/ \\$$//') \
		- -o requirements/triton.txt
	@$(COMPILE) --extra build -c requirements/development.txt pyproject.toml -o requirements/build.txt
	@# Look for the CPU build where pip does.
	@echo 'torch==$(TORCH_CPU)' | UV_FIND_LINKS="$$PIP_FIND_LINKS" $(COMPILE) --override requirements/cuda.txt -c requirements/build.txt \
		--extra build pyproject.toml - -o requirements/build-cpu.txt

clean: ## Remove everything that these commands create.
	rm -rf .venv build *.egg-info .mypy_cache .import_linter_cache .ruff_cache .pytest_cache .hypothesis .aws-sam
