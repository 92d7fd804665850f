// standings - several targets against one base: the paper's figures for these engines, for diff and sweep.

import { svg } from './dom.js';
import { inUnits, kinds, number, percent, sentenceCase, shorten } from './format.js';
import { kindOf, report, valueText } from './model.js';
import { WIDTH, chart, frame, isNarrow, linear, spaced } from './plot.js';

const NAMES_WIDTH = isNarrow ? 96 : 120;
const ROW_HEIGHT = 30;
const RIGHT_SIDE = 24;

const isValue = (x) => typeof x === 'number' && Number.isFinite(x);

/** A name cut to its place; the table has the whole name. */
const shortName = (name) => shorten(name, isNarrow ? 12 : 15);

/** [low, high] of all drawn values; includes 0. */
function extentOf(rows, pick) {
	const values = rows.flatMap((row) => [row.figures, row.floor].map((f) => pick(f ?? {})).filter((v) => v && isValue(v.value))
		.flatMap((v) => [v.value, v.at_most?.value ?? v.value, ...(v.ci95 ?? [])]));
	const low = Math.min(0, ...values);
	const high = Math.max(0, ...values);
	return high > low ? [low - (low < 0 ? (high - low) / 20 : 0), high + (high - low) / 20] : [low, low + 1];
}

/** One mark: the value as a dot, its interval as a bar. */
function spot(x, y, value, kind) {
	const [low, high] = value.ci95 ?? [value.value, value.value];
	return svg('g', { class: `spot ${kind}` },
		svg('line', { x1: x(low), x2: x(high), y1: y, y2: y }),
		[value.value, value.at_most?.value ?? value.value].map((v) => svg('circle', { cx: x(v), cy: y, r: kind === 'floor' ? 3 : 4.5 })));
}

/** One row per target; its noise floor is below its value. */
function dotPlot({ title, note, name, rows, alt }) {
	const drawn = rows.filter((row) => isValue(row.value?.value));
	const height = drawn.length * ROW_HEIGHT + 46;
	const isShare = kindOf(name) === kinds.share; // all shares have the same scale
	const scale = isShare ? linear(0, 1) : linear(...extentOf(drawn.map((row) => ({ figures: row.value, floor: row.floor })), (v) => v));
	const x = (value) => NAMES_WIDTH + scale(value) * (WIDTH - NAMES_WIDTH - RIGHT_SIDE);
	const format = (t) => (isShare ? percent(t, 0) : number(t, 2));
	const drawing = svg('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': alt, class: 'plot standings' },
		spaced(scale.ticks(), x, format).map((t) => [
			svg('line', { class: 'grid', x1: x(t), x2: x(t), y1: 6, y2: height - 34 }),
			svg('text', { x: x(t), y: height - 16, 'text-anchor': 'middle' }, format(t)),
		]),
		svg('line', { class: 'axis', x1: x(0), x2: x(0), y1: 6, y2: height - 34 }),
		drawn.map((row, i) => {
			const y = 12 + (i + 0.5) * ROW_HEIGHT - 6;
			return [
				svg('text', { x: NAMES_WIDTH - 10, y: y + 4, 'text-anchor': 'end' }, svg('title', {}, row.name), shortName(row.name)),
				spot(x, y, row.value, 'test'),
				isValue(row.floor?.value) ? spot(x, y + 10, row.floor, 'floor') : null,
			];
		}));
	return chart(title, drawing, note);
}

function figurePlot(standings, figure) {
	const rows = standings.rows.map((row) => ({ name: row.target, value: row.figures[figure.name], floor: row.floor?.[figure.name] }));
	if (!rows.some((row) => isValue(row.value?.value))) {
		return null;
	}
	const said = rows.map((row) => `${row.name} ${valueText(figure.name, row.value)}`).join(', ');
	return dotPlot({
		title: figure.name === 'answer_changed' ? 'Meaning changed' : sentenceCase(figure.title),
		note: `${sentenceCase(figure.note)}.${figure.of_paper ? ` As in ${figure.of_paper} of “The Silent Hyperparameter”.` : ''} Grey, below each: the target against itself${standings.rows.some((row) => row.floor_over === 'other_seeds') ? ', with other seeds. This is no noise floor, and can be higher' : ''}.`, name: figure.name, rows, alt: `${figure.title}: ${said}`,
	});
}

/** The paper's Figures 5 to 8: by benchmark. */
function bySuite(standings) {
	const suites = [...new Set(standings.rows.flatMap((row) => row.suites.map((s) => s.suite)))];
	return suites.length < 2 ? [] : suites.map((suite) => {
		const rows = standings.rows.map((row) => ({ name: row.target, value: row.suites.find((s) => s.suite === suite)?.divergence_index, floor: null }));
		return rows.some((row) => isValue(row.value?.value)) ? dotPlot({
			title: `Divergence index, ${suite}`, note: 'The position of the first difference, as a share of the length of the base’s answer. 1: the answers do not differ.', name: 'divergence_index', rows,
			alt: `divergence index of ${suite}: ${rows.map((row) => `${row.name} ${number(row.value?.value, 3)}`).join(', ')}`,
		}) : null;
	});
}

/** The paper's Figure 4: bias against magnitude. */
function lengthPlot(standings) {
	const rows = standings.rows.filter((row) => isValue(row.figures.length_bias?.value) && isValue(row.figures.length_magnitude?.value));
	if (!rows.length) {
		return null;
	}
	const bias = (row) => row.figures.length_bias;
	const size = (row) => row.figures.length_magnitude;
	return frame({
		title: 'Change of length',
		note: 'As in Figure 4 of “The Silent Hyperparameter”. Right of 0: a target writes longer answers, left of 0 shorter ones. High: it writes answers of other lengths, some longer and some shorter.',
		alt: `Change of length, mean and mean size: ${rows.map((row) => `${row.target} ${number(bias(row).value, 3)} and ${number(size(row).value, 3)}`).join(', ')}`,
		x: { scale: linear(...extentOf(rows, (f) => f.length_bias)), label: 'mean change, tokens' },
		y: { scale: linear(...extentOf(rows, (f) => f.length_magnitude)), label: 'mean size of the change, tokens' },
		draw: (toX, toY, box) => [
			svg('line', { class: 'zero', x1: toX(0), x2: toX(0), y1: box.top, y2: box.bottom }),
			rows.map((row) => {
				const [x, y] = [toX(bias(row).value), toY(size(row).value)];
				const [ci, size95] = [bias(row).ci95, size(row).ci95];
				return svg('g', { class: 'spot test' },
					ci ? svg('line', { x1: toX(ci[0]), x2: toX(ci[1]), y1: y, y2: y }) : null,
					size95 ? svg('line', { x1: x, x2: x, y1: toY(size95[0]), y2: toY(size95[1]) }) : null,
					svg('circle', { cx: x, cy: y, r: 4.5 }),
					svg('text', { x: x + 7, y: y - 7 }, shortName(row.target)));
			}),
		],
	});
}

/** The charts of a document with standings; none without. */
export function standingsCharts() {
	const standings = report.standings;
	if (!standings?.rows?.length) {
		return [];
	}
	const figures = standings.figures.filter((f) => f.name !== 'length_bias' && f.name !== 'length_magnitude').map((f) => figurePlot(standings, f));
	return [...figures, lengthPlot(standings), ...bySuite(standings)].filter((d) => d);
}
