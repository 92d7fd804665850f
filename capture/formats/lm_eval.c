/*
 * lm-evaluation-harness's sample files (--log_samples): samples_TASK_DATE.jsonl, with a line for
 * each document and filter. The answers of a line are read as they came (resps), not as filters
 * changed them. Lines of further filters repeat the same answers. Settings that are absent have the
 * harness's defaults: greedy decoding.
 */
#include <string.h>

#include "base/json.h"
#include "capture/formats/extra_members.h"
#include "capture/formats/input_format.h"
#include "base/moment.h"

struct sample {
	struct json_token doc_id, target;
	struct span doc, arguments, resps;
	struct span all;
};

struct reader {
	const struct format_file *file;
	const struct format_sink *sink;
	struct buf suite, item, category, gold, messages, parameters, identity;
};

static void finish(struct reader *r)
{
	struct buf *all[] = {&r->suite, &r->item, &r->category, &r->gold, &r->messages,
	        &r->parameters, &r->identity};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		buf_finish(all[i]);
	}
}

/* Returns "gsm8k" for "samples_gsm8k_2025-01-02T03-04-05.678901.jsonl". */
static struct span task_of(struct span file)
{
	static const char PREFIX[] = "samples_";
	struct span s = file;
	uint64_t when;
	if (s.len > sizeof(PREFIX) - 1 && memcmp(s.data, PREFIX, sizeof(PREFIX) - 1) == 0) {
		s.data += sizeof(PREFIX) - 1;
		s.len -= sizeof(PREFIX) - 1;
	}
	for (size_t i = 1; i + 1 < s.len; i++) {
		if (s.data[i] == '_' &&
		        moment_begins((struct span){s.data + i + 1, s.len - i - 1}, &when)) {
			return (struct span){s.data, i};
		}
	}
	const char *dot = s.len ? memrchr(s.data, '.', s.len) : NULL;
	return (struct span){s.data, dot ? (size_t)(dot - s.data) : s.len};
}

static const char *read_sample(struct span line, struct sample *ret)
{
	struct sample s = {.all = line};
	struct json j;
	struct json_token t;
	if (json_begin_lenient(&j, line).type != JSON_TOKEN_OBJECT) {
		return "it is not a JSON object";
	}
	if (!line_is_object(line)) {
		return "it is not JSON";
	}
	struct span all;
	if (!json_find_lenient(line, "doc_id", &s.doc_id, &all) ||
	        (s.doc_id.type != JSON_TOKEN_NUMBER && s.doc_id.type != JSON_TOKEN_STRING)) {
		return "its doc_id is missing";
	}
	if (!json_find_lenient(line, "arguments", &t, &s.arguments) ||
	        !json_find_lenient(line, "resps", &t, &s.resps) || t.type != JSON_TOKEN_ARRAY) {
		return "its arguments or resps are missing";
	}
	(void)!json_find_lenient(line, "target", &s.target, &all);
	(void)!json_find_lenient(line, "doc", &t, &s.doc);
	*ret = s;
	return NULL;
}

/* The elements of an array, or the values of an object's members. */
struct items {
	struct json j;
	bool is_object;
};

static bool items_begin(struct items *i, struct span in)
{
	json_init_lenient(&i->j, in.data, in.len);
	struct json_token t = json_next(&i->j);
	i->is_object = t.type == JSON_TOKEN_OBJECT;
	return t.type == JSON_TOKEN_OBJECT || t.type == JSON_TOKEN_ARRAY;
}

static bool items_next(struct items *i, struct json_token *ret, struct span *ret_all)
{
	struct json_token t = json_next(&i->j);
	if (i->is_object && t.type == JSON_TOKEN_KEY) {
		t = json_next(&i->j);
	}
	if (t.type == JSON_TOKEN_ERROR || t.type == JSON_TOKEN_ARRAY_END ||
	        t.type == JSON_TOKEN_OBJECT_END) {
		return false;
	}
	*ret = t;
	*ret_all = json_skip(&i->j, &t);
	return ret_all->len > 0;
}

/* A request: its prompt, its settings, and what came with it (images). */
struct request {
	struct json_token prompt, settings, more;
	struct span prompt_all, settings_all, more_all;
};

static bool read_request(struct items *requests, struct request *ret)
{
	struct json_token t;
	struct span all;
	struct items in;
	*ret = (struct request){0};
	if (!items_next(requests, &t, &all) || !items_begin(&in, all) ||
	        !items_next(&in, &ret->prompt, &ret->prompt_all)) {
		return false;
	}
	if (!items_next(&in, &ret->settings, &ret->settings_all)) {
		ret->settings.type = JSON_TOKEN_ERROR;
	} else if (!items_next(&in, &ret->more, &ret->more_all)) {
		ret->more.type = JSON_TOKEN_ERROR;
	}
	return true;
}

static void add(struct buf *to, const char *name, struct span value)
{
	buf_printf(to, "%s\"%s\":", to->len ? "," : "", name);
	buf_append_span(to, value);
}

/* Writes the harness's request settings as members of an OpenAI-style request. */
static void put_parameters(struct buf *to, struct span settings)
{
	static const struct {
		const char *harness, *openai;
	} NAMES[] = {
	        {"top_p", "top_p"},
	        {"top_k", "top_k"},
	        {"min_p", "min_p"},
	        {"seed", "seed"},
	        {"repetition_penalty", "repetition_penalty"},
	        /* The first of these counts. */
	        {"max_tokens", "max_tokens"},
	        {"max_gen_toks", "max_tokens"},
	        {"max_new_tokens", "max_tokens"},
	};
	bool limited = false;
	struct json_token t;
	struct span all;
	bool sampled =
	        !json_find_member(settings, "do_sample", &t, NULL) || t.type == JSON_TOKEN_TRUE;
	bool has_temperature =
	        json_find_member(settings, "temperature", &t, &all) && t.type == JSON_TOKEN_NUMBER;
	buf_clear(to);
	add(to, "temperature", sampled && has_temperature ? all : SPAN("0"));
	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
		bool limits = strcmp(NAMES[i].openai, "max_tokens") == 0;
		if (json_find_member(settings, NAMES[i].harness, &t, &all) &&
		        t.type == JSON_TOKEN_NUMBER && !(limits && limited)) {
			add(to, NAMES[i].openai, all);
			limited |= limits;
		}
	}
	if (json_find_member(settings, "until", &t, &all) &&
	        (t.type == JSON_TOKEN_ARRAY || t.type == JSON_TOKEN_STRING)) {
		add(to, "stop", all);
	}
}

/* The harness writes a chat as a list with one text, which is the JSON of its messages. */
static const char *take_prompt(struct reader *r, const struct request *q, struct imported_answer *a)
{
	struct json_token t = q->prompt;
	struct span all = q->prompt_all;
	if (q->more.type == JSON_TOKEN_OBJECT && extra_members_unsendable(q->more_all)) {
		return extra_members_unsendable(q->more_all);
	}
	if (t.type == JSON_TOKEN_STRING) {
		a->prompt = all;
		a->is_completion = true;
		return NULL;
	}
	struct items in;
	if (t.type != JSON_TOKEN_ARRAY || !items_begin(&in, all) || !items_next(&in, &t, &all) ||
	        t.type != JSON_TOKEN_STRING) {
		return "its prompt is neither a text nor a chat";
	}
	struct json j;
	buf_clear(&r->messages);
	json_token_unescape(&t, &r->messages);
	t = json_begin(&j, buf_span(&r->messages));
	if (t.type != JSON_TOKEN_ARRAY || !json_skip(&j, &t).len ||
	        json_next(&j).type != JSON_TOKEN_END) {
		return "its chat is not a list of messages";
	}
	a->prompt = buf_span(&r->messages);
	a->is_messages = true;
	return NULL;
}

static void unescape(const struct json_token *t, struct buf *to)
{
	buf_clear(to);
	if (t->type == JSON_TOKEN_STRING) {
		json_token_unescape(t, to);
	} else if (t->type == JSON_TOKEN_NUMBER) {
		buf_append(to, t->start, t->len);
	}
}

static void take_labels(
        struct reader *r, const struct sample *s, size_t k, struct imported_answer *a)
{
	static const char *const CATEGORIES[] = {"category", "subject"};
	struct json_token t;
	a->suite = task_of(r->file->name);
	unescape(&s->doc_id, &r->item);
	if (k > 0) {
		buf_printf(&r->item, "/%zu", k);
	}
	buf_clear(&r->category);
	for (size_t i = 0; i < ARRAY_LEN(CATEGORIES) && !r->category.len; i++) {
		if (s->doc.len && json_find_member(s->doc, CATEGORIES[i], &t, NULL) &&
		        t.type == JSON_TOKEN_STRING) {
			unescape(&t, &r->category);
		}
	}
	unescape(&s->target, &r->gold);
	if (!exchange_label_fits(buf_span(&r->gold), LABEL_GOLD_LIMIT)) {
		format_note(r->sink, "its right answer is too long and is left out");
		buf_clear(&r->gold);
	}
	if (!exchange_label_fits(buf_span(&r->category), LABEL_LIMIT)) {
		format_note(r->sink, "its category is too long and is left out");
		buf_clear(&r->category);
	}
	a->item = buf_span(&r->item);
	a->category = buf_span(&r->category);
	a->gold = buf_span(&r->gold);
}

static void deliver_text(
        struct reader *r, size_t k, size_t i, struct span text, struct imported_answer *a)
{
	a->text = text;
	/* The file's name contains its date: each file is a run of its own. */
	buf_clear(&r->identity);
	buf_append_span(&r->identity, r->file->name);
	buf_printf(&r->identity, "/%zu/%zu", k, i);
	a->identity = buf_span(&r->identity);
	r->sink->answer(r->sink->arg, a);
}

/* Delivers the answers to a request: a list of texts, or the text of the only one. */
static void deliver(struct reader *r, size_t k, const struct json_token *first, struct span answers,
        struct imported_answer *a)
{
	struct json_token t;
	struct span all;
	struct items in;
	if (first->type == JSON_TOKEN_STRING) {
		deliver_text(r, k, 0, answers, a);
		return;
	}
	bool texts = items_begin(&in, answers);
	size_t n = 0;
	while (texts && items_next(&in, &t, &all)) {
		texts = t.type == JSON_TOKEN_STRING;
		if (texts) {
			deliver_text(r, k, n++, all, a);
		}
	}
	bool is_null = first->type == JSON_TOKEN_NULL || (n == 0 && texts) ||
	               (!texts && items_begin(&in, answers) && t.type == JSON_TOKEN_NULL);
	if (is_null) {
		r->sink->unfit(r->sink->arg, a->line, "a request has no answer");
	} else if (!texts) {
		r->sink->unfit(r->sink->arg, 0, "a loglikelihood is not an answer");
	}
}

/* NULL, or what is wrong with the line. */
static const char *take_line(void *arg, struct span line, uint64_t number, bool *ret_bad)
{
	struct reader *r = arg;
	struct sample s;
	struct request q;
	struct items requests, resps;
	struct json_token t;
	struct span answers;
	const char *why = read_sample(line, &s);
	if (why) {
		return why;
	}
	if (!items_begin(&requests, s.arguments) || !items_begin(&resps, s.resps)) {
		return "its arguments or resps are not lists";
	}
	size_t k = 0;
	for (; items_next(&resps, &t, &answers); k++) {
		struct imported_answer a = {
		        .backend = r->file->backend,
		        .role = r->file->role,
		        .start_ns = r->file->time_ns,
		        .took_us = UINT64_MAX,
		        .format = "lm-eval",
		        .file = r->file->name,
		        .line = number,
		        .origin = s.all,
		        .facts = {{"model", r->file->backend}},
		        .n_facts = 1,
		};
		if (!read_request(&requests, &q)) {
			return "it has more resps than arguments";
		}
		if (q.settings.type != JSON_TOKEN_OBJECT) {
			r->sink->unfit(r->sink->arg, 0, "a loglikelihood is not an answer");
			return NULL;
		}
		why = take_prompt(r, &q, &a);
		if (why) {
			return why;
		}
		put_parameters(&r->parameters, q.settings_all);
		a.parameters = buf_span(&r->parameters);
		take_labels(r, &s, k, &a);
		deliver(r, k, &t, answers, &a);
	}
	if (k == 0) {
		r->sink->unfit(r->sink->arg, number, "a request has no answer");
	}
	return NULL;
}

static int read_file(const struct format_file *f, const struct format_sink *sink)
{
	struct reader r = {.file = f, .sink = sink};
	int code = format_each_line(f->file, sink, take_line, &r);
	finish(&r);
	return code;
}

static bool fits(const struct sniff *s)
{
	return sniff_has(s, 1, "doc_id") && sniff_has(s, 1, "arguments");
}

const struct input_format input_format_lm_eval = {
        .name = "lm-eval",
        .answers = "lm-evaluation-harness's samples (--log_samples)",
        .requests = "lm-evaluation-harness's samples: what was asked, each prompt once",
        .fits = fits,
        .read = read_file,
        .only_answers = true,
};
