#include "commands/exchange_find.h"

#include <string.h>

#include "base/letters.h"
#include "base/mem.h"
#include "commands/commands.h"

/* The beginning of an id as its first bytes; *ret_digits: how many hex digits were given. False: it
 * is none. */
static bool parse_prefix(const char *text, struct id *ret_id, size_t *ret_digits)
{
	struct id id = {{0}};
	size_t n = 0;
	for (; *text; text++) {
		if (*text == '-') {
			continue;
		}
		int digit = hex_digit(*text);
		if (digit < 0 || n == 2 * sizeof(id.bytes)) {
			return false;
		}
		id.bytes[n / 2] |= (uint8_t)(digit << (n % 2 ? 0 : 4));
		n++;
	}
	*ret_id = id;
	*ret_digits = n;
	return n > 0;
}

static bool has_prefix(struct id id, struct id prefix, size_t digits)
{
	return memcmp(id.bytes, prefix.bytes, digits / 2) == 0 &&
	       (digits % 2 == 0 || id.bytes[digits / 2] >> 4 == prefix.bytes[digits / 2] >> 4);
}

int exchange_find(
        struct capture *c, const char *text, struct capture_exchange *ret, char **ret_problem)
{
	struct id prefix;
	size_t digits;
	if (!parse_prefix(text, &prefix, &digits)) {
		*ret_problem = xasprintf("%.60s is no id (hex digits and dashes)", text);
		return EXIT_USAGE;
	}
	capture_seek(c, prefix);
	bool found = capture_next(c, ret) != 0;
	if (found && !has_prefix(ret->row.id, prefix, digits)) {
		capture_exchange_finish(ret);
		found = false;
	}
	if (!found) {
		*ret_problem = xasprintf(
		        "no exchange has the id %s; plumbline capture ls lists them", text);
		return EXIT_NOT_ENOUGH;
	}
	struct capture_exchange other;
	if (capture_next(c, &other) == 0) {
		return EXIT_PASS;
	}
	bool ambiguous = has_prefix(other.row.id, prefix, digits);
	capture_exchange_finish(&other);
	if (ambiguous) {
		capture_exchange_finish(ret);
		*ret_problem = xasprintf(
		        "several exchanges have ids that begin with %s: give more of it", text);
		return EXIT_USAGE;
	}
	return EXIT_PASS;
}
