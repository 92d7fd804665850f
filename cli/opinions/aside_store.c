#include "cli/opinions/aside_store.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/shell.h"
#include "capture/capture_meta.h"

#define BUDGET ((size_t)256 << 20)
#define SEGMENT_SIZE (UINT64_C(1) << 30)
/* never exhausted: recorder_wait_for_room() is called first */
#define QUEUE_LIMIT ((size_t)128 << 20)

struct capture *aside_capture(const char *dir, const char *to, char **ret_error)
{
	const char *dirs[] = {dir, to};
	uint8_t key[32];
	return capture_open(dirs, to && capture_hash_key(to, key) ? 2 : 1, ret_error);
}

char *aside_open(const char *dir, const char *to, const char *settings, const char *book,
        struct aside_store *ret)
{
	uint8_t key[32];
	char *error = NULL;
	bool has_key = capture_hash_key(dir, key);
	budget_init(&ret->budget, BUDGET);
	const struct recorder_settings s = {
	        .path = to ? to : dir,
	        .segment_size = SEGMENT_SIZE,
	        .queue_limit = QUEUE_LIMIT,
	        .encoders = 1,
	        .budget = &ret->budget,
	        .settings_json = settings,
	        .hash_key = has_key ? key : NULL,
	};
	ret->recorder = recorder_create(&s, &error);
	if (!ret->recorder) {
		return error;
	}
	ret->ledger = ledger_create();
	ret->book = ledger_book(ret->ledger, book);
	return NULL;
}

void aside_print_command(const char *dir, const char *to, FILE *out)
{
	struct buf words = {0};
	shell_put_path(&words, dir);
	if (to) {
		buf_append_char(&words, ' ');
		shell_put_path(&words, to);
	}
	fprintf(out, "See the figures: plumbline analyze %s\n", buf_cstr(&words));
	buf_finish(&words);
}
