// What somebody may have meant who wrote `5M`: advice in the answer to a malformed duration.

import { parseIsoSchedule } from '../../../core/time/schedule.ts'

export const VALID_EXAMPLES = [
  'PT30S - 30 seconds',
  'PT5M - 5 minutes',
  'PT1H - 1 hour',
  'P1D - 1 day',
  'R5/PT30S - 5 repetitions every 30 seconds',
  'R/PT1H - infinite repetitions every hour',
]

const EXAMPLE = 'PT5M'

/** The text with the letters it lacks, if that makes a schedule; else an example. */
export function nearestDuration(provided: string): string {
  const text = provided.replaceAll(/\s/g, '').toUpperCase()
  const [, head = '', rest = ''] = /^(R\d*\/)?(.*)$/.exec(text) ?? []
  const bare = rest.replace(/^P?T?/, '')
  // Minutes before months: hardly anyone who writes 5M waits for five months.
  return [text, `${head}PT${bare}`, `${head}P${bare}`].find(isSchedule) ?? EXAMPLE
}

function isSchedule(text: string): boolean {
  try {
    parseIsoSchedule(text)
    return true
  } catch {
    return false
  }
}
