// The entry point of a thread of HTTP.

import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../runtime/clock/clock.ts'
import { openEntry } from './entry.ts'
import type { EntryData } from './messages.ts'

// What it throws ends the thread, and is the reason that the main thread is told.
void openEntry(workerData as EntryData, parentPort!, systemClock)
