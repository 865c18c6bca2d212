/* filter_parts.h - building blocks of the template filters, for their files only. */
#ifndef RENDER_TEXT_FILTER_PARTS_H
#define RENDER_TEXT_FILTER_PARTS_H

#include "render/text/template.h"

#include <cjson/cJSON.h>
#include <math.h>

static inline struct str text_of(const cJSON *v)
{
    return cJSON_IsString(v) ? str_of(v->valuestring) : S("");
}

static inline double number_of(const cJSON *v)
{
    return cJSON_IsNumber(v) ? v->valuedouble : (double)NAN;
}

#define FILTER(name)                                                                   \
    static bool filter_##name(struct out *o, struct arena tmp, const cJSON *v, int n)

/* A filter of one statement that never fails. */
#define SIMPLE_FILTER(name, statement)                                                 \
    FILTER(name)                                                                       \
    {                                                                                  \
        (void)tmp, (void)n;                                                            \
        statement;                                                                     \
        return true;                                                                   \
    }

/* Its row in the table of filters. */
#define FILTER_ROW(name)                                                               \
    {                                                                                  \
#name, filter_##name                                                           \
    }

#endif
