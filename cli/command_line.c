#include "cli/command_line.h"

#include <string.h>

#include "base/buf.h"
#include "base/shell.h"

/* Returns how many words the option at argv[0] takes if it changes no figure, else 0. */
static int words_left_out(char *const *argv)
{
	static const struct {
		const char *option;
		bool has_value;
	} LEFT_OUT[] = {{"--jobs", true}, {"--out", true}, {"--json", false}, {"--full", false},
	        {"--policy", true}, {"--accepted", true}};
	for (size_t i = 0; i < ARRAY_LEN(LEFT_OUT); i++) {
		size_t len = strlen(LEFT_OUT[i].option);
		if (strncmp(argv[0], LEFT_OUT[i].option, len) != 0) {
			continue;
		}
		if (argv[0][len] == '\0') {
			return LEFT_OUT[i].has_value ? 2 : 1;
		}
		if (argv[0][len] == '=') {
			return 1;
		}
	}
	return 0;
}

char *command_line_text(const char *name, int argc, char *const *argv)
{
	struct buf text = {0};
	buf_printf(&text, "plumbline %s", name);
	for (int i = 1, n; i < argc; i += n) {
		n = words_left_out(argv + i);
		if (n == 0) {
			n = 1;
			buf_append_char(&text, ' ');
			shell_put_word(&text, argv[i]);
		}
	}
	return buf_steal(&text);
}
