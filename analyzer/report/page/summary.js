// summary - the report in five minutes: verdict, figures, causes, limits, next steps.

import { command, el, section, svg } from './dom.js';
import { count, interval, inUnits, kinds, pText, percent, plural } from './format.js';
import { betterOf, directionOf, helpOf } from './help.js';
import { exhibitOf, hrefOf, kindOf, limitsOf, nextOf, pairsOf, report, sidesOf, valueText } from './model.js';

const TONES = { SAME: { tone: 'good', mark: '✓' }, DIFFERENT: { tone: 'bad', mark: '≠' }, UNCLEAR: { tone: 'fair', mark: '?' } };
const BAR = 220;

/** Names the two sides. */
function sides(group) {
	if (report.reruns) {
		return `Each answer of ${group.test} is compared with its first answer to the same prompt. (The verdict compares all pairs of answers to a prompt.) `;
	}
	return group.is_floor ? `Both answers of each pair are from ${group.test}. ` : `The base is ${group.base}, the test ${group.test}. `;
}

/** A recipe with its own verdict on repeated answers, load or switches. */
const hasOwnVerdict = Boolean(report.reruns ?? report.stress ?? report.ablation);

function verdictOf(of) {
	const { tone, mark } = TONES[of.verdict.word];
	return [
		el('p', { class: `verdict ${tone}` }, el('span', { class: 'sign', 'aria-hidden': 'true' }, el('span', {}, mark)), of.verdict.word),
		el('p', { class: 'sentence' }, of.verdict.sentence),
	];
}

/** The verdict of one of several comparisons; that of the document is above. */
export function opening(group) {
	const isTold = report.groups.length === 1 || group.verdict.sentence === report.verdict.sentence || hasOwnVerdict;
	return isTold ? null : el('section', { class: 'opening', 'aria-label': 'What was found' }, verdictOf(group));
}

const DECODINGS = { greedy: 'greedy answers', sampled: 'sampled answers', unknown: 'answers to requests without a temperature', unlike: 'answers decoded with different parameters on the two sides' };

const CHANCE = 'Such answers also differ by chance, so these figures decide nothing.';

/** Names the pairs that the figures describe. */
function coverage(group, split) {
	const others = Object.entries(group.by_decoding).filter(([decoding]) => decoding !== split?.decoding);
	const total = pairsOf(group);
	const left = others.map(([decoding, s]) => `${count(s.pairs)} of ${DECODINGS[decoding] ?? decoding}`);
	return el('p', { class: 'aside' },
		sides(group),
		split ? `${group.k3 ? 'k3 decides. The other figures' : 'The figures'} cover ${plural(split.pairs, 'pair')} of ${DECODINGS[split.decoding] ?? split.decoding}${left.length ? ` out of ${plural(total, 'pair')}; not ${left.join(' and ')}` : ''}. ` : '',
		split && split.decoding !== 'greedy' ? `${CHANCE} ` : '',
		report.stress ? 'They include the requests with canaries. ' : '',
		group.left_out.pairs ? `${plural(group.left_out.pairs, 'pair')} could not be compared. ` : '',
		group.kept?.redacted ? `In ${plural(group.kept.redacted, 'pair')}, placeholders replace secrets.` : '');
}

/** A figure's interval as a bar, with the known noise floors. */
function bar(card) {
	const most = card.most ?? card.value;
	const places = [...(card.ci ?? []), card.value, most, ...card.floors.map((f) => f.value), ...card.floors.flatMap((f) => f.ci95 ?? [])].filter((v) => v !== null);
	const isShare = card.kind === kinds.share; // all shares have the same scale
	const low = isShare ? 0 : Math.min(0, ...places);
	const high = isShare ? 1 : Math.max(0, ...places) || 1;
	const toX = (v) => 4 + ((v - low) / (high - low || 1)) * (BAR - 8);
	const kind = card.kind ?? kinds.number;
	return svg('svg', { class: 'bar', viewBox: `0 0 ${BAR} 38`, 'aria-hidden': 'true' },
		svg('line', { class: 'axis', x1: toX(low), x2: toX(high), y1: 11, y2: 11 }),
		svg('text', { x: toX(low), y: 34 }, inUnits(kind, low)),
		svg('text', { x: toX(high), y: 34, 'text-anchor': 'end' }, inUnits(kind, high)),
		card.floors.map((f) => [
			f.ci95 ? svg('rect', { class: 'floor', x: toX(f.ci95[0]), y: 4, width: Math.max(1, toX(f.ci95[1]) - toX(f.ci95[0])), height: 14 }) : null,
			svg('line', { class: 'floorline', x1: toX(f.value), x2: toX(f.value), y1: 2, y2: 20 }),
		]),
		card.ci ? svg('rect', { class: 'range', x: toX(card.ci[0]), y: 8, width: Math.max(2, toX(card.ci[1]) - toX(card.ci[0])), height: 6 }) : null,
		most > card.value ? svg('line', { class: 'dotline', x1: toX(card.value), x2: toX(most), y1: 11, y2: 11 }) : null,
		card.value === null ? null : [card.value, most].map((v) => svg('circle', { class: 'dot', cx: toX(v), cy: 11, r: 4.5 })));
}

/** "Against itself: old 0.0 %, new 0.0 %. Above this noise floor: 95.0 points [86.0 to 98.8]" */
function floorText({ key, kind, floors, excess }) {
	const points = kind === kinds.share ? kinds.points : kind;
	const scale = (v) => (kind === kinds.share ? 100 * v : v);
	const [first, second] = floors;
	const isMean = second && (second.value !== first.value || second.at_most?.value !== first.at_most?.value);
	const most = excess?.at_most?.value;
	return [`Against itself: ${floors.map((f) => `${f.name} ${valueText(key, f)}`).join(', ')}.`,
		typeof excess?.value !== 'number' ? '' : ` Above ${isMean ? 'their mean, the noise floor' : 'this noise floor'}: ${inUnits(points, ...[excess.value, ...(typeof most === 'number' && most !== excess.value ? [most] : [])].map(scale))} ${interval(excess.ci95?.map(scale), points)}`];
}

function cardOf(card) {
	return el('li', { class: `card${card.alarm ? ' alarm' : ''}` },
		el('h3', {}, card.name),
		el('p', { class: 'figure' }, card.text, card.unit ? el('span', { class: 'unit' }, ` ${card.unit}`) : null),
		el('p', { class: 'note' }, card.note),
		el('p', { class: 'interval' }, card.ci ? `95 % interval ${interval(card.ci, card.kind)}` : 'no interval: too little data'),
		bar(card),
		card.better ? el('p', { class: 'direction' }, directionOf(card.key)) : null,
		card.floors.length
			? el('p', { class: 'floors' }, floorText(card), card.alarm ? [', ', el('strong', {}, 'more than chance'), '.'] : null)
			: null,
		helpOf(card.key) ? el('details', { class: 'help' }, el('summary', { 'aria-label': `What it means: ${card.name}` }, 'What it means'), el('p', {}, helpOf(card.key))) : null);
}

/** "20 of 36 changed (in 17, only one answer was cut), 10 undecided" */
function changedNote({ meaning: { classes, one_cut: cut }, figures: { answer_changed: changed } }) {
	return `${count(classes.answer_changed + classes.structural)} of ${count(changed.n)} changed${cut ? ` (in ${count(cut)}, only one answer was cut)` : ''}${classes.undecided ? `, ${count(classes.undecided)} undecided` : ''}`;
}

function cardsOf(group, split) {
	const figures = split.figures;
	const card = (key, name, note, more = {}) => {
		const { value, ci95 } = figures[key];
		const noise = split.decoding === 'greedy' ? group.noise_floor.figures[more.floored] : null;
		const floors = noise ? [{ name: group.base, ...noise.base_floor }, { name: group.test, ...noise.test_floor }].filter((f) => f.value !== null) : [];
		return { key, name, kind: kindOf(key), better: split.decoding === 'greedy' && betterOf(key), text: valueText(key, figures[key]), value, most: figures[key].at_most?.value, ci: ci95, note, floors, excess: floors.length ? noise.excess : undefined, alarm: noise?.alarm, ...more };
	};
	const median = split.survival.median;
	return [
		card('differ', report.reruns ? 'Answers that differ from the first answer' : 'Answers that differ', `${count(split.differ.count)} of ${count(split.differ.n)}: text, refusal or tool calls`, { floored: 'differ' }),
		card('answer_changed', 'Meaning changed', changedNote(split), { floored: 'answer_changed' }),
		card('hazard', 'First differences', median === null ? 'half of the answers stay identical throughout' : `half differ after ${plural(median, 'token')}`, { unit: 'per 1,000 tokens', floored: 'hazard' }),
		card('same_top', 'Same most probable token', `at ${count(figures.same_top.n)} comparable positions`),
		card('delta_lp_rms', 'Logprobs moved by', `root mean square, at ${count(figures.delta_lp_rms.n)} tokens that both sides chose`, { unit: 'nats' }),
		card('length_bias', 'Length change', `${sidesOf(group)[1]} minus ${sidesOf(group)[0]}, mean`, { unit: 'tokens' }),
		card('finish_differs', 'Different finish reason', `of ${count(figures.finish_differs.n)} pairs`),
	].filter((c) => c.value !== null);
}

/** The card of k3, which decides if tokens were scored. */
function scoredCards(group) {
	const { k3 } = group;
	if (!k3) {
		return [];
	}
	const floors = typeof k3.floor === 'number' && k3.floor_is === 'measured' ? [{ name: group.base, value: k3.floor, ci95: null }] : [];
	return [{ key: 'k3', name: 'k3 of scored tokens', kind: kindOf('k3'), better: betterOf('k3'), text: valueText('k3', k3), value: k3.value, ci: k3.ci95, unit: 'nats per token', floors, alarm: k3.alarm,
		excess: floors.length ? k3.over_floor : undefined,
		note: `${plural(k3.n, 'token')} of ${plural(k3.answers, 'answer')} of ${group.test}, scored by ${group.base}${k3.floor_is === 'unknown' ? '; no noise floor was measured' : ''}` }];
}

export function cards(group, split) {
	const ofAnswers = split ? cardsOf(group, split) : [];
	const decide = split?.decoding === 'greedy' ? [...ofAnswers, ...scoredCards(group)] : scoredCards(group);
	const others = split?.decoding === 'greedy' ? [] : ofAnswers;
	return decide.length + others.length === 0 ? coverage(group, split) : section('cards', 'Figures', coverage(group, split),
		decide.length ? el('ul', { class: 'cards' }, decide.map(cardOf)) : null,
		others.length ? el('details', {}, el('summary', {}, 'Figures that decide nothing'), el('ul', { class: 'cards' }, others.map(cardOf))) : null,
		group.noise_floor.floors === 'none' ? null : el('p', { class: 'aside' }, 'Grey: the noise floor, that is how much a side differs from itself. Red: more above the noise floor than chance explains.'));
}

/** Some exchange ids; those in the report are links. */
function evidence(group, ids) {
	return el('p', { class: 'evidence' }, 'Exchanges: ', ids.slice(0, 8).map((id, i) => {
		const exhibit = exhibitOf(group, id);
		const text = id.slice(-8);
		return [i ? ', ' : '', exhibit ? el('a', { href: hrefOf(exhibit) }, text) : el('code', { title: id }, text)];
	}), ids.length > 8 ? ` and ${ids.length - 8} more` : '', '.');
}

/** The side of a cause and how it is known, as on the first screen. */
function sideText(group, cause) {
	const isOwn = cause.side_from === 'own_answers';
	if (cause.side === 'both' && isOwn && group.base !== group.test) {
		return ` (seen in the answers of ${group.test} and in those of ${group.base})`;
	}
	if (cause.side !== 'test' && cause.side !== 'base') {
		return '';
	}
	return ` (${group[cause.side]}${isOwn ? ', seen in its own answers' : cause.side_from === 'noise_floors' ? ', by both noise floors' : ''})`;
}

function causeOf(group, cause) {
	const share = cause.explained;
	return el('li', { class: 'cause' },
		el('h3', {}, cause.title, sideText(group, cause)),
		share?.of_greedy ? el('p', { class: 'explained' },
			el('meter', { min: 0, max: share.of, value: share.n, 'aria-label': 'Share of the differing pairs that it explains' }),
			` explains ${count(share.n)} of ${count(share.of)} differing greedy answers, ${percent(share.rate)} ${interval(share.ci95, kinds.share)}`,
			typeof cause.p === 'number' ? `; ${pText(cause.p)}` : '') : null,
		el('p', {}, cause.text),
		cause.fix ? el('p', {}, el('strong', {}, 'Try: '), cause.fix) : null,
		cause.confirm ? command(cause.confirm, 'To confirm:') : null,
		cause.exchanges?.length ? evidence(group, cause.exchanges) : null);
}

export function causes(group) {
	const all = group.causes;
	return all.length === 0 && group.verdict.word !== 'DIFFERENT' ? null : section('causes', 'Causes', all.length > 1 ? el('p', { class: 'aside' }, 'A pair can show signs of several causes, so the shares can sum to more than 100 %.') : null, all.length
		? el('ul', { class: 'causes' }, all.map((cause) => causeOf(group, cause)))
		: el('p', {}, 'No cause was found.'));
}

/** A list of sentences, some with a command. */
function list(id, title, items) {
	return items.length === 0 ? null : section(id, title,
		el('ul', {}, items.map((item) => el('li', {}, item.text, item.command ? command(item.command) : null))));
}

export const limits = (group) => list('limits', 'Limitations', limitsOf(group));
export const next = (group) => list('next', 'Next steps', nextOf(group));
export const findings = (group) => list('details', 'Details', group.findings);
