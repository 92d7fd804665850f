// plot - frames, scales and marks of the charts, as SVG in the page's colours.

import { svg, el } from './dom.js';
import { number } from './format.js';

/** A phone gets narrow drawings, so that their letters are large enough. */
export const isNarrow = window.matchMedia('(max-width: 30rem)').matches;
export const WIDTH = isNarrow ? 330 : 420;
export const WIDE = isNarrow ? WIDTH : 760; // of a chart alone in its row
const HEIGHT = 260;
const MARGIN = { left: 66, right: 14, top: 12, bottom: 44 };
const LETTER = 6.6; // mean width

/** The ticks whose labels have room beside those before them. */
export function spaced(ticks, toX, format) {
	let end = -Infinity;
	return ticks.filter((t) => {
		const half = (format(t).length * LETTER) / 2;
		const hasRoom = toX(t) - half > end;
		end = hasRoom ? toX(t) + half + LETTER : end;
		return hasRoom;
	});
}

export function linear(low, high) {
	const span = high - low || 1;
	const at = (x) => (x - low) / span;
	at.ticks = () => {
		const raw = span / 5;
		const power = 10 ** Math.floor(Math.log10(raw));
		const step = [1, 2, 5, 10].find((s) => s * power >= raw) * power;
		const ticks = [];
		for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) {
			ticks.push(i * step || 0); // never −0
		}
		return ticks;
	};
	return at;
}

/** A scale that is linear around 0 up to about unit, and logarithmic beyond; for both signs. */
export function symmetric(low, high, unit) {
	const inner = (x) => Math.asinh(x / unit);
	const span = inner(high) - inner(low) || 1;
	const at = (x) => (inner(x) - inner(low)) / span;
	at.ticks = () => {
		const greatest = Math.floor(Math.log10(Math.max(high, -low)) + 1e-9);
		const kept = [greatest, greatest - 1, greatest - 2].map((power) => 10 ** power).filter((s, i) => i === 0 || s > unit / 2);
		return [...kept.map((s) => -s), 0, ...kept.reverse()].filter((t) => t >= low && t <= high);
	};
	return at;
}

/** A chart with its title, legend and explanation. */
export function chart(title, drawing, note, legend, isWide = false) {
	return el('figure', { class: isWide ? 'chart wide' : 'chart' }, el('h3', {}, title), drawing, legend ? el('ul', { class: 'legend' }, legend) : null, el('figcaption', {}, note));
}

/**
 * A chart: { title, note, x: {scale, label, format}, y: {...} }. draw(x, y) returns its marks; x and y map values
 * to coordinates. alt describes the chart for screen readers. isWide: the chart has the width of the page.
 */
export function frame({ title, note, x, y, alt, draw, legend, isWide = false }) {
	const width = isWide ? WIDE : WIDTH;
	const inner = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
	const toX = (value) => MARGIN.left + x.scale(value) * inner.width;
	const toY = (value) => MARGIN.top + (1 - y.scale(value)) * inner.height;
	const bottom = MARGIN.top + inner.height;
	const right = MARGIN.left + inner.width;
	const formatX = x.format ?? ((v) => number(v, 2));
	const formatY = y.format ?? ((v) => number(v, 2));
	const drawing = svg('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', 'aria-label': alt, class: 'plot' },
		y.scale.ticks().map((t) => [
			svg('line', { class: 'grid', x1: MARGIN.left, x2: right, y1: toY(t), y2: toY(t) }),
			svg('text', { x: MARGIN.left - 7, y: toY(t) + 4, 'text-anchor': 'end' }, formatY(t)),
		]),
		spaced(x.scale.ticks(), toX, formatX).map((t) => [
			svg('line', { class: 'tick', x1: toX(t), x2: toX(t), y1: bottom, y2: bottom + 5 }),
			svg('text', { x: toX(t), y: bottom + 18, 'text-anchor': toX(t) > right - MARGIN.right ? 'end' : 'middle' }, formatX(t)),
		]),
		svg('line', { class: 'axis', x1: MARGIN.left, x2: right, y1: bottom, y2: bottom }),
		svg('text', { class: 'name', x: (MARGIN.left + right) / 2, y: HEIGHT - 6, 'text-anchor': 'middle' }, x.label),
		svg('text', { class: 'name', transform: `translate(12 ${MARGIN.top + inner.height / 2}) rotate(-90)`, 'text-anchor': 'middle' }, y.label),
		draw(toX, toY, { bottom, right, left: MARGIN.left, top: MARGIN.top }));
	return chart(title, drawing, note, legend, isWide);
}

/** A line through points [x, y, isStart]; it is interrupted before a point that is a start. */
export function path(points, toX, toY) {
	return points.map(([x, y, isStart], i) => `${i && !isStart ? 'L' : 'M'}${toX(x).toFixed(1)} ${toY(y).toFixed(1)}`).join('');
}

/** A mark whose shape and colour show its kind. */
export function mark(kind, x, y, size = 4) {
	const s = size;
	const shapes = {
		tie: () => svg('circle', { cx: x, cy: y, r: s * 0.9 }),
		drift: () => svg('path', { d: `M${x} ${y - s}L${x + s} ${y + s * 0.8}L${x - s} ${y + s * 0.8}Z` }),
		shift: () => svg('rect', { x: x - s * 0.85, y: y - s * 0.85, width: s * 1.7, height: s * 1.7 }),
		foreign: () => svg('path', { d: `M${x} ${y - s * 1.2}L${x + s * 1.2} ${y}L${x} ${y + s * 1.2}L${x - s * 1.2} ${y}Z` }),
		unknown: () => svg('path', { d: `M${x - s} ${y - s}L${x + s} ${y + s}M${x + s} ${y - s}L${x - s} ${y + s}` }),
		same: () => svg('circle', { cx: x, cy: y, r: s * 0.8 }),
		differs: () => svg('path', { d: `M${x} ${y - s}L${x + s} ${y + s * 0.8}L${x - s} ${y + s * 0.8}Z` }),
	};
	const shape = shapes[kind]();
	shape.setAttribute('class', `mark ${kind}`);
	return shape;
}

/** An entry of a legend. */
export function key(kind, text) {
	return el('li', {}, svg('svg', { viewBox: '0 0 12 12', width: 12, height: 12, 'aria-hidden': 'true' }, mark(kind, 6, 6)), text);
}
