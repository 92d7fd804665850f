#include "analyzer/fold/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/rows/leg_rows.h"
#include "base/k_smallest.h"
#include "base/mem.h"

static void finish_backend(struct traffic_backend *b)
{
	struct histogram *all[] = {
	        &b->queued, &b->first_content, &b->last_byte, &b->ttft, &b->itl, &b->tpot, &b->e2e};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		histogram_finish(all[i]);
	}
	name_counts_finish(&b->failed);
	free(b->passes);
	free(b->name);
}

static int compare_names(const void *a, const void *b)
{
	const struct traffic_backend *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static void drop_backend(void *item, void *arg)
{
	struct traffic *t = arg;
	struct traffic_backend *b = item;
	t->beyond += b->answers;
	finish_backend(b);
}

static const struct k_smallest BACKENDS = {
        sizeof(struct traffic_backend), TRAFFIC_BACKENDS, compare_names, drop_backend};

static struct traffic_backend *backend_named(struct traffic *t, const char *name)
{
	const struct traffic_backend like = {.name = (char *)(uintptr_t)name};
	bool is_new;
	struct traffic_backend *b =
	        k_smallest_place(&BACKENDS, &t->backends, &t->n_backends, &like, t, &is_new);
	if (is_new) {
		b->name = xstrdup(name);
	}
	return b;
}

bool traffic_has_backend(const struct traffic *t, const char *name)
{
	size_t i = 0;
	while (i < t->n_backends && strcmp(t->backends[i].name, name) != 0) {
		i++;
	}
	return i < t->n_backends;
}

static int compare_passes(const void *a, const void *b)
{
	const struct traffic_pass *x = a, *y = b;
	int order = id_compare(x->run, y->run);
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

static void drop_pass(void *item, void *arg)
{
	struct traffic_backend *b = arg;
	b->beyond_passes += ((struct traffic_pass *)item)->complete;
}

static const struct k_smallest PASSES = {
        sizeof(struct traffic_pass), TRAFFIC_PASSES, compare_passes, drop_pass};

static void add_pass(struct traffic_backend *b, const struct traffic_pass *pass)
{
	bool is_new;
	struct traffic_pass *to =
	        k_smallest_place(&PASSES, &b->passes, &b->n_passes, pass, b, &is_new);
	if (!to) {
		b->beyond_passes += pass->complete;
	} else if (!is_new) {
		to->first_ns = MIN(to->first_ns, pass->first_ns);
		to->last_ns = MAX(to->last_ns, pass->last_ns);
		to->complete += pass->complete;
		to->completion_tokens += pass->completion_tokens;
	}
}

static void add_time(struct histogram *h, uint64_t us)
{
	if (us != UINT64_MAX) {
		histogram_add(h, us);
	}
}

static void add_complete(struct traffic_backend *b, const struct leg_summary *leg)
{
	b->complete++;
	b->streams += leg->streamed;
	if (leg->completion_tokens >= 0) {
		b->completion_tokens += (uint64_t)leg->completion_tokens;
		b->prompt_tokens += (uint64_t)MAX(leg->prompt_tokens, (int64_t)0);
		b->cached_tokens += (uint64_t)MAX(leg->cached_tokens, (int64_t)0);
	} else {
		b->without_usage++;
	}
	add_time(&b->queued, leg->queued_us);
	add_time(&b->first_content, leg->first_content_us);
	add_time(&b->last_byte, leg->end_us);
}

static void keep_first(struct traffic_backend *b, struct id exchange, struct id leg, enum role role)
{
	int order = id_compare(exchange, b->first_exchange);
	order = order ? order : id_compare(leg, b->first_leg);
	if (b->answers == 0 || order < 0) {
		b->first_exchange = exchange;
		b->first_leg = leg;
		b->role = role;
	}
}

static struct traffic_pass pass_of(const struct leg_summary *leg)
{
	bool complete = leg->end == LEG_END_COMPLETE;
	uint64_t took = leg->end_us == UINT64_MAX ? 0 : leg->end_us * 1000;
	return (struct traffic_pass){
	        .run = leg->run,
	        .number = leg->pass,
	        .first_ns = leg->start_ns,
	        .last_ns = leg->start_ns > UINT64_MAX - took ? leg->start_ns : leg->start_ns + took,
	        .complete = complete,
	        .completion_tokens =
	                complete ? (uint64_t)MAX(leg->completion_tokens, (int64_t)0) : 0,
	};
}

static void add_to_part(struct traffic_part *p, const struct leg_summary *leg)
{
	p->answers++;
	p->failed += leg->end == LEG_END_FAILED;
	if (leg->end == LEG_END_COMPLETE) {
		add_time(&p->first_content, leg->first_content_us);
		add_time(&p->last_byte, leg->end_us);
	}
}

static void add_pace(struct moments *m, const struct leg_summary *leg)
{
	uint64_t from = leg->streamed ? leg->first_content_us : 0;
	int64_t tokens = leg->completion_tokens - leg->streamed;
	if (tokens > 0 && leg->end_us != UINT64_MAX && leg->end_us > from) {
		moments_add(m, log((double)(leg->end_us - from) / (double)tokens));
	}
}

void traffic_add(struct traffic *t, const struct leg_summary *leg)
{
	if (leg->of_client && leg->end != LEG_END_CUT) {
		add_to_part(&t->parts[leg->injected ? TRAFFIC_INJECTED : TRAFFIC_UNINJECTED], leg);
		add_to_part(&t->parts[leg->mirrored ? TRAFFIC_MIRRORED : TRAFFIC_UNMIRRORED], leg);
	}
	if (leg->end == LEG_END_COMPLETE) {
		add_pace(&t->paces[leg->lists], leg);
	}
	struct traffic_backend *b = backend_named(t, leg->backend);
	if (!b) {
		t->beyond++;
		return;
	}
	keep_first(b, leg->exchange, leg->leg, leg->role);
	b->answers++;
	b->body_bytes += leg->body_bytes;
	b->busy_us += leg->end_us == UINT64_MAX ? 0 : leg->end_us;
	const struct traffic_pass pass = pass_of(leg);
	add_pass(b, &pass);
	if (leg->end == LEG_END_CUT) {
		b->cut++;
	} else if (leg->end == LEG_END_FAILED) {
		name_counts_add(&b->failed, leg->failure, 1);
	} else {
		add_complete(b, leg);
	}
}

void traffic_add_times(struct traffic *t, const struct times_row *row)
{
	struct traffic_backend *b = backend_named(t, row->backend);
	if (!b) {
		return; /* its answers count in `beyond` */
	}
	b->timed++;
	add_time(&b->ttft, row->ttft_us);
	add_time(&b->tpot, row->tpot_us);
	add_time(&b->e2e, row->e2e_us);
	for (size_t i = 0; i < TIMES_GAP_BINS; i++) {
		histogram_add_many(&b->itl, times_gap_us(i), row->gaps[i]);
	}
}

static int by_first_leg(const void *a, const void *b)
{
	const struct traffic_backend *x = a, *y = b;
	int order = id_compare(x->first_exchange, y->first_exchange);
	order = order ? order : id_compare(x->first_leg, y->first_leg);
	return order ? order : compare_names(a, b);
}

void traffic_settle(struct traffic *t)
{
	if (t->n_backends > 0) {
		qsort(t->backends, t->n_backends, sizeof(*t->backends), by_first_leg);
	}
}

void traffic_finish(struct traffic *t)
{
	for (size_t i = 0; i < t->n_backends; i++) {
		finish_backend(&t->backends[i]);
	}
	free(t->backends);
	for (size_t i = 0; i < N_TRAFFIC_PARTS; i++) {
		histogram_finish(&t->parts[i].first_content);
		histogram_finish(&t->parts[i].last_byte);
	}
	*t = (struct traffic){0};
}

static bool is_of_one_run(const struct traffic_pass *a, const struct traffic_pass *b)
{
	return id_compare(a->run, b->run) == 0;
}

static int by_run_and_time(const void *a, const void *b)
{
	const struct traffic_pass *x = a, *y = b;
	int order = id_compare(x->run, y->run);
	order = order ? order : (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
	return order ? order : (x->last_ns > y->last_ns) - (x->last_ns < y->last_ns);
}

double traffic_seconds(const struct traffic_backend *b)
{
	size_t n = b->n_passes;
	struct traffic_pass *passes = xcalloc(n + 1, sizeof(*passes));
	double seconds = 0;
	uint64_t until = 0;
	if (n > 0) {
		memcpy(passes, b->passes, n * sizeof(*passes));
		qsort(passes, n, sizeof(*passes), by_run_and_time);
	}
	/* Passes of one run may overlap, for example if repeats are mixed; no time may count
	 * twice. */
	for (size_t i = 0; i < n; i++) {
		bool next = i == 0 || !is_of_one_run(&passes[i], &passes[i - 1]);
		uint64_t from = next ? passes[i].first_ns : MAX(passes[i].first_ns, until);
		until = next ? passes[i].last_ns : MAX(passes[i].last_ns, until);
		seconds += until > from ? (double)(until - from) / 1e9 : 0;
	}
	free(passes);
	return seconds;
}

size_t traffic_runs(const struct traffic_backend *b)
{
	size_t n = 0;
	for (size_t i = 0; i < b->n_passes; i++) {
		n += i == 0 || !is_of_one_run(&b->passes[i], &b->passes[i - 1]);
	}
	return n;
}

static double per_second(const struct traffic_backend *b, uint64_t n)
{
	double seconds = traffic_seconds(b);
	return seconds > 0 ? (double)n / seconds : NAN;
}

double traffic_answers_per_second(const struct traffic_backend *b)
{
	uint64_t n = 0;
	for (size_t i = 0; i < b->n_passes; i++) {
		n += b->passes[i].complete;
	}
	return per_second(b, n);
}

double traffic_tokens_per_second(const struct traffic_backend *b)
{
	uint64_t n = 0;
	for (size_t i = 0; i < b->n_passes; i++) {
		n += b->passes[i].completion_tokens;
	}
	return per_second(b, n);
}

struct traffic_ratio traffic_list_ratio(
        const struct traffic *t, enum leg_lists of, enum leg_lists against)
{
	const struct moments *a = &t->paces[of], *b = &t->paces[against];
	struct interval ci = moments_difference(a, b);
	return (struct traffic_ratio){
	        .ratio = exp(moments_mean(a) - moments_mean(b)),
	        .ci = {exp(ci.low), exp(ci.high)},
	};
}
