// The one thing to know about this timer now: how long until it fires, or how it went.

import type { ReactNode } from 'react'
import { latenessMs } from '../../api/timer.ts'
import type { Timer } from '../../api/timer.ts'
import { lateness } from '../../format/times.ts'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { Distance, Moment } from '../../ui/moment.tsx'
import { Countdown } from './countdown.tsx'

export function Headline({ timer, onDue }: { readonly timer: Timer; readonly onDue: () => void }) {
  const late = latenessMs(timer)
  switch (timer.status) {
    case 'pending': {
      const at = timer.nextAttemptAt ?? timer.executeAt
      const label =
        timer.nextAttemptAt === undefined
          ? timer.iteration === undefined
            ? 'Fires in'
            : `Iteration ${timer.iteration} fires in`
          : `Attempt ${timer.attemptCount + 1} in`
      return <Countdown key={at} at={at} label={label} onDue={onDue} />
    }
    case 'executing':
      return (
        <Verdict kind="busy" icon="bolt" title="Being delivered">
          The receiver has been called{late === null ? '' : `, ${lateness(late)} after the due time`}, and has not
          answered yet.
        </Verdict>
      )
    case 'paused':
      return (
        <Verdict kind="warm" icon="pause" title="Paused">
          It does not fire until it is resumed. It is due <Moment at={timer.executeAt} /> (
          <Distance at={timer.executeAt} />
          ).
        </Verdict>
      )
    case 'completed':
      return (
        <Verdict
          kind="good"
          icon="check"
          title={late === null ? 'Delivered' : late < 1 ? 'Fired on the dot' : `Fired ${lateness(late)} late`}
        >
          {late !== null && late < 1 && 'Less than a millisecond late. '}
          {timer.callback === undefined
            ? 'It had nobody to call.'
            : `Delivered at attempt ${Math.max(1, timer.attemptCount)}.`}
        </Verdict>
      )
    case 'failed':
      return (
        <Verdict
          kind="bad"
          icon="alert"
          title={`Failed after ${timer.attemptCount} ${timer.attemptCount === 1 ? 'attempt' : 'attempts'}`}
        >
          {timer.lastError ?? 'No reason is known.'}
        </Verdict>
      )
    case 'canceled':
      return (
        <Verdict kind="calm" icon="cross" title="Canceled">
          It never fires. It was due <Moment at={timer.executeAt} />.
        </Verdict>
      )
  }
}

type VerdictProps = {
  readonly kind: string
  readonly icon: IconName
  readonly title: string
  readonly children: ReactNode
}

function Verdict({ kind, icon, title, children }: VerdictProps) {
  return (
    <div className="verdict" data-kind={kind}>
      <span className="verdict-icon">
        <Icon name={icon} size={22} />
      </span>
      <div>
        <div className="verdict-title">{title}</div>
        <p className="soft">{children}</p>
      </div>
    </div>
  )
}
