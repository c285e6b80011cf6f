// What can be said beside a schedule that repeats, as a form holds it, and the fields of a request that follow from it.

export type RulesForm = {
  /** Empty: as the kind of schedule has it. */
  readonly gap: '' | 'shift' | 'skip'
  readonly twice: '' | 'first' | 'second' | 'both'
  /** As datetime-local gives them; empty for none. */
  readonly startAt: string
  readonly endAt: string
  readonly maxFirings: string
  readonly spread: string
  readonly catchUp: 'all' | 'one' | 'none' | 'max'
  readonly catchUpMax: string
  readonly maxLateness: string
  readonly overlap: '' | 'skip' | 'queue' | 'allow'
}

export const NO_RULES: RulesForm = {
  gap: '',
  twice: '',
  startAt: '',
  endAt: '',
  maxFirings: '',
  spread: '',
  catchUp: 'all',
  catchUpMax: '3',
  maxLateness: '',
  overlap: '',
}

type Stored = {
  readonly dst?: { readonly gap?: 'shift' | 'skip'; readonly overlap?: 'first' | 'second' | 'both' }
  readonly startAt?: string
  readonly endAt?: string
  readonly maxFirings?: number
  readonly spread?: string
  readonly catchUp?: unknown
  readonly maxLateness?: string
  readonly overlap?: string
}

/** `local`: an instant as datetime-local shows it. */
export function rulesOf(timer: Stored, local: (at: number) => string): RulesForm {
  const { catchUp } = timer
  const max = typeof catchUp === 'object' && catchUp !== null && 'max' in catchUp ? String(catchUp.max) : null
  return {
    gap: timer.dst?.gap ?? '',
    twice: timer.dst?.overlap ?? '',
    startAt: timer.startAt === undefined ? '' : local(Date.parse(timer.startAt)),
    endAt: timer.endAt === undefined ? '' : local(Date.parse(timer.endAt)),
    maxFirings: timer.maxFirings === undefined ? '' : String(timer.maxFirings),
    spread: timer.spread ?? '',
    catchUp: max !== null ? 'max' : catchUp === 'one' || catchUp === 'none' ? catchUp : 'all',
    catchUpMax: max ?? NO_RULES.catchUpMax,
    maxLateness: timer.maxLateness ?? '',
    overlap: timer.overlap === 'skip' || timer.overlap === 'queue' || timer.overlap === 'allow' ? timer.overlap : '',
  }
}

/** The fields that belong to the schedule: they are previewed with it. What is not a number is left for the service to refuse. */
export function ruleFields(form: RulesForm) {
  const { gap, twice, startAt, endAt, maxFirings, spread } = form
  const dst = { ...(gap !== '' && { gap }), ...(twice !== '' && { overlap: twice }) }
  return {
    ...(Object.keys(dst).length > 0 && { dst }),
    ...(startAt !== '' && { startAt: new Date(startAt).toISOString() }),
    ...(endAt !== '' && { endAt: new Date(endAt).toISOString() }),
    ...(maxFirings.trim() !== '' && { maxFirings: Number(maxFirings) }),
    ...(spread.trim() !== '' && { spread: spread.trim() }),
  }
}

/** As changes of a timer, which has some of it already. */
export function missedChanges(form: RulesForm) {
  return { catchUp: 'all' as const, ...missedFields(form) }
}

/** What happens to firings that were missed, or that come while the last one is not over. */
export function missedFields(form: RulesForm) {
  const { catchUp, catchUpMax, maxLateness, overlap } = form
  return {
    ...(catchUp !== 'all' && { catchUp: catchUp === 'max' ? { max: Number(catchUpMax) } : catchUp }),
    ...(maxLateness.trim() !== '' && { maxLateness: maxLateness.trim() }),
    ...(overlap !== '' && { overlap }),
  }
}
