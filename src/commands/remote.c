#include "commands/remote.h"

#include "base/shell_word.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *remote_command(struct arena *perm, const char *container, const char *path)
{
    struct str file = shell_word(perm, str_of(path));
    if (!container)
        return str_c(perm, str_printf(perm, "cat -- %.*s", STRF(file)));
    return str_c(perm,
                 str_printf(perm, "docker exec %.*s cat -- %.*s",
                            STRF(shell_word(perm, str_of(container))), STRF(file)));
}

bool remote_check(const char *node, const char *container, struct err *e)
{
    if (node[0] == '-' || node[0] == '\0')
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--node: '%s' is not a valid machine name", node);
    return !container || container[0] != '-' ||
           err_set(e, ERR_USAGE, NULL, -1,
                   "--container: '%s' is not a valid container name", container);
}

bool remote_open(struct remote *r, struct arena *perm, const char *node,
                 const char *container, const char *path, struct err *e)
{
    int ends[2];
    if (!remote_check(node, container, e))
        return false;
    const char *command = remote_command(perm, container, path);
    if (pipe(ends) != 0)
        return err_set(e, ERR_INTERNAL, NULL, -1, "cannot create a pipe for ssh: %s",
                       strerror(errno));
    r->pid = fork();
    if (r->pid == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execlp("ssh", "ssh", "-o", "BatchMode=yes", "--", node, command, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    if (r->pid < 0) {
        close(ends[0]);
        return err_set(e, ERR_INTERNAL, NULL, -1, "ssh cannot be started: %s",
                       strerror(errno));
    }
    r->fd = ends[0];
    return true;
}

bool remote_close(struct remote *r, const char *node, const char *path, struct err *e)
{
    int status = 0;
    if (e->kind != ERR_NONE)
        kill(r->pid, SIGTERM); /* nobody is reading any more */
    while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return e->kind == ERR_NONE;
    bool missing = WIFEXITED(status) && WEXITSTATUS(status) == 127;
    /* ssh has printed the cause; the truncated trace is only its consequence. */
    if (e->kind == ERR_INPUT)
        e->kind = ERR_NONE;
    return err_set(e, ERR_INPUT, path, -1,
                   missing ? "cannot be read from %s: ssh, cat or docker not found"
                           : "cannot be read from %s: ssh or the remote command failed",
                   node);
}
