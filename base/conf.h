#pragma once
/*
 * conf - a configuration file as a tree that remembers its lines, and checked access to it.
 *
 * Read with libyaml. Only the first problem is kept, as FILE:LINE: KEY.PATH: sentence, in the
 * document's error text; every getter then returns its default. So read everything first and ask
 * conf_error() last. After all keys were asked for, conf_check_keys() refuses the keys that nobody
 * asked for and names the nearest known key. Duplicate keys, anchors, tags and several documents
 * are refused. Start-up only, one thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum conf_kind { CONF_SCALAR, CONF_LIST, CONF_MAP };

struct conf;      /* a document */
struct conf_node; /* owned by its document */

/* NULL only when the file can't be read or is not YAML: *ret_error is the sentence, the caller
 * frees it. */
struct conf *conf_load(const char *path, char **ret_error);
struct conf *conf_parse(const char *name, struct span text, char **ret_error);
void conf_destroy(struct conf *y);
const struct conf_node *conf_root(const struct conf *y);
const char *conf_error(const struct conf *y); /* the first problem, or NULL */
/* at: a node of this document. */
void conf_fail(struct conf *y, const struct conf_node *at, const char *format, ...) PRINTF(3, 4);

enum conf_kind conf_kind(const struct conf_node *n);
int conf_line(const struct conf_node *n); /* from 1 */
/* A map's member or NULL; the key counts as known from now on. A node that is not a map is a
 * problem. */
const struct conf_node *conf_get(struct conf *y, const struct conf_node *map, const char *key);
size_t conf_size(const struct conf_node *n); /* of a list or map */
const struct conf_node *conf_item(const struct conf_node *list, size_t i);
/* The i-th pair of a map in file order; *ret_key lives as long as the document. */
const struct conf_node *conf_pair(const struct conf_node *map, size_t i, const char **ret_key);
/* Refuses keys of this map that conf_get() was never asked for. */
void conf_check_keys(struct conf *y, const struct conf_node *map);

/* Getters: n == NULL (absent) gives fallback. Strings live as long as the document. */
const char *conf_string(struct conf *y, const struct conf_node *n, const char *fallback);
bool conf_bool(struct conf *y, const struct conf_node *n, bool fallback);
int64_t conf_int(
        struct conf *y, const struct conf_node *n, int64_t min, int64_t max, int64_t fallback);
uint64_t conf_bytes(
        struct conf *y, const struct conf_node *n, uint64_t fallback); /* 20GiB, 64KiB, 10MB, 512 */
uint64_t conf_duration(
        struct conf *y, const struct conf_node *n, uint64_t fallback); /* ns; 40ms, 1s, 5m, 2h */
double conf_share(
        struct conf *y, const struct conf_node *n, double fallback); /* 20% or 0.2: 0 to 1 */
double conf_number(
        struct conf *y, const struct conf_node *n, double fallback); /* 0.5, -3 or 20%: 0.2 */
double conf_rate(
        struct conf *y, const struct conf_node *n, double fallback); /* 5/s, 300/m: per second */
/* One of a NULL-terminated list of words; its index. */
int conf_choice(struct conf *y, const struct conf_node *n, const char *const *words, int fallback);

/* Appends any node as JSON text. Scalars without quotes that are JSON numbers or words (true,
 * false, null) are written as such, not as strings. */
void conf_put_json(const struct conf_node *n, struct buf *to);

/* The same grammars for command-line flags; false: not of that form. */
bool conf_parse_bytes(const char *s, uint64_t *ret) MUST_CHECK;
bool conf_parse_duration(const char *s, uint64_t *ret) MUST_CHECK;
bool conf_parse_share(const char *s, double *ret) MUST_CHECK;
bool conf_parse_number(const char *s, double *ret) MUST_CHECK;
bool conf_parse_rate(const char *s, double *ret) MUST_CHECK;
/* "2.5": no sign, no exponent, no unit, whatever the locale. */
bool conf_parse_decimal(const char *s, double *ret) MUST_CHECK;
/*
 * Cuts the next word off a list separated by commas, and removes the blanks around it. Returns an
 * empty word if there is nothing between two commas, and NULL at the end of the list.
 */
char *conf_next_word(char **list);
