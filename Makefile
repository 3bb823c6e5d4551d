# The commands of the project. On a fresh Debian 12 machine `make demo` and `make test` do
# everything, the installation of Debian packages included.
#
#   make               build everything: build/bin/ricercar, the tests but those of `make sanitize`, the suites
#   make tool          only what programs with threads need
#   make demo          find a bug, explain it, replay it
#   make test          everything that has to pass before a commit
#   make bench         speed, and how soon bugs are found; writes docs/BENCHMARKS.md
#   make bench-gambit  the tables of the paper on best-first search; the same document
#   make bench-delaying  the table of the paper on delaying explorers, and the speed of machines
#                        (bench-delaying-short: with short limits)
#   make bench-hapset  the tables of the paper on coverage of statements (searches of 10 seconds, or LIMIT=120)
#   make bench-hapset-real  the same searches on programs from Debian's sources with planted bugs
#   make bench-dara    the figures of the thesis on Dara, and planted bugs of clusters; hours (or PARTS="strategies costs speed")
#   make bench-minimise  how short minimised executions are, against those with the fewest preemptions; half an hour
#   make bench-real    programs from Debian's sources (all, or PACKAGES="lmdb nng"); docs/real-programs.md
#   make docs          put the tool's output of today into the documents
#   make pictures      take the pictures of the page of a bug again (docs/viewer-*.png)
#   make site          the documents as static HTML in build/site (installs mkdocs, which nothing else needs)
#   make format        format the code               make check-format  only say what is not
#   make lint          clang-tidy and cppcheck       make lint-fast     the part that make test runs
#   make sanitize      our own unit tests with the address and undefined-behaviour sanitizers
#   make install       install to PREFIX (default /usr/local)
#   make deb           a Debian package in build/deb; make check-deb installs, tries and removes it (as root)
#   make check-sarif   what is written as SARIF, against the schema (from Debian's sources)
#   make deps          install the Debian packages that are missing
#   make clean         remove every build folder

BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

CMAKE = cmake -G Ninja -S .
# Many tests wait for something: twice as many at a time as there are cores.
CTEST = ctest --output-on-failure -j$$((2 * $(JOBS))) --test-dir

.NOTPARALLEL:
.PHONY: all tool deps browser demo test test-clang bench bench-gambit bench-delaying bench-delaying-short bench-hapset bench-hapset-real bench-dara bench-minimise bench-real docs pictures site format check-format check-layers lint-commands lint lint-fast sanitize install deb check-deb check-sarif clean

all: $(BUILD)/build.ninja
	cmake --build $(BUILD) -j$(JOBS)

$(BUILD)/build.ninja: | deps
	$(CMAKE) -B $(BUILD)

deps:
	@scripts/install-packages

# What the tests of the page need, and nothing else does.
browser:
	@scripts/install-packages chromium chromium-driver python3

# Only what a user needs: no tests.
tool: $(BUILD)/build.ninja
	cmake --build $(BUILD) -j$(JOBS) --target ricercar ricercar_runtime ricercar_program

demo: tool
	@examples/demo.sh $(BUILD)/bin/ricercar

# Two lines of work at a time, because each has moments in which it needs one core only. The complete test run
# comes last and alone: some of its tests look at times, and its closing line ends the output.
test: | deps browser
	@scripts/side-by-side \
	  build '$(MAKE) --no-print-directory all test-clang' \
	  check '$(MAKE) --no-print-directory check-format check-layers sanitize lint-fast'
	$(CTEST) $(BUILD)

CLANG = -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++

# The tool and the libraries are built with the other compiler too, and so are the unit tests that the
# sanitizers cannot watch; `sanitize` builds the others. The test programs go through both compilers in the
# tests of the first build. Optimising takes half of clang's time, and it is not the tool's speed that is
# looked at here.
test-clang: | deps
	$(CMAKE) -B build-clang $(CLANG) -DRICERCAR_SUITES=OFF -DRICERCAR_OPTIMISE=OFF
	cmake --build build-clang -j$(JOBS) --target ricercar ricercar_runtime ricercar_program ricercar_machines unit_tests
	$(CTEST) build-clang -L unit

build-sanitize/build.ninja: | deps
	$(CMAKE) -B build-sanitize $(CLANG) -DRICERCAR_SANITIZE=ON

sanitize: build-sanitize/build.ninja
	cmake --build build-sanitize -j$(JOBS) --target unit_tests
	$(CTEST) build-sanitize -L unit

bench: all
	cmake --build $(BUILD) -j$(JOBS) --target bench_engine
	cmake --build $(BUILD) -j$(JOBS) --target bench_compute
	cmake --build $(BUILD) -j$(JOBS) --target bench_jobs
	cmake --build $(BUILD) -j$(JOBS) --target bench_samplers
	cmake --build $(BUILD) -j$(JOBS) --target bench_strategies
	cmake --build $(BUILD) -j$(JOBS) --target bench_points
	cmake --build $(BUILD) -j$(JOBS) --target bench_reduction
	cmake --build $(BUILD) -j$(JOBS) --target bench_deploy

# Takes some minutes: Table 2 of the paper, with 26 searches for each bug, and its Figure 5.
bench-gambit: all
	cmake --build $(BUILD) -j$(JOBS) --target bench_gambit

# Takes many hours: Table 1 of the paper, with 34 searches for each bug of a minute, or three if they
# are exhaustive; then the speed of machines, next to spin's if it is installed. The short form has
# 8 and 24 seconds and takes up to two and a half hours.
bench-delaying-short: export RICERCAR_BENCH_SECONDS = 8
bench-delaying bench-delaying-short: all
	cmake --build $(BUILD) -j$(JOBS) --target bench_delaying
	cmake --build $(BUILD) -j$(JOBS) --target bench_machines

# Tables 1 to 5 of the paper and all of tests/programs/bug: half an hour with searches of 10 seconds at most, some
# hours with LIMIT=120, which is what the document has. KEEP=keep goes on where it was interrupted.
LIMIT ?= 10
bench-hapset: all
	cmake --build $(BUILD) -j$(JOBS) --target bench_hapset
	$(BUILD)/bin/hapset_tables_bench $(BUILD)/bin/ricercar $(BUILD)/bin/hapset bench/suites/hapset tests \
	  $(BUILD)/bench/suites/hapset/tables docs/BENCHMARKS.md $(LIMIT) $(KEEP)

# Some minutes for the figures; the table of planted bugs takes hours, and goes on where it was interrupted. PARTS may
# name strategies, costs, speed, bugs, and single systems or bugs as raft:no_sync, which are only printed; SEEDS=3.
SEEDS ?= 20
bench-dara: all
	cmake --build $(BUILD) -j$(JOBS) --target bench_dara
	$(BUILD)/bin/dara_bench $(BUILD)/bin/ricercar bench/suites/nodes $(BUILD)/bin/nodes $(BUILD)/bin/dara \
	  $(BUILD)/bench/dara/work docs --seeds=$(SEEDS) $(PARTS)

# About half an hour; goes on where it was interrupted (build/bench/minimise/searches.jsonl).
bench-minimise: all
	cmake --build $(BUILD) -j$(JOBS) --target bench_minimise

# Takes an hour or two: fetches each package's source, builds it under control and searches it.
bench-real: all
	scripts/install-packages $$(bench/real/bench_real --needs)
	bench/real/bench_real $(BUILD)/bin/ricercar $(BUILD)/real docs/real-programs.md $(PACKAGES)

# Fetches Apache Thrift, pbzip2 and lbzip2 from Debian's sources, plants bugs, and searches: a table of docs/BENCHMARKS.md.
bench-hapset-real: all
	scripts/install-packages dpkg-dev patch
	bench/hapset_real/bench_hapset_real $(BUILD)/bin/ricercar $(BUILD)/hapset_real docs/BENCHMARKS.md $(LIMIT) $(SUBJECTS)

docs: all
	scripts/refresh-documents $(BUILD)/bin/ricercar

# The pictures of the page; look at them before you commit them.
pictures: all browser
	tests/browser/pictures.py $(BUILD)/bin/ricercar $(CXX) docs

site:
	@scripts/install-packages mkdocs python3-pygments
	mkdocs build --strict --quiet --site-dir $(BUILD)/site
	scripts/check-site $(BUILD)/site

format: | deps
	scripts/list-sources | xargs -d '\n' clang-format -i

check-format: | deps
	scripts/list-sources | xargs -d '\n' clang-format --dry-run -Werror

# The order of the folders, their namespaces, and no two types of one name.
check-layers:
	scripts/check-layers

# Nothing is compiled there; one source file is made. The commands are those of single files, without precompiled headers, so that
# `make lint` notices a file which forgets an #include; and, for the fast check, of many files at a time.
lint-commands: | deps
	$(CMAKE) -B build-lint -DRICERCAR_PRECOMPILE=OFF -DRICERCAR_UNITY=OFF
	$(CMAKE) -B build-lint/groups -DRICERCAR_PRECOMPILE=OFF -DRICERCAR_UNITY_FILES=30
	cmake --build build-lint --target src/tool/report/viewer.cc
	cmake --build build-lint/groups --target src/tool/report/viewer.cc

lint: lint-commands
	scripts/lint build-lint full $(JOBS)

lint-fast: lint-commands
	scripts/lint build-lint fast $(JOBS)

install: all
	cmake --install $(BUILD) --prefix $(PREFIX)

deb: all
	scripts/install-packages dpkg-dev lintian
	scripts/make-deb $(BUILD)

check-sarif: tool
	@scripts/install-packages dpkg-dev python3-jsonschema
	scripts/check-sarif $(BUILD)/bin/ricercar $(BUILD)/sarif

check-deb: deb
	scripts/check-deb $(BUILD)

clean:
	rm -rf $(BUILD) build-clang build-lint build-sanitize
