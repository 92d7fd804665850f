#include "base/shell.h"

#include <string.h>

#include "base/utf8.h"

void shell_put_quoted(struct buf *to, const char *text)
{
	buf_append_char(to, '\'');
	for (const char *p = text ? text : ""; *p; p++) {
		if (*p == '\'') {
			buf_append_str(to, "'\\''");
		} else {
			buf_append_char(to, *p);
		}
	}
	buf_append_char(to, '\'');
}

static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "_./:@%+=,-";

void shell_put_word(struct buf *to, const char *text)
{
	if (text && *text && strspn(text, PLAIN) == strlen(text)) {
		buf_append_str(to, text);
	} else {
		shell_put_quoted(to, text);
	}
}

void shell_put_path(struct buf *to, const char *path)
{
	if (path && *path == '-') {
		struct buf whole = {0};
		buf_printf(&whole, "./%s", path);
		shell_put_word(to, buf_cstr(&whole));
		buf_finish(&whole);
	} else {
		shell_put_word(to, path);
	}
}

char *shell_path(const char *path)
{
	struct buf word = {0};
	shell_put_path(&word, path);
	return buf_steal(&word);
}

bool shell_is_pastable(const char *text)
{
	if (!text || !*text || *text == '-') {
		return false;
	}
	for (const char *p = text, *end = text + strlen(text); p < end;) {
		uint32_t code = 0;
		size_t n = utf8_get(p, end, &code);
		if (n == 0 || !utf8_is_shown(code)) {
			return false;
		}
		p += n;
	}
	return true;
}

bool shell_is_pastable_command(const char *text)
{
	bool quoted = false;
	if (!shell_is_pastable(text)) {
		return false;
	}
	for (const char *p = text; *p; p++) {
		if (*p == '\'') {
			quoted = !quoted;
		} else if (!quoted && p[0] == '\\' && p[1] == '\'') {
			p++;
		} else if (!quoted && *p != ' ' && !strchr(PLAIN, *p)) {
			return false;
		}
	}
	return !quoted;
}

bool shell_put_pastable_path(struct buf *to, const char *path)
{
	bool fits = path && shell_is_pastable(path + strspn(path, "-"));
	if (fits) {
		shell_put_path(to, path);
	}
	return fits;
}
