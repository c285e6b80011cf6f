// The numbers to see first, in a row.

import type { ReactNode } from 'react'
import type { Figures, Happened, Second } from '../../api/overview.ts'
import { percent, rate, roughly } from '../../format/numbers.ts'
import { lateness as latenessText } from '../../format/times.ts'
import { hrefOf } from '../../routing/router.ts'

const RATE_OVER_S = 5 // long enough to be read, short enough to be live

type TilesProps = { readonly figures: Figures; readonly seconds: readonly Second[]; readonly namespace: string | null }

export function Tiles({ figures, seconds, namespace }: TilesProps) {
  const { counts, gauges, lastMinute, lastHour, lateness, latenessLastMinute } = figures
  const recent = seconds.slice(-RATE_OVER_S)
  const perSecond = recent.length === 0 ? 0 : recent.reduce((sum, { fired }) => sum + fired, 0) / recent.length
  const late = latenessLastMinute.count > 0 ? latenessLastMinute : lateness
  const success = successOf(lastHour)
  return (
    <ul className="tiles">
      <Tile label="Firing" value={rate(perSecond)} unit="/s" note={`${roughly(lastMinute.fired)} last minute`} />
      <Tile
        label="Success, 1 h"
        value={success === null ? '–' : percent(success).replace(' %', '')}
        unit={success === null ? '' : '%'}
        note={
          success === null
            ? 'no attempts yet'
            : `${roughly(lastHour.failed + lastHour.retried)} of ${roughly(attemptsOf(lastHour))} failed`
        }
        kind={success === null || success >= 0.99 ? 'good' : success >= 0.9 ? 'warm' : 'bad'}
      />
      <Tile
        label="Lateness p99"
        value={late.p99 === null ? '–' : latenessText(late.p99).replace(/ \D+$/, '')}
        unit={late.p99 === null ? '' : /\D+$/.exec(latenessText(late.p99))![0].trim()}
        note={late.p50 === null ? 'nothing fired yet' : `half within ${latenessText(late.p50)}`}
      />
      <Tile
        label="Pending"
        value={counts === null ? '–' : roughly(counts.pending)}
        note={counts === null ? '' : `${roughly(counts.paused)} paused`}
        href={hrefOf('/timers', { ns: namespace, status: 'pending' })}
      />
      <Tile
        label="Failed"
        value={counts === null ? '–' : roughly(counts.failed)}
        note={counts === null ? '' : `${roughly(counts.completed)} completed`}
        kind={counts !== null && counts.failed > 0 ? 'bad' : 'calm'}
        href={hrefOf('/timers', { ns: namespace, status: 'failed', sort: '-dueAt' })}
      />
      <Tile
        label="In flight"
        value={gauges === null ? roughly(counts?.executing ?? 0) : roughly(gauges.inFlight)}
        note={gauges === null ? 'deliveries under way' : `${roughly(gauges.ready)} waiting for a slot`}
      />
    </ul>
  )
}

/** Of all attempts that ended; null when there were none. */
function successOf(happened: Happened): number | null {
  const all = attemptsOf(happened)
  return all === 0 ? null : (happened.delivered + happened.rescheduled) / all
}

function attemptsOf({ delivered, rescheduled, retried, failed }: Happened): number {
  return delivered + rescheduled + retried + failed
}

type TileProps = {
  readonly label: string
  readonly value: ReactNode
  readonly unit?: string
  readonly note: string
  readonly kind?: string
  readonly href?: string
}

function Tile({ label, value, unit = '', note, kind = 'calm', href }: TileProps) {
  const body = (
    <>
      <span className="tile-label">{label}</span>
      <span className="tile-value num" data-kind={kind}>
        {value}
        {unit !== '' && <small>{unit}</small>}
      </span>
      <span className="tile-note num" title={note}>
        {note}
      </span>
    </>
  )
  return <li className="card tile">{href === undefined ? body : <a href={href}>{body}</a>}</li>
}
