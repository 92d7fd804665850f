#include "cli/engine_url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "proxy/settings/settings.h"

static void print_once(const char *note)
{
	static struct buf printed;
	if (note && !(printed.len && strstr(buf_cstr(&printed), note))) {
		fprintf(stderr, "plumbline: %s\n", note);
		buf_printf(&printed, "%s\n", note);
	}
}

char *engine_url_parse(const char *text, struct base_url *ret)
{
	char *problem = base_url_read(text, ret);
	if (problem) {
		char *sentence = xasprintf("the URL %s", problem);
		free(problem);
		return sentence;
	}
	if (ret->had_v1) {
		char *note = base_url_v1_removed(ret);
		print_once(note);
		free(note);
	}
	return NULL;
}

char *engine_url_host(const char *text)
{
	const char *host = strstr(text, "://");
	return host ? xstrndup(host + 3, strcspn(host + 3, "/?#")) : NULL;
}

struct call_line *engine_url_call(
        const char *url, const char *ca_file, const char *api_key, char **ret_error)
{
	struct base_url at = {0};
	*ret_error = engine_url_parse(url, &at);
	const struct call_line_settings settings = {
	        .url = url, .ca_file = ca_file, .api_key = api_key};
	struct call_line *line = *ret_error ? NULL : call_line_create(&settings, ret_error);
	base_url_finish(&at);
	return line;
}

void engine_url_report(const struct settings *s, const char *name)
{
	const struct backend_settings *b = &s->primary;
	for (size_t i = 0; i < s->n_references && strcmp(b->name, name) != 0; i++) {
		b = &s->references[i];
	}
	print_once(strcmp(b->name, name) == 0 ? b->url_note : NULL);
}

void engine_url_report_all(const struct settings *s)
{
	print_once(s->primary.url_note);
	for (size_t i = 0; i < s->n_references; i++) {
		print_once(s->references[i].url_note);
	}
}
