#include "cli/command_line.h"

#include <string.h>

#include "base/buf.h"
#include "base/shell.h"

/* Returns how many words the option at argv[0] takes if it is `option`, else 0. */
static int words_of(char *const *argv, const char *option, bool has_value)
{
	size_t len = strlen(option);
	if (strncmp(argv[0], option, len) != 0) {
		return 0;
	}
	return argv[0][len] == '=' ? 1 : argv[0][len] ? 0 : has_value ? 2 : 1;
}

static int words_left_out(char *const *argv, const char *also)
{
	static const struct {
		const char *option;
		bool has_value;
	} LEFT_OUT[] = {{"--jobs", true}, {"--out", true}, {"--json", false}, {"--full", false},
	        {"--policy", true}, {"--accepted", true}};
	int n = also ? words_of(argv, also, true) : 0;
	for (size_t i = 0; i < ARRAY_LEN(LEFT_OUT) && n == 0; i++) {
		n = words_of(argv, LEFT_OUT[i].option, LEFT_OUT[i].has_value);
	}
	return n;
}

char *command_line_text(const char *name, int argc, char *const *argv, const char *also)
{
	struct buf text = {0};
	buf_printf(&text, "plumbline %s", name);
	for (int i = 1, n; i < argc; i += n) {
		n = words_left_out(argv + i, also);
		if (n == 0) {
			n = 1;
			buf_append_char(&text, ' ');
			shell_put_word(&text, argv[i]);
		}
	}
	return buf_steal(&text);
}
