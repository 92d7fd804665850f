#include "replay/cancel.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/conf.h"
#include "base/mem.h"
#include "base/rng.h"

#define USUAL_PIECES 16
#define USUAL_NS UINT64_C(1000000000)
/* makes these draws independent of all other draws with the same seed */
#define SALT UINT64_C(0x63616e63656c)

static bool parse_when(const char *text, struct cancel *c)
{
	char *end;
	if (strncmp(text, "tokens:", 7) == 0) {
		c->pieces = strtoull(text + 7, &end, 10);
		return text[7] >= '0' && text[7] <= '9' && *end == '\0' && c->pieces > 0 &&
		       c->pieces < UINT32_MAX;
	}
	return strncmp(text, "after:", 6) == 0 && conf_parse_duration(text + 6, &c->after) &&
	       c->after > 0;
}

bool cancel_parse(const char *text, struct cancel *ret)
{
	const char *at = strchr(text, '@');
	struct cancel c = {.pieces = USUAL_PIECES, .after = USUAL_NS, .streams_by_pieces = true};
	char *share = at ? span_dup((struct span){text, (size_t)(at - text)}) : xstrdup(text);
	bool good = conf_parse_share(share, &c.share) && c.share > 0;
	free(share);
	if (good && at) {
		c = (struct cancel){.share = c.share};
		good = parse_when(at + 1, &c);
	}
	if (good) {
		*ret = c;
	}
	return good;
}

bool cancel_selects(const struct cancel *c, uint64_t seed, uint32_t send)
{
	struct rng d = rng_of(seed ^ SALT, send);
	return c->share > 0 && rng_unit(&d) < c->share;
}
