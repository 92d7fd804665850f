#include "cli/target_hint.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/shell.h"

/* Whether it is like "localhost:8000", with or without a path. */
static bool lacks_scheme(const char *to)
{
	size_t host = strcspn(to, ":/"),
	       port = to[host] == ':' ? strspn(to + host + 1, "0123456789") : 0;
	char end = to[host] == ':' ? to[host + 1 + port] : 'x';
	return host > 0 && port > 0 && (end == '\0' || end == '/');
}

char *target_hint(const char *to)
{
	static const struct {
		const char *prefix, *server, *url;
	} LOADED[] = {
	        {"mlx:", "mlx_lm.server --model", "http://127.0.0.1:8080"},
	        {"transformers:", "transformers serve", "http://127.0.0.1:8000"},
	};
	for (size_t i = 0; i < ARRAY_LEN(LOADED); i++) {
		size_t len = strlen(LOADED[i].prefix);
		if (strncmp(to, LOADED[i].prefix, len) == 0) {
			struct buf hint = {0};
			buf_printf(&hint,
			        ". plumbline loads no model: start a server, for example with %s ",
			        LOADED[i].server);
			shell_put_word(&hint, to + len);
			buf_printf(&hint, ", and give its URL, for example %s", LOADED[i].url);
			return buf_steal(&hint);
		}
	}
	return lacks_scheme(to) ? xasprintf(". Do you mean http://%s?", to) : xstrdup("");
}
