// charts - the charts of one group.

import { el, scroll, svg } from './dom.js';
import { count, moment, number, pText, percent, plural, seconds, shorten, words } from './format.js';
import { goTo } from './address.js';
import { exhibitOf, firstName, sidesOf } from './model.js';
import { frame, isNarrow, key, linear, mark, path, spaced, symmetric } from './plot.js';

const share = (v) => percent(v, 0);
const VERDICTS = ['tie', 'drift', 'shift', 'foreign', 'unknown'];
const FEWEST_ANSWERS = 5; // per stretch on average; the share of fewer is mostly noise
const FEWEST_POINTS = 20; // answers or tokens of a curve
const LONGEST_GAP = 3; // longest drawn gap, in stretches

function shareScale(most) {
	const top = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1].find((t) => t >= most) ?? 1;
	return linear(0, top);
}

/** Positions of stretches along the axis; long gaps are shortened. */
function placesOf(stretches, width) {
	let at = 0;
	return stretches.map((s, i) => {
		const gap = i ? (s.from - stretches[i - 1].from) / width - 1 : 0;
		at += i ? 1 + Math.min(gap, LONGEST_GAP) : 0;
		return { ...s, at, cut: gap > LONGEST_GAP };
	});
}

function overTime(split) {
	const { width_s: width, stretches } = split.charts.over_time;
	const answers = stretches.reduce((sum, s) => sum + s.n, 0);
	if (stretches.length < 2 || answers < FEWEST_ANSWERS * stretches.length) {
		return null;
	}
	const points = placesOf(stretches, width).map((p) => ({ ...p, rate: p.differ / p.n }));
	const x = linear(-0.5, points.at(-1).at + 0.5);
	const shown = [points[0], points[Math.floor(points.length / 2)], points.at(-1)];
	x.ticks = () => [...new Set(shown.map((p) => p.at))];
	const sameDay = moment(points[0].from).slice(0, 10) === moment(points.at(-1).from).slice(0, 10);
	const label = (at) => {
		const text = moment(points.find((p) => p.at === at).from);
		return sameDay ? text.slice(11) : text.slice(5, 16);
	};
	const y = shareScale(Math.max(...points.map((p) => p.ci95?.[1] ?? p.rate)));
	return frame({
		title: 'Differing answers over time',
		note: `Share of differing answers with 95 % intervals, by the time of the request, in stretches of ${seconds(width)} (UTC${sameDay ? `, ${moment(points[0].from).slice(0, 10)}` : ''}).`
			+ (points.some((p) => p.cut) ? ' Dotted line: a period without answers, left out.' : ''),
		alt: `Differing answers over time, ${points.length} stretches from ${moment(points[0].from)} to ${moment(points.at(-1).from)}, between ${percent(Math.min(...points.map((p) => p.rate)))} and ${percent(Math.max(...points.map((p) => p.rate)))}`,
		x: { scale: x, label: 'time', format: label },
		y: { scale: y, label: 'answers that differ', format: share },
		draw: (toX, toY, box) => [
			points.filter((p) => p.cut).map((p) => svg('line', { class: 'cut', x1: toX(p.at - 2), x2: toX(p.at - 2), y1: box.top, y2: box.bottom })),
			points.map((p) => (p.ci95 ? svg('line', { class: 'whisker', x1: toX(p.at), x2: toX(p.at), y1: toY(p.ci95[0]), y2: toY(p.ci95[1]) }) : null)), // earlier versions wrote no interval
			svg('path', { class: 'line', d: path(points.map((p) => [p.at, p.rate, p.cut]), toX, toY) }),
			points.map((p) => svg('circle', { class: 'dot', cx: toX(p.at), cy: toY(p.rate), r: points.length > 40 ? 2 : 3.2 },
				svg('title', {}, `${moment(p.from)}: ${count(p.differ)} of ${count(p.n)} differ, ${count(p.changed)} changed their meaning`))),
		],
	});
}

function deltaDistribution(group, split) {
	const values = split.charts.delta_lp;
	const [base, test] = sidesOf(group);
	if (values.length < 2 || split.delta_lp.n < FEWEST_POINTS || values.every((v) => v === 0)) {
		return null;
	}
	const sigma = split.first_difference?.sigma;
	const low = Math.min(values[1], 0);
	const high = Math.max(values.at(-2), 0);
	const x = symmetric(low, high === low ? low + 1e-3 : high, sigma > 0 ? sigma / 4 : 1e-3);
	const points = values.slice(1, -1).map((v, i) => [v, (i + 1) / (values.length - 1)]);
	return frame({
		title: 'How far logprobs moved',
		note: `For the tokens that both sides chose (n ${count(split.delta_lp.n)}): the share at which the logprob of ${test} minus that of ${base} is at most this. A steep line at 0 means equal. The axis is logarithmic away from 0. The chart leaves out the outermost 1 % at each end (smallest ${number(split.delta_lp.min)}, largest ${number(split.delta_lp.max)}). It covers only tokens before the first difference, so an engine that differs early looks better than it is.`,
		alt: `Distribution of the difference of logprobs: median ${number(split.delta_lp.median)}, 5 % are below ${number(split.delta_lp.p5)} and 5 % above ${number(split.delta_lp.p95)} nats`,
		x: { scale: x, label: 'change of the logprob, nats' },
		y: { scale: linear(0, 1), label: 'share of tokens', format: share },
		draw: (toX, toY, box) => [
			svg('line', { class: 'zero', x1: toX(0), x2: toX(0), y1: box.top, y2: box.bottom }),
			svg('path', { class: 'line', d: path(points, toX, toY) }),
		],
	});
}

function survival(split) {
	const { n, median, still_identical: steps } = split.survival;
	if (n < FEWEST_POINTS || steps.length === 0) {
		return null;
	}
	const points = [[0, 1]];
	for (const step of steps) {
		points.push([step.tokens, points.at(-1)[1]], [step.tokens, step.share]);
	}
	const most = steps.at(-1).tokens;
	return frame({
		title: 'Still identical after so many tokens',
		note: `${plural(n, 'answer')}. Short answers do not change this curve (Kaplan-Meier estimate). ${median === null ? 'Half of the answers stay identical throughout.' : `Half first differ after ${plural(median, 'token')}.`}`,
		alt: `Share of answers still identical: ${percent(steps.at(-1).share)} after ${count(most)} tokens`,
		x: { scale: linear(0, most), label: 'tokens', format: (v) => count(v) },
		y: { scale: linear(0, 1), label: 'still identical', format: share },
		draw: (toX, toY) => [
			median === null ? null : svg('path', { class: 'guide', d: path([[0, 0.5], [median, 0.5], [median, 0]], toX, toY) }),
			svg('path', { class: 'line', d: path(points, toX, toY) }),
		],
	});
}

/** A point that opens its answers if the report has them. */
function linked(group, point, shape, text) {
	const exhibit = exhibitOf(group, point.exchange);
	shape.append(svg('title', {}, text));
	if (exhibit) { // keyboard users open them from the list
		shape.classList.add('opens');
		shape.addEventListener('click', () => { goTo({ answers: exhibit.index + 1 }); });
	}
	return shape;
}

function gapScatter(group, split) {
	const { n, points } = split.charts.gaps;
	if (points.length === 0) {
		return null;
	}
	const first = split.first_difference;
	const [base, test] = sidesOf(group);
	const all = points.flatMap((p) => [p.base, p.test]);
	const scale = () => symmetric(Math.min(0, ...all), Math.max(0.1, ...all), 0.1);
	const used = VERDICTS.filter((v) => points.some((p) => p.verdict === v));
	return frame({
		title: 'How sure each side was at the first difference',
		note: `Each point is a first difference${n > points.length ? ` (${count(points.length)} of ${count(n)} at random)` : ''}: how much more probable each side made its own token than the token of the other side. Near 0 on both sides: a tie, which noise decides. Far from 0: the sides disagree. Below 0: a side did not choose its own most probable token.${first?.sigma ? ` The pair's noise is ${number(first.sigma)} nats.` : ''}`,
		alt: `${points.length} first differences: ${used.map((v) => `${points.filter((p) => p.verdict === v).length} ${firstName(v)}`).join(', ')}`,
		x: { scale: scale(), label: `gap of ${base}, nats` },
		y: { scale: scale(), label: `gap of ${test}, nats` },
		legend: used.map((v) => key(v, firstName(v))),
		draw: (toX, toY, box) => [
			svg('line', { class: 'zero', x1: toX(0), x2: toX(0), y1: box.top, y2: box.bottom }),
			svg('line', { class: 'zero', x1: box.left, x2: box.right, y1: toY(0), y2: toY(0) }),
			points.map((p) => linked(group, p, mark(p.verdict, toX(p.base), toY(p.test)),
				`${firstName(p.verdict)}: gap ${number(p.base)}${p.base_censored ? ' or more' : ''} in ${base}, ${number(p.test)}${p.test_censored ? ' or more' : ''} in ${test}`)),
		],
	});
}

function lengthScatter(group, split) {
	const { n, points } = split.charts.lengths;
	if (points.length === 0) {
		return null;
	}
	const most = Math.max(1, ...points.flatMap((p) => [p.base, p.test]));
	const bias = split.figures.length_bias;
	const [base, test] = sidesOf(group);
	return frame({
		title: 'Length of answers',
		note: `Tokens of both answers${n > points.length ? ` (${count(points.length)} pairs of ${count(n)} at random)` : ''}. Above the line, ${test} has more tokens. The mean difference is ${number(bias.value)} tokens.`,
		alt: `Lengths of ${points.length} pairs of answers, up to ${count(most)} tokens; mean difference ${number(bias.value)} tokens`,
		x: { scale: linear(0, most), label: `tokens of ${base}`, format: (v) => count(v) },
		y: { scale: linear(0, most), label: `tokens of ${test}`, format: (v) => count(v) },
		legend: [key('same', 'same answer'), key('differs', 'differs')],
		draw: (toX, toY) => [
			svg('line', { class: 'zero', x1: toX(0), y1: toY(0), x2: toX(most), y2: toY(most) }),
			points.map((p) => linked(group, p, mark(p.differ ? 'differs' : 'same', toX(p.base), toY(p.test)),
				`${count(p.base)} tokens of ${base}, ${count(p.test)} of ${test}${p.differ ? '' : ', the same answer'}`)),
		],
	});
}

/** Finish reasons of both sides against each other. */
function finishes(group, split) {
	const counts = split.finish_reasons;
	if (counts.length === 0) {
		return null;
	}
	const total = (name) => counts.reduce((sum, c) => sum + (c.base === name ? c.n : 0) + (c.test === name ? c.n : 0), 0);
	const names = [...new Set(counts.flatMap((c) => [c.base, c.test]))].sort((a, b) => total(b) - total(a));
	const said = (side) => names.filter((name) => counts.some((c) => c[side] === name));
	const [bases, tests] = [said('base'), said('test')];
	const most = Math.max(...counts.map((c) => c.n));
	const cell = (base, test) => {
		const n = counts.find((c) => c.base === base && c.test === test)?.n ?? 0;
		const depth = n ? 1 + Math.round((3 * Math.log1p(n)) / Math.log1p(most)) : 0;
		return el('td', { class: `heat${depth}${base === test ? ' agree' : ''}` }, count(n));
	};
	return el('figure', { class: 'chart' },
		el('h3', {}, 'Why answers ended'),
		scroll('Finish reasons', el('table', { class: 'confusion' },
			el('thead', {}, el('tr', {}, [`${sidesOf(group)[0]} ↓  ${sidesOf(group)[1]} →`, ...tests].map((t) => el('th', { scope: 'col' }, t ?? 'not said')))),
			el('tbody', {}, bases.map((b) => el('tr', {}, el('th', { scope: 'row' }, b ?? 'not said'), tests.map((t) => cell(b, t))))))),
		el('figcaption', {}, 'Pairs by the finish reasons of both sides. Where both agree, the cell has an outline.'
			+ (split.finish_reasons_beyond ? ` ${count(split.finish_reasons_beyond)} pairs with rarer reasons are not in it.` : '')));
}

const ROW = 24;
const [FOREST, LEFT, RIGHT] = isNarrow ? [380, 112, 104] : [760, 190, 140];

function forestRow(row, y, toX, width) {
	const { value, ci95 } = row.differ;
	const text = value === null ? 'no data' : percent(value);
	return [
		svg('text', { x: LEFT - 10, y: y + 4, 'text-anchor': 'end' }, svg('title', {}, row.label), shorten(row.label, isNarrow ? 13 : 26)),
		ci95 ? svg('line', { class: 'whisker', x1: toX(ci95[0]), x2: toX(ci95[1]), y1: y, y2: y }) : null,
		value === null ? null : svg('circle', { class: 'dot', cx: toX(value), cy: y, r: 2.5 + Math.min(4, Math.log10(1 + row.pairs)) }),
		svg('text', { class: 'value', x: width - RIGHT + 10, y: y + 4 }, `${text}, n ${count(row.pairs)}`),
	];
}

/** Differing answers by each property of the requests. */
function forest(group, split) {
	const kinds = Object.entries(group.slices).filter(([, kind]) => kind.values.length > 1);
	if (kinds.length === 0 || split.decoding !== 'greedy') {
		return null;
	}
	const lines = kinds.flatMap(([name, kind]) => [{ head: words(name), trend: kind.trend_p }, ...kind.values.map((v) => ({ ...v, label: v.value ?? 'not said' }))]);
	const [width, height] = [FOREST, lines.length * ROW + 34];
	const scale = shareScale(Math.max(0.05, ...lines.map((l) => l.differ?.ci95?.[1] ?? l.differ?.value ?? 0)));
	const toX = (v) => LEFT + scale(v) * (width - LEFT - RIGHT);
	const overall = split.differ.rate;
	const drawing = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'plot forest', 'aria-label': `Share of differing answers in ${lines.length - kinds.length} groups of requests; ${percent(overall)} overall` },
		spaced(scale.ticks(), toX, share).map((t) => [
			svg('line', { class: 'grid', x1: toX(t), x2: toX(t), y1: 4, y2: height - 26 }),
			svg('text', { x: toX(t), y: height - 8, 'text-anchor': 'middle' }, share(t)),
		]),
		svg('line', { class: 'guide', x1: toX(overall), x2: toX(overall), y1: 4, y2: height - 26 }),
		lines.map((line, i) => (line.head
			? svg('text', { class: 'head', x: 4, y: i * ROW + 20 }, line.head + (line.trend < 0.01 ? ` (a trend, ${pText(line.trend)})` : ''))
			: forestRow(line, i * ROW + 16, toX, width))));
	return el('figure', { class: 'chart wide' },
		el('h3', {}, 'Where it differs more'),
		drawing,
		el('figcaption', {}, `Share of differing answers by one property of the requests at a time, with 95 % intervals and the number of pairs. The dashed line is the share of all pairs, ${percent(overall)}. A pair is in one row of each property, so one cause can show in several.${group.slices.category?.values.some((v) => v.value === 'open') ? ' The category is the suite’s; without one, it is the kind of answer that the prompt requests (open: any).' : ''}`));
}

/** All charts of a group that have points. */
export function charts(group, split) {
	if (!split?.charts) {
		return [];
	}
	return [overTime(split), survival(split), gapScatter(group, split), deltaDistribution(group, split),
		lengthScatter(group, split), finishes(group, split), forest(group, split)].filter((c) => c);
}
