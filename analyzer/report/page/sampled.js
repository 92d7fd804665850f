// sampled - the charts of sampled answers: scores by position, and choices against stated probabilities.

import { svg } from './dom.js';
import { count, number, plural } from './format.js';
import { report } from './model.js';
import { frame, linear, path } from './plot.js';

const LEAST_EXPECTED = 5; // choices; the ratio of fewer is mostly noise

/** An axis of powers of two: 0 and 1, 2, 4, 8 ... */
function doubling(most) {
	const at = (x) => Math.log2(x + 1) / Math.log2(most + 1);
	at.ticks = () => [0, 16, 64, 256, 1024, 4096, 16384].filter((t) => t <= most);
	return at;
}

/** The distance between both engines' logprobs, by the token's position in its answer. */
function byPosition(group) {
	const points = group.rollout?.positions ?? [];
	if (points.length < 2) {
		return null;
	}
	const most = Math.max(...points.map((p) => p.delta));
	return frame({
		title: 'Difference by position',
		note: `The mean absolute difference between the logprobs of ${group.test} and those that ${group.base} gives to the same tokens, by the position of the token in its answer.`,
		alt: `Difference by position: ${points.map((p) => `from token ${p.from} ${number(p.delta, 2)} nats`).join(', ')}`,
		x: { scale: doubling(points.at(-1).from * 2), label: 'token of the answer', format: (v) => count(v) },
		y: { scale: linear(0, most * 1.1 || 1), label: 'nats' },
		draw: (toX, toY) => [
			svg('path', { class: 'line', d: path(points.map((p) => [p.from, p.delta]), toX, toY) }),
			points.map((p) => svg('circle', { class: 'dot', cx: toX(p.from), cy: toY(p.delta), r: 3.2 },
				svg('title', {}, `from token ${count(p.from)}: ${number(p.delta)} nats, k3 ${number(p.k3)}, ${plural(p.n, 'token')}`))),
		],
	});
}

/** How often the first, second, ... candidate was chosen, divided by the number that the stated probabilities predict. */
function calibration(side) {
	const ranks = (side.calibration?.ranks ?? []).filter((r) => r.expected >= LEAST_EXPECTED)
		.map((r) => ({ ...r, ratio: r.seen / r.expected, reach: (2 * r.sd) / r.expected }));
	if (ranks.length === 0) {
		return null;
	}
	const named = `${side.backend} (${[['model', side.model], ['fingerprint', side.replica]].filter(([, value]) => value).map((parts) => parts.join(' ')).join(', ')})`.replace(' ()', '');
	const top = Math.max(1.2, ...ranks.map((r) => Math.max(r.ratio, 1 + r.reach)));
	return frame({
		title: `Draws against stated probabilities: ${named}`,
		note: `The number of times that the token of each rank was drawn, divided by the number that the stated probabilities expect. 1: the engine draws as it states. The bars reach two standard deviations around 1. ${plural(side.tokens ?? 0, 'token')} of ${plural(side.answers ?? 0, 'answer')}.${side.text ? ` The tests: ${side.text}.` : ''}`,
		alt: `Draws of ${named} by rank: ${ranks.map((r) => `rank ${r.rank} ${number(r.ratio, 2)} times as often as expected`).join(', ')}`,
		x: { scale: Object.assign(linear(0.5, Math.max(2, ranks.at(-1).rank) + 0.5), { ticks: () => ranks.map((r) => r.rank) }), label: 'rank in the list', format: (v) => count(v) },
		y: { scale: linear(0, top * 1.05), label: 'drawn / expected' },
		draw: (toX, toY, box) => [
			svg('line', { class: 'guide', x1: box.left, x2: box.right, y1: toY(1), y2: toY(1) }),
			ranks.map((r) => svg('line', { class: 'whisker', x1: toX(r.rank), x2: toX(r.rank), y1: toY(Math.max(0, 1 - r.reach)), y2: toY(1 + r.reach) })),
			ranks.map((r) => svg('circle', { class: 'dot', cx: toX(r.rank), cy: toY(r.ratio), r: 3.5 },
				svg('title', {}, `rank ${r.rank}: drawn ${count(r.seen)} times, ${number(r.expected, 4)} expected`))),
		],
	});
}

export function sampledCharts(group) {
	const sides = (report.sampling ?? []).filter((side) => side.backend === group.test || side.backend === group.base);
	return [byPosition(group), ...sides.map(calibration)].filter((chart) => chart);
}
