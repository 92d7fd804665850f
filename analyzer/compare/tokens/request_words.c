#include "analyzer/compare/tokens/request_words.h"

#include <stdlib.h>

#include <xxhash.h>

#include "base/json.h"
#include "base/mem.h"

static uint64_t hash_of(struct span word)
{
	uint64_t hash = XXH3_64bits(word.data, word.len);
	return hash ? hash : 1;
}

/* Returns the slot of the hash, or the free slot where it would go. */
static size_t place_of(const struct request_words *w, uint64_t hash)
{
	size_t at = hash & (w->room - 1);
	while (w->hashes[at] && w->hashes[at] != hash) {
		at = (at + 1) & (w->room - 1);
	}
	return at;
}

static void grow(struct request_words *w)
{
	struct request_words larger = {.n = w->n, .room = w->room ? 2 * w->room : 256};
	larger.hashes = xcalloc(larger.room, sizeof(*larger.hashes));
	for (size_t i = 0; i < w->room; i++) {
		if (w->hashes[i]) {
			larger.hashes[place_of(&larger, w->hashes[i])] = w->hashes[i];
		}
	}
	free(w->hashes);
	*w = larger;
}

static void add(struct request_words *w, struct span word)
{
	if (2 * w->n >= w->room) {
		grow(w);
	}
	uint64_t hash = hash_of(word);
	size_t at = place_of(w, hash);
	w->n += !w->hashes[at];
	w->hashes[at] = hash;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool is_inner(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (unsigned char)c >= 0x80;
}

static void add_text(struct request_words *w, struct span text)
{
	size_t from = 0;
	while (from < text.len && w->n < REQUEST_WORDS_LIMIT) {
		size_t to = from;
		while (to < text.len && is_inner(text.data[to])) {
			to++;
		}
		to += to == from;
		if (!is_blank(text.data[from])) {
			add(w, (struct span){text.data + from, to - from});
		}
		from = to;
	}
}

void request_words_read(struct request_words *w, struct span body)
{
	struct json j;
	struct json_token t;
	struct buf text = {0};
	json_init(&j, body.data, body.len);
	while ((t = json_next(&j)).type != JSON_END && t.type != JSON_ERROR) {
		if (t.type == JSON_STRING) {
			buf_clear(&text);
			json_unescape(&t, &text);
			add_text(w, buf_span(&text));
		}
	}
	buf_finish(&text);
}

bool request_words_have(const struct request_words *w, struct span token)
{
	while (token.len && is_blank(token.data[0])) {
		token.data++;
		token.len--;
	}
	while (token.len && is_blank(token.data[token.len - 1])) {
		token.len--;
	}
	return token.len && w->room && w->hashes[place_of(w, hash_of(token))];
}

void request_words_finish(struct request_words *w)
{
	free(w->hashes);
	*w = (struct request_words){0};
}
