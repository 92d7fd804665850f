#include "backends/engine/vocabulary.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A trie whose children lie side by side: node.first is the first of node.n of them. */
struct node {
	uint32_t first;
	int32_t token; /* token that ends here, or -1 */
	uint16_t n;
	uint8_t byte;
};

struct entry {
	struct span bytes;
	enum word_class class;
};

struct vocabulary {
	struct entry *entries;
	uint32_t n, cap;
	uint32_t *by_class[WORD_CLASSES];
	uint32_t n_class[WORD_CLASSES];
	struct node *nodes;
	uint32_t n_nodes, cap_nodes;
	uint32_t *sorted; /* ids that have bytes, in the order of the bytes; building only */
	uint32_t n_sorted;
	uint32_t root[256]; /* the root's children by byte, or 0 */
};

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

static struct vocabulary the_vocabulary;
static pthread_once_t built = PTHREAD_ONCE_INIT;

void tokens_push(struct tokens *t, uint32_t id)
{
	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->items = xrealloc(t->items, t->cap * sizeof(*t->items));
	}
	t->items[t->n++] = id;
}

void tokens_finish(struct tokens *t)
{
	free(t->items);
	*t = (struct tokens){0};
}

static int compare_bytes(struct span a, struct span b)
{
	size_t n = MIN(a.len, b.len);
	int r = n ? memcmp(a.data, b.data, n) : 0;
	return r ? r : (a.len > b.len) - (a.len < b.len);
}

static void add(struct vocabulary *v, enum word_class class, const char *data, size_t len)
{
	if (v->n == v->cap) {
		v->cap = v->cap ? 2 * v->cap : 1024;
		v->entries = xrealloc(v->entries, v->cap * sizeof(*v->entries));
	}
	v->entries[v->n++] = (struct entry){{xmemdup(data, len), len}, class};
}

/* The same bytes may come from two lists ("present"); the first wins. */
static bool known(const struct vocabulary *v, const char *data, size_t len)
{
	for (uint32_t i = TOKEN_BYTE_0; i < v->n; i++) {
		const struct span *b = &v->entries[i].bytes;
		if (b->len == len && memcmp(b->data, data, len) == 0) {
			return true;
		}
	}
	return false;
}

static void add_new(struct vocabulary *v, enum word_class class, const char *data, size_t len)
{
	if (!known(v, data, len)) {
		add(v, class, data, len);
	}
}

static void add_controls_and_bytes(struct vocabulary *v)
{
	for (uint32_t i = 0; i < TOKEN_BYTE_0; i++) {
		add(v, WORD_SPECIAL, "", 0);
	}
	for (int byte = 0; byte < 256; byte++) {
		char c = (char)byte;
		add(v, WORD_BYTE, &c, 1);
	}
}

static void add_list(struct vocabulary *v, const struct word_list *list, char separator,
        bool spaced, enum word_class class)
{
	const char *p = list->words;
	while (*p) {
		const char *end = strchr(p, separator);
		size_t len = end ? (size_t)(end - p) : strlen(p);
		char text[64] = " ";
		size_t space = spaced ? 1 : 0;
		expect(len + space < sizeof(text));
		memcpy(text + space, p, len);
		/* A single byte has its byte token already: that one gets the class. */
		if (len + space == 1) {
			v->entries[TOKEN_BYTE_0 + (unsigned char)text[0]].class = class;
		} else {
			add_new(v, class, text, len + space);
		}
		p += len + (end ? 1 : 0);
	}
}

/* "word" and " Word" of each " word": the forms that text other than the model's own is made of. */
static void add_other_forms(struct vocabulary *v, const struct word_list *list)
{
	for (const char *p = list->words; *p;) {
		const char *end = strchr(p, ' ');
		size_t len = end ? (size_t)(end - p) : strlen(p);
		char text[64] = " ";
		memcpy(text + 1, p, len);
		add_new(v, WORD_PIECE, text + 1, len);
		text[1] = (char)toupper((unsigned char)text[1]);
		add_new(v, WORD_PIECE, text, len + 1);
		p += len + (end ? 1 : 0);
	}
}

static int by_bytes(const void *a, const void *b)
{
	const struct vocabulary *v = &the_vocabulary;
	return compare_bytes(
	        v->entries[*(const uint32_t *)a].bytes, v->entries[*(const uint32_t *)b].bytes);
}

static uint32_t new_nodes(struct vocabulary *v, uint32_t n)
{
	while (v->n_nodes + n > v->cap_nodes) {
		v->cap_nodes = v->cap_nodes ? 2 * v->cap_nodes : 4096;
		v->nodes = xrealloc(v->nodes, v->cap_nodes * sizeof(*v->nodes));
	}
	uint32_t first = v->n_nodes;
	memset(v->nodes + first, 0, n * sizeof(*v->nodes));
	v->n_nodes += n;
	return first;
}

/* Children of one node: tokens from..to of the sorted ids share its depth bytes. */
static void grow(struct vocabulary *v, uint32_t node, uint32_t from, uint32_t to, size_t depth)
{
	while (from < to && v->entries[v->sorted[from]].bytes.len == depth) {
		v->nodes[node].token = (int32_t)v->sorted[from++];
	}
	uint16_t n = 0;
	for (uint32_t i = from; i < to; i++) {
		const char *a = v->entries[v->sorted[i]].bytes.data;
		n += i == from || a[depth] != v->entries[v->sorted[i - 1]].bytes.data[depth];
	}
	uint32_t first = new_nodes(v, n);
	v->nodes[node].first = first;
	v->nodes[node].n = n;
	for (uint32_t i = from, child = first; i < to; child++) {
		uint8_t byte = (uint8_t)v->entries[v->sorted[i]].bytes.data[depth];
		uint32_t end = i;
		while (end < to && (uint8_t)v->entries[v->sorted[end]].bytes.data[depth] == byte) {
			end++;
		}
		v->nodes[child].byte = byte;
		v->nodes[child].token = -1;
		grow(v, child, i, end, depth + 1);
		i = end;
	}
}

static void build_trie(struct vocabulary *v)
{
	v->sorted = xmalloc(v->n * sizeof(*v->sorted));
	for (uint32_t i = TOKEN_BYTE_0; i < v->n; i++) {
		v->sorted[v->n_sorted++] = i;
	}
	qsort(v->sorted, v->n_sorted, sizeof(*v->sorted), by_bytes);
	uint32_t root = new_nodes(v, 1);
	v->nodes[root].token = -1;
	grow(v, root, 0, v->n_sorted, 0);
	for (uint32_t i = 0; i < v->nodes[root].n; i++) {
		uint32_t child = v->nodes[root].first + i;
		v->root[v->nodes[child].byte] = child;
	}
	free(v->sorted);
	v->sorted = NULL;
}

static void build_classes(struct vocabulary *v)
{
	for (uint32_t i = 0; i < v->n; i++) {
		v->n_class[v->entries[i].class]++;
	}
	for (int c = 0; c < WORD_CLASSES; c++) {
		v->by_class[c] = xmalloc(MAX(v->n_class[c], 1U) * sizeof(uint32_t));
		v->n_class[c] = 0;
	}
	for (uint32_t i = 0; i < v->n; i++) {
		enum word_class c = v->entries[i].class;
		v->by_class[c][v->n_class[c]++] = i;
	}
}

static void build(void)
{
	struct vocabulary *v = &the_vocabulary;
	add_controls_and_bytes(v);
	for (const struct word_list *l = WORDS_LITERAL; l->words; l++) {
		add_list(v, l, '\x01', false, l->class);
	}
	for (const struct word_list *l = WORDS; l->words; l++) {
		add_list(v, l, ' ', true, l->class);
		if (l->class == WORD_OPENER) {
			add_list(v, l, ' ', false, WORD_OPENER_BARE);
		} else if (l->class == WORD_SUBJECT || l->class == WORD_LEAD) {
			add_list(v, l, ' ', false, WORD_PIECE);
		}
	}
	for (const struct word_list *l = WORDS; l->words; l++) {
		add_other_forms(v, l);
	}
	build_classes(v);
	build_trie(v);
}

const struct vocabulary *vocabulary_get(void)
{
	pthread_once(&built, build);
	return &the_vocabulary;
}

uint32_t vocabulary_size(const struct vocabulary *v)
{
	return v->n;
}

struct span vocabulary_bytes(const struct vocabulary *v, uint32_t id)
{
	expect(id < v->n);
	return v->entries[id].bytes;
}

struct span vocabulary_name(const struct vocabulary *v, uint32_t id)
{
	return id < TOKEN_BYTE_0 ? span_of(CONTROL_NAMES[id]) : vocabulary_bytes(v, id);
}

enum word_class vocabulary_class(const struct vocabulary *v, uint32_t id)
{
	expect(id < v->n);
	return v->entries[id].class;
}

const uint32_t *vocabulary_of_class(
        const struct vocabulary *v, enum word_class class, uint32_t *ret_n)
{
	*ret_n = v->n_class[class];
	return v->by_class[class];
}

static uint32_t child_of(const struct vocabulary *v, uint32_t node, uint8_t byte)
{
	const struct node *parent = &v->nodes[node];
	for (uint32_t i = 0; i < parent->n; i++) {
		if (v->nodes[parent->first + i].byte == byte) {
			return parent->first + i;
		}
	}
	return 0;
}

void vocabulary_encode(const struct vocabulary *v, struct span text, struct tokens *to)
{
	for (size_t at = 0; at < text.len;) {
		uint32_t node = v->root[(uint8_t)text.data[at]];
		size_t best = at + 1;
		uint32_t token = TOKEN_BYTE_0 + (uint8_t)text.data[at];
		for (size_t i = at + 1; i < text.len; i++) {
			node = child_of(v, node, (uint8_t)text.data[i]);
			if (node == 0) {
				break;
			}
			if (v->nodes[node].token >= 0) {
				best = i + 1;
				token = (uint32_t)v->nodes[node].token;
			}
		}
		tokens_push(to, token);
		at = best;
	}
}
