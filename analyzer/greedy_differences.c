#include "analyzer/greedy_differences.h"

#include <inttypes.h>
#include <string.h>

#include <xxhash.h>

#include "base/ascii.h"

/* Appends the word around the byte, with its length, so that no other list of words is equal. */
static void put_word(struct buf *to, struct span text, size_t at)
{
	size_t from = at, until = at;
	while (from > 0 && !is_space(text.data[from - 1])) {
		from--;
	}
	while (until < text.len && !is_space(text.data[until])) {
		until++;
	}
	buf_printf(to, "%zu ", until - from);
	buf_append(to, text.data + from, until - from);
}

/* Appends what an answer has besides its text, each with its length. */
static void put_rest(struct buf *to, const struct choice *c)
{
	buf_printf(to, "%zu ", c->refusal.len);
	buf_append_span(to, buf_span(&c->refusal));
	buf_printf(to, "%zu ", c->n_calls);
	for (size_t i = 0; i < c->n_calls; i++) {
		const char *name = c->calls[i].name, *arguments = c->calls[i].arguments;
		name = name ? name : "";
		arguments = arguments ? arguments : "";
		buf_printf(to, "%zu %zu %s%s", strlen(name), strlen(arguments), name, arguments);
	}
}

static void put_difference(struct buf *key, const struct choice *base, const struct choice *test)
{
	struct span a = buf_span(&base->text), b = buf_span(&test->text);
	struct buf differing = {0};
	bool is_text = !span_equal(a, b);
	if (is_text) {
		size_t at = span_shared(a, b);
		buf_printf(&differing, "%zu ", at);
		put_word(&differing, a, at);
		put_word(&differing, b, at);
	} else {
		put_rest(&differing, base);
		put_rest(&differing, test);
	}
	buf_printf(key, "-%s-%016" PRIx64, is_text ? "text" : "rest",
	        (uint64_t)XXH3_64bits(differing.data, differing.len));
	buf_finish(&differing);
}

bool greedy_difference_key(enum endpoint endpoint, struct span request, const struct choice *base,
        const struct choice *test, struct buf *key)
{
	static const uint8_t no_secret[32];
	struct request_hashes hashes;
	if (!request_hash(endpoint, request, no_secret, &hashes)) {
		return false;
	}
	buf_append_hex(key, hashes.prompt, sizeof(hashes.prompt));
	put_difference(key, base, test);
	return true;
}

static void add(struct greedy_differences *d, const char *key, const struct pair_row *row)
{
	char id[ID_TEXT_SIZE];
	if (!json_object_get(d->found, key)) {
		json_object_set_new(d->found, key,
		        json_pack("{s:s, s:s, s:s}", "exchange", id_format(row->exchange.id, id),
		                "base", row->base.name, "test", row->test.name));
	}
}

static void take(void *arg, const struct row *row, const struct pair_texts *texts)
{
	struct greedy_differences *d = arg;
	const struct pair_row *pair = &row->pair;
	if (!texts || !pair->has_choices || pair->is_floor || pair->c.decoding != DECODING_GREEDY) {
		return;
	}
	d->compared++;
	if (!pair->c.differ) {
		return;
	}
	struct buf key = {0};
	if (!pair->redacted && greedy_difference_key(pair->exchange.endpoint, texts->request,
	                               texts->base, texts->test, &key)) {
		add(d, buf_cstr(&key), pair);
	} else {
		d->without_key++;
	}
	buf_finish(&key);
}

void greedy_differences_read(
        struct capture *c, const struct analysis_options *options, struct greedy_differences *ret)
{
	struct analysis_options whole = *options;
	struct exchange_counts counts;
	struct repeat_counts repeats;
	*ret = (struct greedy_differences){.found = json_object()};
	const struct row_sink sink = {UINT32_C(1) << PAIR_ROW, take, ret};
	whole.part = (struct part){1, 1};
	capture_walk_part(c, &whole, &sink, &counts, &repeats);
}

void greedy_differences_finish(struct greedy_differences *d)
{
	json_decref(d->found);
	*d = (struct greedy_differences){0};
}
