#include "base/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <yaml.h>

#include "base/byte_order_mark.h"
#include "base/conf_tree.h"
#include "base/did_you_mean.h"
#include "base/mem.h"

#define SIZE_LIMIT (1024 * 1024)
#define DEPTH_LIMIT 32

struct conf {
	char *name;
	char *error;
	struct conf_node *root;
};

/*
 * libyaml's events are read, not its documents: those have dropped anchors, hide the tags that were
 * written out, and follow aliases into cycles.
 */
struct builder {
	struct conf *y;
	yaml_parser_t parser;
	struct conf_node *stack[DEPTH_LIMIT];
	size_t depth;
	char *key; /* of the map on top, waiting for its value */
	size_t documents;
};

static struct conf_node *node_create(enum conf_kind kind, const yaml_event_t *event)
{
	struct conf_node *n = xcalloc(1, sizeof(*n));
	*n = (struct conf_node){
	        .kind = kind,
	        .line = event ? (int)event->start_mark.line + 1 : 1,
	};
	return n;
}

static void node_destroy(struct conf_node *n)
{
	if (!n) {
		return;
	}
	for (size_t i = 0; i < n->n; i++) {
		node_destroy(n->items[i]);
		if (n->keys) {
			free(n->keys[i]);
		}
	}
	free(n->known_keys);
	free(n->keys);
	free(n->items);
	free(n->text);
	free(n);
}

/* Takes over item and key; key is NULL in a list. */
static void node_add(struct conf_node *to, struct conf_node *item, char *key)
{
	if (to->n == to->cap) {
		to->cap = MAX(to->cap * 2, (size_t)8);
		to->items = xrealloc(to->items, to->cap * sizeof(struct conf_node *));
		if (to->kind == CONF_MAP) {
			to->keys = xrealloc(to->keys, to->cap * sizeof(char *));
		}
	}
	item->parent = to;
	item->key = key;
	item->index = to->n;
	if (key) {
		to->keys[to->n] = key;
	}
	to->items[to->n++] = item;
}

static void node_path(const struct conf_node *n, struct buf *to)
{
	if (!n->parent) {
		return;
	}
	node_path(n->parent, to);
	if (n->key) {
		buf_printf(to, "%s%.64s", to->len ? "." : "", n->key);
	} else {
		buf_printf(to, "[%zu]", n->index + 1);
	}
}

/* The error is one line of a log: nothing from the file may break it. */
static void make_printable(char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20 || *s == 0x7f) {
			*s = '?';
		}
	}
}

PRINTF(4, 0)
static void fail_at(struct conf *y, int line, const char *path, const char *format, va_list args)
{
	if (y->error) {
		return;
	}
	char *sentence = NULL;
	if (vasprintf(&sentence, format, args) < 0) {
		sentence = xstrdup("is not valid");
	}
	y->error = xasprintf("%s:%d: %s%s%s", y->name, line, path, *path ? ": " : "", sentence);
	make_printable(y->error);
	free(sentence);
}

void conf_fail(struct conf *y, const struct conf_node *at, const char *format, ...)
{
	struct buf path = {0};
	node_path(at, &path);
	va_list args;
	va_start(args, format);
	fail_at(y, at->line, buf_cstr(&path), format, args);
	va_end(args);
	buf_finish(&path);
}

static void PRINTF(3, 4)
        fail_event(struct conf *y, const yaml_event_t *event, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fail_at(y, (int)event->start_mark.line + 1, "", format, args);
	va_end(args);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct conf_node *x = *(struct conf_node *const *)a;
	const struct conf_node *y = *(struct conf_node *const *)b;
	int order = strcmp(x->key, y->key);
	return order ? order : (x->index > y->index) - (x->index < y->index);
}

static void refuse_duplicates(struct conf *y, const struct conf_node *map)
{
	if (map->n < 2) {
		return;
	}
	struct conf_node **sorted = xmemdup(map->items, map->n * sizeof(struct conf_node *));
	qsort(sorted, map->n, sizeof(struct conf_node *), compare_pairs);
	const struct conf_node *first = NULL, *second = NULL;
	for (size_t i = 1; i < map->n; i++) {
		bool same = strcmp(sorted[i - 1]->key, sorted[i]->key) == 0;
		if (same && (!second || sorted[i]->index < second->index)) {
			first = sorted[i - 1];
			second = sorted[i];
		}
	}
	if (second) {
		conf_fail(y, second, "was already given in line %d", first->line);
	}
	free(sorted);
}

/* Adds a finished scalar, or a list or map that has just begun, to its parent. False: there is
 * no place for it. */
static bool place(struct builder *b, struct conf_node *n)
{
	if (b->depth == 0) {
		b->y->root = n;
		return true;
	}
	struct conf_node *top = b->stack[b->depth - 1];
	if (top->kind == CONF_MAP && !b->key) {
		node_destroy(n);
		return false;
	}
	node_add(top, n, b->key);
	b->key = NULL;
	return true;
}

static bool on_scalar(struct builder *b, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;
	if (event->data.scalar.anchor || event->data.scalar.tag) {
		fail_event(b->y, event, "anchors and tags are not supported; write the value out");
		return false;
	}
	if (memchr(text, '\0', len)) {
		fail_event(b->y, event, "a value must not have a NUL");
		return false;
	}
	bool is_key = b->depth > 0 && b->stack[b->depth - 1]->kind == CONF_MAP && !b->key;
	if (is_key) {
		b->key = xstrndup(text, len);
		return true;
	}
	struct conf_node *n = node_create(CONF_SCALAR, event);
	n->text = xstrndup(text, len);
	n->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	return place(b, n);
}

static bool on_begin(struct builder *b, const yaml_event_t *event, enum conf_kind kind,
        const yaml_char_t *anchor, const yaml_char_t *tag)
{
	if (anchor || tag) {
		fail_event(b->y, event, "anchors and tags are not supported; write the value out");
		return false;
	}
	if (b->depth == DEPTH_LIMIT) {
		fail_event(b->y, event, "nested deeper than %d levels", DEPTH_LIMIT);
		return false;
	}
	struct conf_node *n = node_create(kind, event);
	if (!place(b, n)) {
		fail_event(b->y, event, "a key must be a word");
		return false;
	}
	b->stack[b->depth++] = n;
	return true;
}

/* False: done, at the end of the stream or for a problem in b->y->error. */
static bool on_event(struct builder *b, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (b->documents++) {
			fail_event(b->y, event, "a second document begins here; only one is read");
			return false;
		}
		return true;
	case YAML_ALIAS_EVENT:
		fail_event(b->y, event, "aliases are not supported; write the value out");
		return false;
	case YAML_SCALAR_EVENT:
		return on_scalar(b, event);
	case YAML_SEQUENCE_START_EVENT:
		return on_begin(b, event, CONF_LIST, event->data.sequence_start.anchor,
		        event->data.sequence_start.tag);
	case YAML_MAPPING_START_EVENT:
		return on_begin(b, event, CONF_MAP, event->data.mapping_start.anchor,
		        event->data.mapping_start.tag);
	case YAML_SEQUENCE_END_EVENT:
		b->depth--;
		return true;
	case YAML_MAPPING_END_EVENT:
		refuse_duplicates(b->y, b->stack[--b->depth]);
		return !b->y->error;
	case YAML_STREAM_END_EVENT:
		return false;
	default:
		return true;
	}
}

/* Whether a tab is in front of the text of this line, which counts from 1. */
static bool begins_with_tab(struct span text, size_t line)
{
	size_t i = 0;
	for (; line > 1 && i < text.len; i++) {
		line -= text.data[i] == '\n';
	}
	while (i < text.len && text.data[i] == ' ') {
		i++;
	}
	return i < text.len && text.data[i] == '\t';
}

static char *syntax_error(const struct conf *y, const yaml_parser_t *parser, struct span text)
{
	size_t line = parser->problem_mark.line + 1;
	if (parser->error == YAML_READER_ERROR) {
		line = 1;
		for (size_t i = 0; i < MIN(parser->problem_offset, text.len); i++) {
			line += text.data[i] == '\n';
		}
	}
	char *error = xasprintf("%s:%zu: is not YAML: %s%s", y->name, line,
	        parser->problem ? parser->problem : "it can't be read",
	        begins_with_tab(text, line) ? "; indent with spaces instead of tabs" : "");
	make_printable(error);
	return error;
}

struct conf *conf_parse(const char *name, struct span text, char **ret_error)
{
	if (text.len > SIZE_LIMIT) {
		*ret_error = xasprintf("%s: is over the limit of %d bytes", name, SIZE_LIMIT);
		return NULL;
	}
	size_t mark = byte_order_mark(text.data, text.len);
	text = (struct span){text.data + mark, text.len - mark};
	struct conf *y = xcalloc(1, sizeof(*y));
	y->name = xstrdup(name);
	make_printable(y->name);

	struct builder b = {.y = y};
	expect(yaml_parser_initialize(&b.parser));
	yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(
	        &b.parser, (const unsigned char *)(text.len ? text.data : ""), text.len);
	bool more = true, broken = false;
	while (more && !broken) {
		yaml_event_t event;
		broken = !yaml_parser_parse(&b.parser, &event);
		if (!broken) {
			more = on_event(&b, &event);
			yaml_event_delete(&event);
		}
	}
	if (broken) {
		*ret_error = syntax_error(y, &b.parser, text);
	}
	yaml_parser_delete(&b.parser);
	free(b.key);
	if (broken) {
		conf_destroy(y);
		return NULL;
	}
	/* An empty file, and one that holds only comments, is an empty map. */
	if (!y->root || (y->root->kind == CONF_SCALAR && y->root->plain && !*y->root->text)) {
		node_destroy(y->root);
		y->root = node_create(CONF_MAP, NULL);
	}
	return y;
}

static int read_limited(const char *path, struct buf *to)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return -errno;
	}
	ssize_t n;
	do {
		n = read(fd, buf_reserve(to, 65536), 65536);
		to->len += n > 0 ? (size_t)n : 0;
	} while ((n > 0 && to->len <= SIZE_LIMIT) || (n < 0 && errno == EINTR));
	int r = n < 0 ? -errno : 0;
	close(fd);
	return r;
}

struct conf *conf_load(const char *path, char **ret_error)
{
	struct buf text = {0};
	struct conf *y = NULL;
	int r = read_limited(path, &text);
	if (r < 0) {
		*ret_error = xasprintf("%s: can't be read: %s", path, strerror(-r));
	} else {
		y = conf_parse(path, buf_span(&text), ret_error);
	}
	buf_finish(&text);
	return y;
}

void conf_destroy(struct conf *y)
{
	if (!y) {
		return;
	}
	node_destroy(y->root);
	free(y->error);
	free(y->name);
	free(y);
}

const struct conf_node *conf_root(const struct conf *y)
{
	return y->root;
}

const char *conf_error(const struct conf *y)
{
	return y->error;
}

enum conf_kind conf_kind(const struct conf_node *n)
{
	return n->kind;
}

int conf_line(const struct conf_node *n)
{
	return n->line;
}

/* words: ends with NULL, or is NULL itself. */
static bool has_word(const char *const *words, const char *word)
{
	for (; words && *words; words++) {
		if (strcmp(*words, word) == 0) {
			return true;
		}
	}
	return false;
}

static void remember_key(struct conf_node *map, const char *key)
{
	if (!has_word(map->known_keys, key)) {
		map->known_keys =
		        xrealloc(map->known_keys, (map->n_known_keys + 2) * sizeof(char *));
		map->known_keys[map->n_known_keys++] = key;
		map->known_keys[map->n_known_keys] = NULL;
	}
}

const struct conf_node *conf_get(struct conf *y, const struct conf_node *map, const char *key)
{
	if (!map) {
		return NULL;
	}
	if (map->kind != CONF_MAP) {
		conf_fail(y, map, "must be a map of keys and values, one of them %s", key);
		return NULL;
	}
	/* The tree is the document's own memory: only callers see it const. */
	remember_key((struct conf_node *)map, key);
	for (size_t i = 0; i < map->n; i++) {
		if (strcmp(map->keys[i], key) == 0) {
			return map->items[i];
		}
	}
	return NULL;
}

size_t conf_size(const struct conf_node *n)
{
	return n ? n->n : 0;
}

const struct conf_node *conf_item(const struct conf_node *list, size_t i)
{
	expect(list && i < list->n);
	return list->items[i];
}

const struct conf_node *conf_pair(const struct conf_node *map, size_t i, const char **ret_key)
{
	expect(map && map->kind == CONF_MAP && i < map->n);
	*ret_key = map->keys[i];
	return map->items[i];
}

void conf_check_keys(struct conf *y, const struct conf_node *map)
{
	if (!map || map->kind != CONF_MAP) {
		return;
	}
	static const char *const NONE[] = {NULL};
	for (size_t i = 0; i < map->n && !y->error; i++) {
		const char *key = map->keys[i];
		if (!has_word(map->known_keys, key)) {
			const char *near =
			        nearest_word(key, map->known_keys ? map->known_keys : NONE);
			conf_fail(y, map->items[i], "is not a known key%s",
			        did_you_mean("", near).text);
		}
	}
}
