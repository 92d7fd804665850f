#include "capture/privacy_filter.h"

#include <endian.h>
#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

void privacy_filter_init(struct privacy_filter *v, enum content content,
        const struct redact_policy *policy, const uint8_t hash_key[32], struct budget *budget)
{
	*v = (struct privacy_filter){.content = content, .policy = policy, .budget = budget};
	memcpy(v->hash_key, hash_key, sizeof(v->hash_key));
	randombytes_buf(v->secret, sizeof(v->secret));
	pthread_mutex_init(&v->lock, NULL);
}

void privacy_filter_finish(struct privacy_filter *v)
{
	pthread_mutex_destroy(&v->lock);
	sodium_memzero(v->secret, sizeof(v->secret));
}

void privacy_filter_counts(struct privacy_filter *v, struct redact_counts *ret)
{
	pthread_mutex_lock(&v->lock);
	*ret = v->counts;
	pthread_mutex_unlock(&v->lock);
}

/* Begins a redaction whose key is the prompt's hash. A prompt that could not be parsed has none:
 * the exchange's id is used instead. */
static struct redaction begin(
        const struct privacy_filter *v, const uint8_t prompt[16], struct id exchange)
{
	static const uint8_t none[16];
	struct redaction r = {.policy = v->policy, .budget = v->budget};
	bool known = memcmp(prompt, none, sizeof(none)) != 0;
	crypto_generichash(r.key, sizeof(r.key), known ? prompt : exchange.bytes, sizeof(none),
	        v->secret, sizeof(v->secret));
	return r;
}

static void end(struct privacy_filter *v, const struct redaction *r, uint32_t *redactions)
{
	pthread_mutex_lock(&v->lock);
	redact_counts_add(&v->counts, &r->counts);
	pthread_mutex_unlock(&v->lock);
	if (redactions) {
		*redactions +=
		        (uint32_t)MIN(redact_counts_sum(&r->counts), (uint64_t)UINT32_MAX / 2);
	}
}

static void redact_string(struct redaction *r, char *text)
{
	if (text) {
		redact_text(r, text, strlen(text));
	}
}

bool privacy_filter_request(struct privacy_filter *v, struct exchange_row *row, struct buf *body)
{
	struct redaction r = begin(v, row->hashes.prompt, row->id);
	bool kept = redact_body(&r, body->data, body->len);
	end(v, &r, &row->redactions);
	return kept;
}

bool privacy_filter_answer(struct privacy_filter *v, struct leg_row *row, struct buf *body)
{
	struct redaction r = begin(v, row->prompt, row->exchange);
	bool kept = redact_body(&r, body->data, body->len);
	end(v, &r, &row->redactions);
	return kept;
}

void privacy_filter_refuse(struct privacy_filter *v, int code)
{
	pthread_mutex_lock(&v->lock);
	v->counts.refused += code != -ENOMEM;
	v->counts.no_room += code == -ENOMEM;
	pthread_mutex_unlock(&v->lock);
}

void privacy_filter_head(struct privacy_filter *v, struct id owner, struct buf *head)
{
	static const uint8_t none[16];
	struct redaction r = begin(v, none, owner);
	redact_text(&r, head->data, head->len);
	end(v, &r, NULL);
}

void privacy_filter_exchange_row(struct privacy_filter *v, struct exchange_row *row)
{
	if (v->content == CONTENT_FULL) {
		return;
	}
	struct redaction r = begin(v, row->hashes.prompt, row->id);
	row->content = row->content == CONTENT_METADATA ? CONTENT_METADATA : v->content;
	redact_string(&r, row->method);
	if (row->content == CONTENT_METADATA && row->target) {
		row->target[strcspn(row->target, "?")] = '\0';
	}
	redact_string(&r, row->target);
	redact_string(&r, row->model);
	redact_string(&r, row->facts.model);
	redact_string(&r, row->content_encoding);
	end(v, &r, &row->redactions);
}

/* An inserted text consists of members of an object. Put in braces, it is an object. */
static bool redact_edit(struct redaction *r, struct edit *edit)
{
	struct buf b = {0};
	buf_append_char(&b, '{');
	buf_append_span(&b, edit->inserted);
	buf_append_char(&b, '}');
	bool kept = redact_body(r, b.data, b.len);
	if (kept && edit->inserted.len) {
		memcpy((char *)edit->inserted.data, b.data + 1, edit->inserted.len);
	}
	buf_finish(&b);
	return kept;
}

static void drop_edits(struct leg_row *row)
{
	for (size_t i = 0; i < row->n_edits; i++) {
		free((char *)row->edits[i].inserted.data);
	}
	free(row->edits);
	row->edits = NULL;
	row->n_edits = 0;
}

void privacy_filter_edits(struct privacy_filter *v, struct leg_row *row)
{
	struct redaction r = begin(v, row->prompt, row->exchange);
	bool kept = v->content != CONTENT_METADATA;
	for (size_t i = 0; i < row->n_edits && kept; i++) {
		kept = redact_edit(&r, &row->edits[i]);
	}
	if (!kept) {
		drop_edits(row);
	}
	end(v, &r, &row->redactions);
}

void privacy_filter_leg_row(struct privacy_filter *v, struct leg_row *row)
{
	if (v->content == CONTENT_FULL) {
		return;
	}
	struct redaction r = begin(v, row->prompt, row->exchange);
	row->content = row->content == CONTENT_METADATA ? CONTENT_METADATA : v->content;
	redact_string(&r, row->error);
	redact_string(&r, row->content_type);
	redact_string(&r, row->content_encoding);
	redact_string(&r, row->model);
	redact_string(&r, row->fingerprint);
	redact_string(&r, row->finish);
	redact_string(&r, row->replica);
	end(v, &r, &row->redactions);
	privacy_filter_edits(v, row);
}

static void add_text(crypto_generichash_state *h, const char *text, size_t len)
{
	uint64_t length = htole64(len);
	crypto_generichash_update(h, (const uint8_t *)&length, sizeof(length));
	crypto_generichash_update(h, (const uint8_t *)(text ? text : ""), len);
}

static void add_string(crypto_generichash_state *h, const char *s)
{
	add_text(h, s, s ? strlen(s) : 0);
}

/* The keyed hash of a reading's texts: equal for answers that are equal byte for byte. */
static void hash_answer(const uint8_t key[32], const struct reading *reading, uint8_t ret[16])
{
	crypto_generichash_state h;
	crypto_generichash_init(&h, key, 32, 16);
	for (size_t i = 0; i < reading->n_choices; i++) {
		const struct choice *c = &reading->choices[i];
		uint32_t index = htole32((uint32_t)c->index);
		crypto_generichash_update(&h, (const uint8_t *)&index, sizeof(index));
		add_text(&h, c->text.data, c->text.len);
		add_text(&h, c->reasoning.data, c->reasoning.len);
		add_text(&h, c->refusal.data, c->refusal.len);
		for (size_t k = 0; k < c->n_calls; k++) {
			add_string(&h, c->calls[k].name);
			add_string(&h, c->calls[k].arguments);
		}
	}
	for (size_t i = 0; i < reading->n_embeddings; i++) {
		const struct embedding *e = &reading->embeddings[i];
		add_text(&h, (const char *)e->values, e->n * sizeof(*e->values));
	}
	crypto_generichash_final(&h, ret, 16);
}

void privacy_filter_set_answer_hash(
        const struct privacy_filter *v, struct leg_row *row, const struct reading *reading)
{
	if ((!reading->n_choices && !reading->n_embeddings) || reading->unknown) {
		return; /* an error, an answer of an unknown form, or one not completely parsed */
	}
	hash_answer(v->hash_key, reading, row->answer_hash);
	for (size_t i = 0; i < reading->n_choices; i++) {
		row->answer_bytes += reading->choices[i].text.len;
		row->reasoning_bytes += reading->choices[i].reasoning.len;
	}
}
