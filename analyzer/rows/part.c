#include "analyzer/rows/part.h"

#include <string.h>

#include <xxhash.h>

uint64_t part_hash(const struct exchange_row *row)
{
	static const uint8_t NONE[REQUEST_HASH_SIZE];
	const uint8_t *prompt = row->hashes.prompt;
	return memcmp(prompt, NONE, sizeof(NONE)) != 0 ? XXH3_64bits(prompt, REQUEST_HASH_SIZE)
	                                               : XXH3_64bits(&row->id, sizeof(row->id));
}
