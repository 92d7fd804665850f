#include "replay/repro/repro_script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/shell.h"
#include "base/utf8.h"
#include "capture/resend.h"
#include "base/sanitize_text.h"
#include "base/moment.h"
#include "replay/target.h"

#define ANSWER_CHARACTERS 400
#define BASE64_LINE 76
/* Bytes that a line of base64 encodes. */
#define BASE64_BYTES (BASE64_LINE / 4 * 3)

/* Whether a here-document reproduces these bytes: they must be text, in complete lines or
 * without any newline. */
static bool is_plain(struct span body)
{
	const char *p = body.data, *end = body.data + body.len;
	while (p < end) {
		size_t n = utf8_length(p, end);
		if (n == 0 || (n == 1 && (unsigned char)*p < ' ' && *p != '\n' && *p != '\t') ||
		        *p == 0x7f) {
			return false;
		}
		p += n;
	}
	return body.len == 0 || end[-1] != '\n';
}

static void put_plain(struct buf *to, struct span body)
{
	char mark[32] = "REQUEST";
	for (unsigned i = 1; body.len > 0 && memmem(body.data, body.len, mark, strlen(mark)); i++) {
		snprintf(mark, sizeof(mark), "REQUEST_%u", i);
	}
	buf_printf(to, "body=$(cat <<'%s'\n", mark);
	buf_append_span(to, body);
	buf_printf(to, "\n%s\n)\nprintf %%s \"$body\" |\n", mark);
}

static void put_base64(struct buf *to, struct span body)
{
	buf_append_str(to, "base64 -d <<'REQUEST' |\n");
	for (size_t i = 0; i < body.len; i += BASE64_BYTES) {
		char line[BASE64_LINE + 1];
		sodium_bin2base64(line, sizeof(line), (const unsigned char *)body.data + i,
		        MIN(body.len - i, (size_t)BASE64_BYTES), sodium_base64_VARIANT_ORIGINAL);
		buf_printf(to, "%s\n", line);
	}
	buf_append_str(to, "REQUEST\n");
}

static void put_url(struct buf *to, const struct exchange_row *row, const struct repro_leg *leg)
{
	const char *base = leg->row->url ? leg->row->url : "";
	const char *scheme_end = strstr(base, "://");
	const char *host = scheme_end ? scheme_end + strlen("://") : base;
	const char *base_path = host + strcspn(host, "/");
	const struct target target = {.base_path = base_path};
	const char *recorded = row->target ? row->target : "/";
	char *own = leg->elsewhere ? target_of_engine(recorded) : xstrdup(recorded);
	char *path = target_path(&target, own, leg->recast);
	char *url = xasprintf("%.*s%s", (int)(base_path - base), base, path);
	shell_put_quoted(to, url);
	free(url);
	free(path);
	free(own);
}

void repro_script_key(struct buf *to, const char *backend)
{
	for (const char *p = backend ? backend : "BACKEND"; *p; p++) {
		bool first = p == backend && isdigit((unsigned char)*p);
		buf_append_str(to, first ? "_" : "");
		buf_append_char(
		        to, isalnum((unsigned char)*p) ? (char)toupper((unsigned char)*p) : '_');
	}
	buf_append_str(to, "_API_KEY");
}

void repro_script_begin(struct buf *to, const struct exchange_row *row)
{
	char id[ID_TEXT_SIZE];
	buf_printf(to,
	        "#!/bin/sh\n# Sends the request of exchange %s again, to each backend as it was "
	        "sent to it.\n# Recorded ",
	        id_format(row->id, id));
	moment_put(to, row->wall_ns);
	buf_append_str(to, "; made by plumbline repro.\n");
	if (resend_is_redacted(row)) {
		buf_append_str(to, "# The proxy replaced private text before it recorded the "
		                   "request: this is not the request that was sent.\n");
	}
	buf_append_str(to, "set -u\nfailed=0\n");
}

void repro_script_end(struct buf *to)
{
	buf_append_str(to, "\nexit $failed\n");
}

void repro_script_leg(struct buf *to, const struct exchange_row *row, const struct repro_leg *leg)
{
	struct buf key = {0}, name = {0};
	repro_script_key(&key, leg->row->backend);
	sanitize_put(&name, span_of(leg->row->backend ? leg->row->backend : "a backend"), 80);
	buf_printf(to, "\n# --- %s, %s. A key, if it needs one, comes from $%s\n", buf_cstr(&name),
	        role_name(leg->row->role), buf_cstr(&key));
	if (leg->answer.len > 0) {
		buf_append_str(to, "# The recorded answer: ");
		sanitize_put(to, leg->answer, ANSWER_CHARACTERS);
		buf_append_char(to, '\n');
	}
	buf_append_str(to, "printf '\\n--- %s\\n' ");
	shell_put_quoted(to, buf_cstr(&name));
	buf_append_str(to, " >&2\n");
	if (is_plain(leg->body)) {
		put_plain(to, leg->body);
	} else {
		put_base64(to, leg->body);
	}
	buf_append_str(to, "\tcurl --globoff --silent --show-error --no-buffer --request ");
	shell_put_quoted(to, row->method ? row->method : "POST");
	buf_printf(to,
	        " --header 'Content-Type: application/json' \\\n"
	        "\t${%s:+--header \"Authorization: Bearer $%s\"} \\\n"
	        "\t--data-binary @- --url ",
	        buf_cstr(&key), buf_cstr(&key));
	put_url(to, row, leg);
	buf_append_str(to, " || failed=1\necho\n");
	buf_finish(&key);
	buf_finish(&name);
}
