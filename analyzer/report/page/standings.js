// standings - several targets against one base: the paper's figures for these engines, for diff and sweep.

import { svg } from './dom.js';
import { kinds, number, percent, inUnits } from './format.js';
import { kindOf, report, valueText } from './model.js';
import { WIDTH, chart, linear } from './plot.js';

const NAMES_WIDTH = 128;
const ROW_HEIGHT = 30;
const RIGHT_SIDE = 24;

const isValue = (x) => typeof x === 'number' && Number.isFinite(x);
const standingValue = (name, value) => inUnits(kindOf(name), value);

/** A name cut to its place; the table has the whole name. */
const shortName = (name) => (name.length > 17 ? `${name.slice(0, 16)}…` : name);

/** [low, high] of all drawn values; includes 0. */
function extentOf(rows, pick) {
	const values = rows.flatMap((row) => [row.figures, row.floor].map((f) => pick(f ?? {})).filter((v) => v && isValue(v.value))
		.flatMap((v) => [v.value, v.at_most?.value ?? v.value, ...(v.ci95 ?? [])]));
	const low = Math.min(0, ...values);
	const high = Math.max(0, ...values);
	return high > low ? [low, high] : [low, low + 1];
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
	const drawing = svg('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': alt, class: 'plot standings' },
		scale.ticks().map((t) => [
			svg('line', { class: 'grid', x1: x(t), x2: x(t), y1: 6, y2: height - 34 }),
			svg('text', { x: x(t), y: height - 16, 'text-anchor': 'middle' }, isShare ? percent(t, 0) : standingValue(name, t)),
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
		title: `${figure.title}${figure.of_paper ? ` (the paper’s ${figure.of_paper})` : ''}`,
		note: `${figure.note}. Grey, below each: the target against itself${standings.rows.some((row) => row.floor_over === 'other_seeds') ? ', with other seeds. This is no noise floor, and can be higher' : ''}.`, name: figure.name, rows, alt: `${figure.title}: ${said}`,
	});
}

/** The paper's Figures 5 to 8: by benchmark. */
function bySuite(standings) {
	const suites = [...new Set(standings.rows.flatMap((row) => row.suites.map((s) => s.suite)))];
	return suites.length < 2 ? [] : suites.map((suite) => {
		const rows = standings.rows.map((row) => ({ name: row.target, value: row.suites.find((s) => s.suite === suite)?.divergence_index, floor: null }));
		return rows.some((row) => isValue(row.value?.value)) ? dotPlot({
			title: `divergence index, ${suite}`, note: 'The position of the first difference, as a share of the length of the base’s answer. 1: the answers do not differ.', name: 'divergence_index', rows,
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
	const height = 280;
	const left = 54;
	const bias = linear(...extentOf(rows, (f) => f.length_bias));
	const magnitude = linear(...extentOf(rows, (f) => f.length_magnitude));
	const x = (v) => left + bias(v) * (WIDTH - left - RIGHT_SIDE - 60);
	const y = (v) => height - 44 - magnitude(v) * (height - 62);
	const drawing = svg('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', class: 'plot standings',
		'aria-label': `length bias against magnitude: ${rows.map((r) => `${r.target} ${number(r.figures.length_bias.value, 3)} and ${number(r.figures.length_magnitude.value, 3)}`).join(', ')}` },
	magnitude.ticks().map((t) => [svg('line', { class: 'grid', x1: left, x2: WIDTH - RIGHT_SIDE, y1: y(t), y2: y(t) }), svg('text', { x: left - 7, y: y(t) + 4, 'text-anchor': 'end' }, number(t, 2))]),
	bias.ticks().map((t) => svg('text', { x: x(t), y: height - 26, 'text-anchor': 'middle' }, number(t, 2))),
	svg('line', { class: 'axis', x1: x(0), x2: x(0), y1: 12, y2: height - 44 }), svg('line', { class: 'axis', x1: left, x2: WIDTH - RIGHT_SIDE, y1: y(0), y2: y(0) }),
	svg('text', { x: WIDTH / 2, y: height - 6, 'text-anchor': 'middle' }, 'tokens, mean change'),
	rows.map((row) => svg('g', { class: 'spot test' },
		row.figures.length_bias.ci95 ? svg('line', { x1: x(row.figures.length_bias.ci95[0]), x2: x(row.figures.length_bias.ci95[1]), y1: y(row.figures.length_magnitude.value), y2: y(row.figures.length_magnitude.value) }) : null,
		row.figures.length_magnitude.ci95 ? svg('line', { x1: x(row.figures.length_bias.value), x2: x(row.figures.length_bias.value), y1: y(row.figures.length_magnitude.ci95[0]), y2: y(row.figures.length_magnitude.ci95[1]) }) : null,
		svg('circle', { cx: x(row.figures.length_bias.value), cy: y(row.figures.length_magnitude.value), r: 4.5 }),
		svg('text', { x: x(row.figures.length_bias.value) + 8, y: y(row.figures.length_magnitude.value) + 4 }, shortName(row.target)))));
	return chart('length bias and magnitude (the paper’s Figure 4)', drawing,
		'The mean change, and the mean size of the change. A target far to one side always writes longer or shorter answers; a target that is only high writes answers of other lengths, in both directions.');
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
