// What a timer can be after a sequence of operations, some of which may or may not have happened. Each answer that
// did arrive rules possibilities out; when none is left, the service has contradicted itself.

import type { FinalState, Operation } from './history.ts'

/** `live` covers everything from waiting to completed: whether it fired in time is told by its deliveries. */
export type Phase = 'absent' | 'live' | 'paused' | 'canceled'
export type PossibleState = { readonly phase: Phase; readonly revision: number }

export const UNKNOWN_TIMER: readonly PossibleState[] = [{ phase: 'absent', revision: 0 }]

export function statesAfter(states: readonly PossibleState[], operation: Operation): PossibleState[] {
  const applied = distinct(states.flatMap((state) => apply(state, operation) ?? []))
  switch (operation.outcome) {
    case 'acknowledged':
      return applied
    case 'inDoubt':
      return distinct([...states, ...applied])
    case 'notSent':
      return [...states]
    case 'refused':
      return states.filter((state) => explainsRefusal(state, operation))
  }
}

/** Null when the service would have refused. */
function apply(state: PossibleState, { type, revision }: Operation): PossibleState | null {
  if (type === 'create') return { phase: 'live', revision: revision! }
  if (state.phase !== 'live' && state.phase !== 'paused') return null
  switch (type) {
    case 'update':
      return { ...state, revision: revision! }
    case 'cancel':
      return { ...state, phase: 'canceled' }
    case 'pause':
      return { ...state, phase: 'paused' }
    case 'resume':
      return { ...state, phase: 'live' }
  }
}

function explainsRefusal({ phase }: PossibleState, { refusal }: Operation): boolean {
  switch (refusal?.code) {
    case 'TIMER_NOT_FOUND':
      return phase === 'absent'
    case 'TIMER_NOT_PENDING':
      return refusal.timerStatus === 'canceled' ? phase === 'canceled' : phase === 'live'
    case 'INVALID_SCHEDULE':
    case 'INVALID_INPUT':
      return true // the due time was over when the request arrived
    default:
      return false
  }
}

export function explainsFinal({ phase, revision }: PossibleState, final: FinalState | null): boolean {
  if (final === null) return phase === 'absent'
  if (revision !== final.revision) return false
  return final.status === 'completed' ? phase === 'live' : phase === final.status
}

function distinct(states: readonly PossibleState[]): PossibleState[] {
  return [...new Map(states.map((state) => [`${state.phase} ${state.revision}`, state])).values()]
}
