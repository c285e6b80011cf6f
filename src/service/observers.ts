// Several who watch the same: each is told, in order. What they do is counted in nanoseconds, since firing waits for it.

import type { Command } from '../core/rules/command.ts'
import type { EngineObserver } from '../engine/engine.ts'
import type { Executed } from '../engine/shard-commands.ts'

export type ServiceObserver = { executed(command: Command, result: Executed): void }

type Observer = EngineObserver & ServiceObserver

export function observeWith(observers: readonly Observer[]): Observer {
  return {
    fired: (timer, lateMs) => {
      for (const observer of observers) observer.fired(timer, lateMs)
    },
    passed: (before, after) => {
      for (const observer of observers) observer.passed?.(before, after)
    },
    settled: (before, after, outcome, durationMs) => {
      for (const observer of observers) observer.settled(before, after, outcome, durationMs)
    },
    committed: (puts, durationMs) => {
      for (const observer of observers) observer.committed(puts, durationMs)
    },
    executed: (command, result) => {
      for (const observer of observers) observer.executed(command, result)
    },
  }
}
