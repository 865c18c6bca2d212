# make (all)     the program, build/tracefolio     make test    unit and whole-program tests
# make demo      a sample trace, analysed          make deps    install what is missing
# make check-asan       the tests under ASan and UBSan
# make check-reference  tables against ../shared/traces (skips where that is absent)
# make bench     whole run against gzip -dc        make install PREFIX, DESTDIR
# make format    clang-format the sources          make layers  the include picture of src/README.md
# make clean

# The only place.
VERSION := 0.1.0

B ?= build
CC ?= gcc
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
PYTHON ?= python3

# Every Debian package the program and its tests need, and nothing else is installed.
include .ci/packages.mk

PKGS := libcjson zlib libcmark libpng cairo-ft freetype2 xlsxwriter minizip lua5.4
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion \
	-Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wundef \
	-Wdouble-promotion -Wformat=2 -Wvla -Wcast-align $(if $(WERROR),-Werror)

# Looked up when first used, so that `make deps` runs on a machine without pkg-config.
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell pkg-config --cflags $(PKGS) | sed 's/-I/-isystem /g'))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $$(shell pkg-config --libs $(PKGS)))$(PKG_LIBS)

ALL_CFLAGS = -std=c17 -D_GNU_SOURCE -DTRACEFOLIO_VERSION='"$(VERSION)"' -Isrc $(WARN) \
	-pthread $(PKG_CFLAGS) $(CFLAGS) $(SAN)
LDLIBS = $(PKG_LIBS) -lm -pthread

ALL_SRC := $(wildcard src/*.c src/*/*.c)
TEST := $(filter %_test.c,$(ALL_SRC))
LIB := $(filter-out src/main.c %_test.c,$(ALL_SRC))
SAMPLE := $(wildcard samples/*.c)
SHIPPED := $(shell find templates assets themes -type f)
TEST_BIN := $(TEST:%.c=$B/%)

all: $B/tracefolio $B/tracefolio-sample

-include .ci/targets.mk

$B/tracefolio: $B/src/main.o $B/lib.a
	$(CC) $(CFLAGS) $(SAN) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$B/tracefolio-sample: $(SAMPLE:%.c=$B/%.o) $B/lib.a
	$(CC) $(CFLAGS) $(SAN) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$B/lib.a: $(LIB:%.c=$B/%.o) $B/src/render/bundle_bytes.o
	rm -f $@
	ar rcs $@ $^

$B/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# .incbin is invisible to -MMD, so the embedded files are named here.
$B/src/render/bundle_bytes.o: src/render/bundle_bytes.S src/render/bundle.def $(SHIPPED)
	@mkdir -p $(@D)
	$(CC) -Isrc -c -o $@ $<

# A test includes the source it tests, so that one is left out of the library it links.
$B/src/%_test: $B/src/%_test.o $B/lib.a
	$(CC) $(CFLAGS) $(SAN) $(LDFLAGS) -o $@ $^ -Wl,--allow-multiple-definition $(LDLIBS) -lcmocka

clean:
	rm -rf build

.PHONY: all clean
-include $(shell find $B -name '*.d' 2>/dev/null)
