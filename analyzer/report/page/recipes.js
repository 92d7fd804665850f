// recipes - the chart of a result of stress, sweep or determinism.

import { el, svg } from './dom.js';
import { count, percent, plural, shorten } from './format.js';
import { report } from './model.js';
import { WIDE, frame, linear, path } from './plot.js';

const shareAxis = (label) => ({ scale: linear(0, 1), label, format: (v) => percent(v, 0) });

/** An axis of names or levels in order. */
function stepsAxis(names, label) {
	const scale = Object.assign((i) => (i + 0.5) / names.length, { ticks: () => names.map((_, i) => i) });
	return { scale, label, format: (i) => shorten(names[i], Math.max(2, Math.floor(WIDE / 9 / names.length))) };
}

const said = (point) => `${point.name}: ${percent(point.value)} ${point.low === null ? '' : `[${percent(point.low)} to ${percent(point.high)}]`}`;

/** Shares with intervals at the steps; points: { name, value, low, high, n }. */
function dots(points, kind, toX, toY) {
	const shown = points.map((p, i) => ({ ...p, x: toX(i) })).filter((p) => p.value !== null);
	return shown.map((p) => [
		p.low === null ? null : svg('line', { class: `whisker ${kind}`, x1: p.x, x2: p.x, y1: toY(p.low), y2: toY(p.high) }),
		svg('circle', { class: `dot ${kind}`, cx: p.x, cy: toY(p.value), r: 4 }, svg('title', {}, `${said(p)}, n ${count(p.n)}`)),
	]);
}

function curve(points, kind, toX, toY) {
	const places = points.map((p, i) => [i, p.value]).filter(([, value]) => value !== null);
	return [svg('path', { class: `line ${kind}`, d: path(places, toX, toY) }), dots(points, kind, toX, toY)];
}

const lineKey = (kind, text) => el('li', {}, svg('svg', { viewBox: '0 0 18 12', width: 18, height: 12, 'aria-hidden': 'true' },
	svg('line', { class: `line ${kind}`, x1: 0, x2: 18, y1: 6, y2: 6 })), text);

/** stress: how many answers differ, by the number of requests in progress. */
function overLoad() {
	const levels = report.stress?.levels ?? [];
	if (levels.length < 2) {
		return null;
	}
	const points = levels.map(({ concurrency, differing: d }) => ({ name: String(concurrency), value: d.n > 0 ? d.hits / d.n : null, low: d.low, high: d.high, n: d.n }));
	const alone = points[0].value;
	return frame({
		isWide: true,
		title: 'Differing answers over load',
		note: `The share of answers that differ from the first answer to the same request alone, with 95 % intervals. The dashed line is the share at ${points[0].name} in progress. A line that rises means that load changes answers.`,
		alt: `Share of differing answers by requests in progress: ${points.map(said).join(', ')}`,
		x: stepsAxis(points.map((p) => p.name), 'requests in progress'),
		y: shareAxis('answers that differ'),
		draw: (toX, toY, box) => [
			alone === null ? null : svg('line', { class: 'guide', x1: box.left, x2: box.right, y1: toY(alone), y2: toY(alone) }),
			curve(points, 'test', toX, toY),
		],
	});
}

const pointOf = (name, figure) => ({ name, value: figure?.value ?? null, low: figure?.ci95?.[0] ?? null, high: figure?.ci95?.[1] ?? null, n: figure?.n ?? 0 });

/** sweep: how many answers differ, and change their meaning, by precision. */
function overPrecisions() {
	const { standings } = report;
	if (!standings?.is_sweep || !standings.rows?.length) {
		return null;
	}
	const { rows, base, cliff } = standings;
	const floor = pointOf(`${base}, itself`, rows[0].base_floor?.text_differs);
	const texts = [floor, ...rows.map((row) => pointOf(row.target, row.figures.text_differs))];
	const meanings = [rows[0].base_floor, ...rows.map((row) => row.figures)].map((figures) => figures?.answer_changed);
	const known = meanings.map((figure, i) => ({ figure, i })).filter(({ figure }) => typeof figure?.value === 'number');
	const most = ({ figure, i }) => [i, figure.at_most?.value ?? figure.value];
	const cliffAt = cliff?.shown ? rows.findIndex((row) => row.target === cliff.target) + 1 : 0;
	return frame({
		isWide: true,
		title: 'Change over precisions',
		note: `The shares of answers that differ from ${base} and whose meaning changed, in the order of the targets. The lower edge of the band counts the changes that are certain, the upper edge adds the undecided answers. The first point is ${base} against itself: the noise floor.`
			+ (cliffAt ? ` The dashed line is the cliff, at ${cliff.target}: the first target with more than twice as many changes as one step before.` : ''),
		alt: `Share of answers that differ from ${base}: ${texts.map(said).join(', ')}`,
		x: stepsAxis(texts.map((p) => p.name), 'target'),
		y: shareAxis('share of answers'),
		legend: [lineKey('test', 'answers that differ'), lineKey('base', 'meaning changed')],
		draw: (toX, toY, box) => [
			cliffAt ? svg('line', { class: 'guide', x1: toX(cliffAt), x2: toX(cliffAt), y1: box.top, y2: box.bottom }) : null,
			known.length > 1 ? svg('path', { class: 'band', d: `${path([...known.map(({ figure, i }) => [i, figure.value]), ...known.map(most).reverse()], toX, toY)}Z` }) : null,
			curve(texts, 'test', toX, toY),
			known.length > 0 ? svg('path', { class: 'line base', d: path(known.map(({ figure, i }) => [i, figure.value]), toX, toY) }) : null,
			known.map(({ figure, i }) => svg('circle', { class: 'dot base', cx: toX(i), cy: toY(figure.value), r: 4 },
				svg('title', {}, `meaning changed in ${percent(figure.value)} to ${percent(figure.at_most?.value ?? figure.value)}, n ${count(figure.n)}`))),
		],
	});
}

const AGREEMENT = [['output_consistency', 'pairs'], ['all_alike', 'prompts'], ['determinism_score', 'answers']];

/** determinism: how often the engine agrees with itself; with several levels, by the number of requests in progress. */
function overRepeats() {
	const { reruns } = report;
	const levels = (reruns?.levels ?? []).filter((level) => level.prompts > 0);
	if (levels.length === 0) {
		return null;
	}
	const isOne = levels.length === 1;
	const points = isOne
		? AGREEMENT.map(([name, text]) => ({ ...pointOf(text, levels[0][name]), n: name === 'all_alike' ? levels[0].prompts : levels[0].answers }))
		: levels.map((level) => ({ ...pointOf(String(level.concurrency ?? 'as recorded'), level.output_consistency), n: level.answers }));
	return frame({
		isWide: true,
		title: `How far ${reruns.backend} agrees with itself`,
		note: `${isOne ? 'Pairs: pairs of answers to one prompt that agree. Prompts: those that got the same answer every time. Answers: those that are the most common one to their prompt. With' : 'Pairs of answers to one prompt that agree, by the number of requests in progress, with'} 95 % intervals. A deterministic engine has 100 %. The noise floor is the share of pairs that do not agree.`,
		alt: `Agreement of ${reruns.backend} with itself: ${points.map(said).join(', ')}`,
		x: stepsAxis(points.map((p) => p.name), isOne ? `${plural(levels[0].prompts, 'prompt')}, ${plural(levels[0].answers, 'answer')}` : 'requests in progress'),
		y: shareAxis('share that agrees'),
		draw: (toX, toY) => (isOne ? dots : curve)(points, 'test', toX, toY),
	});
}

/** The chart of the report's recipe; null if it has none. */
export const recipeChart = () => overLoad() ?? overPrecisions() ?? overRepeats();
