#include "ci/ci_place.h"

#include "base/str.h"

#include <stdlib.h>
#include <sys/stat.h>

static const char *env(const char *name)
{
    const char *v = getenv(name);
    return v && *v ? v : NULL;
}

static void take(const char **option, const char *value)
{
    if (!*option && value && *value)
        *option = value;
}

/* Nothing if a part is missing. */
static const char *join(struct arena *perm, const char *a, const char *between,
                        const char *b)
{
    return a && b ? str_c(perm, str_printf(perm, "%s%s%s", a, between, b)) : NULL;
}

/* The checkout of the build, if it has one. */
static void take_checkout(struct ci_options *o, const char *path)
{
    struct stat st;
    if (path && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        take(&o->source_root, path);
}

static void fill_github(struct ci_options *o, struct arena *perm)
{
    const char *repository =
        join(perm, env("GITHUB_SERVER_URL"), "/", env("GITHUB_REPOSITORY"));
    take(&o->summary, env("GITHUB_STEP_SUMMARY"));
    take(&o->annotations, "github");
    take_checkout(o, env("GITHUB_WORKSPACE"));
    take(&o->report_url,
         join(perm, repository, "/actions/runs/", env("GITHUB_RUN_ID")));
    take(&o->run_label,
         join(perm, env("GITHUB_REF_NAME"), " #", env("GITHUB_RUN_NUMBER")));
}

static void fill_gitlab(struct ci_options *o, struct arena *perm)
{
    const char *started = env("CI_JOB_STARTED_AT");
    take(&o->annotations, "gitlab");
    take_checkout(o, env("CI_PROJECT_DIR"));
    take(&o->junit, CI_JUNIT_NAME);
    take(&o->metrics, CI_METRICS_NAME);
    take(&o->report_url, join(perm, env("CI_JOB_URL"), "", "/artifacts/browse"));
    take(&o->run_label,
         join(perm, env("CI_COMMIT_REF_NAME"), " #", env("CI_PIPELINE_IID")));
    if (started)
        take(&o->date, str_c(perm, str_head(str_of(started), 10)));
}

static void fill_jenkins(struct ci_options *o, struct arena *perm)
{
    take_checkout(o, env("WORKSPACE"));
    take(&o->junit, CI_JUNIT_NAME);
    take(&o->report_url, join(perm, env("BUILD_URL"), "", "artifact/"));
    take(&o->run_label, join(perm, env("JOB_NAME"), " #", env("BUILD_NUMBER")));
}

bool ci_place_fill(struct ci_options *o, struct arena *perm)
{
    if (env("GITHUB_ACTIONS"))
        fill_github(o, perm);
    else if (env("GITLAB_CI"))
        fill_gitlab(o, perm);
    else if (env("JENKINS_URL"))
        fill_jenkins(o, perm);
    else
        return false;
    return true;
}
