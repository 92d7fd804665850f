#include "cli/opinions/annotation_store.h"

#include "base/buf.h"
#include "base/shell.h"
#include "capture/capture_meta.h"
#include "cli/capture/input.h"

struct capture *annotation_capture(
        const char *command, const char *dir, const char *to, char **ret_error)
{
	const char *dirs[] = {dir, to};
	uint8_t key[32];
	bool is_two = to && capture_hash_key(to, key);
	struct capture *c = capture_open(dirs, is_two ? 2 : 1, ret_error);
	if (c) {
		(void)input_warn(command, c);
	}
	return c;
}

char *annotation_open(const char *dir, const char *to, const char *settings, const char *book,
        struct recording *ret)
{
	uint8_t key[32];
	bool has_key = capture_hash_key(dir, key);
	return recording_open(ret, to ? to : dir, has_key ? key : NULL, settings, book);
}

static void put_side(struct buf *to, const char *option, const char *name)
{
	if (name) {
		buf_append_str(to, option);
		shell_put_word(to, name);
	}
}

void annotation_print_command(
        const char *dir, const char *to, const char *base, const char *test, FILE *out)
{
	struct buf words = {0};
	uint8_t key[32];
	shell_put_path(&words, dir);
	/* Nothing is recorded in `to` if there was nothing to do. */
	if (to && capture_hash_key(to, key)) {
		buf_append_char(&words, ' ');
		shell_put_path(&words, to);
	}
	put_side(&words, " --base ", base);
	put_side(&words, " --test ", test);
	fprintf(out, "See the figures: plumbline analyze %s\n", buf_cstr(&words));
	buf_finish(&words);
}
