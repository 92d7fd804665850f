#include "analyzer/compare/tokens/request_words.h"

#include <xxhash.h>

#include "base/ascii.h"
#include "base/json.h"

static const struct hash_layout LAYOUT = {sizeof(uint64_t), sizeof(uint64_t)};

static uint64_t hash_of(struct span word)
{
	uint64_t hash = XXH3_64bits(word.data, word.len);
	return hash ? hash : 1;
}

static void add_text(struct request_words *w, struct span text)
{
	size_t from = 0;
	while (from < text.len && w->hashes.n < REQUEST_WORDS_LIMIT) {
		size_t to = from;
		while (to < text.len && (is_letter(text.data[to]) || is_digit(text.data[to]))) {
			to++;
		}
		to += to == from;
		if (!is_layout(text.data[from])) {
			uint64_t hash = hash_of((struct span){text.data + from, to - from});
			bool is_new;
			(void)hash_table_add(&w->hashes, LAYOUT, &hash, &is_new);
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
	while ((t = json_next(&j)).type != JSON_TOKEN_END && t.type != JSON_TOKEN_ERROR) {
		if (t.type == JSON_TOKEN_STRING) {
			buf_clear(&text);
			json_token_unescape(&t, &text);
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
	uint64_t hash = hash_of(token);
	return token.len && hash_table_find(&w->hashes, LAYOUT, &hash);
}

void request_words_finish(struct request_words *w)
{
	hash_table_finish(&w->hashes);
}
