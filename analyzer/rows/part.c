#include "analyzer/rows/part.h"

#include <string.h>

#include <xxhash.h>

bool part_has_prompt(const struct exchange_row *row)
{
	static const uint8_t NONE[REQUEST_HASH_SIZE];
	return memcmp(row->hashes.prompt, NONE, sizeof(NONE)) != 0;
}

uint64_t part_hash(const struct exchange_row *row)
{
	return part_has_prompt(row) ? XXH3_64bits(row->hashes.prompt, REQUEST_HASH_SIZE)
	                            : XXH3_64bits(&row->id, sizeof(row->id));
}

uint64_t part_hash_name(const char *name)
{
	return name ? XXH3_64bits(name, strlen(name)) : 0;
}
