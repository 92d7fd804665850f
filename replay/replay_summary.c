#include "replay/replay_summary.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"

const char *replay_summary_end_name(enum runner_end e)
{
	static const char *const NAMES[] = {
	        "done", "duration", "stopped", "errors", "gone", "disk"};
	return NAMES[e];
}

static void put_text(struct buf *to, const char *name, const char *value)
{
	buf_printf(to, ",\"%s\":", name);
	if (value) {
		json_put_string(to, span_of(value));
	} else {
		buf_append_str(to, "null");
	}
}

static void put_count(struct buf *to, const char *name, uint64_t n)
{
	buf_printf(to, ",\"%s\":%" PRIu64, name, n);
}

static void put_number(struct buf *to, const char *name, double value)
{
	buf_printf(to, ",\"%s\":", name);
	json_put_number(to, value);
}

static void put_reasons(struct buf *to, const char *name, const struct error_tally *r)
{
	buf_printf(to, ",\"%s\":[", name);
	for (size_t i = 0; i < r->n; i++) {
		buf_append_str(to, i ? ",{\"why\":" : "{\"why\":");
		json_put_string(to, span_of(r->items[i].why));
		buf_printf(to, ",\"n\":%" PRIu64 "}", r->items[i].n);
	}
	buf_append_char(to, ']');
}

static void put_histogram(struct buf *to, const char *name, const struct histogram *h, bool first)
{
	buf_printf(to, "%s\"%s\":{\"n\":%" PRIu64, first ? "" : ",", name, h->n);
	put_number(to, "mean", load_figures_mean_ms(h));
	put_number(to, "std", load_figures_deviation_ms(h));
	put_number(to, "min", load_figures_quantile_ms(h, 0));
	put_number(to, "p50", load_figures_quantile_ms(h, 0.5));
	put_number(to, "p90", load_figures_quantile_ms(h, 0.9));
	put_number(to, "p95", load_figures_quantile_ms(h, 0.95));
	put_number(to, "p99", load_figures_quantile_ms(h, 0.99));
	put_number(to, "p99.9", load_figures_quantile_ms(h, 0.999));
	put_number(to, "max", load_figures_quantile_ms(h, 1));
	buf_append_char(to, '}');
}

static void put_intended(struct buf *to, const struct load_figures *f)
{
	buf_append_str(to, ",\"intended\":{");
	put_histogram(to, "ttft_ms", &f->ttft_intended, true);
	put_histogram(to, "e2el_ms", &f->e2el_intended, false);
	put_histogram(to, "queue_ms", &f->queue, false);
	buf_append_char(to, '}');
}

static void put_latencies(struct buf *to, const struct load_figures *f)
{
	put_intended(to, f);
	buf_append_str(to, ",\"vllm\":{");
	put_histogram(to, "ttft_ms", &f->ttft, true);
	put_histogram(to, "itl_ms", &f->itl, false);
	put_histogram(to, "tpot_ms", &f->tpot, false);
	put_histogram(to, "e2el_ms", &f->e2el, false);
	buf_append_str(to, "},\"aiperf\":{");
	put_histogram(to, "time_to_first_token_ms", &f->first_token, true);
	put_histogram(to, "time_to_first_output_token_ms", &f->first_output, false);
	put_histogram(to, "inter_token_latency_ms", &f->mean_itl, false);
	put_histogram(to, "inter_chunk_latency_ms", &f->itl, false);
	put_histogram(to, "request_latency_ms", &f->request_latency, false);
	uint64_t finished = f->completed + f->failed.total;
	put_number(to, "goodput", load_figures_per_second(f, (double)f->good));
	put_number(to, "good_request_fraction", finished ? (double)f->good / (double)finished : 0);
	put_count(to, "ungauged", f->ungauged);
	buf_append_str(to, "},\"schedule\":{");
	put_histogram(to, "lag_ms", &f->lag, true);
	put_count(to, "waited", f->blocked);
	put_count(to, "unthought", f->unthought);
	put_count(to, "paused", f->paused);
	buf_printf(to, ",\"spoilt\":%s}", load_figures_are_late(f) ? "true" : "false");
}

static void put_rate(struct buf *to, const struct pace *p)
{
	static const char *const SHAPES[] = {"steady", "ramp", "steps", "saturate"};
	put_number(to, "rate", p->rates[0]);
	put_text(to, "shape", SHAPES[p->shape]);
	if (p->shape == PACE_RAMP) {
		put_number(to, "ramp_to", p->rates[1]);
		put_number(to, "ramp_seconds", (double)p->over / 1e9);
	} else if (pace_has_steps(p)) {
		put_number(to, "step_seconds", (double)p->step / 1e9);
	}
}

static void put_identity(struct buf *to, const struct replay_summary *r)
{
	char id[ID_TEXT_SIZE];
	put_text(to, "source", r->source);
	put_text(to, "capture", r->capture);
	const struct target *t = r->target;
	bool several = r->load->shares != NULL; /* "targets" lists them */
	put_text(to, "backend", several ? NULL : t->name);
	put_text(to, "url", several ? NULL : t->url);
	put_text(to, "dialect", several ? NULL : t->dialect->name);
	put_text(to, "version", r->version);
	put_text(to, "run", id_format(r->run, id));
	put_text(to, "align", align_name(t->rules.align));
	static const char *const LOADS[] = {"closed", "rate", "original"};
	put_text(to, "load", LOADS[r->load->load]);
	put_count(to, "concurrency", r->load->concurrency);
	if (r->load->load == LOAD_RATE) {
		put_rate(to, r->pace);
		put_text(to, "arrivals", schedule_name(r->load->arrivals));
	}
	buf_printf(to, ",\"resumed\":%s", r->resumed ? "true" : "false");
	put_count(to, "requests", r->sends);
	put_count(to, "before", r->before);
	put_count(to, "sent_again", r->again);
}

static void put_shares(struct buf *to, const struct runner_settings *s)
{
	if (!s->shares) {
		return;
	}
	buf_append_str(to, ",\"targets\":[");
	for (size_t i = 0; i < s->n_targets; i++) {
		const struct target *t = s->targets[i];
		const struct load_figures *f = &s->shares[i];
		buf_append_str(to, i ? ",{\"backend\":" : "{\"backend\":");
		json_put_string(to, span_of(t->name));
		put_text(to, "url", t->url);
		put_text(to, "dialect", t->dialect->name);
		put_count(to, "completed", f->completed);
		put_count(to, "warm_up", f->warm_up);
		put_count(to, "cancelled", f->cancelled);
		put_count(to, "input_tokens", (uint64_t)f->input_tokens);
		put_count(to, "output_tokens", (uint64_t)f->output_tokens);
		put_reasons(to, "failed", &f->failed);
		put_reasons(to, "warm_up_failed", &f->warm_up_failed);
		put_count(to, "retried", f->retried);
		put_reasons(to, "retries", &f->retries);
		put_intended(to, f);
		buf_append_char(to, '}');
	}
	buf_append_char(to, ']');
}

static void write_out(struct buf *b, FILE *to)
{
	fwrite(b->data, 1, b->len, to);
	fflush(to);
	buf_finish(b);
}

void replay_summary_json(const struct replay_summary *r, FILE *to)
{
	const struct load_figures *f = r->figures;
	struct buf b = {0};
	buf_append_str(&b, "{\"event\":\"end\"");
	put_text(&b, "end", replay_summary_end_name(r->result->end));
	put_identity(&b, r);
	put_count(&b, "left", r->result->left);
	put_count(&b, "lost", r->lost);
	put_number(&b, "seconds", load_figures_seconds(f));
	put_count(&b, "sent", f->sent);
	put_count(&b, "undone", f->undone);
	put_count(&b, "completed", f->completed);
	put_count(&b, "warm_up", f->warm_up);
	put_count(&b, "cancelled", f->cancelled);
	put_count(&b, "compared", f->compared);
	double same_bytes = f->common.n ? (double)histogram_quantile(&f->common, 0.5) : NAN;
	put_count(&b, "differing", f->differing);
	put_number(&b, "same_bytes_p50", same_bytes);
	/* the former names of both, for one release */
	put_count(&b, "parted", f->differing);
	put_number(&b, "parted_after_bytes_p50", same_bytes);
	put_count(&b, "streams", f->streams);
	put_count(&b, "retried", f->retried);
	put_reasons(&b, "retries", &f->retries);
	put_count(&b, "without_usage", f->without_usage);
	put_count(&b, "input_tokens", (uint64_t)f->input_tokens);
	put_count(&b, "output_tokens", (uint64_t)f->output_tokens);
	put_count(&b, "max_in_flight", f->peak);
	put_number(&b, "request_throughput", load_figures_per_second(f, (double)f->completed));
	put_number(&b, "output_throughput", load_figures_per_second(f, (double)f->output_tokens));
	put_reasons(&b, "failed", &f->failed);
	put_reasons(&b, "warm_up_failed", &f->warm_up_failed);
	put_reasons(&b, "unfit", &r->result->unfit);
	put_reasons(&b, "unreplayable", r->scan->unfit);
	put_count(&b, "redacted", r->scan->redacted);
	put_latencies(&b, f);
	put_shares(&b, r->load);
	if (r->steps) {
		put_count(&b, "left_due", r->left_due);
		steps_json(r->steps, &b);
	}
	buf_append_str(&b, "}\n");
	write_out(&b, to);
}

static void put_vllm(struct buf *to, const char *name, const struct histogram *h)
{
	buf_printf(to, ",\n  \"mean_%s_ms\": ", name);
	json_put_number(to, load_figures_mean_ms(h));
	buf_printf(to, ",\n  \"median_%s_ms\": ", name);
	json_put_number(to, load_figures_quantile_ms(h, 0.5));
	buf_printf(to, ",\n  \"std_%s_ms\": ", name);
	json_put_number(to, load_figures_deviation_ms(h));
	static const struct {
		const char *name;
		double q;
	} AT[] = {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}};
	for (size_t i = 0; i < ARRAY_LEN(AT); i++) {
		buf_printf(to, ",\n  \"%s_%s_ms\": ", AT[i].name, name);
		json_put_number(to, load_figures_quantile_ms(h, AT[i].q));
	}
}

/* vLLM's format has one model. Several are written there separated by commas, and also one by
 * one in a list of our own. */
static void put_models(struct buf *to, const struct replay_summary *r)
{
	struct buf all = {0};
	for (size_t i = 0; i < r->n_models; i++) {
		buf_printf(&all, "%s%s", i ? "," : "", r->models[i]);
	}
	put_text(to, "model_id", buf_cstr(&all));
	put_text(to, "tokenizer_id", buf_cstr(&all));
	buf_append_str(to, ",\"models\":[");
	for (size_t i = 0; i < r->n_models; i++) {
		buf_append_str(to, i ? "," : "");
		json_put_string(to, span_of(r->models[i]));
	}
	buf_append_char(to, ']');
	buf_finish(&all);
}

static void put_result_head(struct buf *to, const struct replay_summary *r)
{
	char date[32];
	time_t now = (time_t)(clock_wall() / 1000000000);
	struct tm tm;
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", gmtime_r(&now, &tm));
	buf_printf(to, "{\n  \"date\": \"%s\"", date);
	put_text(to, "endpoint_type", "openai-chat");
	put_text(to, "backend", r->target->dialect->name);
	put_text(to, "label", r->target->name);
	put_models(to, r);
	put_count(to, "num_prompts", r->sends);
	if (r->load->load == LOAD_RATE) {
		put_number(to, "request_rate", r->load->rate);
	} else {
		put_text(to, "request_rate", "inf");
	}
	bool poisson = r->load->arrivals == ARRIVALS_POISSON;
	put_number(to, "burstiness", poisson ? 1 : r->load->burstiness);
	if (r->load->concurrency) {
		put_count(to, "max_concurrency", r->load->concurrency);
	} else {
		buf_append_str(to, ",\"max_concurrency\":null");
	}
}

int replay_summary_save(const struct replay_summary *r, const char *path)
{
	const struct load_figures *f = r->figures;
	struct buf b = {0};
	put_result_head(&b, r);
	put_number(&b, "duration", load_figures_seconds(f));
	put_count(&b, "completed", f->completed);
	put_count(&b, "failed", f->failed.total);
	put_count(&b, "total_input_tokens", (uint64_t)f->input_tokens);
	put_count(&b, "total_output_tokens", (uint64_t)f->output_tokens);
	put_number(&b, "request_throughput", load_figures_per_second(f, (double)f->completed));
	bool goals = f->goals.ttft_us || f->goals.tpot_us || f->goals.e2el_us;
	if (goals) {
		put_number(&b, "request_goodput", load_figures_per_second(f, (double)f->good));
	} else {
		buf_append_str(&b, ",\"request_goodput\":null");
	}
	put_number(&b, "output_throughput", load_figures_per_second(f, (double)f->output_tokens));
	put_number(&b, "total_token_throughput",
	        load_figures_per_second(f, (double)(f->input_tokens + f->output_tokens)));
	put_count(&b, "max_output_tokens_per_s", load_figures_most_tokens(f));
	put_count(&b, "max_concurrent_requests", f->peak);
	put_count(&b, "rtfx", 0); /* concerns audio, which we never send */
	put_vllm(&b, "ttft", &f->ttft);
	put_vllm(&b, "tpot", &f->tpot);
	put_vllm(&b, "itl", &f->itl);
	put_vllm(&b, "e2el", &f->e2el);
	put_vllm(&b, "client_queue_time", &f->queue);
	put_vllm(&b, "e2el_including_client_queue", &f->e2el_intended);
	buf_append_str(&b, "\n}\n");
	FILE *file = fopen(path, "we");
	if (!file) {
		buf_finish(&b);
		return -errno;
	}
	write_out(&b, file);
	bool bad = ferror(file) != 0;
	return fclose(file) != 0 || bad ? -EIO : 0;
}
