#include "backends/dialects/dialects.h"

#include <string.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/enum_names.h"

#define ENTRY(name) &dialect_##name,
static const struct dialect *const all[] = {DIALECTS(ENTRY)};
#undef ENTRY

ENUM_NAMES(logprobs_basis_name, enum logprobs_basis, "unknown", "raw", "after_temperature",
        "processed", "raw_by_default");

const struct dialect *const *dialects(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(all);
	return all;
}

const struct dialect *dialect_find(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_LEN(all); i++) {
		if (strcmp(all[i]->name, name) == 0) {
			return all[i];
		}
	}
	return NULL;
}

char *dialect_parse(const char *name, const struct dialect **ret)
{
	const struct dialect *found = dialect_find(name);
	if (found) {
		*ret = found;
		return NULL;
	}
	struct buf text = {0};
	buf_printf(&text, "no dialect is called %.60s; there are", name);
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		buf_printf(&text, "%s %s", i ? "," : "", all[i]->name);
	}
	return buf_steal(&text);
}
