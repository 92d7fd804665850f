/*
 * source_request - what all kinds of source do with a request: choose it for the plan, give it an
 * id, describe it as an exchange.
 */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/clock.h"
#include "base/mem.h"
#include "replay/source_kind.h"

static void add_model(struct source_scan *scan, const char *model)
{
	for (size_t i = 0; i < scan->n_models; i++) {
		if (strcmp(scan->models[i], model) == 0) {
			return;
		}
	}
	if (scan->n_models < SOURCE_MODELS_LIMIT) {
		scan->models[scan->n_models++] = xstrdup(model);
	}
}

/* Notes the values that exist, for the message if a selection leaves nothing. */
static void add_values(struct source_scan *scan, const struct filter_request *facts)
{
	const struct filters *f = &scan->rules->filters;
	struct buf value = {0};
	for (size_t i = 0; i < f->n; i++) {
		buf_clear(&value);
		if (filter_request_put(f->items[i].key, facts, &value)) {
			error_tally_add(&scan->values[i], value.len ? buf_cstr(&value) : "none");
		}
	}
	buf_finish(&value);
}

bool source_plan_request(struct source_scan *scan, const struct plan_request *request,
        enum endpoint endpoint, const struct request_facts *facts,
        const struct request_hashes *hashes, const char *model, const char *category)
{
	const struct filter_request chosen = {
	        .exchange = request->exchange,
	        .model = model,
	        .endpoint = endpoint,
	        .stream = facts->stream,
	        .tools = facts->has_tools,
	        .session = hashes->session,
	        .category = category,
	};
	bool full = !scan->even && scan->plan->n_requests >= scan->limit;
	add_values(scan, &chosen);
	if (full || !request_choice_selects(scan->rules, &chosen)) {
		scan->not_chosen++;
		return true;
	}
	add_model(scan, model ? model : "");
	scan->timed += request->wall_ns != 0;
	scan->open += request->open;
	struct plan_request added = *request;
	memcpy(added.chain, hashes->chain, REQUEST_HASH_SIZE);
	memcpy(added.parent, hashes->parent, REQUEST_HASH_SIZE);
	added.category = category ? XXH3_64bits(category, strlen(category)) | 1 : 0;
	return plan_add(scan->plan, &added);
}

struct id source_id(uint64_t number, struct span bytes, uint64_t seed)
{
	struct id id;
	XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data, bytes.len, seed);
	memcpy(id.bytes, &hash, sizeof(id.bytes));
	for (int i = 0; i < 6; i++) {
		id.bytes[i] = (uint8_t)(number >> (40 - 8 * i));
	}
	id.bytes[6] = (uint8_t)((id.bytes[6] & 0x0f) | 0x80); /* version 8: our own */
	id.bytes[8] = (uint8_t)((id.bytes[8] & 0x3f) | 0x80);
	return id;
}

void source_add_unfit(
        const struct source *s, struct source_scan *scan, uint64_t number, const char *why)
{
	error_tally_add_at(scan->unfit, s->path, number, why);
}

void source_describe(struct source_body *b, struct id exchange, struct exchange_labels labels)
{
	request_read(b->endpoint, buf_span(&b->body), &b->facts);
	b->is_new = true;
	b->row = (struct exchange_row){
	        .id = exchange,
	        .wall_ns = clock_wall(),
	        .method = xstrdup("POST"),
	        .target = xstrdup(b->target),
	        .endpoint = b->endpoint,
	        .content = CONTENT_FULL,
	        .body_bytes = b->body.len,
	        .streamed = b->facts.stream,
	        .model = *b->facts.model ? xstrdup(b->facts.model) : NULL,
	        .facts = b->facts,
	        .labels = labels,
	};
}

void source_scan_finish(struct source_scan *scan)
{
	for (size_t i = 0; i < scan->n_models; i++) {
		free(scan->models[i]);
	}
	scan->n_models = 0;
	for (size_t i = 0; i < ARRAY_LEN(scan->values); i++) {
		error_tally_finish(&scan->values[i]);
	}
}

void source_body_finish(struct source_body *b)
{
	free(b->target);
	buf_finish(&b->recorded);
	buf_finish(&b->body);
	exchange_row_finish(&b->row);
	*b = (struct source_body){0};
}
