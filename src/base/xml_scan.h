/* xml_scan.h - the tags of an XML document, one after the other.
 *
 * No tree, no schema: what is needed to read the parts of a workbook. Whether tags are
 * nested well is left to the caller. Names are without their prefix. A document type,
 * which can define texts that expand, and CDATA are refused. */
#ifndef BASE_XML_SCAN_H
#define BASE_XML_SCAN_H

#include "base/str.h"

struct arena;

struct xml_scan {
    struct str rest;    /* of the document */
    const char *broken; /* what is wrong with it, or NULL */
};

struct xml_tag {
    struct str text; /* between the tag before and this one, as it is written */
    struct str name, attributes;
    bool opens, closes; /* <a>, </a>, and <a/> which does both */
};

/* The next tag; comments and processing instructions are passed over, with the text
 * before them. False: there is none, or the document is broken. */
bool xml_next(struct xml_scan *x, struct xml_tag *t);

/* The value of an attribute, as it is written; empty: the tag has none. */
struct str xml_attribute(const struct xml_tag *t, const char *name);

/* A text without its references (&amp; and &#x41;); lent if it has none. An unknown one
 * stays as it is. */
struct str xml_plain(struct arena *perm, struct str written);

#endif
