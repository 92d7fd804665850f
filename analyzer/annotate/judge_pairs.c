#include "analyzer/annotate/judge_pairs.h"

#include "analyzer/compare/meaning/formula.h"
#include "analyzer/compare/meaning/task.h"
#include "base/mem.h"

struct texts {               /* of one pair */
	uint64_t body_bytes; /* bytes of the exchange's request */
	struct buf request, base, test;
};

static void texts_finish(struct texts *t)
{
	buf_finish(&t->request);
	buf_finish(&t->base);
	buf_finish(&t->test);
}

/* Reads the request and both answers as texts. False: the pair cannot be read. */
static bool read_texts(struct annotator *a, const struct judge_job *j,
        const struct judge_item *item, struct texts *ret)
{
	struct capture_exchange e;
	struct buf body = {0};
	*ret = (struct texts){0};
	annotator_lock(a);
	if (capture_find(j->capture, item->exchange, &e) == 0) {
		if (capture_request_body(j->capture, &e, &body) == 0) {
			task_words(e.row.endpoint, buf_span(&body), &ret->request);
		}
		ret->body_bytes = capture_request_bytes(j->capture, &e);
		(void)annotator_read_choice(
		        j->capture, &e, item->base, item->choice, &ret->base, NULL);
		(void)annotator_read_choice(
		        j->capture, &e, item->test, item->choice, &ret->test, NULL);
		capture_exchange_finish(&e);
	}
	annotator_unlock(a);
	buf_finish(&body);
	return ret->base.len > 0 && ret->test.len > 0;
}

static struct annotation about(const struct annotator *a, const struct judge_item *item,
        const struct texts *t, bool base_first)
{
	struct annotation about = annotator_common(a);
	about.exchange = item->exchange;
	about.body_bytes = t->body_bytes;
	about.of = base_first ? item->base : item->test;
	about.against = base_first ? item->test : item->base;
	about.at = (uint32_t)item->choice;
	return about;
}

/* Does not use annotator_count(): nothing was sent, so it is unknown whether the engine is gone. */
static void count_unreadable(struct annotator *a, struct judge_job *j)
{
	annotator_lock(a);
	error_tally_add(&j->tally.failed, "the answers can no longer be read");
	annotator_unlock(a);
}

/* Asks a model about a pair in one order. False: the question must be asked again in a later
 * run. */
static bool ask_model(struct annotator *a, struct judge_job *j, struct judge_client *client,
        const struct judge_item *item, const struct texts *t, bool base_first)
{
	struct judge_client_reply r;
	struct span base = buf_span(&t->base), test = buf_span(&t->test);
	judge_client_ask(client, buf_span(&t->request), base_first ? base : test,
	        base_first ? test : base, &r);
	if (r.end == QUESTION_DONE) {
		struct annotation reply = about(a, item, t, base_first);
		reply.request = buf_span(&r.request);
		reply.answer = &r.answer;
		reply.start_ns = r.start_ns;
		if (!annotator_record(a, &reply)) {
			r.end = QUESTION_FAILED;
			r.why = xstrdup("the engine's answer could not be stored");
		}
	}
	bool done = r.end == QUESTION_DONE;
	annotator_lock(a);
	annotator_count(a, r.end, r.why);
	if (done) {
		j->replies[r.opinion]++;
		j->unclear += !r.clear;
	}
	annotator_unlock(a);
	judge_client_reply_finish(&r);
	return done;
}

static bool ask_model_in_both_orders(
        struct annotator *a, void *arg, void *client, size_t from, size_t to)
{
	struct judge_job *j = arg;
	const struct judge_item *item = &j->list->items[from];
	struct texts t;
	bool good = read_texts(a, j, item, &t);
	if (!good) {
		count_unreadable(a, j);
	}
	if (good && item->need_base_first) {
		good = ask_model(a, j, client, item, &t, true);
	}
	if (good && item->need_test_first) {
		good = ask_model(a, j, client, item, &t, false);
	}
	annotator_lock(a);
	j->judged += good;
	annotator_unlock(a);
	texts_finish(&t);
	return true;
}

static void *open_client(const void *arg, char **ret_error)
{
	const struct judge_job *j = arg;
	return judge_client_create(&j->client, ret_error);
}

static void close_client(void *client)
{
	judge_client_destroy(client);
}

static void stop_client(void *client)
{
	judge_client_stop(client);
}

static struct annotator_settings settings_of(struct judge_job *j, const struct dialect *dialect)
{
	return (struct annotator_settings){
	        .to = j->to,
	        .common = {.backend = j->name,
	                .url = j->url,
	                .role = j->role,
	                .dialect = dialect,
	                .endpoint = ENDPOINT_CHAT,
	                .marks = LEG_SCORED | LEG_JUDGING},
	        .workers = j->concurrency,
	        .items = judge_list_pairs(j->list),
	        .questions = judge_list_requests(j->list),
	        .limit = UINT64_MAX,
	        .arg = j,
	};
}

char *judge_by_model(struct judge_job *j)
{
	struct annotator_settings s = settings_of(j, j->client.dialect);
	s.noun = "judgements";
	s.ask = ask_model_in_both_orders;
	s.open = open_client;
	s.close = close_client;
	s.stop = stop_client;
	return annotator_run(&s, &j->tally);
}

/* Adds the questions about one pair in the missing orders. Returns how many there are. */
static size_t add_questions(struct annotator *a, struct judge_job *j, const struct judge_item *item,
        struct format *forms, struct library_question *to)
{
	struct texts t;
	struct formula base, test;
	size_t n = 0;
	bool good = read_texts(a, j, item, &t) &&
	            formula_read(&forms->a, buf_span(&t.base), &base) &&
	            formula_read(&forms->b, buf_span(&t.test), &test);
	if (!good) {
		count_unreadable(a, j);
	}
	for (int base_first = 1; good && base_first >= 0; base_first--) {
		if (base_first ? item->need_base_first : item->need_test_first) {
			to[n++] = (struct library_question){
			        .about = about(a, item, &t, base_first),
			        .first = span_dup(base_first ? base.latex : test.latex),
			        .second = span_dup(base_first ? test.latex : base.latex),
			};
		}
	}
	texts_finish(&t);
	return n;
}

static bool ask_library(struct annotator *a, void *arg, void *client, size_t from, size_t to)
{
	struct judge_job *j = arg;
	struct library_question questions[MATHEMATICS_BATCH];
	size_t n[MATHEMATICS_BATCH], all = 0, at = 0;
	struct format forms = {0};
	for (size_t i = from; i < to; i++) {
		n[i - from] = add_questions(a, j, &j->list->items[i], &forms, &questions[all]);
		all += n[i - from];
	}
	format_finish(&forms);
	library_ask(a, &j->library, MATHEMATICS_PAIR, questions, all);
	annotator_lock(a);
	for (size_t i = 0; i < to - from; i++) {
		/* A pair is judged once all its missing verdicts are recorded. */
		bool whole = n[i] > 0;
		for (size_t end = at + n[i]; at < end; at++) {
			whole = whole && questions[at].recorded;
			j->replies[questions[at].verdict] += questions[at].recorded;
		}
		j->judged += whole;
	}
	annotator_unlock(a);
	return true;
}

char *judge_by_library(struct judge_job *j)
{
	struct annotator_settings s = settings_of(j, &dialect_generic);
	s.noun = "values";
	s.batch = library_batch(s.items, j->concurrency, 2);
	s.ask = ask_library;
	return annotator_run(&s, &j->tally);
}
