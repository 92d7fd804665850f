// figures - everything else that the document says of a group, for those who want the numbers.

import { el, row, section, table } from './dom.js';
import { count, interval, kinds, number, percent, plural, words } from './format.js';
import { floors, kindOf, report, valueText } from './model.js';

const MEANINGS = {
	differ: 'text, refusal or tool calls are not the same, byte for byte',
	text_differs: 'the text alone is not the same, byte for byte',
	answer_changed: 'at least those whose meaning changed, at most the undecided too',
	undecided: 'their meaning could not be decided',
	similarity: 'of the words of both answers; for display only',
	finish_differs: 'the finish reasons are not the same',
	divergence_index: 'how far into the base\'s answer the first difference lies; 1: none',
	length_bias: 'tokens that the test says more',
	length_magnitude: 'tokens by which lengths differ',
	hazard: 'first differences in 1,000 tokens at risk',
	same_top: 'the most probable token of both lists is the same',
	top1_logprob_rmse: 'of the base\'s most probable token, nats',
	delta_lp: 'logprob of a token that both chose, test minus base, nats',
	delta_lp_rms: 'root mean square of that',
	delta_p_rms: 'the same of probabilities',
	jaccard_5: 'tokens that both lists of five share',
	jaccard_k: 'tokens that both lists share, as long as the shorter is',
	rank: 'of the test\'s token in the base\'s list, from 0',
	k3_score: 'an estimate of KL by chosen tokens; has a bias here, see docs/metrics.md',
	kl_low: 'KL divergence is at least that, nats',
	tv_low: 'total variation is at least that',
	tv_high: 'total variation is at most that',
	js_low: 'Jensen-Shannon divergence is at least that, nats',
	js_high: 'Jensen-Shannon divergence is at most that, nats',
	missing_mass: 'probability that the lists do not tell of',
	kl_renormalised: 'what others report as KL; misleads',
};

function figureRows(split) {
	return Object.entries(split.figures).filter(([, f]) => f.value !== null).map(([name, f]) => row(words(name),
		[valueText(name, f), interval(f.ci95, kindOf(name)) || '–', count(f.n), f.rests_on === 'answers' ? 'answers' : 'positions', MEANINGS[name] ?? '']));
}

const captioned = (caption, heads, rows) => table(caption, heads, rows, caption);

function leftOut(group) {
	const l = group.left_out;
	const sides = (name, text) => ['base', 'test'].flatMap((side) => {
		const value = l[`${side}_${name}`];
		return typeof value === 'object' ? Object.entries(value).map(([why, n]) => [`${group[side]}: ${text} (${words(why)})`, n]) : [[`${group[side]}: ${text}`, value]];
	});
	const reasons = (side) => Object.entries(l[`${side}_reasons`] ?? {}).map(([why, n]) => [`${group[side]}: ${why}`, n]);
	const rows = [...sides('cut', 'cut off'), ...reasons('base'), ...reasons('test'), ...unread(l), ['metadata alone', l.metadata], ['choices without a partner', l.unlike_choices]].filter(([, n]) => n > 0);
	return rows.length ? captioned('Pairs left out, and why', ['Why', 'Pairs'], rows.map(([why, n]) => row(why, [count(n)]))) : null;
}

function unread(l) {
	const members = Object.entries(l.unread_members ?? {});
	return members.length ? members.map(([name, n]) => [`content that plumbline does not read: ${name}`, n]) : [['content that plumbline does not read', l.unread]];
}

function meanings(split) {
	const { classes, n } = split.meaning;
	return captioned('What the answers have in common', ['Class', 'Pairs', 'Share'], Object.entries(classes).map(([name, value]) => row(words(name), [count(value), n ? percent(value / n) : '–'])));
}

function verdicts(split) {
	const first = split.first_difference;
	if (!first || first.n === 0) {
		return null;
	}
	const texts = {
		tie: 'within the noise of the pair', drift: 'no more than a side differs from itself', shift: 'more than noise',
		foreign: 'a token that the other side does not list', unknown: 'no logprobs, or too few floors to tell drift from shift',
	};
	return captioned('First differences', ['Verdict', 'Pairs', 'What it means'], Object.entries(texts).map(([name, text]) => row(name, [count(first[name]), text])));
}

function floorTable() {
	return floors.length === 0 ? null : captioned('Noise floors: a side against itself', ['Sides', 'Pairs', 'Differ', '95 %'], floors.map((g) => {
		const differ = g.by_decoding.greedy?.differ;
		return row(`${g.test} and ${g.base}`, [count(differ?.n), percent(differ?.rate), interval(differ?.ci95, kinds.share) || '–']);
	}));
}

/** Latencies and losses of each backend, which are of the whole capture. */
function trafficTable() {
	const backends = report.traffic?.backends ?? [];
	const time = (spread) => (spread?.n ? `${kinds.ms.value(spread.p50)} · ${kinds.ms.value(spread.p95)}` : '–');
	return backends.length === 0 ? null : captioned('Traffic: median · 95th percentile', ['Backend', 'Answers', 'Failed', 'Cut', 'First token', 'Between tokens', 'Whole answer'],
		backends.map((b) => row(b.backend ?? '–', [count(b.answers), count(b.failed), count(b.cut), ...['ttft', 'itl', 'e2e'].map((name) => time(b.milliseconds?.[name]))])));
}

/** What came of the policy that the analysis was checked by. */
export function policy() {
	const said = report.policy;
	if (!said) {
		return null;
	}
	const texts = { pass: 'The policy holds', fail: 'The policy fails', 'not-enough': 'Too little data to tell whether the policy holds' };
	const tones = { pass: 'good', fail: 'bad', 'not-enough': 'none' };
	const size = (rule, value) => kindOf(rule.metric).value(value);
	const limit = (rule) => [rule.min === null ? null : `at least ${size(rule, rule.min)}`, rule.max === null ? null : `at most ${size(rule, rule.max)}`].filter((l) => l).join(', ');
	const alarms = (said.alarms ?? []).map((a) => el('li', {}, `Alarm${a.counts_as === 'fail' ? ', which fails the policy' : ''}: ${a.test} against ${a.base}, ${words(a.metric)} is ${size(a, a.value)} above the noise floor, more than chance explains${a.small ? `, but less than the minimum effect of ${size(a, a.min_effect)}` : ''}.`));
	const name = (rule) => (rule.name ?? rule.metric) + (rule.judge ? `, with the verdicts of the judge model ${rule.judge}` : '');
	const place = (rule) => [[rule.test, rule.base].filter((side) => side).join(' against '), rule.slice_of ? `${words(rule.slice_of)} ${rule.slice}` : null].filter((t) => t).join(', ');
	return section('policy', 'Policy',
		el('p', { class: `verdict plain ${tones[said.result]}` }, texts[said.result]),
		alarms.length ? el('ul', {}, alarms) : null,
		el('details', {}, el('summary', {}, `${plural(said.rules.filter((r) => r.counts_as === 'fail').length, 'rule')} of ${said.rules.length} failed`),
			captioned(`Rules of ${said.file ?? 'a file'}`, ['Rule', 'Counts as', 'Value', '95 %', 'Limit', 'n', 'Of', 'Why'], said.rules.map((rule) => row(name(rule),
				[words(rule.counts_as), valueText(rule.metric, rule), interval(rule.ci95, kindOf(rule.metric)) || '–', limit(rule), count(rule.n), place(rule), rule.why])))));
}

/** All numbers of a group, folded. */
export function allFigures(group, split) {
	return section('numbers', 'All numbers',
		el('details', { open: !split }, el('summary', {}, 'Figures, meanings, first differences, floors, what was left out, traffic'),
			split ? captioned(`Figures of ${split.decoding} answers`, ['Figure', 'Value', '95 %', 'n', 'of', 'What it is'], figureRows(split)) : null,
			split ? meanings(split) : null, split ? verdicts(split) : null, floorTable(), leftOut(group), trafficTable(),
			split?.first_difference ? el('p', { class: 'aside' }, `Noise of the pair: ${number(split.first_difference.sigma)} nats, of ${count(split.first_difference.noise_positions)} positions. Noise alone would change ${number(split.first_difference.flips.expected)} answers; ${count(split.first_difference.flips.observed)} differ.`) : null));
}
