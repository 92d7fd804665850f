#include "analyzer/report/saved.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/report/node.h"
#include "base/byte_order_mark.h"
#include "base/mem.h"
#include "base/shell.h"

#define SIZE_LIMIT ((size_t)128 * 1024 * 1024)
#define READ_SIZE ((size_t)1024 * 1024)

/* Returns what is wrong with the document, or NULL. The caller frees it. */
static char *problem_of(const json_t *o)
{
	const json_t *version = json_object_get(o, "plumbline_analysis");
	if (json_is_object(o) && json_object_get(o, "plumbline_change")) {
		return xstrdup("is a comparison of two analyses, not an analysis");
	}
	if (!version) {
		return xstrdup("is not an analysis: plumbline analyze writes one, with --out and a "
		               "name that ends in .json");
	}
	if (!json_is_integer(version) || json_integer_value(version) < 1) {
		return xstrdup(
		        "is damaged: plumbline_analysis, its version, is not a number from 1 on");
	}
	if (json_integer_value(version) != ANALYSIS_VERSION) {
		bool newer = json_integer_value(version) > ANALYSIS_VERSION;
		return xasprintf("was written by %s plumbline%s: its version is "
		                 "%" JSON_INTEGER_FORMAT ", this program reads %d",
		        newer ? "a newer" : "an older",
		        newer ? "" : ", so analyze the capture again", json_integer_value(version),
		        ANALYSIS_VERSION);
	}
	if (!json_is_array(json_object_get(o, "groups"))) {
		return xstrdup("is damaged: groups is not a list");
	}
	return NULL;
}

static json_t *parse(const char *name, struct span text, saved_doubt_fn doubt_of, char **ret_error)
{
	json_error_t error;
	size_t mark = byte_order_mark(text.data, text.len);
	if (text.len == mark) {
		*ret_error = xasprintf("%s: is empty", name);
		return NULL;
	}
	json_t *o = json_loadb(text.data + mark, text.len - mark, JSON_REJECT_DUPLICATES, &error);
	if (!o) {
		*ret_error = xasprintf(
		        "%s:%d: is not JSON, or was cut: %s", name, error.line, error.text);
		return NULL;
	}
	char *wrong = doubt_of(o);
	if (wrong) {
		*ret_error = xasprintf("%s: %s", name, wrong);
		free(wrong);
		json_decref(o);
		return NULL;
	}
	return o;
}

/* True for one or several commands of plumbline, joined by "&&" or ";", and nothing else. */
static bool is_own_command(const char *line)
{
	static const char OWN[] = "plumbline ";
	for (const char *end; strncmp(line, OWN, strlen(OWN)) == 0;
	        line = end + strspn(end, "&; ")) {
		bool quoted = false;
		for (end = line; *end && (quoted || !strchr("&;", *end)); end++) {
			quoted ^= *end == '\'';
		}
		char *one = xstrndup(line, (size_t)(end - line));
		bool is_safe = shell_is_pastable_command(one);
		free(one);
		if (!is_safe || !*end) {
			return is_safe;
		}
	}
	return false;
}

/* Users paste the commands of a report. Somebody else may have written the file, so commands that
 * plumbline does not write become null. */
static void drop_foreign_commands(json_t *node)
{
	static const char *const NAMES[] = {"command", "confirm"};
	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
		const json_t *value = json_object_get(node, NAMES[i]);
		if (json_is_string(value) && !is_own_command(json_string_value(value))) {
			json_object_set_new(node, NAMES[i], json_null());
		}
	}
	NODE_MEMBERS(member, node) {
		drop_foreign_commands(member.value);
	}
	NODE_EACH(item, node) {
		drop_foreign_commands(item);
	}
}

json_t *saved_parse(const char *name, struct span text, char **ret_error)
{
	json_t *o = parse(name, text, problem_of, ret_error);
	drop_foreign_commands(o);
	return o;
}

static int read_all(int fd, struct buf *to)
{
	ssize_t n;
	do {
		n = read(fd, buf_reserve(to, READ_SIZE), READ_SIZE);
		to->len += n > 0 ? (size_t)n : 0;
	} while ((n > 0 && to->len <= SIZE_LIMIT) || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : to->len > SIZE_LIMIT ? -EFBIG : 0;
}

json_t *saved_load_checked(const char *path, saved_doubt_fn doubt_of, char **ret_error)
{
	struct buf text = {0};
	json_t *o = NULL;
	bool is_standard = strcmp(path, "-") == 0;
	const char *name = is_standard ? "standard input" : path;
	int fd = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int r = fd < 0 ? -errno : read_all(fd, &text);
	if (r < 0) {
		*ret_error = xasprintf("%s: can't be read: %s", name, strerror(-r));
	} else {
		o = parse(name, buf_span(&text), doubt_of, ret_error);
	}
	if (fd >= 0 && !is_standard) {
		close(fd);
	}
	buf_finish(&text);
	return o;
}

json_t *saved_load(const char *path, char **ret_error)
{
	json_t *o = saved_load_checked(path, problem_of, ret_error);
	drop_foreign_commands(o);
	return o;
}
