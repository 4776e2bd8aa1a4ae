# Everything a developer or CI does with keyplan. `make` lists it.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
RELEASE := -c release --static-swift-stdlib
# No path of the machine that builds it is in the program, so that it is the same wherever it is built.
RELEASE += -Xcc -ffile-prefix-map=$(CURDIR)=. -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=.
# Types that are known here are made by what the compiler knows of them, not by looking through all conformances at each start.
RELEASE += -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
# Objects contain a hash for incremental builds. It differs between builds, and would be the only difference.
RELEASE += -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
ifeq ($(shell uname -s),Linux)
# No library is looked for beside the program, and none of its symbols is offered to others: both cost each start, and the
# first would let a file in the program's directory into it. What only debuggers read, two thirds of the file, is left out
# (`swift build -c release` has it for profiles). The C++ library, libyaml and SQLite are linked in where their archives can be had.
RELEASE += --disable-local-rpath -Xlinker --no-export-dynamic -Xlinker -s
RELEASE += -Xlinker -L$(CURDIR)/.build-static --pkg-config-path $(CURDIR)/.build-static
# What the loader has filled in is read-only afterwards.
RELEASE += -Xlinker -z -Xlinker now
# Functions that everyday commands run are side by side, so that a command reads less of the program: scripts/function-order.py.
RELEASE += -Xswiftc -cross-module-optimization
RELEASE += -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections
RELEASE += -Xlinker --section-ordering-file=$(CURDIR)/packaging/function-order.txt
endif

# The scratch environment that `setup-test` makes: tests check keyplan's files with implementations that are not its own.
export KEYPLAN_TEST_PYTHON := $(CURDIR)/.build-venv/bin/python

.PHONY: help api setup setup-test build release release-check dist dist-check demo test check torture fuzz sanitize lint counts bench install

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install the Debian packages that are missing (root or passwordless sudo; otherwise says what to run)
	@scripts/setup.sh
	@scripts/pin-packages.py

setup-test: ## Make the Python environment that tests check against, in .build-venv/
	@scripts/setup-test.sh

build: setup ## Build for debugging
	swift build

release: setup ## Build for use, the runtimes of Swift and C++ linked in
	@scripts/static-libraries.sh .build-static
	swift build $(RELEASE)

demo: setup ## Build, then run the quick start as a new user would
	swift build --product keyplan
	PATH="$$(swift build --show-bin-path):$$PATH" examples/quickstart/demo.sh

test: setup setup-test ## Run all tests but the slow proofs (10 to 20 minutes once built)
	swift build --product keyplan
	@scripts/test.sh

check: ## What CI runs: lint, tests, a slice of every second slow proof, the release program (35 minutes from a clean clone on two idle cores)
	@scripts/check.sh

torture: setup setup-test ## Run the slow proofs in full: every fault at every system call (hours)
	swift build --product keyplan
	KEYPLAN_TEST_FAULTS=all scripts/test.sh --filter 'TamperingTests|SavedPlanTests|PinFileTests|FileTests|CorpusTests'
	KEYPLAN_TEST_FAULTS=all KEYPLAN_TEST_MINUTES=600 scripts/test.sh --proofs
	scripts/fuzz.sh

fuzz: setup ## Run each parser under libFuzzer and AddressSanitizer, 1,000,000 executions (FUZZ="--runs N --only NAME")
	@scripts/fuzz.sh $(FUZZ)

sanitize: setup setup-test ## Run the tests of C wrappers and parsers under AddressSanitizer, of shared state under ThreadSanitizer
	@scripts/sanitize.sh

release-check: release ## Run the quick start with the release program
	@scripts/release-check.sh "$$(swift build $(RELEASE) --show-bin-path)/keyplan"

dist: release ## Pack the release program into dist/: archive, .deb, .rpm, checksums, SBOM
	@scripts/setup-dist.sh
	@scripts/dist.sh "$$(swift build $(RELEASE) --show-bin-path)/keyplan"
	@scripts/packaging-check.sh

dist-check: dist ## Run what was packed in bare roots; build twice, and compare the bytes (30 minutes; root, some gigabytes)
	@scripts/dist-check.sh

lint: ## Check format and style of all Swift files, and the table of descriptions
	swift format lint --strict --recursive Sources Tests Package.swift
	@scripts/descriptions.py --check

api: ## Compare what the products offer with api/ (API=--record writes it)
	swift build
	@scripts/api.py $(API)

counts: release ## Compare the instruction counts of everyday commands with Benchmarks/counts.txt (COUNTS=--record writes it)
	@scripts/counts.sh "$$(swift build $(RELEASE) --show-bin-path)/keyplan" $(COUNTS)

bench: release ## Measure, beside Terraform, sops and fnox as far as they can be had
	@scripts/setup-bench.sh
	PATH="$$(swift build $(RELEASE) --show-bin-path):$(CURDIR)/.build-peers:$$PATH" Benchmarks/run.sh $(BENCH)

install: release ## Install the program, its completions and man pages under PREFIX (default /usr/local)
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install.sh "$$(swift build $(RELEASE) --show-bin-path)/keyplan"
