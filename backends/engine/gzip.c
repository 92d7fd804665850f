#include "backends/engine/gzip.h"

#define BLOCK_MAX 65535

static void put_16(struct buf *to, uint32_t x)
{
	buf_append_char(to, (char)(x & 0xff));
	buf_append_char(to, (char)(x >> 8 & 0xff));
}

static uint32_t crc_of(uint32_t crc, const char *data, size_t n)
{
	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= (uint8_t)data[i];
		for (int bit = 0; bit < 8; bit++) {
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
		}
	}
	return ~crc;
}

void gzip_begin(struct gzip *g, struct buf *to)
{
	*g = (struct gzip){0};
	buf_append(to, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
}

void gzip_piece(struct gzip *g, struct span data, struct buf *to)
{
	g->crc = crc_of(g->crc, data.data, data.len);
	g->length += (uint32_t)data.len;
	for (size_t at = 0; at < data.len;) {
		size_t n = MIN(data.len - at, BLOCK_MAX);
		buf_append_char(to, 0);
		put_16(to, (uint32_t)n);
		put_16(to, ~(uint32_t)n);
		buf_append(to, data.data + at, n);
		at += n;
	}
}

void gzip_end(struct gzip *g, struct buf *to)
{
	buf_append(to, "\x01\0\0\xff\xff", 5);
	put_16(to, g->crc & 0xffff);
	put_16(to, g->crc >> 16);
	put_16(to, g->length & 0xffff);
	put_16(to, g->length >> 16);
}

void gzip_whole(struct span data, struct buf *to)
{
	struct gzip g;
	gzip_begin(&g, to);
	gzip_piece(&g, data, to);
	gzip_end(&g, to);
}
