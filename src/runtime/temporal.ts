// Temporal is part of Node from 26 on. On an older one a polyfill takes its place, as the global that it is everywhere
// else. It is loaded only there, and at once: who imports this file can use Temporal in the next line.

import { createRequire } from 'node:module'
import { temporalZoneData } from '../core/time/zone/zone-data.ts'
import { useZoneData } from '../core/time/zone/zone.ts'

if (!('Temporal' in globalThis)) createRequire(import.meta.url)('temporal-polyfill/global')

// Both take the rules of zones from the data of the runtime.
useZoneData(temporalZoneData(process.versions.tz ?? 'unknown'))
