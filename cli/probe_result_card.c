#include "cli/probe_result.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "base/sanitize_text.h"
#include "base/terminal.h"
#include "base/utf8.h"

#define TEXT_COLUMN 13  /* where texts begin after the words of a row */
#define STATE_COLUMN 36 /* where the capabilities' states begin */
#define VALUE_BYTES 54  /* of a value that are shown */
/* findings, and signs, on the first screen */
#define FINDINGS_SHOWN ((size_t)4)
#define EVIDENCE_SHOWN ((size_t)3)

#define BOLD "\033[1m"
#define RED "\033[1;31m"
#define YELLOW "\033[33m"
#define GREEN "\033[32m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

struct card {
	struct buf *to;
	size_t width; /* columns */
	bool colour;
};

static void put(struct card *c, const char *colour, const char *text)
{
	bool coloured = c->colour && *colour;
	buf_append_str(c->to, coloured ? colour : "");
	sanitize_put(c->to, span_of(text), SIZE_MAX);
	buf_append_str(c->to, coloured ? PLAIN : "");
}

/* Writes words from column `at` on, indents further lines to `indent`, and ends the line. */
static void put_wrapped(struct card *c, const char *text, size_t at, size_t indent)
{
	bool first = true;
	while (*text) {
		size_t spaces = strspn(text, " "), gap = first ? 0 : MIN(spaces, (size_t)1);
		text += spaces;
		/* JSON has few spaces, so a line may also be broken after a comma. */
		size_t len = strcspn(text, " ,");
		len += text[len] == ',';
		size_t width = terminal_columns((struct span){text, len});
		if (!first && at + gap + width > c->width) {
			buf_printf(c->to, "\n%*s", (int)indent, "");
			at = indent;
			gap = 0;
		}
		buf_append(c->to, " ", gap);
		sanitize_put(c->to, (struct span){text, len}, SIZE_MAX);
		at += gap + width;
		text += len;
		first = false;
	}
	buf_append_char(c->to, '\n');
}

static void put_row(struct card *c, const char *label, const char *text)
{
	buf_printf(c->to, "  %-10s ", label);
	put_wrapped(c, text, TEXT_COLUMN, TEXT_COLUMN);
}

static void put_heading(struct card *c, const char *text)
{
	buf_append_char(c->to, '\n');
	put(c, BOLD, text);
	buf_append_char(c->to, '\n');
}

const char *probe_result_version(
        const struct probe_result *p, struct buf *to, const char **ret_source)
{
	if (p->identity->version) {
		*ret_source = p->identity->dialect->version_path;
		return p->identity->version;
	}
	/* mlx-lm and TGI begin their fingerprint with it. */
	const char *mark = p->report ? p->report->fingerprint : NULL;
	if (mark && isdigit((unsigned char)*mark) && strchr(mark, '.')) {
		*ret_source = "system_fingerprint of an answer";
		buf_append(to, mark, strcspn(mark, "-"));
		return buf_cstr(to);
	}
	*ret_source = NULL;
	return NULL;
}

static void put_engine(struct card *c, const struct probe_result *p)
{
	const struct engine_identity *i = p->identity;
	struct buf line = {0}, version = {0};
	const char *source, *known_version = probe_result_version(p, &version, &source);
	buf_printf(&line, "%s%s%s", i->dialect->title, known_version ? " " : "",
	        known_version ? known_version : "");
	buf_append_str(c->to, "  ");
	put(c, BOLD, buf_cstr(&line));
	buf_append_char(c->to, '\n');
	buf_clear(&line);
	put_row(c, "at", p->url);
	buf_printf(&line, "%d of 100", i->score);
	if (i->sure != SURE_CERTAIN) {
		buf_printf(&line, ", %s", sureness_name(i->sure));
	}
	put_row(c, "confidence", buf_cstr(&line));
	if (!known_version && i->sure > SURE_NOT) {
		put_row(c, "version",
		        p->report ? "not known" : "no GET shows it; --deep may find it");
	} else if (source) {
		buf_clear(&line);
		buf_printf(&line, "%s, from %s", known_version, source);
		put_row(c, "version", buf_cstr(&line));
	}
	if (i->gateway) {
		put_row(c, "behind", i->gateway);
	}
	if (i->problem) {
		put_row(c, "but", i->problem);
	}
	buf_finish(&line);
	buf_finish(&version);
}

static void put_models(struct card *c, const struct probe_result *p)
{
	const struct engine_identity *i = p->identity;
	struct buf line = {0};
	for (size_t k = 0; k < i->n_models && k < 8; k++) {
		buf_printf(&line, "%s%.80s", k ? ", " : "", i->models[k]);
	}
	if (i->n_models > 8) {
		buf_printf(&line, " and %zu more", i->n_models - 8);
	}
	put_row(c, plural(i->n_models, "model", "models"),
	        i->n_models ? buf_cstr(&line) : "none listed");
	if (p->report && p->model && (i->n_models != 1 || strcmp(p->model, i->models[0]) != 0)) {
		put_row(c, "asked", p->model);
	}
	buf_finish(&line);
}

static void put_evidence(struct card *c, const struct engine_identity *i, size_t most)
{
	bool own = false, other = false;
	for (size_t k = 0; k < MIN(i->n_evidence, most); k++) {
		const struct evidence *e = &i->evidence[k];
		struct buf line = {0};
		if (e->dialect == i->dialect) {
			buf_append_str(&line, e->text);
		} else {
			buf_printf(&line, "%s (%s, weight %d)", e->text, e->dialect->title,
			        e->sign->weight);
		}
		bool first = e->dialect == i->dialect ? !own : !other;
		put_row(c,
		        !first                     ? ""
		        : e->dialect == i->dialect ? "evidence"
		                                   : "also fits",
		        buf_cstr(&line));
		own |= e->dialect == i->dialect;
		other |= e->dialect != i->dialect;
		buf_finish(&line);
	}
}

/* The worst findings come first. */
static void put_findings(struct card *c, const struct probe_report *r, bool full)
{
	static const char *const SEVERITY_COLOURS[] = {DIM, YELLOW, RED};
	size_t shown = full ? r->n_findings : MIN(r->n_findings, FINDINGS_SHOWN);
	bool finished = !r->problem && !r->stopped;
	put_heading(c, r->n_findings ? "Findings"
	               : finished    ? "Findings: none"
	                             : "Findings: none, but the probe did not finish");
	for (size_t k = 0; k < shown; k++) {
		const struct finding *f = &r->findings[k];
		buf_append_str(c->to, "  ");
		put(c, SEVERITY_COLOURS[f->severity], severity_name(f->severity));
		size_t at = 2 + strlen(severity_name(f->severity));
		buf_printf(c->to, "%*s", (int)(at < TEXT_COLUMN ? TEXT_COLUMN - at : 1), "");
		put_wrapped(c, f->title, TEXT_COLUMN, TEXT_COLUMN);
		if (!full) {
			continue;
		}
		if (f->evidence) {
			put_row(c, "   seen", f->evidence);
		}
		if (f->advice) {
			put_row(c, "   note", f->advice);
		}
	}
}

/* The text of a refusal, if there is no better value. It follows the arrow in the evidence. */
static struct span value_of(const struct capability *a)
{
	const char *arrow =
	        a->evidence && a->standing == STANDING_REFUSED ? strstr(a->evidence, " -> ") : NULL;
	return utf8_cut(span_of(a->value ? a->value : arrow ? arrow + 4 : NULL), VALUE_BYTES);
}

static void put_capabilities(struct card *c, const struct probe_report *r)
{
	static const char *const STANDING_COLOURS[] = {DIM, GREEN, YELLOW, YELLOW, RED, DIM};
	put_heading(c, "Capabilities");
	for (size_t k = 0; k < r->n_capabilities; k++) {
		const struct capability *a = &r->capabilities[k];
		if (a->standing == STANDING_UNKNOWN && !a->evidence) {
			continue;
		}
		buf_printf(c->to, "  %-*s", STATE_COLUMN - 2, a->title);
		const char *name = standing_name(a->standing);
		put(c, STANDING_COLOURS[a->standing], name);
		struct span value = value_of(a);
		if (value.len) {
			char *text = span_dup(value);
			buf_printf(c->to, "%*s", (int)(10 - strlen(name)), "");
			put_wrapped(c, text, STATE_COLUMN + 10, STATE_COLUMN + 10);
			free(text);
		} else {
			buf_append_char(c->to, '\n');
		}
	}
}

/* The first screen confirms or refutes the cause system_dropped of `analyze`. */
static void put_system(struct card *c, const struct probe_report *r)
{
	const struct capability *a = probe_capability(r, "system");
	if (a->value && a->standing != STANDING_UNKNOWN) {
		struct buf line = {0};
		buf_printf(&line, "messages %s", a->value);
		put_row(c, "system", buf_cstr(&line));
		buf_finish(&line);
	}
}

static void put_end(struct card *c, const struct probe_report *r)
{
	struct buf line = {0};
	buf_printf(&line, "%u %s in %.1f s", r->requests,
	        plural(r->requests, "request", "requests"), (double)r->total_ms / 1000);
	if (r->stopped) {
		buf_append_str(&line, "; stopped before its end");
	} else if (r->problem) {
		buf_printf(&line, "; ended early: %s", r->problem);
	}
	buf_append_str(c->to, "  ");
	put_wrapped(c, buf_cstr(&line), 2, 2);
	buf_finish(&line);
}

/* Says what the first screen leaves out. */
static void put_more(struct card *c, const struct probe_result *p)
{
	const struct probe_report *r = p->report;
	struct buf line = {0};
	if (!r) {
		buf_append_str(&line, "--full shows all evidence, the stack, and what is known of "
		                      "this kind of engine");
	} else {
		if (r->n_findings > FINDINGS_SHOWN) {
			size_t more = r->n_findings - FINDINGS_SHOWN;
			buf_printf(
			        &line, "%zu more %s; ", more, plural(more, "finding", "findings"));
		}
		buf_append_str(&line, "--full shows evidence and advice for each finding, all "
		                      "capabilities and the stack");
	}
	put_row(c, "more", buf_cstr(&line));
	if (!r) {
		/* on one line, so that it can be pasted */
		buf_printf(c->to, "  %-10s %s\n", "next", p->deep);
	}
	buf_finish(&line);
}

static void put_manifest(struct card *c, const struct manifest *m)
{
	put_heading(c, "Manifest");
	for (size_t k = 0; k < m->n_facts; k++) {
		const struct fact *f = &m->facts[k];
		const struct manifest_name *name = manifest_name_find(f->name);
		struct buf line = {0};
		buf_printf(&line, "%s  [%s]", f->value, f->source);
		const char *title = name ? name->title : f->name;
		buf_printf(c->to, "  %-*s", STATE_COLUMN - 2, title);
		size_t at = MAX(2 + strlen(title), (size_t)STATE_COLUMN);
		put_wrapped(c, buf_cstr(&line), at, STATE_COLUMN);
		buf_finish(&line);
	}
}

static void put_unknown(struct card *c, const struct manifest *m)
{
	size_t n;
	const struct manifest_name *names = manifest_names(&n);
	struct buf line = {0};
	for (size_t k = 0; k < n; k++) {
		if (names[k].must && !manifest_get(m, names[k].name)) {
			buf_printf(&line, "%s%s", line.len ? ", " : "", names[k].title);
		}
	}
	if (line.len) {
		static const char LEAD[] = "  Unknown, but a publication must state it: ";
		buf_append_str(c->to, LEAD);
		put_wrapped(c, buf_cstr(&line), strlen(LEAD), 2);
	}
	buf_finish(&line);
}

static void put_cautions(struct card *c, const struct dialect *d)
{
	if (!d->cautions || !d->cautions[0]) {
		return;
	}
	put_heading(c, "Known of this engine");
	for (const char *const *s = d->cautions; *s; s++) {
		buf_append_str(c->to, "  - ");
		put_wrapped(c, *s, 4, 4);
	}
}

void probe_result_card(
        const struct probe_result *p, bool full, size_t width, bool colour, struct buf *to)
{
	struct card c = {to, width, colour};
	put_engine(&c, p);
	put_models(&c, p);
	if (full || !p->report) {
		put_evidence(&c, p->identity, full ? SIZE_MAX : EVIDENCE_SHOWN);
	}
	if (p->report) {
		put_findings(&c, p->report, full);
	}
	if (p->report && full) {
		put_capabilities(&c, p->report);
		buf_append_char(to, '\n');
	}
	if (p->report && !full) {
		put_system(&c, p->report);
	}
	if (p->report) {
		put_end(&c, p->report);
	}
	if (!full) {
		put_more(&c, p);
		return;
	}
	if (p->manifest) {
		put_manifest(&c, p->manifest);
		put_unknown(&c, p->manifest);
	}
	put_cautions(&c, p->identity->dialect);
}
