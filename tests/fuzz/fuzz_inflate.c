/*
 * Any bytes as a compressed body; the first byte chooses the coding. The output never exceeds the
 * limit.
 */
#include "base/inflate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const codings[] = {
	        "gzip", "deflate", "br", "zstd", "identity", "x-gzip", "gzip, br", ""};
	if (size < 2) {
		return 0;
	}
	size_t limit = (size_t)data[1] * 64;
	struct buf out = {0};
	struct span body = {(const char *)data + 2, size - 2};
	int r = inflate_body(span_of(codings[data[0] % ARRAY_LEN(codings)]), body, limit, &out);
	expect(r <= 0 && out.len <= limit);
	buf_finish(&out);
	return 0;
}
