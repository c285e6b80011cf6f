// Numbers to heights.

/** The next round number that is not below, so that an axis that ends there, and its middle, are easy to read. */
export function niceMax(value: number, least: number): number {
  const wanted = Math.max(value, least)
  const power = 10 ** Math.floor(Math.log10(wanted))
  const step = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].find((one) => one * power >= wanted) ?? 10
  return step * power
}

/** A line through the points, as the `d` of a path. */
export function linePath(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
}
