#include "cli/recipes/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/manifest_collect.h"
#include "base/mem.h"

#define REPLICAS_LIMIT 64
#define STATES_LIMIT 4096

static const char *const parameters[SHEET_PARAMETERS] = {"temperature", "top_p", "top_k", "min_p",
        "repetition_penalty", "presence_penalty", "frequency_penalty", "seed", "max_tokens"};

static struct sheet *sheet_of(struct sheets *s, const char *backend, enum role role)
{
	for (size_t i = 0; i < s->n; i++) {
		if (strcmp(s->items[i].backend, backend) == 0) {
			return &s->items[i];
		}
	}
	s->items = xrealloc(s->items, (s->n + 1) * sizeof(*s->items));
	struct sheet *sheet = &s->items[s->n++];
	*sheet = (struct sheet){.backend = xstrdup(backend), .role = role};
	for (size_t i = 0; i < SHEET_PARAMETERS; i++) {
		sheet->parameters[i].name = parameters[i];
	}
	return sheet;
}

static struct sheet_state *state_of(struct sheet *s, struct id id)
{
	for (size_t i = 0; i < s->n_states; i++) {
		if (id_compare(s->states[i].id, id) == 0) {
			return &s->states[i];
		}
	}
	if (s->n_states == STATES_LIMIT) {
		return &s->states[STATES_LIMIT - 1];
	}
	s->states = xrealloc(s->states, (s->n_states + 1) * sizeof(*s->states));
	struct sheet_state *state = &s->states[s->n_states++];
	*state = (struct sheet_state){.id = id};
	return state;
}

static void add_manifests(struct capture *c, const char *backend, struct sheets *to)
{
	const struct manifest_row *rows;
	size_t n = capture_manifests(c, &rows);
	for (size_t i = 0; i < n; i++) {
		const struct manifest_row *row = &rows[i];
		const char *name = row->backend ? row->backend : "";
		if (backend && strcmp(backend, name) != 0) {
			continue;
		}
		struct sheet *s = sheet_of(to, name, row->role);
		struct sheet_state *state = state_of(s, row->id);
		manifest_destroy(state->manifest);
		state->manifest = manifest_parse(row->json);
		if (!s->url && row->url) {
			s->url = xstrdup(row->url);
		}
	}
}

static void count_replica(struct sheet *s, const char *name)
{
	if (!name) {
		return;
	}
	for (size_t i = 0; i < s->n_replicas; i++) {
		if (strcmp(s->replicas[i].name, name) == 0) {
			s->replicas[i].legs++;
			return;
		}
	}
	if (s->n_replicas == REPLICAS_LIMIT) {
		s->other_replicas++;
		return;
	}
	s->replicas = xrealloc(s->replicas, (s->n_replicas + 1) * sizeof(*s->replicas));
	s->replicas[s->n_replicas++] = (struct sheet_replica){xstrdup(name), 1};
}

static void count_parameter(struct sheet_parameter *p, double value)
{
	if (isnan(value)) {
		return;
	}
	p->low = p->set ? MIN(p->low, value) : value;
	p->high = p->set ? MAX(p->high, value) : value;
	p->set++;
}

static void count_parameters(struct sheet *s, const struct request_facts *f)
{
	const double values[SHEET_PARAMETERS] = {f->temperature, f->top_p, f->top_k, f->min_p,
	        f->repetition_penalty, f->presence_penalty, f->frequency_penalty,
	        f->has_seed ? (double)f->seed : NAN,
	        f->max_tokens >= 0 ? (double)f->max_tokens : NAN};
	for (size_t i = 0; i < SHEET_PARAMETERS; i++) {
		count_parameter(&s->parameters[i], values[i]);
	}
}

static void add_leg(struct sheets *to, const char *backend, const struct exchange_row *e,
        const struct leg_row *l)
{
	const char *name = l->backend ? l->backend : "";
	if ((backend && strcmp(backend, name) != 0) || (l->marks & LEG_SCORED)) {
		return;
	}
	struct sheet *s = sheet_of(to, name, l->role);
	struct sheet_state *state = state_of(s, l->manifest);
	state->first_ns = state->legs ? MIN(state->first_ns, l->start_ns) : l->start_ns;
	state->last_ns = MAX(state->last_ns, l->start_ns);
	state->legs++;
	s->legs++;
	if (!s->url && l->url) {
		s->url = xstrdup(l->url);
	}
	count_replica(s, l->replica ? l->replica : l->fingerprint);
	count_parameters(s, &e->facts);
}

static int compare_states(const void *a, const void *b)
{
	const struct sheet_state *x = a, *y = b;
	uint64_t at_x = x->legs ? x->first_ns : x->manifest ? x->manifest->wall_ns : 0;
	uint64_t at_y = y->legs ? y->first_ns : y->manifest ? y->manifest->wall_ns : 0;
	return at_x < at_y ? -1 : at_x > at_y;
}

/* The stack of the last leg. If no leg has one, the stack that was learned last. */
static const struct manifest *last_known(const struct sheet *s)
{
	const struct sheet_state *last = NULL;
	for (size_t i = 0; i < s->n_states; i++) {
		const struct sheet_state *each = &s->states[i];
		if (each->manifest &&
		        (!last || each->last_ns > last->last_ns || (!last->legs && !each->legs))) {
			last = each;
		}
	}
	return last ? last->manifest : NULL;
}

static char *references_of(const struct sheets *s)
{
	struct buf names = {0};
	for (size_t i = 0; i < s->n; i++) {
		if (s->items[i].role == ROLE_REFERENCE) {
			buf_printf(&names, "%s%s", names.len ? ", " : "", s->items[i].backend);
		}
	}
	return names.len ? buf_steal(&names) : NULL;
}

static int compare_sheets(const void *a, const void *b)
{
	const struct sheet *x = a, *y = b;
	return x->role != y->role ? (x->role < y->role ? -1 : 1) : strcmp(x->backend, y->backend);
}

static void end(struct sheets *s)
{
	if (s->n) {
		qsort(s->items, s->n, sizeof(*s->items), compare_sheets);
	}
	for (size_t i = 0; i < s->n; i++) {
		struct sheet *each = &s->items[i];
		if (each->n_states) {
			qsort(each->states, each->n_states, sizeof(*each->states), compare_states);
		}
		each->now = last_known(each);
		each->reference = references_of(s);
	}
}

void sheets_read(struct capture *c, const char *backend, struct sheets *ret)
{
	*ret = (struct sheets){0};
	struct capture_exchange e;
	add_manifests(c, backend, ret);
	while (capture_next(c, &e) == 1) {
		for (size_t i = 0; i < e.n_legs; i++) {
			add_leg(ret, backend, &e.row, &e.legs[i].row);
		}
		ret->exchanges++;
		capture_exchange_finish(&e);
	}
	end(ret);
}

void sheets_of_manifest(struct manifest *m, struct sheets *ret)
{
	*ret = (struct sheets){0};
	struct sheet *s = sheet_of(ret, m->backend ? m->backend : "", ROLE_PRIMARY);
	struct sheet_state *state = state_of(s, (struct id){{0}});
	s->url = xstrdup(m->url);
	free(s->backend);
	s->backend = NULL;
	state->manifest = m;
	s->now = m;
}

void sheets_finish(struct sheets *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct sheet *each = &s->items[i];
		for (size_t k = 0; k < each->n_states; k++) {
			manifest_destroy(each->states[k].manifest);
		}
		for (size_t k = 0; k < each->n_replicas; k++) {
			free(each->replicas[k].name);
		}
		free(each->states);
		free(each->replicas);
		free(each->backend);
		free(each->url);
		free(each->reference);
	}
	free(s->items);
	*s = (struct sheets){0};
}

const char *item_status_name(enum item_status s)
{
	static const char *const names[] = {"told", "configured", "assumed", "unknown"};
	return names[s];
}

static double assumed_number(const struct sampling *s, const char *name)
{
	const struct {
		const char *name;
		double value;
	} each[] = {
	        {"sampling.temperature", s->temperature},
	        {"sampling.top_p", s->top_p},
	        {"sampling.top_k", s->top_k},
	        {"sampling.min_p", s->min_p},
	        {"sampling.repetition_penalty", s->repetition_penalty},
	        {"sampling.presence_penalty", s->presence_penalty},
	        {"sampling.frequency_penalty", s->frequency_penalty},
	};
	for (size_t i = 0; i < ARRAY_LEN(each); i++) {
		if (strcmp(each[i].name, name) == 0) {
			return each[i].value;
		}
	}
	return NAN;
}

/* The known behaviour of engines of this dialect, used if the engine does not report it. Owned
 * by the caller, or NULL. */
static char *assumed(const struct dialect *d, const char *name)
{
	double chat = assumed_number(&d->defaults_chat, name);
	double completion = assumed_number(&d->defaults_completion, name);
	if (strcmp(name, "decoding.logprobs") == 0 && d->basis != LOGPROBS_UNKNOWN) {
		return xstrdup(logprobs_basis_name(d->basis));
	}
	if (isnan(chat) || isnan(completion)) {
		return NULL;
	}
	if (chat == completion) {
		return xasprintf("%.6g", chat);
	}
	return xasprintf("%.6g; %.6g on /completions", chat, completion);
}

static char *flags_of(const struct manifest *m)
{
	struct buf text = {0};
	for (size_t i = 0; i < m->n_facts; i++) {
		const struct fact *f = &m->facts[i];
		if (strncmp(f->name, "flag.", 5) == 0) {
			buf_printf(&text, "%s%s=%s", text.len ? ", " : "", f->name + 5, f->value);
		}
	}
	return text.len ? buf_steal(&text) : NULL;
}

static const struct fact *fact_of(const struct manifest *m, const char *name)
{
	for (size_t i = 0; i < m->n_facts; i++) {
		if (strcmp(m->facts[i].name, name) == 0) {
			return &m->facts[i];
		}
	}
	return NULL;
}

static char *replicas_of(const struct sheet *s)
{
	return s->n_replicas ? xasprintf("%zu seen", s->n_replicas) : NULL;
}

void sheet_item(const struct sheet *s, const struct manifest_name *name, struct sheet_item *ret)
{
	*ret = (struct sheet_item){.name = name, .status = ITEM_UNKNOWN};
	const struct fact *f = s->now ? fact_of(s->now, name->name) : NULL;
	if (f) {
		bool configured = strcmp(f->source, "configuration") == 0;
		ret->status = configured ? ITEM_CONFIGURED : ITEM_TOLD;
		ret->value = xstrdup(f->value);
		ret->source = xstrdup(f->source);
		return;
	}
	ret->status = ITEM_TOLD;
	if (strcmp(name->name, "evaluation.reference") == 0 && s->reference) {
		ret->value = xstrdup(s->reference);
		ret->source = xstrdup("the capture");
	} else if (strcmp(name->name, "serving.replicas") == 0 && s->n_replicas) {
		ret->value = replicas_of(s);
		ret->source = xstrdup("answers");
	} else if (s->now && strcmp(name->name, "engine.flags") == 0) {
		ret->value = flags_of(s->now);
		ret->source = ret->value ? xstrdup("the engine's own account") : NULL;
	} else if (s->now) {
		const struct dialect *dialect = manifest_dialect(s->now);
		ret->value = assumed(dialect, name->name);
		ret->status = ITEM_ASSUMED;
		ret->source =
		        ret->value ? xasprintf("what %s does, not told", dialect->title) : NULL;
	}
	ret->status = ret->value ? ret->status : ITEM_UNKNOWN;
}

void sheet_item_finish(struct sheet_item *i)
{
	free(i->value);
	free(i->source);
}
