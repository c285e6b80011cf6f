// The history of a simulation as people read it: who did what when, in order, with what came of it.

import { PROMISES } from './checkers/verdict.ts'
import type { Violation } from './checkers/verdict.ts'
import type { Arrival, History, Operation } from './history.ts'
import type { Plan } from './plan/plan.ts'
import { EPOCH } from './world/node-clock.ts'

type Line = { readonly at: number; readonly text: string }

/** Of the timers that the violations are about; of all when they are about none. */
export function tellStory(plan: Plan, history: History, violations: readonly Violation[]): string {
  const about = new Set(violations.flatMap(({ timer }) => timer ?? []))
  const isTold = ({ timer }: { readonly timer: string }): boolean => about.size === 0 || about.has(timer)
  const lines: Line[] = [
    ...history.faults.map(({ at, until, about: text }) => ({
      at,
      text: `!! ${text}${until > at ? ` until ${seconds(until)}` : ''}`,
    })),
    ...history.operations.filter(isTold).flatMap(operationLines),
    ...history.arrivals.filter(isTold).flatMap(arrivalLines),
    { at: history.healedAt, text: '-- the faults are over, and all clocks are right' },
  ]
  const { settings } = plan
  const told = lines.toSorted((a, b) => a.at - b.at).map(({ at, text }) => `${seconds(at).padStart(10)}  ${text}`)
  const ends = Array.from(history.final.timers).filter(([timer]) => isTold({ timer }))
  return [
    `seed ${plan.seed}: ${settings.machines.length} ${settings.shared ? 'nodes' : 'node alone'}, ${settings.shards} shards, ${plan.requests.length} requests, faults: ${plan.faults.join(' ') || 'none'}`,
    ...told,
    `${seconds(history.final.at).padStart(10)}  the end`,
    ...ends.map(
      ([timer, final]) =>
        `            ${timer} is ${final === null ? 'not there' : `${final.status}, version ${final.version}, revision ${final.revision}, next at ${wall(final.nextWall)}`}`,
    ),
    ...violations.map(({ promise, timer, text }) => `VIOLATED: ${PROMISES[promise]}: ${timer ?? ''} ${text}`),
  ].join('\n')
}

function operationLines(operation: Operation): Line[] {
  const { number, type, timer, node, sentAt, endedAt, revision, wish, outcome, code, refusedStatus, answer } = operation
  const when =
    wish === null
      ? ''
      : wish.type === 'instant'
        ? ` at ${wall(wish.atWall)}`
        : wish.type === 'duration'
          ? ` in ${wish.ms} ms`
          : ` every ${wish.intervalMs} ms, ${wish.repetitions ?? 'endless'} times`
  const result =
    outcome === 'done'
      ? `${answer!.changed ? 'done' : 'as it is'}: version ${answer!.version}, ${answer!.status}, revision ${answer!.revision}, due ${wall(answer!.dueWall)}`
      : `${outcome}${code === null ? '' : ` ${code}`}${refusedStatus === null ? '' : ` (${refusedStatus})`}`
  return [
    {
      at: sentAt,
      text: `client → ${node}: #${number} ${type} ${timer}${revision === null ? '' : ` revision ${revision}${when}`}`,
    },
    ...(endedAt === null ? [] : [{ at: endedAt, text: `client ← ${node}: #${number} ${result}` }]),
  ]
}

function arrivalLines(arrival: Arrival): Line[] {
  const { timer, node, startedAt, startedWall, deliveryId, attempt, revision, dueWall, answeredAt, answered } = arrival
  const id = deliveryId.slice(33)
  const due = dueWall === null ? '' : `, due ${wall(dueWall)}`
  const iteration = arrival.iteration === null ? '' : `, iteration ${arrival.iteration}`
  return [
    {
      at: startedAt,
      text: `${node} → receiver: ${timer} revision ${revision}, ${id}, attempt ${attempt}${iteration}${due}, by its clock ${wall(startedWall)} (${arrival.behaviour.type})`,
    },
    ...(answeredAt === null
      ? []
      : [{ at: answeredAt, text: `${node} ← receiver: ${timer} ${id}, attempt ${attempt}: ${answered}` }]),
  ]
}

function wall(atWall: number): string {
  return atWall > EPOCH * 2 ? 'never' : `${((atWall - EPOCH) / 1_000).toFixed(3)} s`
}

function seconds(at: number): string {
  return `${(at / 1_000).toFixed(3)} s`
}
