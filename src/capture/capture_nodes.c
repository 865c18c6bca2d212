#include "capture/capture_nodes.h"

#include "base/out.h"

struct str capture_node_name(const struct capture_node *n)
{
    return n->module ? str_skip(n->name, CAPTURE_MODULE_MARK.n) : n->name;
}

struct str capture_module_path(struct arena *perm, const struct capture *c,
                               int32_t node)
{
    int32_t above[CAPTURE_DEPTH_MAX];
    struct out o;
    int n = 0;
    for (; node > 0; node = c->nodes[node].parent)
        if (c->nodes[node].module)
            above[n++] = node;
    out_memory(&o);
    while (n-- > 0) {
        if (o.n)
            out_char(&o, '/');
        out_str(&o, capture_node_name(&c->nodes[above[n]]));
    }
    return out_text(&o, perm);
}
