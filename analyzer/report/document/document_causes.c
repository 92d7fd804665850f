#include "analyzer/report/document/document_parts.h"

#include <math.h>

#include "analyzer/report/document/document_values.h"
#include "analyzer/stats/proportion.h"
#include "base/mem.h"

/* The interval treats the pairs as independent: the pairs of a cause are not counted by prompt, and
 * those of some causes (`load`, `cache`, `change_point`) are estimated, not counted. */
static json_t *explained(const struct cause *c)
{
	struct cause_share s = cause_share(c);
	json_t *o = json_object();
	node_set_count(o, "n", s.n);
	node_set_count(o, "of", s.of);
	node_set_number(o, "rate", s.of > 0 ? (double)s.n / (double)s.of : NAN);
	json_object_set_new(
	        o, "ci95", s.of > 0 ? document_interval(proportion_rate(s.n, s.of)) : json_null());
	node_set_flag(o, "of_greedy", s.of_greedy);
	return o;
}

json_t *document_cause(const struct cause *c)
{
	json_t *o = json_object(), *ids = json_array();
	for (size_t i = 0; i < c->exchanges.n; i++) {
		char id[ID_TEXT_SIZE];
		json_array_append_new(ids, json_string(id_format(c->exchanges.ids[i], id)));
	}
	node_set_text(o, "key", cause_words(c->kind)->key);
	node_set_text(o, "title", cause_words(c->kind)->title);
	json_object_set_new(o, "text", document_full_sentence(xstrdup(c->text)));
	node_set_text(o, "side", cause_side_name(c->side));
	node_set_text(o, "side_from",
	        c->side == CAUSE_OF_UNKNOWN ? NULL : cause_side_from_name(c->side_from));
	json_object_set_new(o, "explained", explained(c));
	node_set_number(o, "p", c->p);
	json_object_set_new(o, "exchanges", ids);
	node_set_text(o, "fix", c->fix);
	node_set_text(o, "confirm", c->confirm);
	return o;
}

json_t *document_causes(const struct cause_list *l)
{
	json_t *list = json_array();
	for (size_t i = 0; i < l->n; i++) {
		json_array_append_new(list, document_cause(&l->items[i]));
	}
	return list;
}
