/*
 * Any bytes as the proxy's configuration. It is refused with a sentence, or every setting is within
 * its bounds. The settings can be written as JSON, which contains no API key.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "proxy/settings/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct settings *s)
{
	expect(s->primary.url && s->workers >= 1 && s->workers <= 256);
	expect(s->n_references <= SETTINGS_REFERENCES_LIMIT);
	expect(s->inject_share >= 0 && s->inject_share <= 1 && s->top_logprobs >= 0);
	expect(s->relay_window >= 4096 && s->memory_limit >= 1048576 && s->clients.limit >= 1);
	for (size_t i = 0; i < s->n_references; i++) {
		const struct backend_settings *b = &s->references[i];
		expect(b->url && b->name && b->sample.share >= 0 && b->sample.share <= 1);
		expect(b->sample.n_keys <= SETTINGS_KEYS_LIMIT && b->max_concurrency >= 1);
	}
	char *text = settings_json(s);
	struct json j;
	json_init(&j, text, strlen(text));
	struct json_token first = json_next(&j);
	expect(json_skip(&j, &first).data && json_next(&j).type == JSON_TOKEN_END);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* settings_load() reads a file, so write one. */
	int fd = memfd_create("settings", MFD_CLOEXEC);
	expect(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	char *path = xasprintf("/proc/self/fd/%d", fd), *error = NULL;
	struct settings *s = settings_load(path, NULL, 0, &error);
	if (s) {
		check(s);
		settings_unref(s);
	} else {
		expect(error && *error);
		free(error);
	}
	free(path);
	close(fd);
	return 0;
}
