// model - reads from the document what the page shows. docs/analyze.schema.json describes the document.

import { inUnits, kinds, number } from './format.js';

export const report = JSON.parse(document.getElementById('document').textContent);

export const exhibits = report.exhibits?.items ?? [];
exhibits.forEach((exhibit, index) => { exhibit.index = index; });

export const trials = report.groups.map((group, index) => ({ ...group, index })).filter((g) => !g.is_floor);
export const floors = report.groups.map((group, index) => ({ ...group, index })).filter((g) => g.is_floor);

/** Items of the document's list that are not in a group: they concern the whole capture. */
const ownItems = (name) => report[name].filter((item) => !report.groups.some((g) => g[name].some((each) => each.text === item.text)));
/** The limits and next steps of a group, and of the whole capture. */
export const limitsOf = (group) => [...(group?.limits ?? []), ...ownItems('limits')];
export const nextOf = (group) => [...(group?.next ?? []), ...ownItems('next')];

/** How to write a figure, by its unit in the document. */
export const kindOf = (name) => kinds[report.units?.[name]] ?? kinds.number;

/** A figure's value, or its range if only bounds are known. */
export function valueText(name, figure) {
	const kind = kindOf(name);
	const most = figure?.at_most?.value;
	return typeof most === 'number' && most !== figure.value ? inUnits(kind, figure.value, most) : inUnits(kind, figure?.value);
}

/** "new compared with old" */
export const nameOf = (group) => `${group.test} compared with ${group.test === group.base ? 'itself' : group.base}`;

/** The names of the base and the test side; a backend that is compared with itself has no two names. */
export const sidesOf = ({ base, test }) => (base === test ? ['the first answer', 'its repeat'] : [base, test]);

/** The split of the first figures: greedy answers, else the largest one. */
export function headline(group) {
	const splits = Object.entries(group.by_decoding).map(([decoding, split]) => ({ decoding, ...split }));
	return splits.find((s) => s.decoding === 'greedy') ?? splits.sort((a, b) => b.pairs - a.pairs)[0] ?? null;
}

/** Pairs of a group, of any decoding. */
export const pairsOf = (group) => Object.values(group.by_decoding).reduce((sum, split) => sum + split.pairs, 0);

/** Names of the classes of first differences (docs/metrics.md) that do not explain themselves. */
const FIRST_NAMES = { foreign: 'not in the list', unknown: 'not classified' };
export const firstName = (verdict) => FIRST_NAMES[verdict] ?? verdict;

/** How each side rated its own token and that of the other side at the first difference; write(name) gives a name its form. */
export function gapTexts({ base, test, first_difference: first }, write) {
	const where = base.backend === test.backend ? ['In the first answer, ', 'In its repeat, '] : ['', ''];
	const text = ([{ backend }, gap, isCensored], s) => {
		if (isCensored && !(Math.abs(gap) > 0)) {
			return `${where[s]}${write(backend)} does not list the other side's token.`;
		}
		const size = `${isCensored ? 'at least ' : ''}${number(Math.abs(gap))} nats`;
		return gap < 0
			? `${where[s]}${write(backend)} did not choose its most probable token: it gave the other side's token ${size} more.`
			: `${where[s]}${write(backend)} gave its own token ${size} more than the other side's token.`;
	};
	const gaps = [[base, first.base_gap, first.base_censored], [test, first.test_gap, first.test_censored]];
	return gaps.map((each, s) => (typeof each[1] === 'number' ? text(each, s) : '')).filter((each) => each);
}

/** What distinguishes two answers of different kinds. */
const KINDS = { truncated: 'one answer is cut', calls_or_text: 'a tool call against text', refusal: 'one is a refusal', reasoning_cut: 'one never ends its reasoning', loop: 'one is a loop', empty: 'one is empty', finish: 'different finish reasons' };
const CLASSES = { structural: 'another kind of answer', format: 'format only', wording: 'wording only' };
export const className = (name) => CLASSES[name] ?? name.replaceAll('_', ' ');

/** The class of a pair's meaning in words; of answers of different kinds, what distinguishes them. */
export const meaningName = ({ class: name, marks }) => (name === 'structural' && KINDS[Object.keys(KINDS).find((mark) => marks.includes(mark))]) || className(name);

/** The causes that a pair may show. */
export function causesOfExhibit(exhibit) {
	const group = trials.find((g) => g.index === exhibit.group);
	return (group?.causes ?? []).filter((cause) => exhibit.causes.includes(cause.key));
}

export const causeNames = (exhibit) => causesOfExhibit(exhibit).map((cause) => cause.title ?? cause.key);

export const exhibitOf = (group, exchange) => exhibits.find((e) => e.group === group.index && e.exchange === exchange);

export const hrefOf = (exhibit) => `#answers=${exhibit.index + 1}`;

/**
 * The first difference as indexes into the pieces: [base, test]. The index of a side that ended
 * earlier is null; the result is null if no shown piece differs.
 */
export function firstPlaces(exhibit) {
	const run = exhibit.alignment.find((r) => !r[4]);
	const token = exhibit.first_difference?.token;
	if (!run) {
		return null;
	}
	return ['base', 'test'].map((side, s) => {
		const { from, texts } = exhibit[side].pieces;
		const at = typeof token === 'number' ? token - from : run[s];
		return at >= 0 && at < texts.length ? at : null;
	});
}

/** The name of the first difference. Its class says something only if chance played no part. */
export function firstDifferenceName({ decoding, first_difference: first, text_equal: isEqual }) {
	return first ? (decoding === 'greedy' ? firstName(first.verdict) : 'by chance') : isEqual ? 'none' : 'no logprobs';
}

/** Whether the difference is accepted (--accepted); '' without that option or without a difference. */
export const acceptedText = (exhibit) => ({ true: 'yes', false: 'no, new' })[exhibit.accepted] ?? '';

/** The judge models' verdicts on a pair whose meaning is undecided or was checked. */
export const judgesOf = (exhibit) => (exhibit.judges ?? []).map((j) => `${(j.verdict ?? 'nothing').replaceAll('_', ' ')}, says ${j.name ?? 'a judge model'}`);

export const lastPrompt = (exhibit) => exhibit.prompt.at(-1)?.text ?? '';

/** A text quoted for a shell. */
export const inQuotes = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** A word quoted for a shell if needed; never taken for a flag. */
export function quoted(word) {
	const path = word.startsWith('-') ? `./${word}` : word;
	return /^[\w./:@%+=-]+$/.test(path) ? path : inQuotes(path);
}

/** The command plumbline VERB with the captures as operands; before and behind: words around them. null: a capture is unknown. */
export function captureCommand(verb, before = '', behind = '') {
	const dirs = report.captures ?? [];
	return dirs.length && dirs.every((dir) => dir) ? ['plumbline', verb, before, ...dirs.map(quoted), behind].filter((word) => word).join(' ') : null;
}
