/*
 * ShareGPT: a list of conversations. Each is written once, as its last turn has it, with the answer
 * to that turn.
 */
#include "base/json.h"
#include "capture/formats/export_format.h"
#include "capture/record_json.h"

struct conversation {
	struct buf turns;
	size_t n_user;
	bool unknown_role; /* a role that the form does not know */
};

static void put_turn(struct buf *to, const char *from, struct span value)
{
	struct json_writer w = {.to = to, .comma = to->len > 0};
	json_writer_open(&w, NULL, '{');
	json_writer_text(&w, "from", from);
	json_writer_string(&w, "value", value);
	json_writer_close(&w, "}");
}

static void take_message(void *arg, struct span role, struct span text)
{
	struct conversation *c = arg;
	const char *from = span_is(role, "user")        ? "human"
	                   : span_is(role, "assistant") ? "gpt"
	                   : span_is(role, "system")    ? "system"
	                                                : NULL;
	c->unknown_role |= !from;
	c->n_user += span_is(role, "user");
	put_turn(&c->turns, from ? from : "", text);
}

/* Appends an exchange's turns to c. Returns NULL, or why the format cannot hold them. */
static const char *read_turns(
        struct exporter *x, const struct capture_exchange *e, struct conversation *c)
{
	struct buf body = {0};
	const char *why = exporter_request(x, e, &body);
	why = why ? why : exporter_messages(buf_span(&body), take_message, c);
	if (!why && c->unknown_role) {
		why = "it has a message of a role other than system, user and assistant";
	} else if (!why && c->n_user == 0) {
		why = "it has no message of a user";
	}
	buf_finish(&body);
	return why;
}

/* Records the parent of each exchange: a later turn contains the turns before it, provided that the
 * format can hold that later turn. */
static void scan(struct exporter *x, const struct capture_exchange *e)
{
	static const uint8_t none[REQUEST_HASH_SIZE];
	struct conversation c = {0};
	bool is_new;
	_Static_assert(DIGEST_KEY_SIZE == REQUEST_HASH_SIZE, "a chain is a key");
	if (!e->absent && memcmp(e->row.hashes.parent, none, sizeof(none)) != 0 &&
	        !read_turns(x, e, &c)) {
		digest_map_at(&x->known, e->row.hashes.parent, &is_new);
	}
	buf_finish(&c.turns);
}

static bool is_continued(struct exporter *x, const struct capture_exchange *e)
{
	bool is_new;
	struct digest_entry *m = digest_map_at(&x->known, e->row.hashes.chain, &is_new);
	if (is_new) {
		m->number = 1; /* not a parent: this lookup created the entry */
	}
	return m->number == 0;
}

static void put_conversation(struct exporter *x, const struct capture_exchange *e,
        struct conversation *c, struct buf *to)
{
	struct buf said = {0};
	struct json_writer w = {.to = to};
	size_t leg;
	if (exporter_leg(x, e, &leg) && exporter_answer_text(x, e, leg, &said)) {
		put_turn(&c->turns, "gpt", buf_span(&said));
	} else {
		error_tally_add(
		        &x->lost, "answers that are errors, interrupted, refusals, or call tools");
	}
	json_writer_open(&w, NULL, '{');
	record_json_id(&w, "id", e->row.id);
	json_writer_open(&w, "conversations", '[');
	json_writer_raw(&w, NULL, buf_span(&c->turns));
	json_writer_close(&w, "]}");
	buf_finish(&said);
}

static const char *put(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	struct conversation c = {0};
	const char *why = read_turns(x, e, &c);
	if (!why && is_continued(x, e)) {
		why = "a later turn of the same conversation contains it";
	}
	if (!why) {
		put_conversation(x, e, &c, to);
	}
	buf_finish(&c.turns);
	return why;
}

const struct export_format export_sharegpt = {
        .name = "sharegpt",
        .title = "ShareGPT's conversations: only the texts",
        .content = EXPORT_ANSWERS,
        .scan = scan,
        .put = put,
        .begin = "[\n",
        .between = ",\n",
        .end = "\n]\n",
};
