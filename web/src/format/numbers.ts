// Numbers for people: grouped when exact, shortened where only the size matters.

const grouped = new Intl.NumberFormat('en-US')
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })
const ROUGH_FROM = 100_000

export function count(value: number): string {
  return grouped.format(value)
}

/** 1,234 and 1.2M. */
export function roughly(value: number): string {
  return value < ROUGH_FROM ? grouped.format(Math.round(value)) : short.format(value)
}

/** Rates: 0.3, 12, 1,234. */
export function rate(perSecond: number): string {
  return perSecond > 0 && perSecond < 10 ? (Math.round(perSecond * 10) / 10).toString() : roughly(perSecond)
}

/** 99.97 % must not be shown as 100 %. */
export function percent(share: number): string {
  if (share >= 1) return '100 %'
  const value = Math.floor(share * 10_000) / 100
  return `${value >= 99 ? value : Math.floor(value * 10) / 10} %`
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`
  return value < 1_000_000 ? `${(value / 1_000).toFixed(1)} kB` : `${(value / 1_000_000).toFixed(1)} MB`
}
