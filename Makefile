# make (all)     the program, build/tracefolio     make test    unit and whole-program tests
# make demo      sample traces, one analysed        make deps    install missing packages
# make check-asan       the tests under ASan and UBSan
# make check-asan-traces  every command over ../shared/traces under the same (skipped without it)
# make tsan      threaded code and whole runs under ThreadSanitizer
# make fuzz      libFuzzer on readers, whole run, templates and extensions, FUZZ_SECONDS each;
#                fuzz-read without whole runs
#                (skipped without clang or libFuzzer)
# make check-reference  tables against ../shared/traces (skipped without it)
# make check-compare    comparisons against ../shared/traces (same)
# make check-job        jobs of many ranks against ../shared (same)
# make check-clusters   the guide's forms for Slurm, Dask and GNU parallel, each if it is installed
# make check-emulated   the archive of `make portable ARCH=arm64`, run here by qemu
# make check-vectors    perf models against ../shared/spec (same)
# make check-evals      figures of small cases against ../shared/evals (same)
# make check-rubric     the reports of every trace and sample against the rubric
# make check-says       what traces say besides times, against an independent reading (same)
# make check-idle       idle time and advice of ../shared/traces, against an independent reading (same)
# make check-pairs      what a change saves as told before and as measured after, a table (same)
# make check-whatif     the replay of changed runs against an independent one (same)
# make accuracy         how often gates of compare fail, and what job says of planted faults, as tables
# make check-plants     mistakes that unit tests must catch, planted one after the other
# make check-replay     replay packages of ../shared/traces, run on the CPU (same)
# make check-traces     every trace of ../shared/traces, damaged ones too (same)
# make check-truth      shares of every page add up, and pages agree (same)
# make test-site  the pages in a browser, with axe, Nu and fixed budgets; a part of make test
#                 (skipped without chromium, node or java, and with SITE_TESTS=no)
# make check-doublings  time and memory grow no faster than traces
# make bench     time and memory of a whole run, next to gzip -dc
# make install   under PREFIX, in DESTDIR          make uninstall  undo it
# make deb       a Debian package, build/tracefolio_*.deb; for arm64 elsewhere: ARCH=arm64
# make wheel     the portable program and a module for Python, build/tracefolio-*.whl (same)
# make portable  the program with all that it needs, for any Linux, build/tracefolio-*.tar.gz (same)
# make release   all of these for both processors, sources, documentation, SBOM: build/release
# make check-release    the same release again, from a clone: the same bytes
# make format    clang-format the sources          make layers  the include picture of src/README.md
# make bless     update tests/golden/*/want         make clean     make help  this list
#
# WERROR=1 makes warnings errors; V=1 shows the commands; B=DIR builds there; CC=clang.
# PACKAGED=yes builds a program to pass on: no library inside.

# Written there alone.
VERSION := $(shell sed -n 's/^\#define TRACEFOLIO_VERSION "\(.*\)"$$/\1/p' src/base/version.h)

# ARCH=arm64 builds for that processor on another: with its packages, in SYSROOT, and programs of
# its own that the build runs under EMULATE. `make portable ARCH=arm64` sets it up.
ifeq ($(ARCH),arm64)
CROSS := aarch64-linux-gnu-
SYSROOT := build/sysroot-arm64
EMULATE := qemu-aarch64-static -L $(SYSROOT)
FOR_ARCH := $(SYSROOT) $(ARCH)
DEB_BUILD := build/deb-arm64
PKG_CONFIG := env PKG_CONFIG_SYSROOT_DIR=$(CURDIR)/$(SYSROOT) PKG_CONFIG_LIBDIR=$(CURDIR)/$(SYSROOT)/usr/lib/aarch64-linux-gnu/pkgconfig:$(CURDIR)/$(SYSROOT)/usr/share/pkgconfig \
	pkg-config
B ?= build/arm64
endif
B ?= build
PKG_CONFIG ?= pkg-config
ifeq ($(origin CC),default)
CC := $(CROSS)gcc$(if $(CROSS), --sysroot=$(CURDIR)/$(SYSROOT))
endif
CFLAGS ?= -O3 -g
PREFIX ?= /usr/local
PYTHON ?= python3
SHARED ?= ../shared

# Every Debian package that the program and its tests need.
include .ci/packages.mk

PKGS := libcjson zlib libcmark libpng cairo freetype2 minizip nettle lua5.4 \
	libisal sqlite3 libzstd
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion \
	-Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wundef \
	-Wdouble-promotion -Wformat=2 -Wvla -Wcast-align -Wcast-qual \
	$(if $(WERROR),-Werror)

# Looked up when first used, so that `make deps` runs on a machine without pkg-config.
# Missing packages give one line, instead of the first compiler error.
have_packages = $(shell $(PKG_CONFIG) --exists $(PKGS) 2>/dev/null && \
	command -v $(firstword $(CC)) >/dev/null && echo yes)
need_packages = $(if $(have_packages),,$(error packages are missing: run `make deps` (as \
	root, or with sudo) and try again))
PKG_CFLAGS = $(need_packages)$(eval PKG_CFLAGS := $$(shell $(PKG_CONFIG) --cflags $(PKGS) | sed 's/-I/-isystem /g'))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $$(shell $(PKG_CONFIG) --libs $(PKGS)))$(PKG_LIBS)

# For any x86-64, structs of some hundred bytes are otherwise copied and cleared by string
# instructions, which take long to begin: a sixteenth of a whole run.
# For others, two things that those would do in another way: a product and a sum in one operation,
# which rounds once, and char without a sign. So a report has the same bytes on all processors.
TUNE = $(eval TUNE := $$(if $$(filter x86_64%,$$(shell $(CC) -dumpmachine)),-mtune=znver3,-ffp-contract=off -fsigned-char))$(TUNE)

# Nobody unwinds a C program but sanitizers and debuggers, and these have -g: 300 KB less to load and to pass on.
UNWIND = $(if $(SAN),,-fno-asynchronous-unwind-tables)

ALL_CFLAGS = -std=c17 -D_GNU_SOURCE -Isrc $(WARN) \
	-pthread $(PKG_CFLAGS) $(TUNE) $(UNWIND) $(CFLAGS) $(SAN)
LDLIBS = $(PKG_LIBS) -lm -pthread
# A shared library takes its time at each start, all of them 2 ms with the ten more that cairo
# loads. If the archives are installed, the program has inside what it uses of them; not if it is
# to be passed on (NOTICE), nor under a sanitizer.
INSIDE := cairo pixman-1 fontconfig expat freetype brotlidec brotlicommon png16 minizip cmark \
	nettle lua5.4 z zstd sqlite3
ARCHIVES = $(eval ARCHIVES := $$(wildcard \
	$$(patsubst %,$$(shell $(PKG_CONFIG) --variable=libdir cairo)/lib%.a,$$(INSIDE))))$(ARCHIVES)
PROGRAM_LIBS = $(if $(SAN)$(PACKAGED),$(LDLIBS),$(if $(word $(words $(INSIDE)),$(ARCHIVES)), \
	$(ARCHIVES) $(filter-out $(INSIDE:%=-l%),$(LDLIBS)),$(LDLIBS)))

ALL_SRC := $(wildcard src/*.c src/*/*.c src/*/*/*.c)
TEST := $(filter %_test.c,$(ALL_SRC))
LIB := $(filter-out src/main.c src/packaging/% %_test.c,$(ALL_SRC))
SAMPLE := $(wildcard samples/*.c)
TOOL := $(wildcard tests/*.c)
# The screenshots in the README are not part of the program.
SHIPPED := $(shell find templates assets themes -type f -not -path 'assets/screenshots/*')
TEST_BIN := $(TEST:%.c=$B/%)
BYTES := $(addprefix $B/src/,render/text/bundle_bytes.o analysis/lua/lua_bytes.o perf/triton_bytes.o)

# Print one line per file; the full command would be two screens of the same flags.
say = $(if $V,,@echo "  $1 $@";)
# Use all processors unless the caller gave a number.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

all: $B/tracefolio $B/tracefolio-sample $B/packaging/tracefolio.1

# The trace that ships inside, for `tracefolio demo`.
$B/demo.json.gz: $B/tracefolio-sample
	$(call say,GEN )$(EMULATE) $< --layers 2 --steps 3 $(foreach d,$(DEMO_DEFECTS),--defect $d) -o $@
$B/src/commands/demo_bytes.o: src/commands/demo_bytes.S $B/demo.json.gz
	$(call say,AS  )$(CC) -DDEMO_TRACE='"$B/demo.json.gz"' -c -o $@ $<

# Descriptions of structs are 450 KB of pointers, which the loader of a program for any address
# has to change one by one at each start: a third of the time of `--version`. Not of a program
# that is to be passed on, which lies where nobody can foresee.
ONE_PLACE := -no-pie
# The order in memory: a page is loaded with fifteen others around it, so what reports one trace of
# PyTorch never calls lies behind all that it does, 0.5 MB less of each run.
BEHIND := src/share/% src/ci/% src/runs/% src/compare/% src/report/compare/% src/job/% src/report/job/% \
	src/formats/%
PROGRAM := $(patsubst %.c,$B/%.o,src/main.c $(filter-out $(BEHIND),$(LIB)) $(foreach f,$(BEHIND),$(filter $f,$(LIB)))) \
	$(BYTES) $B/src/commands/demo_bytes.o
$B/tracefolio: $(PROGRAM)
	$(call say,LINK)$(CC) $(CFLAGS) $(SAN) $(ONE_PLACE) $(LDFLAGS) -o $@ $^ $(PROGRAM_LIBS)

$B/tracefolio-sample: $(SAMPLE:%.c=$B/%.o) $B/lib.a
	$(call say,LINK)$(CC) $(CFLAGS) $(SAN) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$B/lib.a: $(LIB:%.c=$B/%.o) $(BYTES)
	$(call say,AR  )rm -f $@ && $(CROSS)ar rcs $@ $^

$B/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC  )$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# .incbin is invisible to -MMD, so the embedded files are named here.
$B/src/render/text/bundle_bytes.o: src/render/text/bundle.def $(SHIPPED)
# Compiled by the Lua that is linked; another one at run time compiles the text (lua_chunks.h).
LUA_INSIDE := $(wildcard assets/patterns/*.lua)
$B/lua_compile: $B/src/packaging/lua_compile.o $(patsubst %.c,$B/%.o,$(filter src/base/%,$(LIB)))
	$(call say,LINK)$(CC) $(CFLAGS) $(SAN) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$B/lua_chunks: $B/lua_compile $(LUA_INSIDE) src/analysis/lua/lua_prelude.lua
	$(call say,GEN )$(EMULATE) $< $@ prelude=src/analysis/lua/lua_prelude.lua $(foreach f,$(LUA_INSIDE),$(notdir $f)=$f)
$B/src/analysis/lua/lua_bytes.o: src/analysis/lua/lua_bytes.S $B/lua_chunks $(wildcard src/analysis/lua/*.lua)
	@mkdir -p $(@D)
	$(call say,AS  )$(CC) -DLUA_CHUNKS='"$B/lua_chunks"' -c -o $@ $<
$B/src/perf/triton_bytes.o: src/perf/triton_words.txt
$B/%.o: %.S
	@mkdir -p $(@D)
	$(call say,AS  )$(CC) -Isrc -c -o $@ $<

# Tests run for a moment each: compiling them is what takes time, with sanitizers twice at -O1,
# whatever the program is compiled with.
$(TEST:%.c=$B/%.o): override CFLAGS := $(if $(SAN),-O0,-O1) -g1

# Some hundred tests are linked: gold takes half the time of the usual linker.
QUICK_LINK = $(eval QUICK_LINK := $$(if $$(shell command -v ld.gold),-fuse-ld=gold))$(QUICK_LINK)

# A test includes the source it tests, which defines all that the member of that name in
# lib.a does: the linker has no reason to take the member, and nothing is defined twice.
$(TEST_BIN): %: %.o $B/lib.a
	$(call say,LINK)$(CC) $(CFLAGS) $(SAN) $(LDFLAGS) $(QUICK_LINK) -o $@ $^ $(LDLIBS) -lcmocka

$(TOOL:%.c=$B/%): %: %.o $B/lib.a
	$(call say,LINK)$(CC) $(CFLAGS) $(SAN) $(LDFLAGS) -o $@ $^ $(LDLIBS)

deps:
	@.ci/deps $(PACKAGES) $(TEST_PACKAGES)

# What the demo's report should find.
DEMO_DEFECTS := unfused-attention skinny-gemm item-sync

# Each step that needs the packages is a separate make, started once they are installed.
demo: deps
	@$(MAKE) --no-print-directory $(JOBS) all
	sh samples/demo.sh $B/tracefolio-sample build/demo $(DEMO_DEFECTS)
	$B/tracefolio analyze build/demo/trace.json.gz -p MI300X -o build/demo/site --force
	@echo "The site is in build/demo/site: open file://$(CURDIR)/build/demo/site/index.html"

test: deps
	@+bash tests/steps.sh '$(MAKE) --no-print-directory $(JOBS) run-tests' \
		'$(MAKE) --no-print-directory $(JOBS) test-site'

# The fuzzers are compiled here too, so that a change of what they call shows at once.
run-tests: all $(TEST_BIN) $(TOOL:%.c=$B/%) $(patsubst %.c,$B/%.o,$(wildcard tests/fuzz/*_fuzz.c))
	@tests/run_tests.sh $B $(TEST_BIN)

bless: all
	@tests/run_tests.sh --bless $B

# -Og compiles in two thirds of the time of -O1 with sanitizers, and runs as fast.
ASAN_BUILD = $(MAKE) --no-print-directory $(JOBS) B=build/asan CFLAGS='-Og -g1' \
	SAN='-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all'

# Of tests/cli those that read other bytes or go other ways through the code than golden cases and
# check-asan-traces do; what is said is asked of the program itself.
ASAN_SUITES := bounds compare_jobs cut devices faults hostile job_hostile job_variants merged mutations phases pipes protobuf share \
	nsys sqlite tree whatif

check-asan:
	@+CLI_SUITES='$(ASAN_SUITES)' $(ASAN_BUILD) run-tests

check-asan-traces:
	@+$(ASAN_BUILD) build/asan/tracefolio
	@bash tests/reference/check_sanitized.sh build/asan $(SHARED)

# Tests of code that starts threads or is called from two; whole runs cover the rest.
TSAN_TESTS := base/beside base/file_queue base/team trace/byte_source trace/event_read store/event_store render/folder/manifest

tsan:
	@$(MAKE) --no-print-directory $(JOBS) B=build/tsan CFLAGS='-O1 -g1' \
		SAN='-fsanitize=thread' run-tsan

run-tsan: all $B/tests/tsan/planted_race $(TSAN_TESTS:%=$B/src/%_test)
	@bash tests/tsan/run_tsan.sh $B $(SHARED) $(TSAN_TESTS:%=$B/src/%_test)

$B/tests/tsan/planted_race: %: %.o $B/lib.a
	$(call say,LINK)$(CC) $(CFLAGS) $(SAN) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# A separate build for libFuzzer, with the sanitizers of check-asan. `fuzz-read` leaves out what runs
# all of the program, so that two thirds of the files need not be compiled.
FUZZ_SECONDS ?= 60
FUZZ_OPT ?= -O1 # -O0 compiles in half of the time, for a short run
FUZZERS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*_fuzz.c))
FUZZ_READ := $(filter-out analyze_fuzz,$(FUZZERS))
READ_ROOMS := base kernels trace formats store tree timeline perf perf/own ops analysis/lua analysis/model render/text

fuzz: $B/tracefolio-sample
	@+$(call fuzz_with,$(FUZZERS) mutations)
fuzz-read: $B/tracefolio-sample
	@+$(call fuzz_with,$(FUZZ_READ))
fuzz_with = if tests/fuzz/have_fuzzer.sh $(FUZZ_PACKAGES); then \
		$(MAKE) --no-print-directory $(JOBS) B=build/fuzz CC=clang CFLAGS='$(FUZZ_OPT) -g1' \
			SAN='-fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow -fno-sanitize-recover=all' \
			run-fuzz FUZZ='$1' FUZZ_SAMPLE=$(realpath $B)/tracefolio-sample; \
	else \
		echo "fuzz: skipped, clang with libFuzzer is not available"; \
		echo "0 passed, 0 failed, $(words $1) skipped"; \
	fi

run-fuzz: $(filter $(FUZZERS:%=$B/tests/fuzz/%),$(FUZZ:%=$B/tests/fuzz/%)) $(if $(filter mutations,$(FUZZ)),all)
	@bash tests/fuzz/run_fuzz.sh $B $(FUZZ_SAMPLE) $(FUZZ_SECONDS) "$(FUZZ_SEED)" $(FUZZ)

$B/read.a: $(patsubst %.c,$B/%.o,$(filter $(foreach r,$(READ_ROOMS),$(wildcard src/$r/*.c)),$(LIB))) \
		$B/src/render/text/bundle_bytes.o $B/src/analysis/lua/lua_bytes.o $B/src/perf/triton_bytes.o
	$(call say,AR  )rm -f $@ && ar rcs $@ $^
$(FUZZ_READ:%=$B/tests/fuzz/%): %: %.o $B/read.a
	$(call say,LINK)$(CC) $(CFLAGS) $(SAN) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LDLIBS)
$B/tests/fuzz/analyze_fuzz: %: %.o $B/lib.a
	$(call say,LINK)$(CC) $(CFLAGS) $(SAN) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LDLIBS)

check-reference: all
	@$(PYTHON) tests/reference/check_reference.py $B/tracefolio $(SHARED)

check-compare: all
	@$(PYTHON) tests/reference/check_compare.py $B/tracefolio $(SHARED)

check-job: all $B/tests/job_replay
	@$(PYTHON) tests/reference/check_job.py $B/tracefolio $(SHARED) $B/tests/job_replay

check-traces: all
	@$(PYTHON) tests/reference/check_traces.py $B/tracefolio $(SHARED)

check-truth: all
	@$(PYTHON) tests/site/check_truth.py $B/tracefolio $(SHARED)

check-evals: all
	@$(PYTHON) tests/evals/check_evals.py $B/tracefolio $(SHARED)

check-rubric: all
	@tests/rubric/run_rubric.sh $B $(SHARED)

check-says: all
	@$(PYTHON) tests/analysis/check_says.py $B $(SHARED)/traces

check-idle: all
	@$(PYTHON) tests/analysis/check_idle.py $B/tracefolio $(SHARED)

check-pairs: all
	@$(PYTHON) tests/analysis/check_pairs.py $B $(SHARED)

accuracy: all
	@$(PYTHON) tests/accuracy/gate_accuracy.py $B/tracefolio
	@$(PYTHON) tests/accuracy/job_accuracy.py $B/tracefolio

check-plants: $B/lib.a
	@$(PYTHON) tests/plants/check_plants.py $B

check-whatif: all
	@$(PYTHON) tests/analysis/check_whatif.py $B/tracefolio $(SHARED)

check-replay: all $(TOOL:%.c=$B/%)
	@[ ! -d $(SHARED)/traces ] || .ci/deps python3-torch unzip || \
		echo "python3-torch cannot be installed; replay packages do not run without it"
	@$(PYTHON) tests/replay/check_recording.py $B/tracefolio
	@$(PYTHON) tests/replay/check_replay.py $B/tests/replay_tool $(SHARED)

test-site: all
	@[ "$(SITE_TESTS)" = no ] || .ci/deps $(SITE_PACKAGES) || true
	@tests/site/run_site_tests.sh $B $(SHARED)

check-emulated: all
	@bash tests/debian/check_emulated.sh $B build/tracefolio-$(VERSION)-linux-aarch64.tar.gz

check-clusters: all
	@bash tests/clusters/check_clusters.sh $B

check-vectors: $(TOOL:%.c=$B/%)
	@tests/reference/check_vectors.sh $B/tests/perf_vectors $(SHARED)

check-doublings: all
	@$(PYTHON) tests/bench/doublings.py --program $B/tracefolio --out $B/bench --quick

bench: all
	@$(PYTHON) tests/bench/bench.py --program $B/tracefolio --sample $B/tracefolio-sample \
		--shared $(SHARED) --out build/bench $(if $(BENCH_LARGE),--large) $(BENCH_ARGS)
	@$(PYTHON) tests/bench/job_scale.py --program $B/tracefolio --sample $B/tracefolio-sample --out build/bench $(JOB_ARGS)
	@$(PYTHON) tests/bench/stress.py --program $B/tracefolio --out build/bench $(STRESS_ARGS)
	@$(PYTHON) tests/bench/doublings.py --program $B/tracefolio --out build/bench $(DOUBLING_ARGS)

# Manual pages and completions say what --help says.
PAGES = $B/packaging
$(PAGES)/tracefolio.1: templates/help.txt src/packaging/manual.txt $(wildcard src/packaging/*.awk)
	$(call say,GEN )rm -rf $(@D) && mkdir -p $(@D) && LC_ALL=C awk -v dir=$(@D) -v version=$(VERSION) \
		-f src/packaging/help.awk -f src/packaging/man.awk -f src/packaging/shells.awk \
		templates/help.txt src/packaging/manual.txt

SHARE = $(DESTDIR)$(PREFIX)/share
BASH_FOLDER = $(SHARE)/bash-completion/completions
FISH_FOLDER = $(SHARE)/fish/vendor_completions.d
ZSH_FOLDER = $(SHARE)/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)

INSTALLED = $B/tracefolio
install: $(INSTALLED) $(PAGES)/tracefolio.1
	install -D -m 755 $(INSTALLED) $(DESTDIR)$(PREFIX)/bin/tracefolio
	install -d $(SHARE)/man/man1
	install -m 644 $(PAGES)/*.1 $(SHARE)/man/man1
	install -D -m 644 $(PAGES)/tracefolio.bash $(BASH_FOLDER)/tracefolio
	install -D -m 644 $(PAGES)/tracefolio.fish $(FISH_FOLDER)/tracefolio.fish
	install -D -m 644 $(PAGES)/_tracefolio $(ZSH_FOLDER)/_tracefolio

uninstall: $(PAGES)/tracefolio.1
	rm -f $(DESTDIR)$(PREFIX)/bin/tracefolio $(BASH_FOLDER)/tracefolio \
		$(FISH_FOLDER)/tracefolio.fish $(ZSH_FOLDER)/_tracefolio
	cd $(PAGES) && for page in *.1; do rm -f "$(abspath $(SHARE))/man/man1/$$page"; done

# Built apart, with the flags that Debian builds packages with.
DEB_BUILD ?= build/deb
deb: deps packing
	@+$(MAKE) --no-print-directory $(JOBS) B=$(DEB_BUILD) run-deb

packing:
	@.ci/deps $(DEB_PACKAGES) $(if $(CROSS),$(CROSS_PACKAGES))
	$(if $(CROSS),@sh src/packaging/sysroot.sh $(SYSROOT) $(ARCH) $(filter %-dev,$(PACKAGES) $(TEST_PACKAGES)))

run-deb run-portable: PACKAGED = yes
# Asked once, when first used: two processes for each file that is compiled took a third of a build.
DEB_CFLAGS = $(eval DEB_CFLAGS := $$(shell dpkg-buildflags --get CFLAGS) $$(shell dpkg-buildflags --get CPPFLAGS))$(DEB_CFLAGS)
DEB_LDFLAGS = $(eval DEB_LDFLAGS := $$(shell dpkg-buildflags --get LDFLAGS) -Wl,-z,now)$(DEB_LDFLAGS)
run-deb run-portable: CFLAGS = $(DEB_CFLAGS)
run-deb run-portable: LDFLAGS = $(DEB_LDFLAGS)
run-deb: $B/tracefolio $(PAGES)/tracefolio.1
	@package=$$(sh src/packaging/deb.sh $B $(VERSION) build $(FOR_ARCH)) && \
		lintian --allow-root --fail-on error,warning "$$package" && echo "$$package"

# Pointers in descriptions of structs need a relocation each: packed, they take a bit. The C library
# that is shipped beside reads these; not every linker for ARM writes them.
PACKED = $(if $(filter x86_64%,$(shell $(CC) -dumpmachine)),-Xlinker -z -Xlinker pack-relative-relocs)
$B/tracefolio-portable: $(PROGRAM)
	$(call say,LINK)$(CC) $(CFLAGS) $(SAN) $(LDFLAGS) $(PACKED) -o $@ $^ $(LDLIBS)

# Needs no library, so that it runs where there is none.
$B/launcher: src/packaging/launcher.c
	$(call say,LINK)$(CC) -std=gnu17 -Wall -Wextra -Os -ffreestanding -fno-stack-protector -fno-pie -static \
		-nostdlib -nostartfiles -Wl,--build-id=none -s -o $@ $<

portable: deps packing
	@+$(MAKE) --no-print-directory $(JOBS) B=$(DEB_BUILD) run-portable

run-portable: $B/tracefolio-portable $B/launcher $(PAGES)/tracefolio.1
	@sh src/packaging/portable.sh $B $(VERSION) build $(if $(CROSS),$(SYSROOT) aarch64)

wheel: portable
	@$(PYTHON) src/packaging/wheel.py build/tracefolio-$(VERSION)-linux-$(if $(CROSS),aarch64,$$(uname -m)).tar.gz $(VERSION) build

# On x86-64. `check-release` builds another from a clone in another folder, and compares.
release:
	@+$(MAKE) --no-print-directory $(JOBS) all
	@+$(MAKE) --no-print-directory deb # one after the other: both build there
	@+$(MAKE) --no-print-directory wheel
	@+$(MAKE) --no-print-directory ARCH=arm64 deb
	@+$(MAKE) --no-print-directory ARCH=arm64 wheel
	@sh src/packaging/release/release.sh $B $(VERSION) build/release

check-release:
	@bash tests/packaging/check_release.sh build/release

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

format:
	clang-format -i $(ALL_SRC) $(SAMPLE) $(TOOL) $(wildcard src/*.h src/*/*.h src/*/*/*.h samples/*.h tests/fuzz/*.[ch] tests/tsan/*.c)

layers:
	@$(PYTHON) .ci/layers.py

clean:
	rm -rf build

.PHONY: all accuracy deps demo test run-tests bless check-asan check-asan-traces check-reference check-compare check-job check-clusters check-emulated check-traces check-truth \
	check-vectors check-evals check-rubric check-plants check-replay check-whatif check-says check-idle check-doublings test-site tsan run-tsan fuzz fuzz-read run-fuzz bench install uninstall deb run-deb packing portable run-portable wheel release check-release help format layers clean
.SECONDARY:
-include $(patsubst %.c,$B/%.d,$(ALL_SRC) $(SAMPLE) $(TOOL) $(wildcard tests/fuzz/*.c tests/tsan/*.c))
