// The verdict on a simulation: which promises its history breaks. Checkers see what clients and receivers saw, and nothing else.

import type { History } from '../history.ts'
import { checkAnswers } from './answers.ts'
import { checkCompleteness } from './completeness.ts'
import { checkDeliveries } from './deliveries.ts'
import { checkOwners } from './owners.ts'
import { checkRepetitions } from './repetitions.ts'
import { checkSurroundings } from './surroundings.ts'
import { timerHistories } from './verdict.ts'
import type { Violation } from './verdict.ts'

export function check(history: History): Violation[] {
  const timers = timerHistories(history)
  return [
    ...checkSurroundings(history, timers),
    ...timers.flatMap((timer) => [
      ...checkAnswers(timer, history),
      ...checkDeliveries(timer, history),
      ...checkCompleteness(timer, history),
      ...checkRepetitions(timer, history),
      ...checkOwners(timer, history),
    ]),
  ]
}
