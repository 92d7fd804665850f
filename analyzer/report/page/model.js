// model - the document, asked for what the page shows. docs/analyze.schema.json describes it.

import { kinds, inUnits } from './format.js';

export const report = JSON.parse(document.getElementById('document').textContent);

export const exhibits = report.exhibits?.items ?? [];
exhibits.forEach((exhibit, index) => { exhibit.index = index; });

export const trials = report.groups.map((group, index) => ({ ...group, index })).filter((g) => !g.is_floor);
export const floors = report.groups.map((group, index) => ({ ...group, index })).filter((g) => g.is_floor);

/** Items of the document's list that no group has, as they are about the whole capture. */
const ownItems = (name) => report[name].filter((item) => !report.groups.some((g) => g[name].some((each) => each.text === item.text)));
/** The limits and next steps of a group, and of the whole capture. */
export const limitsOf = (group) => [...(group?.limits ?? []), ...ownItems('limits')];
export const nextOf = (group) => [...(group?.next ?? []), ...ownItems('next')];

/** How a figure is written, by the unit that the document gives it. */
export const kindOf = (name) => kinds[report.units?.[name]] ?? kinds.number;

/** A figure's value; the least and the most where it is known within limits only. */
export function valueText(name, figure) {
	const kind = kindOf(name);
	const most = figure?.at_most?.value;
	return typeof most === 'number' && most !== figure.value ? inUnits(kind, figure.value, most) : inUnits(kind, figure?.value);
}

/** "new compared with old" */
export const nameOf = (group) => `${group.test} compared with ${group.test === group.base ? 'itself' : group.base}`;

/** The split that the figures shown first are of: greedy answers, else what there is most of. */
export function headline(group) {
	const splits = Object.entries(group.by_decoding).map(([decoding, split]) => ({ decoding, ...split }));
	return splits.find((s) => s.decoding === 'greedy') ?? splits.sort((a, b) => b.pairs - a.pairs)[0] ?? null;
}

/** Pairs of a group, of any decoding. */
export const pairsOf = (group) => Object.values(group.by_decoding).reduce((sum, split) => sum + split.pairs, 0);

/** The causes that may be at work in a pair. */
export function causesOfExhibit(exhibit) {
	const group = trials.find((g) => g.index === exhibit.group);
	return (group?.causes ?? []).filter((cause) => exhibit.causes.includes(cause.key));
}

export const causeNames = (exhibit) => causesOfExhibit(exhibit).map((cause) => cause.title ?? cause.key);

export const exhibitOf = (group, exchange) => exhibits.find((e) => e.group === group.index && e.exchange === exchange);

export const hrefOf = (exhibit) => `#answers=${exhibit.index + 1}`;

/**
 * Where the answers first differ, as indexes into the pieces: [of the base, of the test]. A side
 * that ended before is null there; the whole is null where no piece that is shown differs.
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

/** What a filter and a row call the first difference. */
export function partingOf(exhibit) {
	return exhibit.first_difference?.verdict ?? (exhibit.text_equal ? 'none' : 'no logprobs');
}

/** Whether somebody accepted how the two answers differ (--accepted); '' where that was not asked or they do not differ. */
export const acceptedText = (exhibit) => ({ true: 'yes', false: 'no, new' })[exhibit.accepted] ?? '';

/** What judge models said of a pair, for what its meaning is undecided or was checked. */
export const judgesOf = (exhibit) => (exhibit.judges ?? []).map((j) => `${(j.verdict ?? 'nothing').replaceAll('_', ' ')}, says ${j.name ?? 'a judge model'}`);

export const lastPrompt = (exhibit) => exhibit.prompt.at(-1)?.text ?? '';

/** A text in a shell's quotes. */
export const inQuotes = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** A word as a shell takes it; one that begins with a dash would be a flag. */
export function quoted(word) {
	const path = word.startsWith('-') ? `./${word}` : word;
	return /^[\w./:@%+=-]+$/.test(path) ? path : inQuotes(path);
}

/** The command plumbline VERB with the captures as operands; before and behind: words around them. null: a capture is not known. */
export function captureCommand(verb, before = '', behind = '') {
	const dirs = report.captures ?? [];
	return dirs.length && dirs.every((dir) => dir) ? ['plumbline', verb, before, ...dirs.map(quoted), behind].filter((word) => word).join(' ') : null;
}
