/*
 * infer-check's result files: sweep, compare, diff, stress, and their checkpoints. infer-check uses
 * temperature 0 unless the metadata of a prompt set another one. Its results do not contain the
 * temperature, so it is assumed to be 0. Files exported by plumbline do contain it: a number, or
 * null if the engine's default was used.
 */
#include <math.h>

#include "base/json.h"
#include "capture/formats/extra_members.h"
#include "base/moment.h"
#include "capture/formats/input_format.h"
#include "capture/formats/infer_check_logprobs.h"

/* One InferenceResult. The spans point into its text. */
struct result {
	struct json_token backend, model, quantization, text, latency, timestamp, prompt, category,
	        temperature;
	struct infer_check_logprobs scores;
	struct span all;
};

struct reader {
	const struct format_file *file;
	const struct format_sink *sink;
	/* Of the current element. */
	uint64_t line;
	struct buf baseline, test, metadata;
	uint32_t concurrency, first_concurrency;
	bool has_level, has_results, is_determinism, too_long;
	/* Made for one answer. */
	struct buf backend, category, identity, logprobs, model, quantization, parameters;
};

static bool is_text(const struct json_token *t)
{
	return t->type == JSON_TOKEN_STRING;
}

static struct span span_of_token(const struct json_token *t)
{
	return t->type == JSON_TOKEN_ERROR ? (struct span){0} : (struct span){t->start, t->len};
}

/* Reads the prompt and its category from a result's or a comparison's metadata. */
static void read_metadata(struct span metadata, struct result *r)
{
	struct json_token t;
	if (!is_text(&r->prompt) && json_find_member(metadata, "prompt_text", &t, NULL)) {
		r->prompt = t;
	}
	if (!is_text(&r->category) && json_find_member(metadata, "prompt_category", &t, NULL)) {
		r->category = t;
	}
	if (r->temperature.type == JSON_TOKEN_ERROR &&
	        json_find_member(metadata, "temperature", &t, NULL)) {
		r->temperature = t;
	}
}

/* Returns NULL, or what is wrong with the result. */
static const char *read_result(struct span text, struct result *ret)
{
	struct result r = {.all = text};
	const struct {
		const char *name;
		struct json_token *to;
	} scalars[] = {
	        {"backend_name", &r.backend},
	        {"model_id", &r.model},
	        {"quantization", &r.quantization},
	        {"text", &r.text},
	        {"latency_ms", &r.latency},
	        {"timestamp", &r.timestamp},
	};
	const struct {
		const char *name;
		struct span *to;
	} lists[] = {
	        {"tokens", &r.scores.tokens},
	        {"logprobs", &r.scores.logprobs},
	        {"distributions", &r.scores.distributions},
	        {"distribution_metadata", &r.scores.names},
	};
	struct span metadata = {0}, all;
	struct json j;
	struct json_token t;
	if (json_begin_lenient(&j, text).type != JSON_TOKEN_OBJECT) {
		return "a result is not a JSON object";
	}
	if (!line_is_object(text)) {
		return "a result is not JSON";
	}
	for (size_t i = 0; i < ARRAY_LEN(scalars); i++) {
		(void)!json_find_lenient(text, scalars[i].name, scalars[i].to, &all);
	}
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		if (json_find_lenient(text, lists[i].name, &t, &all) &&
		        t.type == JSON_TOKEN_ARRAY) {
			*lists[i].to = all;
		}
	}
	(void)!json_find_lenient(text, "metadata", &t, &metadata);
	if (!is_text(&r.text) || !is_text(&r.backend) || !is_text(&r.model)) {
		return "a result lacks its text, backend_name or model_id";
	}
	read_metadata(metadata, &r);
	*ret = r;
	return extra_members_unsendable(metadata);
}

static void unescape(const struct json_token *t, struct buf *to)
{
	buf_clear(to);
	if (is_text(t)) {
		json_token_unescape(t, to);
	}
}

/* Makes a backend's name from what distinguishes it: the server, the model, the precision, and
 * for stress the number of concurrent requests. */
static void name_backend(struct reader *r, const struct result *res)
{
	unescape(&res->backend, &r->backend);
	unescape(&res->model, &r->model);
	unescape(&res->quantization, &r->quantization);
	buf_append_char(&r->backend, '/');
	buf_append_span(&r->backend, buf_span(&r->model));
	if (r->quantization.len) {
		buf_append_char(&r->backend, '/');
		buf_append_span(&r->backend, buf_span(&r->quantization));
	}
	if (r->concurrency) {
		buf_printf(&r->backend, "/c%u", r->concurrency);
	}
}

static void take_times(const struct reader *r, const struct result *res, struct imported_answer *a)
{
	uint64_t ended;
	double ms = json_token_number(&res->latency);
	bool timed = res->latency.type == JSON_TOKEN_NUMBER && ms >= 0 && ms < 1e12;
	struct span stamp =
	        is_text(&res->timestamp) ? json_token_raw(&res->timestamp) : (struct span){0};
	a->took_us = timed ? (uint64_t)llround(ms * 1000) : UINT64_MAX;
	a->start_ns = r->file->time_ns;
	if (moment_begins(stamp, &ended)) {
		uint64_t took = timed ? a->took_us * 1000 : 0;
		a->start_ns = ended > took ? ended - took : ended;
	}
}

static void put_temperature(struct reader *r, const struct result *res)
{
	const struct json_token *t = &res->temperature;
	buf_clear(&r->parameters);
	if (t->type == JSON_TOKEN_NUMBER) {
		buf_printf(&r->parameters, "\"temperature\":%.*s", (int)t->len, t->start);
	} else if (t->type != JSON_TOKEN_NULL) {
		buf_append_str(&r->parameters, "\"temperature\":0");
	}
}

static void add_fact(struct imported_answer *a, const char *name, struct span value)
{
	if (value.len && a->n_facts < IMPORTED_ANSWER_FACTS_LIMIT) {
		a->facts[a->n_facts++] = (struct imported_answer_fact){name, value};
	}
}

static void deliver(struct reader *r, const struct result *res, enum role role)
{
	if (!is_text(&res->prompt)) {
		r->sink->unfit(r->sink->arg, r->line, "a result has no prompt");
		return;
	}
	struct imported_answer a = {
	        .prompt = span_of_token(&res->prompt),
	        .role = role,
	        .model = span_of_token(&res->model),
	        .concurrency = r->concurrency,
	        .text = span_of_token(&res->text),
	        .format = "infer-check",
	        .file = r->file->name,
	        .line = r->line,
	        .origin = res->all,
	};
	put_temperature(r, res);
	a.parameters = buf_span(&r->parameters);
	name_backend(r, res);
	a.backend = buf_span(&r->backend);
	unescape(&res->category, &r->category);
	a.category = buf_span(&r->category);
	take_times(r, res, &a);
	buf_clear(&r->identity);
	buf_append_span(&r->identity, span_of_token(&res->timestamp));
	buf_append_span(&r->identity, span_of_token(&res->latency));
	buf_append_span(&r->identity, a.text);
	a.identity = buf_span(&r->identity);
	buf_clear(&r->logprobs);
	if (infer_check_logprobs_put(&r->logprobs, &res->scores, r->sink)) {
		a.logprobs = buf_span(&r->logprobs);
	}
	struct buf server = {0};
	unescape(&res->backend, &server);
	add_fact(&a, "engine", buf_span(&server));
	add_fact(&a, "model", buf_span(&r->model));
	add_fact(&a, "model.precision", buf_span(&r->quantization));
	r->sink->answer(r->sink->arg, &a);
	buf_finish(&server);
}

static void end_comparison(struct reader *r)
{
	struct result baseline, test;
	const char *why = read_result(buf_span(&r->baseline), &baseline);
	why = why ? why : read_result(buf_span(&r->test), &test);
	if (why) {
		r->sink->bad(r->sink->arg, r->line, why);
		return;
	}
	read_metadata(buf_span(&r->metadata), &baseline);
	read_metadata(buf_span(&r->metadata), &test);
	/* A run of the baseline against itself is recognized by this member: it is no candidate. */
	struct json_token t;
	bool self = json_find_member(buf_span(&r->metadata), "is_self_check", &t, NULL) &&
	            t.type == JSON_TOKEN_TRUE;
	deliver(r, &baseline, ROLE_REFERENCE);
	deliver(r, &test, self ? ROLE_REFERENCE : ROLE_CANDIDATE);
}

static void begin_element(struct reader *r, uint64_t line)
{
	r->line = line;
	buf_clear(&r->baseline);
	buf_clear(&r->test);
	buf_clear(&r->metadata);
	r->concurrency = 0;
	r->has_level = r->has_results = r->is_determinism = r->too_long = false;
}

static void end_element(struct reader *r)
{
	const struct format_sink *s = r->sink;
	if (r->too_long) {
		s->bad(s->arg, r->line, "it is longer than 64 MiB");
	} else if (r->baseline.len && r->test.len) {
		end_comparison(r);
	} else if (r->is_determinism) {
		s->unfit(s->arg, 0, "a determinism result has counts and no answers");
	} else if (!r->has_results) {
		s->bad(s->arg, r->line, "neither a comparison nor a stress level");
	}
	format_progress(s);
}

static void take_member(struct reader *r, const struct json_stream_event *e)
{
	r->too_long |= e->too_long;
	if (span_is(e->key, "baseline")) {
		buf_clear(&r->baseline);
		buf_append_span(&r->baseline, e->value);
	} else if (span_is(e->key, "test")) {
		buf_clear(&r->test);
		buf_append_span(&r->test, e->value);
	} else if (span_is(e->key, "metadata")) {
		buf_clear(&r->metadata);
		buf_append_span(&r->metadata, e->value);
	} else if (span_is(e->key, "determinism_score")) {
		r->is_determinism = true;
	} else if (span_is(e->key, "concurrency_level")) {
		int64_t level;
		struct json j;
		struct json_token t = json_begin(&j, e->value);
		r->has_level = json_token_integer(&t, &level) && level > 0 && level < 1000000;
		r->concurrency = r->has_level ? (uint32_t)level : 0;
		r->first_concurrency = r->first_concurrency ? r->first_concurrency : r->concurrency;
	}
}

static void take_stress_result(struct reader *r, const struct json_stream_event *e)
{
	struct result res;
	const char *why = e->too_long     ? "it is longer than 64 MiB"
	                  : !r->has_level ? "a stress level has no concurrency_level"
	                                  : read_result(e->value, &res);
	r->has_results = true;
	r->line = e->line;
	if (why) {
		r->sink->bad(r->sink->arg, e->line, why);
	} else {
		deliver(r, &res,
		        r->concurrency == r->first_concurrency ? ROLE_REFERENCE : ROLE_CANDIDATE);
	}
	format_progress(r->sink);
}

/* Where an element is: in the document's own list, or in its member "comparisons". */
struct place {
	bool top_is_array;
	unsigned element; /* the depth of its members; 0: not yet known */
};

static void take_event(struct reader *r, struct place *p, const struct json_stream_event *e)
{
	if (e->type == JSON_STREAM_OPEN) {
		if (e->depth == 0) {
			p->top_is_array = e->is_array;
			p->element = e->is_array ? 2 : 3;
		} else if (!e->is_array && e->depth == p->element - 1) {
			begin_element(r, e->line);
		} else if (e->is_array && span_is(e->key, "results")) {
			r->has_results = true;
		}
	} else if (e->type == JSON_STREAM_CLOSE) {
		if (!e->is_array && e->depth == p->element - 1) {
			end_element(r);
		}
	} else if (e->type == JSON_STREAM_DAMAGED) {
		r->sink->bad(r->sink->arg, e->line, e->why);
	} else if (e->depth == p->element && e->key.len) {
		take_member(r, e);
	} else if (p->top_is_array && e->depth == p->element + 1) {
		take_stress_result(r, e);
	} else if (!e->key.len) {
		r->sink->bad(r->sink->arg, e->line, "neither a comparison nor a stress level");
	}
}

static void finish(struct reader *r)
{
	struct buf *all[] = {&r->baseline, &r->test, &r->metadata, &r->backend, &r->category,
	        &r->identity, &r->logprobs, &r->model, &r->quantization, &r->parameters};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		buf_finish(all[i]);
	}
}

static int read_file(const struct format_file *f, const struct format_sink *sink)
{
	static const struct json_stream_rule RULES[] = {
	        {NULL, true}, {"comparisons", true}, {"results", false}};
	struct reader r = {.file = f, .sink = sink};
	struct place place = {0};
	struct json_stream *o = json_stream_create(f->file, RULES, ARRAY_LEN(RULES));
	struct json_stream_event e;
	json_stream_allow_gaps(o);
	for (json_stream_next(o, &e); e.type != JSON_STREAM_END && e.type != JSON_STREAM_ERROR;
	        json_stream_next(o, &e)) {
		if (format_stopped(sink)) {
			break;
		}
		take_event(&r, &place, &e);
	}
	finish(&r);
	return format_end_stream(f->file, o, &e, sink);
}

static bool fits(const struct sniff *s)
{
	if (sniff_has(s, 1, "comparisons")) {
		return true;
	}
	return (sniff_has(s, 2, "baseline") &&
	               (sniff_has(s, 3, "backend_name") || sniff_has(s, 2, "test"))) ||
	       (sniff_has(s, 2, "concurrency_level") && sniff_has(s, 2, "results")) ||
	       (sniff_has(s, 2, "determinism_score") && sniff_has(s, 2, "num_runs"));
}

const struct input_format input_format_infer_check = {
        .name = "infer-check",
        .answers = "infer-check's results: sweep, compare, diff, stress",
        .requests = "infer-check's results: what was asked, each prompt once",
        .names_backends = true,
        .fits = fits,
        .read = read_file,
        .only_answers = true,
};
