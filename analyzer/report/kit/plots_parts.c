#include "analyzer/report/kit/plots_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/node.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "base/mem.h"

#define NAME_LIMIT 48 /* bytes of a file's name */

static bool has_name(const struct plots *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++) {
		if (strcmp(all->items[i].name, name) == 0) {
			return true;
		}
	}
	return false;
}

/* The name of the files: what, and those characters of the other text that fit a file's name. */
static char *name_of(const struct plots *all, const char *what, const char *of)
{
	struct buf name = {0};
	buf_printf(&name, "%s%s", what, *of ? "-" : "");
	for (; *of && name.len < NAME_LIMIT; of++) {
		bool fits = is_digit(*of) || is_lower(to_lower(*of)) || *of == '_';
		buf_append_char(&name, fits ? to_lower(*of) : '-');
	}
	size_t len = name.len;
	for (size_t i = 2; has_name(all, buf_cstr(&name)); i++) {
		name.len = len;
		buf_printf(&name, "-%zu", i);
	}
	return buf_steal(&name);
}

struct plot *plots_begin(struct plots *all, enum plot_shape shape, const char *what, const char *of,
        enum metric_unit unit, char *x_label, char *y_label)
{
	char *name = name_of(all, what, of);
	all->items = xrealloc(all->items, (all->n + 1) * sizeof(*all->items));
	struct plot *p = &all->items[all->n++];
	*p = (struct plot){.shape = shape,
	        .name = name,
	        .unit = unit,
	        .x_label = x_label,
	        .y_label = y_label,
	        .guide = NAN};
	return p;
}

struct metric_value plots_number(double value)
{
	return (struct metric_value){
	        .value = value, .low = NAN, .high = NAN, .n = NAN, .clusters = NAN};
}

void plots_add(struct plot *p, const char *label, const char *series, struct metric_value y)
{
	plot_add(p, label, series, plots_number(NAN), y);
}

void plots_add_node(
        struct plot *p, const char *label, const char *series, const json_t *o, const char *name)
{
	struct metric_value v;
	if (metric_read_member(o, name, &v)) {
		plots_add(p, label, series, v);
	}
}

void plots_put_behind(struct plot *p, const char *more)
{
	char *text = xasprintf("%s%s", p->caption, more);
	free(p->caption);
	p->caption = text;
}

char *plots_pair_name(const json_t *group, const struct groups *groups)
{
	const char *base = node_text(group, "base"), *test = node_text(group, "test");
	for (size_t i = 0; i < groups->n; i++) {
		if (strcmp(node_text(groups->items[i], "base"), base) != 0) {
			return xasprintf("%s vs %s", test, base);
		}
	}
	return xstrdup(test);
}
