// How numbers are written, in the table and in the picture alike.

import type { Measurement, Target, Unit } from './measurement.ts'

export function figureText(value: number, unit: Unit): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  const number = value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return unit === '/s' ? `${number}/s` : `${number} ${unit}`
}

export function shareText(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`
}

export function targetText(target: Target | null, unit: Unit): string {
  if (target === null) return ''
  if ('shareAtLeast' in target) return `≥ ${shareText(target.shareAtLeast)} of raw`
  if ('timesAtMost' in target) return `≤ × ${target.timesAtMost} of raw`
  return 'atLeast' in target ? `≥ ${plain(target.atLeast, unit)}` : `≤ ${plain(target.atMost, unit)}`
}

/** Targets are round numbers and shown as such. */
function plain(value: number, unit: Unit): string {
  return unit === '/s' ? `${value.toLocaleString('en-US')}/s` : `${value.toLocaleString('en-US')} ${unit}`
}

const RATIO_MAX = 100 // beyond that the raw figure is nothing, and so is a multiple of it

export function ratioText({ ratio, unit }: Measurement): string {
  if (ratio === null || ratio > RATIO_MAX) return ''
  return unit === '/s' ? shareText(ratio) : `× ${ratio.toFixed(ratio < 10 ? 1 : 0)}`
}
