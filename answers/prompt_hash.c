/*
 * The hashes of a prompt.
 *
 * H(key, x) is BLAKE2b of x with a 32-byte key and 16 bytes of output, no salt and no
 * personalisation.
 *
 * Canonical form of a JSON value, in UTF-8:
 * - Null, true and false are these words. There is no space outside of strings.
 * - An object's members are sorted by key, bytewise on the unescaped UTF-8; of equal keys only the
 * last is kept.
 * - A string's characters stand for themselves, except these: quotation mark and backslash with a
 * backslash before them; U+0008, U+0009, U+000A, U+000C and U+000D as \b, \t, \n, \f and \r; the
 * other characters below U+0020 as \u and four lower-case hex digits. A lone surrogate becomes
 * U+FFFD. No Unicode normalisation.
 * - A number is taken as text, not as floating point, so nothing is rounded. With its significant
 * digits d (no zero at either end) and the exponent e, so that the value is d * 10^e: zero is 0,
 * also when it was -0; a whole number of at most 21 digits is written as its digits; any other
 * number is sign, d, the letter e, and e: 0.5 is 5e-1, -1.25 is -125e-2, 1e30 is 1e30. So 1, 1.0,
 * 10e-1 and 1e0 are all 1. An exponent beyond +-999999999 is taken as that. The words NaN, Infinity
 * and -Infinity, which are not JSON but are sent, stand for themselves.
 *
 * prompt is H(key, P). P is an object in canonical form, but with its members in this order:
 * - chat: messages, tools, tool_choice, response_format
 * - completion: prompt, tools, tool_choice, response_format
 * - responses: input, instructions, tools, tool_choice, text
 * - embedding: input, prompt
 * - native chat: messages, tools, format
 * - native generate: prompt, inputs, text, input_ids, system, suffix, images, format
 * Members that are absent or null in the request are left out; of duplicates the last counts.
 *
 * The chain over messages m1 .. mn (elements of a chat's messages): h0 = H(key, ""),
 * h(i) = H(key, h(i-1) followed by the canonical form of mi). chain is h(n). session is h(i) for
 * the first message with the role "user". parent is h(k-1), where mk is the first message of the
 * last run of messages with the role "assistant" that a message of another role follows: h(k-1) is
 * the chain of the request that mk answered. What does not exist is 16 zero bytes: chain, session
 * and parent of a request without messages, session without a user message, parent of a first turn,
 * prompt of a request in which each of messages, prompt, input, inputs, text and input_ids that is
 * listed above for its endpoint is absent.
 */
#include <string.h>

#include <sodium.h>

#include "answers/canonical.h"
#include "answers/request.h"
#include "base/ascii.h"
#include "base/json.h"

#define PARTS_LIMIT 8

/* The members of a prompt, in the order in which they are hashed. */
static const struct parts {
	const char *names[PARTS_LIMIT];
	size_t n_prompts; /* at least one of these must be present */
} parts_of[N_ENDPOINTS] = {
        [ENDPOINT_CHAT] = {{"messages", "tools", "tool_choice", "response_format"}, 1},
        [ENDPOINT_COMPLETION] = {{"prompt", "tools", "tool_choice", "response_format"}, 1},
        [ENDPOINT_RESPONSES] = {{"input", "instructions", "tools", "tool_choice", "text"}, 1},
        [ENDPOINT_EMBEDDING] = {{"input", "prompt"}, 2},
        [ENDPOINT_NATIVE_CHAT] = {{"messages", "tools", "format"}, 1},
        [ENDPOINT_NATIVE_GENERATE] = {{"prompt", "inputs", "text", "input_ids", "system", "suffix",
                                              "images", "format"},
                4},
};

struct hashing {
	const uint8_t *key;
	struct canonical canonical;
	crypto_generichash_state prompt;
	uint8_t link[REQUEST_HASH_SIZE];     /* the chain so far */
	uint8_t answered[REQUEST_HASH_SIZE]; /* the chain before the last assistant message */
	bool after_assistant;                /* the last message was an assistant's */
	bool in_session;                     /* a user message was seen */
	struct request_hashes *ret;
};

static void hash(uint8_t to[REQUEST_HASH_SIZE], const uint8_t key[32], struct span a, struct span b)
{
	crypto_generichash_state state;
	crypto_generichash_init(&state, key, 32, REQUEST_HASH_SIZE);
	crypto_generichash_update(&state, (const unsigned char *)a.data, a.len);
	crypto_generichash_update(&state, (const unsigned char *)b.data, b.len);
	crypto_generichash_final(&state, to, REQUEST_HASH_SIZE);
}

static void add(struct hashing *h, struct span s)
{
	crypto_generichash_update(&h->prompt, (const unsigned char *)s.data, s.len);
}

/* role: of the message, as it is spelt */
static void link_message(struct hashing *h, struct span message, struct span role)
{
	bool by_assistant = span_is(role, "\"assistant\"");
	if (by_assistant && !h->after_assistant) {
		memcpy(h->answered, h->link, sizeof(h->link));
	} else if (!by_assistant && h->after_assistant) {
		memcpy(h->ret->parent, h->answered, sizeof(h->answered));
	}
	h->after_assistant = by_assistant;
	struct span before = {(const char *)h->link, sizeof(h->link)};
	hash(h->link, h->key, before, message);
	if (!h->in_session && span_is(role, "\"user\"")) {
		h->in_session = true;
		memcpy(h->ret->session, h->link, sizeof(h->link));
	}
}

/* Chat messages: each is hashed into the chain and into the prompt, one at a time. */
static bool add_messages(struct hashing *h, struct json *j)
{
	struct json_token t;
	bool any = false;
	add(h, SPAN("["));
	while ((t = json_next(j)).type != JSON_TOKEN_ARRAY_END) {
		struct span message = canonical_value(&h->canonical, j, &t);
		if (message.len == 0) {
			return false;
		}
		if (any) {
			add(h, SPAN(","));
		}
		any = true;
		add(h, message);
		link_message(h, message, h->canonical.found);
	}
	add(h, SPAN("]"));
	memcpy(h->ret->chain, h->link, sizeof(h->link));
	return true;
}

static bool add_part(struct hashing *h, const char *name, struct span text)
{
	struct json j;
	struct json_token first = json_begin_lenient(&j, text);
	add(h, SPAN("\""));
	add(h, span_of(name));
	add(h, SPAN("\":"));
	if (strcmp(name, "messages") == 0 && first.type == JSON_TOKEN_ARRAY) {
		return add_messages(h, &j);
	}
	struct span value = canonical_value(&h->canonical, &j, &first);
	add(h, value);
	return value.len > 0;
}

/* Finds the values of the parts. A later duplicate replaces an earlier one, and null removes it. */
static bool find_parts(const struct parts *p, struct span body, struct span values[PARTS_LIMIT])
{
	struct json j;
	struct json_token t;
	if (json_begin_lenient(&j, body).type != JSON_TOKEN_OBJECT) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token first = json_next(&j);
		struct span value = json_skip(&j, &first);
		for (size_t i = 0; i < PARTS_LIMIT && p->names[i]; i++) {
			if (json_token_is_key(&t, p->names[i])) {
				values[i] =
				        first.type == JSON_TOKEN_NULL ? (struct span){0} : value;
			}
		}
	}
	return t.type == JSON_TOKEN_OBJECT_END && json_next(&j).type == JSON_TOKEN_END;
}

static bool has_prompt(const struct parts *p, const struct span values[PARTS_LIMIT])
{
	for (size_t i = 0; i < p->n_prompts; i++) {
		if (values[i].data) {
			return true;
		}
	}
	return false;
}

/*
 * The memory needed: the value as written and again with sorted members, in buffers that double;
 * for each member, which has a colon, two entries in lists that double. A number with an exponent
 * may become one of 21 digits.
 */
size_t request_hash_room(struct span body)
{
	size_t colons = 0, exponents = 0;
	for (size_t i = 1; i < body.len; i++) {
		colons += body.data[i] == ':';
		exponents += (body.data[i] | 0x20) == 'e' && is_digit(body.data[i - 1]);
	}
	return 6 * body.len + 128 * (colons + 1) + 4 * 21 * exponents;
}

bool request_hash(
        enum endpoint endpoint, struct span body, const uint8_t key[32], struct request_hashes *ret)
{
	const struct parts *p = &parts_of[endpoint];
	struct span values[PARTS_LIMIT] = {0};
	*ret = (struct request_hashes){0};
	if (p->n_prompts == 0 || !find_parts(p, body, values)) {
		return false;
	}
	if (!has_prompt(p, values)) {
		return true;
	}
	struct hashing h = {.key = key, .ret = ret, .canonical.watched = SPAN("role")};
	hash(h.link, key, (struct span){0}, (struct span){0});
	crypto_generichash_init(&h.prompt, key, 32, REQUEST_HASH_SIZE);
	bool ok = true, any = false;
	for (size_t i = 0; i < PARTS_LIMIT && p->names[i] && ok; i++) {
		if (values[i].data) {
			add(&h, any ? SPAN(",") : SPAN("{"));
			ok = add_part(&h, p->names[i], values[i]);
			any = true;
		}
	}
	add(&h, SPAN("}"));
	crypto_generichash_final(&h.prompt, ret->prompt, REQUEST_HASH_SIZE);
	canonical_finish(&h.canonical);
	if (!ok) {
		*ret = (struct request_hashes){0};
	}
	return ok;
}
