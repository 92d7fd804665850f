#include "replay/replay_summary.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/json_text.h"
#include "base/mem.h"
#include "capture/formats/member_writer.h"

void replay_summary_put_reasons(struct buf *to, const char *name, const struct error_tally *r)
{
	member_key(to, name);
	buf_append_char(to, '[');
	for (size_t i = 0; i < r->n; i++) {
		buf_append_str(to, i ? ",{" : "{");
		member_string(to, "why", span_of(r->items[i].why));
		member_u64(to, "n", r->items[i].n);
		buf_append_char(to, '}');
	}
	buf_append_char(to, ']');
}

static void put_histogram(struct buf *to, const char *name, const struct histogram *h)
{
	member_key(to, name);
	buf_append_char(to, '{');
	member_u64(to, "n", h->n);
	member_number(to, "mean", load_figures_mean_ms(h));
	member_number(to, "std", load_figures_deviation_ms(h));
	member_number(to, "min", load_figures_quantile_ms(h, 0));
	member_number(to, "p50", load_figures_quantile_ms(h, 0.5));
	member_number(to, "p90", load_figures_quantile_ms(h, 0.9));
	member_number(to, "p95", load_figures_quantile_ms(h, 0.95));
	member_number(to, "p99", load_figures_quantile_ms(h, 0.99));
	member_number(to, "p99.9", load_figures_quantile_ms(h, 0.999));
	member_number(to, "max", load_figures_quantile_ms(h, 1));
	buf_append_char(to, '}');
}

static void put_intended(struct buf *to, const struct load_figures *f)
{
	member_key(to, "intended");
	buf_append_char(to, '{');
	put_histogram(to, "ttft_ms", &f->ttft_intended);
	put_histogram(to, "e2el_ms", &f->e2el_intended);
	put_histogram(to, "queue_ms", &f->queue);
	buf_append_char(to, '}');
}

static void put_latencies(struct buf *to, const struct load_figures *f)
{
	put_intended(to, f);
	buf_append_str(to, ",\"vllm\":{");
	put_histogram(to, "ttft_ms", &f->ttft);
	put_histogram(to, "itl_ms", &f->itl);
	put_histogram(to, "tpot_ms", &f->tpot);
	put_histogram(to, "e2el_ms", &f->e2el);
	buf_append_str(to, "},\"aiperf\":{");
	put_histogram(to, "time_to_first_token_ms", &f->first_token);
	put_histogram(to, "time_to_first_output_token_ms", &f->first_output);
	put_histogram(to, "inter_token_latency_ms", &f->mean_itl);
	put_histogram(to, "inter_chunk_latency_ms", &f->itl);
	put_histogram(to, "request_latency_ms", &f->request_latency);
	uint64_t finished = f->completed + f->failed.total;
	member_number(to, "goodput", load_figures_per_second(f, (double)f->good));
	member_number(
	        to, "good_request_fraction", finished ? (double)f->good / (double)finished : 0);
	member_u64(to, "ungauged", f->ungauged);
	buf_append_str(to, "},\"schedule\":{");
	put_histogram(to, "lag_ms", &f->lag);
	member_u64(to, "waited", f->blocked);
	member_u64(to, "unthought", f->unthought);
	member_u64(to, "paused", f->paused);
	member_bool(to, "spoilt", load_figures_are_late(f));
	buf_append_char(to, '}');
}

static void put_rate(struct buf *to, const struct pace *p)
{
	static const char *const SHAPES[] = {"steady", "ramp", "steps", "saturate"};
	member_number(to, "rate", p->rates[0]);
	member_text(to, "shape", SHAPES[p->shape]);
	if (p->shape == PACE_RAMP) {
		member_number(to, "ramp_to", p->rates[1]);
		member_number(to, "ramp_seconds", (double)p->over / 1e9);
	} else if (pace_has_steps(p)) {
		member_number(to, "step_seconds", (double)p->step / 1e9);
	}
}

static void put_identity(struct buf *to, const struct replay_summary *r)
{
	member_string(to, "source", span_of(r->source));
	member_string(to, "capture", span_of(r->capture));
	const struct target *t = r->target;
	bool several = r->load->shares != NULL; /* "targets" lists them */
	member_text(to, "backend", several ? NULL : t->name);
	member_text(to, "url", several ? NULL : t->url);
	member_text(to, "dialect", several ? NULL : t->dialect->name);
	member_text(to, "version", r->version);
	member_id(to, "run", r->run);
	member_text(to, "align", align_name(t->rules.align));
	static const char *const LOADS[] = {"closed", "rate", "original"};
	member_text(to, "load", LOADS[r->load->load]);
	member_u64(to, "concurrency", r->load->concurrency);
	if (r->load->load == LOAD_RATE) {
		put_rate(to, r->pace);
		member_text(to, "arrivals", schedule_name(r->load->arrivals));
	}
	member_bool(to, "resumed", r->resumed);
	member_u64(to, "requests", r->sends);
	member_u64(to, "before", r->before);
	member_u64(to, "sent_again", r->again);
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
		buf_append_str(to, i ? ",{" : "{");
		member_text(to, "backend", t->name);
		member_text(to, "url", t->url);
		member_text(to, "dialect", t->dialect->name);
		member_u64(to, "completed", f->completed);
		member_u64(to, "warm_up", f->warm_up);
		member_u64(to, "cancelled", f->cancelled);
		member_u64(to, "input_tokens", (uint64_t)f->input_tokens);
		member_u64(to, "output_tokens", (uint64_t)f->output_tokens);
		replay_summary_put_reasons(to, "failed", &f->failed);
		replay_summary_put_reasons(to, "warm_up_failed", &f->warm_up_failed);
		member_u64(to, "retried", f->retried);
		replay_summary_put_reasons(to, "retries", &f->retries);
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
	static const char *const ENDS[] = {"done", "duration", "stopped", "errors", "gone", "disk"};
	const struct load_figures *f = r->figures;
	struct buf b = {0};
	buf_append_str(&b, "{\"event\":\"end\"");
	member_text(&b, "end", ENDS[r->result->end]);
	put_identity(&b, r);
	member_u64(&b, "left", r->result->left);
	member_u64(&b, "lost", r->lost);
	member_number(&b, "seconds", load_figures_seconds(f));
	member_u64(&b, "sent", f->sent);
	member_u64(&b, "undone", f->undone);
	member_u64(&b, "completed", f->completed);
	member_u64(&b, "warm_up", f->warm_up);
	member_u64(&b, "cancelled", f->cancelled);
	member_u64(&b, "compared", f->compared);
	double same_bytes = f->common.n ? (double)histogram_quantile(&f->common, 0.5) : NAN;
	member_u64(&b, "differing", f->differing);
	member_number(&b, "same_bytes_p50", same_bytes);
	/* the former names of both, for one release */
	member_u64(&b, "parted", f->differing);
	member_number(&b, "parted_after_bytes_p50", same_bytes);
	member_u64(&b, "streams", f->streams);
	member_u64(&b, "retried", f->retried);
	replay_summary_put_reasons(&b, "retries", &f->retries);
	member_u64(&b, "without_usage", f->without_usage);
	member_u64(&b, "input_tokens", (uint64_t)f->input_tokens);
	member_u64(&b, "output_tokens", (uint64_t)f->output_tokens);
	member_u64(&b, "max_in_flight", f->peak);
	member_number(&b, "request_throughput", load_figures_per_second(f, (double)f->completed));
	member_number(
	        &b, "output_throughput", load_figures_per_second(f, (double)f->output_tokens));
	replay_summary_put_reasons(&b, "failed", &f->failed);
	replay_summary_put_reasons(&b, "warm_up_failed", &f->warm_up_failed);
	replay_summary_put_reasons(&b, "unfit", &r->result->unfit);
	replay_summary_put_reasons(&b, "unreplayable", r->scan->unfit);
	member_u64(&b, "redacted", r->scan->redacted);
	put_latencies(&b, f);
	put_shares(&b, r->load);
	if (r->steps) {
		member_u64(&b, "left_due", r->left_due);
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

/* vLLM's format has one model. Several are joined there with commas; "models", which vLLM does not
 * have, lists them. */
static void put_models(struct buf *to, const struct replay_summary *r)
{
	struct buf all = {0};
	for (size_t i = 0; i < r->n_models; i++) {
		buf_printf(&all, "%s%s", i ? "," : "", r->models[i]);
	}
	member_string(to, "model_id", buf_span(&all));
	member_string(to, "tokenizer_id", buf_span(&all));
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
	member_text(to, "endpoint_type", "openai-chat");
	member_text(to, "backend", r->target->dialect->name);
	member_text(to, "label", r->target->name);
	put_models(to, r);
	member_u64(to, "num_prompts", r->sends);
	if (r->load->load == LOAD_RATE) {
		member_number(to, "request_rate", r->load->rate);
	} else {
		member_text(to, "request_rate", "inf");
	}
	bool poisson = r->load->arrivals == ARRIVALS_POISSON;
	member_number(to, "burstiness", poisson ? 1 : r->load->burstiness);
	if (r->load->concurrency) {
		member_u64(to, "max_concurrency", r->load->concurrency);
	} else {
		buf_append_str(to, ",\"max_concurrency\":null");
	}
}

int replay_summary_save(const struct replay_summary *r, const char *path)
{
	const struct load_figures *f = r->figures;
	struct buf b = {0};
	put_result_head(&b, r);
	member_number(&b, "duration", load_figures_seconds(f));
	member_u64(&b, "completed", f->completed);
	member_u64(&b, "failed", f->failed.total);
	member_u64(&b, "total_input_tokens", (uint64_t)f->input_tokens);
	member_u64(&b, "total_output_tokens", (uint64_t)f->output_tokens);
	member_number(&b, "request_throughput", load_figures_per_second(f, (double)f->completed));
	bool goals = f->goals.ttft_us || f->goals.tpot_us || f->goals.e2el_us;
	if (goals) {
		member_number(&b, "request_goodput", load_figures_per_second(f, (double)f->good));
	} else {
		buf_append_str(&b, ",\"request_goodput\":null");
	}
	member_number(
	        &b, "output_throughput", load_figures_per_second(f, (double)f->output_tokens));
	member_number(&b, "total_token_throughput",
	        load_figures_per_second(f, (double)(f->input_tokens + f->output_tokens)));
	member_u64(&b, "max_output_tokens_per_s", load_figures_most_tokens(f));
	member_u64(&b, "max_concurrent_requests", f->peak);
	member_u64(&b, "rtfx", 0); /* concerns audio, which we never send */
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
