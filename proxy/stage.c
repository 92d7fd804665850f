#include "proxy/stage.h"

#include <stdlib.h>

#include "base/mem.h"
#include "proxy/mirror.h"
#include "proxy/worker.h"

static struct mirror *find_mirror(const struct stage *before, struct lineup *lineup, size_t number)
{
	const struct backend_settings *b = &lineup->settings->references[number];
	for (size_t i = 0; before && i < before->lineup->n_references; i++) {
		struct mirror *m = before->mirrors[i];
		if (m->party == lineup->references[number] && line_reaches(m->line, lineup, b)) {
			return m;
		}
	}
	return NULL;
}

struct stage *stage_create(struct worker *w, struct lineup *lineup, const struct stage *before)
{
	const struct settings *conf = lineup->settings;
	struct stage *s = xcalloc(1, sizeof(*s));
	s->refs = 1;
	s->lineup = lineup_ref(lineup);
	if (before && line_reaches(before->primary, lineup, &conf->primary)) {
		s->primary = line_ref(before->primary);
	} else {
		s->primary = line_create(&w->loop, w->shared, lineup, &conf->primary);
	}
	for (size_t i = 0; i < lineup->n_references; i++) {
		struct mirror *m = find_mirror(before, lineup, i);
		s->mirrors[i] = m ? mirror_ref(m) : mirror_create(w, lineup, i);
	}
	list_append(&w->stages, &s->link);
	return s;
}

struct stage *stage_ref(struct stage *s)
{
	s->refs++;
	return s;
}

void stage_unref(struct stage *s)
{
	expect(s->refs);
	s->refs--;
}

static void take_down(struct stage *s)
{
	list_remove(&s->link);
	for (size_t i = 0; i < s->lineup->n_references; i++) {
		mirror_unref(s->mirrors[i]);
	}
	line_unref(s->primary);
	lineup_unref(s->lineup);
	free(s);
}

void stage_sweep(struct worker *w)
{
	LIST_EACH(struct stage, s, link, &w->stages)
	{
		if (!s->refs) {
			take_down(s);
		}
	}
}
