#include "cli/recipes/borrowed.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Cuts the next element off a comma-separated list; NULL: there is none. */
static char *next_of(char **list)
{
	char *from = *list, *end = from ? strchr(from, ',') : NULL;
	*list = end ? end + 1 : NULL;
	if (end) {
		*end = '\0';
	}
	return from;
}

static char *add(struct borrowed *b, char *word)
{
	if (b->n == CAMPAIGN_TARGETS) {
		free(word);
		return xasprintf("more than %d targets", CAMPAIGN_TARGETS);
	}
	b->words[b->n++] = word;
	return NULL;
}

static char *add_models(struct borrowed *b)
{
	if (!b->base_url) {
		return xstrdup("--models wants --base-url too: no model is loaded here, servers "
		               "are asked. "
		               "Several servers are targets: LABEL=URL,model=NAME");
	}
	char *copy = xstrdup(b->models), *rest = copy, *one, *problem = NULL;
	while (!problem && (one = next_of(&rest))) {
		char *is = strchr(one, '=');
		problem = is && is > one && is[1]
		                  ? add(b, xasprintf("%.*s=%s,model=%s", (int)(is - one), one,
		                                   b->base_url, is + 1))
		                  : xasprintf("--models is LABEL=MODEL,LABEL=MODEL, not %.100s",
		                            b->models);
	}
	free(copy);
	return problem;
}

static char *add_backends(struct borrowed *b)
{
	if (!b->base_urls || !b->backends) {
		return xstrdup("--backends and --base-urls go together, an URL for each name");
	}
	char *names = xstrdup(b->backends), *urls = xstrdup(b->base_urls), *names_left = names,
	     *urls_left = urls;
	char *problem = NULL, *name, *url;
	do {
		name = next_of(&names_left);
		url = next_of(&urls_left);
		if (name && url) {
			problem = add(b, xasprintf("%s=%s", name, url));
		} else if (name || url) {
			problem = xasprintf("--backends %.100s and --base-urls %.100s have "
			                    "different numbers of entries",
			        b->backends, b->base_urls);
		}
	} while (!problem && name && url);
	free(urls);
	free(names);
	return problem;
}

char *borrowed_make_words(struct borrowed *b, bool more)
{
	char *problem = NULL;
	if (b->backend && strcmp(b->backend, "mlx-lm") == 0) {
		return xstrdup("--backend mlx-lm loads a model, which is not done here: start "
		               "mlx_lm.server and give its URL");
	}
	if (b->to) {
		problem = add(b, xstrdup(b->to));
	}
	if (!problem && b->models) {
		problem = add_models(b);
	}
	if (!problem && (b->backends || b->base_urls)) {
		problem = add_backends(b);
	}
	return problem || more || b->n > 0 || !b->base_url ? problem : add(b, xstrdup(b->base_url));
}

void borrowed_finish(struct borrowed *b)
{
	for (size_t i = 0; i < b->n; i++) {
		free(b->words[i]);
	}
	*b = (struct borrowed){0};
}
