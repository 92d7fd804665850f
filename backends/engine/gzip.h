#pragma once
/*
 * gzip - appends a gzip stream of stored (uncompressed) blocks: valid gzip for a client, without a
 * compressor. Pure.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct gzip {
	uint32_t crc;
	uint32_t length;
};

void gzip_begin(struct gzip *g, struct buf *to);
void gzip_piece(struct gzip *g, struct span data, struct buf *to);
void gzip_end(struct gzip *g, struct buf *to);
void gzip_whole(struct span data, struct buf *to);
