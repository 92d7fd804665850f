#include "backends/copy_body.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

void copy_rules_finish(struct copy_rules *r)
{
	for (size_t i = 0; i < r->n_models; i++) {
		free(r->models[i].from);
		free(r->models[i].to);
	}
	for (size_t i = 0; i < r->n_members; i++) {
		free(r->members[i].name);
		free(r->members[i].json);
	}
	free(r->models);
	free(r->members);
}

const char *copy_body_model(const struct copy_rules *rules, const char *requested)
{
	for (size_t i = 0; i < rules->n_models; i++) {
		if (strcmp(rules->models[i].from, requested) == 0) {
			return rules->models[i].to;
		}
	}
	return NULL;
}

/* Collects the members to set and to remove. The first edit of a name counts. */
static struct member_edit *gather_edits(const struct copy_rules *rules, const char *model,
        const struct align_members *aligned, size_t *ret_n)
{
	struct member_edit *members = xcalloc(1 + rules->n_members + aligned->n, sizeof(*members));
	size_t n = 0;
	if (model) {
		members[n++] = (struct member_edit){"model", model};
	}
	for (size_t i = 0; i < rules->n_members; i++) {
		members[n++] = (struct member_edit){rules->members[i].name, rules->members[i].json};
	}
	for (size_t i = 0; i < aligned->n; i++) {
		members[n++] = aligned->items[i];
	}
	*ret_n = n;
	return members;
}

/* Makes the edits of a body that already has the form of its endpoint. Returns NULL, or why they
 * cannot be made. */
static const char *edit(const struct copy_body_plan *plan, struct span body, struct copy_body *b)
{
	const struct copy_rules *rules = plan->rules;
	const char *name = copy_body_model(rules, plan->facts->model);
	struct align_plan alignment = {
	        .align = rules->align,
	        .thinking = rules->thinking,
	        .from = plan->from,
	        .to = plan->to,
	        .from_defaults = plan->from_stated,
	        .model = name,
	};
	struct align_members aligned;
	struct buf model = {0};
	bool ok = align_request(&alignment, b->endpoint, &b->facts, body, &aligned);
	if (!ok && (rules->align || rules->thinking)) {
		return "the request has too many members to align";
	}
	b->unable = align_unable(&alignment);
	if (name) {
		json_put_string(&model, span_of(name));
	}
	size_t n;
	struct member_edit *members =
	        gather_edits(rules, name ? buf_cstr(&model) : NULL, &aligned, &n);
	ok = true;
	if (n || plan->want_logprobs || plan->want_usage) {
		const struct injection want = {.logprobs = plan->want_logprobs,
		        .usage = plan->want_usage,
		        .top = plan->top};
		const struct injectable r = {plan->to, b->endpoint, &b->facts, body};
		ok = inject_copy(&r, &want, members, n, &b->edits, &b->added);
		b->marks |= ok && aligned.dropped ? LEG_DROPPED : 0;
	}
	free(members);
	align_members_finish(&aligned);
	buf_finish(&model);
	return ok || !n ? NULL : "the request is not a JSON object that can be edited";
}

const char *copy_body_make(const struct copy_body_plan *plan, struct copy_body *ret)
{
	struct copy_body b = {.endpoint = plan->endpoint, .facts = *plan->facts};
	const struct chat_template *t = plan->rules->completions_template;
	struct span body = plan->body;
	struct buf recast = {0};
	if (t && plan->endpoint == ENDPOINT_CHAT) {
		if (!template_recast(t, plan->facts, plan->body, &recast)) {
			buf_finish(&recast);
			return "the chat has tools or images, which its template does not support";
		}
		body = buf_span(&recast);
		b.endpoint = ENDPOINT_COMPLETION;
		b.marks |= LEG_WRITTEN_OUT;
		request_read(b.endpoint, body, &b.facts);
	}
	const char *problem = edit(plan, body, &b);
	if (problem) {
		buf_finish(&recast);
		return problem;
	}
	if (b.edits.n || recast.data) {
		edits_apply(b.edits.items, b.edits.n, body, &b.sent);
		b.edited = true;
	}
	if (recast.data) {
		/* The body was changed twice: one edit replaces all of it. */
		edits_finish(&b.edits);
		edits_add(&b.edits, 0, plan->body.len, buf_span(&b.sent));
		edits_sort(&b.edits);
	}
	buf_finish(&recast);
	*ret = b;
	return NULL;
}

void copy_body_finish(struct copy_body *b)
{
	buf_finish(&b->sent);
	edits_finish(&b->edits);
	*b = (struct copy_body){0};
}
