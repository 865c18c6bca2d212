/* version.h - the version of the program, written here alone: the Makefile reads it for packages.
 *
 * What 1.0.0 promises is in README.md, "What stays"; tests/cli/stays.sh holds the program to it. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define TRACEFOLIO_VERSION "1.0.0"

#endif
