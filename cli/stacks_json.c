#include "cli/stacks_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answers/request.h"
#include "backends/manifest_collect.h"
#include "base/mem.h"
#include "base/quoted.h"

#define REPLICAS_LIMIT 64
#define STACKS_LIMIT 4096 /* of a backend */

static const char *const PARAMETERS[] = {"temperature", "top_p", "top_k", "min_p",
        "repetition_penalty", "presence_penalty", "frequency_penalty", "seed", "max_tokens"};

/* The legs of a backend that one stack answered. */
struct stack {
	struct id id;              /* zero: legs without a manifest */
	struct manifest *manifest; /* NULL: none, or unreadable */
	uint64_t legs;
	uint64_t first_ns, last_ns; /* start of the first and last leg; 0: none */
};

struct replica {
	char *name;
	uint64_t legs;
};

/* The values of one parameter in requests. */
struct parameter {
	uint64_t set;
	double low, high;
};

struct backend {
	char *name; /* NULL: a running engine */
	char *url;
	enum role role;
	struct stack *stacks; /* by first leg, else by time of observation */
	size_t n_stacks;
	const struct manifest *now; /* the last known one, or NULL */
	struct replica *replicas;
	size_t n_replicas;
	uint64_t legs;
	/* legs whose request was not stored as the backend got it: their parameters are as the
	 * client set them */
	uint64_t as_asked;
	struct parameter parameters[ARRAY_LEN(PARAMETERS)];
};

struct backends {
	struct backend *items;
	size_t n;
	char *references; /* names of the capture's references, or NULL */
};

static struct backend *backend_of(struct backends *all, const char *name, enum role role)
{
	for (size_t i = 0; i < all->n; i++) {
		if (strcmp(all->items[i].name, name) == 0) {
			return &all->items[i];
		}
	}
	all->items = xrealloc(all->items, (all->n + 1) * sizeof(*all->items));
	struct backend *b = &all->items[all->n++];
	*b = (struct backend){.name = xstrdup(name), .role = role};
	return b;
}

static struct stack *stack_of(struct backend *b, struct id id)
{
	for (size_t i = 0; i < b->n_stacks; i++) {
		if (id_compare(b->stacks[i].id, id) == 0) {
			return &b->stacks[i];
		}
	}
	if (b->n_stacks == STACKS_LIMIT) {
		return &b->stacks[STACKS_LIMIT - 1];
	}
	b->stacks = xrealloc(b->stacks, (b->n_stacks + 1) * sizeof(*b->stacks));
	struct stack *stack = &b->stacks[b->n_stacks++];
	*stack = (struct stack){.id = id};
	return stack;
}

static void add_manifests(struct capture *c, const char *only, struct backends *to)
{
	const struct manifest_row *rows;
	size_t n = capture_manifests(c, &rows);
	for (size_t i = 0; i < n; i++) {
		const struct manifest_row *row = &rows[i];
		const char *name = row->backend ? row->backend : "";
		if (only && strcmp(only, name) != 0) {
			continue;
		}
		struct backend *b = backend_of(to, name, row->role);
		struct stack *stack = stack_of(b, row->id);
		manifest_destroy(stack->manifest);
		stack->manifest = manifest_parse(row->json);
		if (!b->url && row->url) {
			b->url = xstrdup(row->url);
		}
	}
}

static void count_replica(struct backend *b, const char *name)
{
	for (size_t i = 0; i < b->n_replicas; i++) {
		if (strcmp(b->replicas[i].name, name) == 0) {
			b->replicas[i].legs++;
			return;
		}
	}
	if (b->n_replicas < REPLICAS_LIMIT) {
		b->replicas = xrealloc(b->replicas, (b->n_replicas + 1) * sizeof(*b->replicas));
		b->replicas[b->n_replicas++] = (struct replica){xstrdup(name), 1};
	}
}

static void count_parameters(struct backend *b, const struct request_facts *f)
{
	const double values[ARRAY_LEN(PARAMETERS)] = {f->temperature, f->top_p, f->top_k, f->min_p,
	        f->repetition_penalty, f->presence_penalty, f->frequency_penalty,
	        f->has_seed ? (double)f->seed : NAN,
	        f->max_tokens >= 0 ? (double)f->max_tokens : NAN};
	for (size_t i = 0; i < ARRAY_LEN(PARAMETERS); i++) {
		struct parameter *p = &b->parameters[i];
		if (!isnan(values[i])) {
			p->low = p->set ? MIN(p->low, values[i]) : values[i];
			p->high = p->set ? MAX(p->high, values[i]) : values[i];
			p->set++;
		}
	}
}

/* Counts the parameters of the request as this backend got it: plumbline may have set some. If the
 * body was not stored, those of the client's request. */
static void count_sent(
        struct backend *b, struct capture *c, const struct capture_exchange *e, size_t leg)
{
	struct request_facts facts = e->row.facts;
	struct buf body = {0};
	bool is_known = e->row.content != CONTENT_METADATA;
	if (is_known && e->legs[leg].row.n_edits > 0) {
		is_known = capture_sent_body(c, e, leg, &body) == 0;
		if (is_known) {
			request_read(e->row.endpoint, buf_span(&body), &facts);
		}
	}
	b->as_asked += !is_known;
	buf_finish(&body);
	count_parameters(b, &facts);
}

static void add_leg(struct backends *to, const char *only, struct capture *c,
        const struct capture_exchange *e, size_t leg)
{
	const struct leg_row *l = &e->legs[leg].row;
	const char *name = l->backend ? l->backend : "";
	const char *replica = l->replica ? l->replica : l->fingerprint;
	if ((only && strcmp(only, name) != 0) || (l->marks & LEG_SCORED)) {
		return;
	}
	struct backend *b = backend_of(to, name, l->role);
	struct stack *stack = stack_of(b, l->manifest);
	stack->first_ns = stack->legs ? MIN(stack->first_ns, l->start_ns) : l->start_ns;
	stack->last_ns = MAX(stack->last_ns, l->start_ns);
	stack->legs++;
	b->legs++;
	if (!b->url && l->url) {
		b->url = xstrdup(l->url);
	}
	if (replica) {
		count_replica(b, replica);
	}
	count_sent(b, c, e, leg);
}

static int by_time(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;
	uint64_t at_x = x->legs ? x->first_ns : x->manifest ? x->manifest->wall_ns : 0;
	uint64_t at_y = y->legs ? y->first_ns : y->manifest ? y->manifest->wall_ns : 0;
	return at_x < at_y ? -1 : at_x > at_y;
}

/* The stack of the last leg. If no leg has one, the latest manifest. */
static const struct manifest *last_known(const struct backend *b)
{
	const struct stack *last = NULL;
	for (size_t i = 0; i < b->n_stacks; i++) {
		const struct stack *each = &b->stacks[i];
		if (each->manifest &&
		        (!last || each->last_ns > last->last_ns || (!last->legs && !each->legs))) {
			last = each;
		}
	}
	return last ? last->manifest : NULL;
}

static int by_role(const void *a, const void *b)
{
	const struct backend *x = a, *y = b;
	return x->role != y->role ? (x->role < y->role ? -1 : 1) : strcmp(x->name, y->name);
}

static void read_capture(struct capture *c, const char *only, struct backends *ret)
{
	struct capture_exchange e;
	add_manifests(c, only, ret);
	while (capture_next(c, &e) == 1) {
		for (size_t i = 0; i < e.n_legs; i++) {
			add_leg(ret, only, c, &e, i);
		}
		capture_exchange_finish(&e);
	}
	if (ret->n) {
		qsort(ret->items, ret->n, sizeof(*ret->items), by_role);
	}
	struct buf references = {0};
	for (size_t i = 0; i < ret->n; i++) {
		struct backend *b = &ret->items[i];
		if (b->n_stacks) {
			qsort(b->stacks, b->n_stacks, sizeof(*b->stacks), by_time);
		}
		b->now = last_known(b);
		if (b->role == ROLE_REFERENCE) {
			buf_printf(&references, "%s%s", references.len ? ", " : "", b->name);
		}
	}
	ret->references = references.len ? buf_steal(&references) : NULL;
}

static void finish(struct backends *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct backend *b = &all->items[i];
		for (size_t k = 0; k < b->n_stacks; k++) {
			manifest_destroy(b->stacks[k].manifest);
		}
		for (size_t k = 0; k < b->n_replicas; k++) {
			free(b->replicas[k].name);
		}
		free(b->stacks);
		free(b->replicas);
		free(b->name);
		free(b->url);
	}
	free(all->items);
	free(all->references);
}

static double default_of(const struct sampling *s, const char *name)
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

/* Appends the known behaviour of engines of this dialect, used if the engine does not report it. */
static void put_assumed(struct buf *to, const struct dialect *d, const char *name)
{
	double chat = default_of(&d->defaults_chat, name);
	double completion = default_of(&d->defaults_completion, name);
	if (strcmp(name, "decoding.logprobs") == 0 && d->basis != LOGPROBS_UNKNOWN) {
		buf_append_str(to, logprobs_basis_name(d->basis));
	} else if (chat == completion) {
		buf_printf(to, "%.6g", chat);
	} else if (!isnan(chat) && !isnan(completion)) {
		buf_printf(to, "%.6g; %.6g on /completions", chat, completion);
	}
}

static void put_flags(struct buf *to, const struct manifest *m)
{
	for (size_t i = 0; i < m->n_facts; i++) {
		const struct fact *f = &m->facts[i];
		if (strncmp(f->name, "flag.", 5) == 0) {
			buf_printf(to, "%s%s=%s", to->len ? ", " : "", f->name + 5, f->value);
		}
	}
}

static const struct fact *fact_of(const struct manifest *m, const char *name)
{
	for (size_t i = 0; m && i < m->n_facts; i++) {
		if (strcmp(m->facts[i].name, name) == 0) {
			return &m->facts[i];
		}
	}
	return NULL;
}

/* One line of the checklist. status: "told" by the engine, "configured" by a person, "assumed"
 * from the dialect's defaults, or "unknown". */
static json_t *item_json(
        const struct backends *all, const struct backend *b, const struct manifest_name *name)
{
	const struct fact *f = fact_of(b->now, name->name);
	struct buf value = {0}, source = {0};
	const char *status = "told";
	if (f) {
		status = strcmp(f->source, "configuration") == 0 ? "configured" : status;
		buf_append_str(&value, f->value);
		buf_append_str(&source, f->source);
	} else if (strcmp(name->name, "evaluation.reference") == 0 && all->references) {
		buf_append_str(&value, all->references);
		buf_append_str(&source, "the capture");
	} else if (strcmp(name->name, "serving.replicas") == 0 && b->n_replicas) {
		buf_printf(&value, "%zu seen", b->n_replicas);
		buf_append_str(&source, "answers");
	} else if (b->now && strcmp(name->name, "engine.flags") == 0) {
		put_flags(&value, b->now);
		buf_append_str(&source, "the engine itself");
	} else if (b->now) {
		const struct dialect *dialect = manifest_dialect(b->now);
		put_assumed(&value, dialect, name->name);
		status = "assumed";
		buf_printf(&source, "the usual behaviour of %s", dialect->title);
	}
	bool known = f || value.len > 0;
	json_t *item = json_pack("{s:s, s:s, s:s, s:b, s:s, s:o, s:o, s:s}", "name", name->name,
	        "title", name->title, "section", name->section, "must", name->must, "status",
	        known ? status : "unknown", "value", quoted(known ? buf_cstr(&value) : NULL),
	        "source", quoted(known ? buf_cstr(&source) : NULL), "hint", name->hint);
	buf_finish(&value);
	buf_finish(&source);
	return item;
}

static json_t *items_json(const struct backends *all, const struct backend *b)
{
	size_t n;
	const struct manifest_name *names = manifest_names(&n);
	json_t *items = json_array();
	for (size_t i = 0; i < n; i++) {
		json_array_append_new(items, item_json(all, b, &names[i]));
	}
	return items;
}

/* The facts whose names begin with the prefix, under names without it. */
static json_t *facts_json(const struct manifest *m, const char *prefix)
{
	size_t len = strlen(prefix);
	json_t *facts = json_object();
	for (size_t i = 0; m && i < m->n_facts; i++) {
		const struct fact *f = &m->facts[i];
		if (strncmp(f->name, prefix, len) == 0) {
			json_object_set_new(facts, f->name + len, quoted(f->value));
		}
	}
	return facts;
}

static json_t *changes_json(const struct manifest *before, const struct manifest *m)
{
	json_t *changes = json_array();
	size_t n = 0;
	struct manifest_change *each = before && m ? manifest_diff(before, m, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		json_array_append_new(
		        changes, json_pack("{s:o, s:o, s:o}", "name", quoted(each[i].name), "was",
		                         quoted(each[i].was), "is", quoted(each[i].is)));
	}
	free(each);
	return changes;
}

static json_t *states_json(const struct backend *b)
{
	json_t *states = json_array();
	const struct manifest *before = NULL;
	for (size_t i = 0; b->name && i < b->n_stacks; i++) {
		const struct stack *s = &b->stacks[i];
		char id[ID_TEXT_SIZE];
		bool known = !id_is_zero(s->id);
		json_array_append_new(
		        states, json_pack("{s:o, s:I, s:I, s:I, s:I, s:o}", "id",
		                        quoted(known ? id_format(s->id, id) : NULL), "learned_ns",
		                        (json_int_t)(s->manifest ? s->manifest->wall_ns : 0),
		                        "answers", (json_int_t)s->legs, "first_ns",
		                        (json_int_t)s->first_ns, "last_ns", (json_int_t)s->last_ns,
		                        "changes", changes_json(before, s->manifest)));
		before = s->manifest ? s->manifest : before;
	}
	return states;
}

static json_t *replicas_json(const struct backend *b)
{
	json_t *replicas = json_array();
	for (size_t i = 0; i < b->n_replicas; i++) {
		json_array_append_new(
		        replicas, json_pack("{s:o, s:I}", "name", quoted(b->replicas[i].name),
		                          "answers", (json_int_t)b->replicas[i].legs));
	}
	return replicas;
}

static json_t *parameters_json(const struct backend *b)
{
	json_t *all = json_object();
	for (size_t i = 0; b->legs && i < ARRAY_LEN(PARAMETERS); i++) {
		const struct parameter *p = &b->parameters[i];
		json_object_set_new(all, PARAMETERS[i],
		        p->set ? json_pack("{s:I, s:f, s:f}", "set", (json_int_t)p->set, "low",
		                         p->low, "high", p->high)
		               : json_pack("{s:i, s:n, s:n}", "set", 0, "low", "high"));
	}
	return all;
}

static json_t *backend_json(const struct backends *all, const struct backend *b)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:b, s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:o, s:o}",
	        "backend", quoted(b->name), "url", quoted(b->url), "role",
	        quoted(b->name ? role_name(b->role) : NULL), "dialect",
	        quoted(b->now ? b->now->dialect : NULL), "partial", b->now && b->now->partial,
	        "learned_ns", (json_int_t)(b->now ? b->now->wall_ns : 0), "answers",
	        (json_int_t)b->legs, "items", items_json(all, b), "flags",
	        facts_json(b->now, "flag."), "notes", facts_json(b->now, "note."), "requests",
	        parameters_json(b), "requests_as_asked", (json_int_t)b->as_asked, "states",
	        states_json(b), "replicas", replicas_json(b));
}

/* Frees the backends. */
static json_t *all_json(struct backends *all)
{
	json_t *stacks = json_array();
	for (size_t i = 0; i < all->n; i++) {
		json_array_append_new(stacks, backend_json(all, &all->items[i]));
	}
	finish(all);
	return json_pack("{s:i, s:o}", "plumbline_manifest", 1, "stacks", stacks);
}

json_t *stacks_json_of_capture(struct capture *c, const char *backend)
{
	struct backends all = {0};
	read_capture(c, backend, &all);
	return all_json(&all);
}

json_t *stacks_json_of_engine(struct manifest *m)
{
	struct backends all = {0};
	struct backend *b = backend_of(&all, m->backend ? m->backend : "", ROLE_PRIMARY);
	b->url = xstrdup(m->url);
	free(b->name);
	b->name = NULL;
	stack_of(b, (struct id){{0}})->manifest = m;
	b->now = m;
	return all_json(&all);
}
