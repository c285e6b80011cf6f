// Answers agree with one order of events: that of the versions. A change that was acknowledged has a version of its own, what
// is asked afterwards sees it or something newer, and an older revision never comes back.

import type { Answer, History, Operation } from '../history.ts'
import { attemptsAt, endOf, isDone, isWrite, mayHaveHappened, time } from './verdict.ts'
import type { TimerHistory, Violation } from './verdict.ts'

const STORED_WITHIN_MS = 20_000

type Answered = {
  readonly operation: Operation | null
  readonly answer: Answer
  readonly sentAt: number
  readonly endedAt: number
}

export function checkAnswers(timer: TimerHistory, { faults }: Pick<History, 'faults'>): Violation[] {
  const answered = answersOf(timer)
  const found = [
    ...(timer.isForgotten ? [] : [...orderOf(answered), ...revisionsIn(timer, answered), ...conflictsOf(timer)]),
    ...contentOf(answered),
    ...refusalsOf(timer, faults),
    ...acceptedAfterCancel(timer),
    ...conditions(timer),
  ]
  return found.map((text) => ({ promise: 'linear', timer: timer.name, text }))
}

/** The final read is one of them. */
function answersOf({ operations, final }: TimerHistory): Answered[] {
  const answers: Answered[] = operations.flatMap((operation) =>
    operation.outcome === 'done'
      ? [{ operation, answer: operation.answer!, sentAt: operation.sentAt, endedAt: operation.endedAt! }]
      : [],
  )
  if (final !== null) answers.push({ operation: null, answer: final, sentAt: Infinity, endedAt: Infinity })
  return answers
}

function orderOf(answers: readonly Answered[]): string[] {
  const found: string[] = []
  const byVersion = new Map<number, Answered>()
  for (const one of answers) {
    if (one.answer.changed) {
      const other = byVersion.get(one.answer.version)
      if (other !== undefined) found.push(`${nameOf(other)} and ${nameOf(one)} both made version ${one.answer.version}`)
      byVersion.set(one.answer.version, one)
    }
    for (const before of answers) {
      if (before.endedAt > one.sentAt || before === one) continue
      const isNewer = one.answer.changed
        ? one.answer.version > before.answer.version
        : one.answer.version >= before.answer.version
      if (!isNewer)
        found.push(
          `${nameOf(one)} has version ${one.answer.version}, but ${nameOf(before)} had ${before.answer.version} before`,
        )
    }
  }
  return found
}

/** A version is one row, whoever looks at it. Only its status may be shown as executing while it is. */
function contentOf(answers: readonly Answered[]): string[] {
  const found: string[] = []
  const rows = new Map<string, Answer>()
  for (const { answer } of answers) {
    const key = `${answer.createdWall} ${answer.version}`
    const other = rows.get(key) ?? answer
    rows.set(key, other)
    if (other.revision !== answer.revision || other.dueWall !== answer.dueWall || other.iteration !== answer.iteration)
      found.push(`version ${answer.version} was shown as ${JSON.stringify(other)} and as ${JSON.stringify(answer)}`)
  }
  return found
}

/** What is shown is what was written last: not something older, and not something that came later. */
function revisionsIn(timer: TimerHistory, answers: readonly Answered[]): string[] {
  const writes = answers.filter(({ operation }) => operation !== null && isWrite(operation) && isDone(operation))
  return answers.flatMap((one) => {
    const last = writes.filter(({ answer }) => answer.version <= one.answer.version)
    const written = last.reduce<Answered | null>(
      (newest, write) => (newest === null || write.answer.version > newest.answer.version ? write : newest),
      null,
    )
    if (written === null || written.answer.revision === one.answer.revision) return []
    // Another request of which nobody knows when it happened, or a repetition of the same one.
    const others = attemptsAt(timer, one.answer.revision).filter((other) => endOf(other) === Infinity)
    if (others.length > 0) return []
    return [
      `${nameOf(one)} shows revision ${one.answer.revision} as version ${one.answer.version}, but ${nameOf(written)} had made version ${written.answer.version} of revision ${written.answer.revision}`,
    ]
  })
}

/** A refusal must be true: what it says of the timer can only come from something that happened. */
function refusalsOf(timer: TimerHistory, faults: History['faults']): string[] {
  return timer.operations.flatMap((operation) => {
    if (operation.outcome !== 'refused' || operation.endedAt === null) return []
    if (operation.code === 'TIMER_NOT_FOUND') return timer.isForgotten ? [] : notFound(operation, timer)
    if (operation.code !== 'TIMER_NOT_PENDING') return []
    return hasReason(operation, timer, faults)
      ? []
      : [
          `${operationName(operation)} was refused because the timer is ${operation.refusedStatus}, which nothing explains`,
        ]
  })
}

/** A refusal for its version names one that is not older than what was shown before. */
function conflictsOf({ operations }: TimerHistory): string[] {
  return operations.flatMap((operation) => {
    const { refusedVersion, sentAt } = operation
    if (operation.outcome !== 'refused' || refusedVersion === null) return []
    const newer = operations.find(
      (other) => other.outcome === 'done' && other.endedAt! <= sentAt && other.answer!.version > refusedVersion,
    )
    return newer === undefined
      ? []
      : [
          `${operationName(operation)} was told of version ${refusedVersion}, but ${operationName(newer)} had ${newer.answer!.version} before`,
        ]
  })
}

function notFound(operation: Operation, { operations }: TimerHistory): string[] {
  const before = operations.find((other) => other.outcome === 'done' && other.endedAt! <= operation.sentAt)
  return before === undefined
    ? []
    : [`${operationName(operation)} did not find the timer, but ${operationName(before)} had`]
}

function hasReason(
  { refusedStatus, sentAt, endedAt }: Operation,
  { operations, arrivals }: TimerHistory,
  faults: History['faults'],
): boolean {
  const created = operations.findLast((other) => other.type === 'create' && isDone(other) && other.endedAt! <= sentAt)
  const since = created?.sentAt ?? 0
  switch (refusedStatus) {
    case 'canceled':
      return operations.some((other) => other.type === 'cancel' && other.sentAt <= endedAt! && endOf(other) >= since)
    case 'completed':
      return arrivals.some((one) => one.answered === 'ok' && one.answeredAt! <= endedAt! && one.startedAt >= since)
    case 'failed':
      return arrivals.some(
        (one) => one.answered !== 'ok' && (one.answeredAt ?? Infinity) <= endedAt! && one.startedAt >= since,
      )
    case 'executing':
      // Also the delivery of one that has been replaced meanwhile.
      return arrivals.some(
        ({ startedAt, answeredAt }) => startedAt <= endedAt! && sentAt <= storedBy(answeredAt ?? Infinity, faults),
      )
    default:
      return true
  }
}

/** When the outcome of a delivery that was answered then is stored at the latest: some time after troubles that follow each other. */
function storedBy(answeredAt: number, faults: History['faults']): number {
  let latest = answeredAt + STORED_WITHIN_MS
  for (const { at, until, isSmall } of faults.toSorted((a, b) => a.at - b.at))
    if (isSmall !== true && at <= latest) latest = Math.max(latest, until + STORED_WITHIN_MS)
  return latest
}

/** Only a create brings a canceled timer back. */
function acceptedAfterCancel({ operations }: TimerHistory): string[] {
  return operations.flatMap((cancel) => {
    if (cancel.type !== 'cancel' || !isDone(cancel)) return []
    const revived = operations.some(
      (other) => other.type === 'create' && mayHaveHappened(other) && endOf(other) > cancel.sentAt,
    )
    if (revived) return []
    const accepted = operations.find(
      (other) => other.sentAt >= cancel.endedAt! && isDone(other) && other.type !== 'create',
    )
    return accepted === undefined
      ? []
      : [`${operationName(accepted)} was accepted, but the timer had been canceled at ${time(cancel.endedAt!)}`]
  })
}

/** A change on the condition of a version makes the very next one. */
function conditions({ operations }: TimerHistory): string[] {
  return operations.flatMap((operation) => {
    const { ifVersion, answer } = operation
    if (!isDone(operation) || ifVersion === null || operation.type === 'create' || answer!.version === ifVersion + 1)
      return []
    return [`${operationName(operation)} was for version ${ifVersion}, and made version ${answer!.version}`]
  })
}

function nameOf({ operation }: Answered): string {
  return operation === null ? 'the last read' : operationName(operation)
}

function operationName({ type, number, sentAt }: Operation): string {
  return `the ${type} #${number} of ${time(sentAt)}`
}
