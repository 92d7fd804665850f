#include "replay/feeder.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"

#define READY_LIMIT 1024
#define BYTES_LIMIT ((size_t)64 << 20)

struct feeder {
	struct feeder_settings s;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t taken;
	struct job *first, **last;
	size_t n_ready, bytes;
	bool done, halted;
};

/* The body was edited twice: for the history and for the target. Records one edit that replaces the
 * whole body of the source. */
static void replace_all(struct job *j)
{
	struct copy_body *made = &j->made;
	if (!made->edited) {
		buf_append_span(&made->sent, buf_span(&j->with_history));
		made->edited = true;
	}
	edits_finish(&made->edits);
	edits_add(&made->edits, 0, j->source.body.len, buf_span(&made->sent));
	edits_sort(&made->edits);
}

const char *job_make(struct job *j, const struct target *t, bool with_fields)
{
	const struct source_body *b = &j->source;
	const struct copy_body_plan plan = {
	        .rules = &t->rules,
	        .from = b->from,
	        .from_stated = &b->defaults,
	        .to = t->dialect,
	        .endpoint = b->endpoint,
	        .facts = &b->facts,
	        .body = buf_span(j->with_history.len ? &j->with_history : &b->body),
	        .top = t->top,
	        .want_logprobs = with_fields && t->want_logprobs,
	        .want_usage = with_fields && t->want_usage,
	};
	copy_body_finish(&j->made);
	const char *why = copy_body_make(&plan, &j->made);
	if (!why && j->with_history.len) {
		replace_all(j);
	}
	j->wants_logprobs = !why && (j->made.facts.has_logprobs || j->made.added.logprobs);
	return why;
}

struct span job_body(const struct job *j)
{
	return buf_span(j->made.edited ? &j->made.sent : &j->source.body);
}

struct kind_key job_kind(const struct job *j, const struct target *t)
{
	const struct request_facts *f = &j->source.facts;
	const char *model = copy_body_model(&t->rules, f->model);
	return (struct kind_key){
	        .backend = t->name,
	        .model = model ? model : f->model,
	        .endpoint = j->source.endpoint,
	        .stream = f->stream,
	        .tools = f->has_tools,
	};
}

void job_destroy(struct job *j)
{
	if (j) {
		source_body_finish(&j->source);
		copy_body_finish(&j->made);
		buf_finish(&j->with_history);
		free(j);
	}
}

static size_t weight(const struct job *j)
{
	return sizeof(*j) + j->source.body.len + j->source.recorded.len + j->made.sent.len;
}

static struct job *make_ready(struct feeder *f, uint32_t number)
{
	const struct plan *p = f->s.plan;
	const struct plan_request *r = &p->requests[p->sends[number].request];
	struct job *j = xcalloc(1, sizeof(*j));
	j->send = number;
	j->planned = p->sends[number];
	j->exchange = r->exchange;
	j->wall_ns = r->wall_ns;
	j->delay = r->delay;
	j->unfit = source_load(f->s.source, r, &j->source);
	if (j->unfit) {
		return j;
	}
	if (j->source.history_open && (!f->s.answered || j->planned.after == PLAN_NONE)) {
		j->unfit = "its source has no answer to the turn before";
		return j;
	}
	j->source.is_new = j->source.is_new && !resume_knows(f->s.sent, j->exchange);
	const struct target *t = f->s.targets[j->planned.target];
	struct kind_key key = job_kind(j, t);
	bool refused = false;
	kinds_get(f->s.kinds, &key, clock_mono(), &refused);
	j->unfit = job_make(j, t, !refused);
	return j;
}

/* False: the feeder was halted. */
static bool hand_over(struct feeder *f, struct job *j)
{
	pthread_mutex_lock(&f->lock);
	while (!f->halted && (f->n_ready >= READY_LIMIT || f->bytes >= BYTES_LIMIT)) {
		pthread_cond_wait(&f->taken, &f->lock);
	}
	bool good = !f->halted;
	if (good) {
		f->n_ready++;
		f->bytes += weight(j);
		*f->last = j;
		f->last = &j->next;
	}
	pthread_mutex_unlock(&f->lock);
	if (!good) {
		job_destroy(j);
		return false;
	}
	f->s.wake(f->s.arg);
	return true;
}

static void *run(void *arg)
{
	struct feeder *f = arg;
	bool going = true;
	for (uint32_t i = 0; going && i < f->s.plan->n_sends; i++) {
		if (!f->s.plan->sends[i].skipped) {
			going = hand_over(f, make_ready(f, i));
		}
	}
	pthread_mutex_lock(&f->lock);
	f->done = true;
	pthread_mutex_unlock(&f->lock);
	f->s.wake(f->s.arg);
	return NULL;
}

struct feeder *feeder_start(const struct feeder_settings *s)
{
	struct feeder *f = xcalloc(1, sizeof(*f));
	sigset_t all, before;
	f->s = *s;
	f->last = &f->first;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->taken, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	expect(pthread_create(&f->thread, NULL, run, f) == 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return f;
}

struct job *feeder_take(struct feeder *f)
{
	pthread_mutex_lock(&f->lock);
	struct job *j = f->first;
	if (j) {
		f->first = j->next;
		f->last = f->first ? f->last : &f->first;
		f->n_ready--;
		f->bytes -= weight(j);
		j->next = NULL;
		pthread_cond_signal(&f->taken);
	}
	pthread_mutex_unlock(&f->lock);
	return j;
}

bool feeder_is_done(struct feeder *f)
{
	pthread_mutex_lock(&f->lock);
	bool done = f->done && !f->first;
	pthread_mutex_unlock(&f->lock);
	return done;
}

void feeder_stop(struct feeder *f)
{
	if (!f) {
		return;
	}
	pthread_mutex_lock(&f->lock);
	f->halted = true;
	pthread_cond_signal(&f->taken);
	pthread_mutex_unlock(&f->lock);
	pthread_join(f->thread, NULL);
	while (f->first) {
		struct job *j = f->first;
		f->first = j->next;
		job_destroy(j);
	}
	pthread_cond_destroy(&f->taken);
	pthread_mutex_destroy(&f->lock);
	free(f);
}
