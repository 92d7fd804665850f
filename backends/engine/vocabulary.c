#include "backends/engine/vocabulary.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hash_table.h"
#include "base/grow.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"

#define TOKEN_BYTES_MAX 32

struct entry {
	struct span bytes;
	enum word_class class;
};

/* The beginning of a token of several bytes, padded with zeros. */
struct prefix {
	char bytes[TOKEN_BYTES_MAX];
	uint32_t token; /* the token that ends here; 0: none */
};

static const struct hash_layout PREFIXES = {sizeof(struct prefix), TOKEN_BYTES_MAX};

static struct {
	struct entry *entries;
	uint32_t n;
	size_t cap;
	uint32_t *by_class[WORD_CLASSES];
	uint32_t n_class[WORD_CLASSES];
	struct hash_table prefixes;
} vocabulary;
static pthread_once_t built = PTHREAD_ONCE_INIT;

static const char *const CONTROL_NAMES[TOKEN_BYTE_0] = {
        [TOKEN_BOS] = "<|begin|>",
        [TOKEN_EOS] = "<|end|>",
        [TOKEN_TURN_END] = "<|turn_end|>",
        [TOKEN_SYSTEM] = "<|system|>",
        [TOKEN_USER] = "<|user|>",
        [TOKEN_ASSISTANT] = "<|assistant|>",
        [TOKEN_TOOL] = "<|tool|>",
        [TOKEN_REASONER] = "<|reasoner|>",
        [TOKEN_THINK] = "<think>",
        [TOKEN_THINK_END] = "</think>",
        [TOKEN_TOOL_CALL] = "<tool_call>",
        [TOKEN_TOOL_CALL_END] = "</tool_call>",
        [TOKEN_IMAGE] = "<|image|>",
        [13] = "<|reserved_0|>",
        [14] = "<|reserved_1|>",
        [15] = "<|reserved_2|>",
};

void tokens_push(struct tokens *t, uint32_t id)
{
	t->items = grow(t->items, t->n, &t->cap, sizeof(*t->items));
	t->items[t->n++] = id;
}

void tokens_finish(struct tokens *t)
{
	free(t->items);
	*t = (struct tokens){0};
}

uint64_t tokens_hash(const struct tokens *t, uint64_t hash)
{
	for (size_t i = 0; i < t->n; i++) {
		hash = rng_mix_pair(hash, t->items[i]);
	}
	return hash;
}

static void add(enum word_class class, const char *data, size_t len)
{
	vocabulary.entries = grow(
	        vocabulary.entries, vocabulary.n, &vocabulary.cap, sizeof(*vocabulary.entries));
	vocabulary.entries[vocabulary.n++] = (struct entry){{xmemdup(data, len), len}, class};
}

/* Adds a text of several bytes. The same text may come from two lists ("present"); the first
 * wins. */
static void add_new(enum word_class class, const char *data, size_t len)
{
	char key[TOKEN_BYTES_MAX] = {0};
	struct prefix *p = NULL;
	bool is_new;
	expect(len > 1 && len < TOKEN_BYTES_MAX);
	for (size_t i = 0; i < len; i++) {
		key[i] = data[i];
		p = hash_table_add(&vocabulary.prefixes, PREFIXES, key, &is_new);
	}
	if (!p->token) {
		p->token = vocabulary.n;
		add(class, data, len);
	}
}

static void add_controls_and_bytes(void)
{
	for (uint32_t i = 0; i < TOKEN_BYTE_0; i++) {
		add(WORD_SPECIAL, "", 0);
	}
	for (int byte = 0; byte < 256; byte++) {
		char c = (char)byte;
		add(WORD_BYTE, &c, 1);
	}
}

/* Sets the class of a single byte, which already has a token; adds any other text. */
static void add_word(enum word_class class, const char *data, size_t len)
{
	if (len == 1) {
		vocabulary.entries[TOKEN_BYTE_0 + (unsigned char)*data].class = class;
	} else {
		add_new(class, data, len);
	}
}

static void add_list(
        const struct word_list *list, char separator, bool spaced, enum word_class class)
{
	for (const char *p = list->words; *p;) {
		size_t len = (size_t)(strchrnul(p, separator) - p);
		char text[64] = " ";
		expect(len + spaced < sizeof(text));
		memcpy(text + spaced, p, len);
		add_word(class, text, len + spaced);
		p += len + (p[len] != '\0');
	}
}

/* Adds "word" and " Word" for each " word". The model does not generate them, but other texts
 * contain them. */
static void add_variants(const struct word_list *list)
{
	for (const char *p = list->words; *p;) {
		size_t len = (size_t)(strchrnul(p, ' ') - p);
		char text[64] = " ";
		memcpy(text + 1, p, len);
		if (len > 1) {
			add_new(WORD_PIECE, text + 1, len);
		}
		text[1] = (char)toupper((unsigned char)text[1]);
		add_new(WORD_PIECE, text, len + 1);
		p += len + (p[len] != '\0');
	}
}

static void build_classes(void)
{
	for (uint32_t i = 0; i < vocabulary.n; i++) {
		vocabulary.n_class[vocabulary.entries[i].class]++;
	}
	for (int c = 0; c < WORD_CLASSES; c++) {
		vocabulary.by_class[c] = xmalloc(MAX(vocabulary.n_class[c], 1U) * sizeof(uint32_t));
		vocabulary.n_class[c] = 0;
	}
	for (uint32_t i = 0; i < vocabulary.n; i++) {
		enum word_class c = vocabulary.entries[i].class;
		vocabulary.by_class[c][vocabulary.n_class[c]++] = i;
	}
}

static void build(void)
{
	add_controls_and_bytes();
	for (const struct word_list *l = WORDS_LITERAL; l->words; l++) {
		add_list(l, '\x01', false, l->class);
	}
	for (const struct word_list *l = WORDS; l->words; l++) {
		add_list(l, ' ', true, l->class);
		if (l->class == WORD_OPENER) {
			add_list(l, ' ', false, WORD_OPENER_BARE);
		} else if (l->class == WORD_SUBJECT || l->class == WORD_LEAD) {
			add_list(l, ' ', false, WORD_PIECE);
		}
	}
	for (const struct word_list *l = WORDS; l->words; l++) {
		add_variants(l);
	}
	build_classes();
}

uint32_t vocabulary_size(void)
{
	pthread_once(&built, build);
	return vocabulary.n;
}

static const struct entry *entry_of(uint32_t id)
{
	expect(id < vocabulary_size());
	return &vocabulary.entries[id];
}

struct span vocabulary_bytes(uint32_t id)
{
	return entry_of(id)->bytes;
}

struct span vocabulary_name(uint32_t id)
{
	return id < TOKEN_BYTE_0 ? span_of(CONTROL_NAMES[id]) : vocabulary_bytes(id);
}

enum word_class vocabulary_class(uint32_t id)
{
	return entry_of(id)->class;
}

const uint32_t *vocabulary_of_class(enum word_class class, uint32_t *ret_n)
{
	pthread_once(&built, build);
	*ret_n = vocabulary.n_class[class];
	return vocabulary.by_class[class];
}

/* Returns the longest token at the beginning of a text, and its length. */
static uint32_t longest_token(struct span text, size_t *ret_len)
{
	char key[TOKEN_BYTES_MAX] = {text.data[0]};
	uint32_t token = TOKEN_BYTE_0 + (uint8_t)text.data[0];
	*ret_len = 1;
	for (size_t i = 1; i < MIN(text.len, (size_t)TOKEN_BYTES_MAX) && text.data[i]; i++) {
		key[i] = text.data[i];
		const struct prefix *p = hash_table_find(&vocabulary.prefixes, PREFIXES, key);
		if (!p) {
			break;
		}
		if (p->token) {
			token = p->token;
			*ret_len = i + 1;
		}
	}
	return token;
}

void vocabulary_encode(struct span text, struct tokens *to)
{
	pthread_once(&built, build);
	for (size_t at = 0, len; at < text.len; at += len) {
		tokens_push(to, longest_token(span_from(text, at), &len));
	}
}

void vocabulary_encode_string(const struct json_token *string, struct tokens *to)
{
	struct buf text = {0};
	json_token_unescape(string, &text);
	vocabulary_encode(buf_span(&text), to);
	buf_finish(&text);
}
