#!/bin/bash
# What the compiler refuses of a description of a struct: base/describe.h.
#
#   tests/cli/described.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
src=$(realpath "$(dirname "$0")/../../src")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A description with this member.
compiles() {
    cat >"$work/x.c" <<END
#include "base/describe.h"
struct wheel { double mm; };
struct car { struct str name; int64_t made_ns; int seats; struct wheel *wheels; int n_wheels; struct wheel steering; struct wheel own[2];
             const struct wheel **spares; };
struct str label(const struct described *in);
struct field_items found(const struct described *in);
FIELDS(wheel, F(mm, RATE));
FIELDS(car, $1);
END
    ${CC:-gcc} -std=c17 -Wall -Wextra -Werror -fsyntax-only -I"$src" "$work/x.c"
}
refused() { ! compiles "$1"; }

check 'what goes together is accepted' compiles 'F(name, TEXT), F(made_ns, NS), F(seats, COUNT),
    LIST(wheels, n_wheels, wheel), STRUCT(steering, wheel), CALL(label, TEXT, label),
    ARRAY("own", own, n_wheels, wheel), POINTERS("spares", spares, n_wheels, wheel), CALL_LIST(found, wheel, found)'
for wrong in 'F(name, MS)' 'F(seats, NS)' 'F(made_ns, PCT)' 'F(no_such_member, TEXT)' 'ENUM(seats, NULL, 3)' \
    'SPAN("age", NS, seats, made_ns)' 'LIST(wheels, made_ns, wheel)' 'LIST(wheels, n_wheels, car)' \
    'LIST(steering, n_wheels, wheel)' 'STRUCT(name, wheel)' 'PART("part", wheel)' 'CALL(label, MS, label)' \
    'LIST(own, n_wheels, wheel)' 'ARRAY("own", wheels, n_wheels, wheel)' 'ARRAY("own", own, n_wheels, car)' \
    'POINTERS("spares", wheels, n_wheels, wheel)' 'CALL_LIST(label, wheel, label)' 'CALL(found, COUNT, found)'; do
    check "$wrong is refused" refused "$wrong"
done
echo "1..$count"
exit $failed
