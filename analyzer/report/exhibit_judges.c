#include "analyzer/report/exhibit_judges.h"

#include "analyzer/report/exhibit_text.h"
#include "analyzer/opinions/opinions.h"

static bool read_reply(
        struct capture *c, const struct capture_exchange *e, size_t leg, enum opinion *ret)
{
	struct reading *r = NULL;
	if (leg >= e->n_legs || capture_reading(c, e, leg, &r) < 0) {
		return false;
	}
	(void)opinion_of_reply(r, ret);
	reading_destroy(r);
	return true;
}

json_t *exhibit_judges(struct capture *c, const struct capture_exchange *e, const struct pair *pair,
        int32_t choice)
{
	struct opinion_legs found[OPINIONS_JUDGES];
	size_t n = opinions_find(e, pair, choice, found);
	json_t *list = NULL;
	for (size_t i = 0; i < n; i++) {
		enum opinion one, other;
		if (!read_reply(c, e, found[i].base_first, &one) ||
		        !read_reply(c, e, found[i].test_first, &other)) {
			continue;
		}
		json_t *o = json_object();
		json_object_set_new(o, "name", exhibit_name(found[i].judge));
		json_object_set_new(
		        o, "verdict", json_string(opinion_end_name(opinion_end_of(one, other))));
		list = list ? list : json_array();
		json_array_append_new(list, o);
	}
	return list;
}
