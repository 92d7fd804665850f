/*
 * suite_item - a line of our own suites.
 */
#include <math.h>
#include <string.h>

#include "base/json_writer.h"
#include "capture/formats/extra_members.h"
#include "replay/haystack.h"
#include "replay/suite_form.h"

#define HAYSTACK_MARK "{{haystack}}"

/* A parsed line. Values are as the line spells them; empty if the member is missing. */
struct line {
	struct span id, category, gold, tests, function, turns, haystack, messages;
	struct buf others; /* the request's members except messages, each with a comma before it */
	bool is_prompt, has_temperature;
};

static bool parse_line(struct span record, struct line *l)
{
	const struct {
		const char *name;
		struct span *to;
	} own[] = {{"id", &l->id}, {"category", &l->category}, {"gold", &l->gold},
	        {"tests", &l->tests}, {"function", &l->function}, {"turns", &l->turns},
	        {"haystack", &l->haystack}, {"messages", &l->messages}};
	struct json j;
	struct json_token t;
	if (json_begin(&j, record).type != JSON_TOKEN_OBJECT) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token first = json_next(&j);
		struct span value = json_skip(&j, &first), *to = NULL;
		for (size_t i = 0; i < ARRAY_LEN(own) && !to; i++) {
			to = json_token_is_key(&t, own[i].name) ? own[i].to : NULL;
		}
		if (to) {
			*to = value;
			continue;
		}
		l->is_prompt |= json_token_is_key(&t, "prompt");
		l->has_temperature |= json_token_is_key(&t, "temperature");
		buf_append_char(&l->others, ',');
		buf_append_span(&l->others, (struct span){t.start, t.len});
		buf_append_char(&l->others, ':');
		buf_append_span(&l->others, value);
	}
	return t.type == JSON_TOKEN_OBJECT_END && json_next(&j).type == JSON_TOKEN_END;
}

static bool is_string(struct span value)
{
	return value.len >= 2 && value.data[0] == '"';
}

/* Whether the value is a string or a number. */
static bool is_id(struct span value)
{
	return is_string(value) || (value.len > 0 && strchr("-0123456789", value.data[0]));
}

static bool is_array(struct span value)
{
	return value.len >= 2 && value.data[0] == '[';
}

bool suite_item_is(struct span record)
{
	struct line l = {0};
	bool is_item = parse_line(record, &l) && is_id(l.id) && is_string(l.category) &&
	               (is_array(l.messages) || is_array(l.turns) || l.is_prompt);
	buf_finish(&l.others);
	return is_item;
}

uint32_t suite_item_turns(struct span record)
{
	struct json_token value;
	struct span turns;
	struct json j;
	uint32_t n = 0;
	if (!json_find_member(record, "turns", &value, &turns) || value.type != JSON_TOKEN_ARRAY) {
		return 1;
	}
	json_begin(&j, turns);
	while (json_next_element(&j, &value, &turns)) {
		n++;
	}
	return MAX(MIN(n, (uint32_t)SUITE_TURNS_LIMIT + 1), 1U);
}

/* Writes a string's text, or any other value as it is spelt. */
static void put_plain(struct span value, struct buf *to)
{
	struct json j;
	struct json_token t = json_begin(&j, value);
	if (t.type == JSON_TOKEN_STRING) {
		json_token_unescape(&t, to);
	} else {
		buf_append_span(to, value);
	}
}

static const char *label(struct span value, size_t limit, char **ret)
{
	struct buf text = {0};
	put_plain(value, &text);
	const char *why = suite_label(buf_span(&text), limit, ret);
	buf_finish(&text);
	return why;
}

/* Labels the right answer: a text, a value, or the tests that code must pass. */
static const char *label_gold(const struct line *l, struct span gold, char **ret)
{
	if (!l->tests.len) {
		return gold.len ? label(gold, LABEL_GOLD_LIMIT, ret) : NULL;
	}
	struct buf text = {0};
	struct json_writer w = {.to = &text};
	json_writer_open(&w, NULL, '{');
	json_writer_raw(&w, "function", l->function);
	json_writer_raw(&w, "tests", l->tests);
	json_writer_close(&w, "}");
	const char *why = suite_label(buf_span(&text), LABEL_GOLD_LIMIT, ret);
	buf_finish(&text);
	return why;
}

/* Names suite and item: "reasoning" and "reasoning/017". If the id has no suite, the file's name
 * is the suite: "mine" and "mine/m1". */
static const char *label_names(
        const struct suite *s, const struct line *l, uint32_t turn, struct exchange_labels *ret)
{
	struct buf id_member = {0}, id = {0};
	put_plain(l->id, &id_member);
	const char *slash = id_member.len ? memrchr(id_member.data, '/', id_member.len) : NULL;
	bool has_suite = slash && slash > id_member.data;
	if (!has_suite) {
		buf_printf(&id, "%s%s", s->name ? s->name : "suite", slash ? "" : "/");
	}
	buf_append_span(&id, buf_span(&id_member));
	const char *end = id.len ? memrchr(id.data, '/', id.len) : NULL;
	struct span suite = {id.data, end ? (size_t)(end - id.data) : 0};
	const char *why =
	        id_member.len ? suite_label(suite, LABEL_LIMIT, &ret->suite) : "its id is empty";
	if (!why && l->turns.len) {
		buf_printf(&id, ":%u", turn + 1);
	}
	why = why ? why : suite_label(buf_span(&id), LABEL_LIMIT, &ret->item);
	buf_finish(&id_member);
	buf_finish(&id);
	return why ? why : label(l->category, LABEL_LIMIT, &ret->category);
}

static bool member(struct span object, const char *key, struct span *ret)
{
	struct json_token value;
	return json_find(object, &key, 1, &value, ret);
}

/* Writes the messages up to and including one turn; checks all turns, so that an item is sent whole
 * or not at all. Earlier answers are those of the suite. */
static const char *put_turns(
        const struct line *l, uint32_t turn, struct suite_item *ret, struct span *ret_gold)
{
	static const char no_list[] = "its turns are not a list of objects";
	struct json j;
	struct json_token t;
	struct span object, content, answer;
	struct buf *to = &ret->body;
	uint32_t n = 0;
	if (json_begin(&j, l->turns).type != JSON_TOKEN_ARRAY) {
		return no_list;
	}
	for (; json_next_element(&j, &t, &object); n++) {
		if (t.type != JSON_TOKEN_OBJECT) {
			return no_list;
		}
		if (!member(object, "content", &content) || !is_string(content)) {
			return "a turn has no content";
		}
		if (n > turn) {
			continue;
		}
		buf_append_str(to, to->data[to->len - 1] == '[' ? "" : ",");
		buf_append_str(to, "{\"role\":\"user\",\"content\":");
		buf_append_span(to, content);
		buf_append_char(to, '}');
		if (n < turn) {
			bool has = member(object, "answer", &answer) && is_string(answer);
			ret->history_open |= !has;
			buf_append_str(to, ",{\"role\":\"assistant\",\"content\":");
			buf_append_span(to, has ? answer : SPAN("\"\""));
			buf_append_char(to, '}');
		} else if (!member(object, "gold", ret_gold)) {
			*ret_gold = (struct span){0};
		}
	}
	return n > turn ? NULL : no_list;
}

static const char *read_needles(struct span list, struct haystack *h, struct buf *texts)
{
	size_t ends[HAYSTACK_NEEDLES_LIMIT] = {0};
	struct json j;
	struct json_token t, at;
	struct span object;
	double before = 0;
	if (json_begin(&j, list).type != JSON_TOKEN_ARRAY) {
		return "its needles are not a list";
	}
	_Static_assert(HAYSTACK_NEEDLES_LIMIT == 64, "the message's number");
	while (json_next_element(&j, &t, &object)) {
		if (h->n_needles == HAYSTACK_NEEDLES_LIMIT) {
			return "more than 64 needles";
		}
		double place =
		        json_find_member(object, "at", &at, NULL) ? json_token_number(&at) : NAN;
		if (!(place >= before && place <= 1) || !suite_text(object, "text", texts)) {
			return "a needle needs a text and a place from 0 to 1; needles come in the "
			       "order of their places";
		}
		before = h->needles[h->n_needles].at = place;
		ends[h->n_needles++] = texts->len;
	}
	for (size_t i = 0; i < h->n_needles; i++) {
		size_t from = i ? ends[i - 1] : 0;
		h->needles[i].text = buf_part(texts, from, ends[i]);
	}
	return NULL;
}

static bool read_integer(
        struct span object, const char *key, int64_t low, int64_t high, int64_t *ret)
{
	struct json_token value;
	return json_find(object, &key, 1, &value, NULL) && json_token_integer(&value, ret) &&
	       *ret >= low && *ret <= high;
}

/* The needles point into *texts. */
static const char *read_recipe(struct span recipe, struct haystack *ret, struct buf *texts)
{
	struct buf style = {0};
	struct span needles;
	int64_t tokens, seed;
	_Static_assert(HAYSTACK_TOKENS_LIMIT == 262144, "the message's number");
	bool known = read_integer(recipe, "tokens", 64, HAYSTACK_TOKENS_LIMIT, &tokens) &&
	             read_integer(recipe, "seed", 0, INT64_MAX, &seed) &&
	             suite_text(recipe, "style", &style) &&
	             haystack_style_parse(buf_span(&style), &ret->style);
	buf_finish(&style);
	if (!known) {
		return "its haystack needs a known style, from 64 to 262144 tokens, and a seed";
	}
	ret->tokens = (uint32_t)tokens;
	ret->seed = (uint64_t)seed;
	return member(recipe, "needles", &needles) ? read_needles(needles, ret, texts) : NULL;
}

/* Replaces the mark, wherever it is in the body, by the long text. */
static const char *put_haystack(struct span recipe, struct buf *body)
{
	const char *mark = memmem(body->data, body->len, HAYSTACK_MARK, strlen(HAYSTACK_MARK));
	if (!mark) {
		return "there is a haystack, but no " HAYSTACK_MARK " in its request";
	}
	struct haystack h = {0};
	struct buf needles = {0}, text = {0}, quoted = {0}, made = {0};
	const char *why = read_recipe(recipe, &h, &needles);
	if (!why) {
		size_t at = (size_t)(mark - body->data), after = at + strlen(HAYSTACK_MARK);
		haystack_make(&h, &text);
		json_put_string(&quoted, buf_span(&text));
		buf_append(&made, body->data, at);
		buf_append(&made, quoted.data + 1, quoted.len - 2);
		buf_append(&made, body->data + after, body->len - after);
		buf_finish(body);
		*body = made;
	}
	buf_finish(&needles);
	buf_finish(&text);
	buf_finish(&quoted);
	return why;
}

/* Writes the request of a line; ret_gold is the turn's right answer. */
static const char *put_body(
        const struct line *l, uint32_t turn, struct suite_item *ret, struct span *ret_gold)
{
	struct buf *to = &ret->body;
	const char *why = NULL;
	ret->endpoint = l->is_prompt ? ENDPOINT_COMPLETION : ENDPOINT_CHAT;
	buf_append_char(to, '{');
	if (!l->is_prompt) {
		struct span messages = is_array(l->messages) ? l->messages : SPAN("[]");
		buf_append_str(to, "\"messages\":");
		buf_append(to, messages.data, messages.len - 1);
		while (strchr(" \t", to->data[to->len - 1])) {
			to->len--;
		}
		why = l->turns.len ? put_turns(l, turn, ret, ret_gold) : NULL;
		buf_append_char(to, ']');
	}
	if (l->others.len > 0) {
		size_t skip = l->is_prompt; /* skips the comma before the first member */
		buf_append(to, l->others.data + skip, l->others.len - skip);
	}
	buf_append_str(to, l->has_temperature ? "}" : ",\"temperature\":0}");
	return why || !l->haystack.len ? why : put_haystack(l->haystack, to);
}

static const char *check(const struct line *l, uint32_t n_turns)
{
	if (!is_id(l->id) || !is_string(l->category)) {
		return "it has no id, or no category";
	}
	if (l->is_prompt == (is_array(l->messages) || is_array(l->turns))) {
		return "it needs exactly one of messages, turns and prompt";
	}
	_Static_assert(SUITE_TURNS_LIMIT == 64, "the message's number");
	if (n_turns > SUITE_TURNS_LIMIT) {
		return "it has more than 64 turns";
	}
	if (l->tests.len && !is_array(l->tests)) {
		return "its tests are not a list";
	}
	return NULL;
}

const char *suite_item_read(
        const struct suite *s, struct span record, uint32_t turn, struct suite_item *ret)
{
	struct line l = {0};
	const char *why = parse_line(record, &l) ? check(&l, suite_item_turns(record))
	                                         : "it is not one JSON object";
	struct span gold = l.gold;
	why = why ? why : extra_members_alone(record);
	why = why ? why : label_names(s, &l, turn, &ret->labels);
	why = why ? why : put_body(&l, turn, ret, &gold);
	why = why ? why : label_gold(&l, gold, &ret->labels.gold);
	buf_finish(&l.others);
	return why;
}
