// model - the document, asked for what the page shows. docs/analyze.schema.json describes it.

import { percent, interval, kinds, count } from './format.js';

export const report = JSON.parse(document.getElementById('document').textContent);

export const exhibits = report.exhibits?.items ?? [];
exhibits.forEach((exhibit, index) => { exhibit.index = index; });

export const trials = report.groups.map((group, index) => ({ ...group, index })).filter((g) => !g.is_floor);
export const floors = report.groups.map((group, index) => ({ ...group, index })).filter((g) => g.is_floor);

/** How a figure is written, by the unit that the document gives it. */
export const kindOf = (name) => kinds[report.units?.[name]] ?? kinds.number;

/** A figure's value; the least and the most where it is known within limits only. */
export function valueText(name, figure) {
	const kind = kindOf(name);
	const most = figure?.at_most?.value;
	return typeof most === 'number' && most !== figure.value ? `${kind.bare(figure.value)} to ${kind.value(most)}` : kind.value(figure?.value);
}

export const nameOf = (group) => `${group.test} against ${group.base}`;

/** The split that the figures shown first are of: greedy answers, else what there is most of. */
export function headline(group) {
	const splits = Object.entries(group.by_decoding).map(([decoding, split]) => ({ decoding, ...split }));
	return splits.find((s) => s.decoding === 'greedy') ?? splits.sort((a, b) => b.pairs - a.pairs)[0] ?? null;
}

export function sentenceOf(group) {
	if (group.sentence) {
		return group.sentence;
	}
	const split = headline(group);
	if (!split) {
		return `No answers of ${group.test} and ${group.base} could be compared.`;
	}
	const how = split.decoding === 'greedy' ? 'greedily decoded' : `${split.decoding} decoding`;
	const { n, count: hits, rate, ci95 } = split.differ;
	const answers = split.decoding === 'greedy' ? `${how} answers` : `answers (${how})`;
	return `${group.test} differs from ${group.base} in ${count(hits)} of ${count(n)} ${answers}, ${percent(rate)} ${interval(ci95, kinds.share)}.`
		.replace(' .', '.');
}

/** Why an excess whose interval lies above 0 need not be one: the test asks for more than 95 %. */
function untold(group) {
	const p = group.blame.figures?.differ?.p;
	return p >= 0.01 ? ` (p ${p.toPrecision(2)} over all figures, and 0.01 is the limit)` : '';
}

/** { tone, text }: what may be concluded. */
export function verdictOf(group) {
	const greedy = group.by_decoding.greedy;
	if (!greedy || greedy.pairs === 0) {
		return { tone: 'none', text: 'No verdict: no greedily decoded answers to compare' };
	}
	if (greedy.differ.count === 0) {
		return { tone: 'good', text: 'No difference seen' };
	}
	if (group.blame.finding === 'alarm') {
		const owner = group.blame.floors === 'both' ? `, and it is ${group.test}'s` : '';
		return { tone: 'bad', text: `More than noise${owner}` };
	}
	if (group.blame.floors === 'none') {
		return { tone: 'fair', text: 'They differ; whose it is cannot be said without a noise floor' };
	}
	return group.blame.finding === 'within'
		? { tone: 'fair', text: 'They differ no more than the noise floor explains' }
		: { tone: 'fair', text: `They differ, not shown to be more than noise${untold(group)}` };
}

/** Causes with a side and a fix where the analysis has them, and its hints: what the figures lack, or signs. */
export function causesOf(group) {
	return [...(group.causes ?? []), ...group.hints.map((hint) => ({ key: hint.key, text: hint.text, limits: hint.kind === 'limit' }))];
}

/** The causes that may be at work in a pair. */
export function causesOfExhibit(exhibit) {
	const group = trials.find((g) => g.index === exhibit.group);
	return (group?.causes ?? []).filter((cause) => exhibit.causes.includes(cause.key));
}

export const exhibitOf = (group, exchange) => exhibits.find((e) => e.group === group.index && e.exchange === exchange);

export const hrefOf = (exhibit) => `#answers-${exhibit.index + 1}`;

/** What a filter and a row call the first difference. */
export function partingOf(exhibit) {
	return exhibit.first_difference?.verdict ?? (exhibit.text_equal ? 'none' : 'no logprobs');
}

/** What judge models said of a pair, for what its meaning is undecided or was checked. */
export const judgesOf = (exhibit) => (exhibit.judges ?? []).map((j) => `${(j.verdict ?? 'nothing').replaceAll('_', ' ')}, says ${j.name ?? 'a judge model'}`);

export const lastPrompt = (exhibit) => exhibit.prompt.at(-1)?.text ?? '';

/** A word as a shell takes it; one that begins with a dash would be a flag. */
export function quoted(word) {
	const path = word.startsWith('-') ? `./${word}` : word;
	return /^[\w./:@%+=-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** The command plumbline VERB with the captures as operands, of which it may put words before and behind; null where one isn't known. */
export function captureCommand(verb, before = '', behind = '') {
	const dirs = report.captures ?? [];
	return dirs.length && dirs.every((dir) => dir) ? ['plumbline', verb, before, ...dirs.map(quoted), behind].filter((word) => word).join(' ') : null;
}
