// Everything else there is to know about a timer.

import { duetime } from '../../api/client.ts'
import type { RetryPolicy, Timer } from '../../api/timer.ts'
import { scheduleWords } from '../../format/schedules.ts'
import { exactly, utc } from '../../format/times.ts'
import { useResource } from '../../state/resource.ts'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy.ts'

export function Facts({ timer }: { readonly timer: Timer }) {
  return (
    <dl className="facts">
      <dt>Due</dt>
      <dd>
        <div className="num">{exactly(timer.executeAt)}</div>
        <div className="num soft small mono">{utc(timer.executeAt)}</div>
      </dd>
      <dt>Schedule</dt>
      <dd>
        {timer.schedule === undefined ? (
          'once, at that instant'
        ) : (
          <>
            <ScheduleWords timer={timer} /> <code className="tag">{timer.schedule}</code>
          </>
        )}
        {timer.timeZone !== undefined && <span className="soft"> on the calendar of {timer.timeZone}</span>}
        {timer.calendar !== undefined && (
          <span className="soft">
            {timer.calendar.onExcluded === 'skip' ? ', not' : ', later'} when the calendar {timer.calendar.name}{' '}
            excludes it
          </span>
        )}
        {timer.catchUp === 'one' && <span className="soft">, one firing for all that were missed</span>}
        {timer.catchUp === 'none' && <span className="soft">, none for those that were missed</span>}
        {timer.pausedUntil !== undefined && <div className="soft">paused until {exactly(timer.pausedUntil)}</div>}
        {timer.skipped !== undefined && <div className="soft">{timer.skipped} iterations were not fired</div>}
        {timer.running?.map((one) => (
          <div className="soft" key={one.deliveryId}>
            iteration {one.iteration} is running
            {one.nextAttemptAt !== undefined && `, attempt ${one.attemptCount + 1} at ${exactly(one.nextAttemptAt)}`}
          </div>
        ))}
      </dd>
      <dt>Callback</dt>
      <dd>
        <CallbackFacts timer={timer} />
      </dd>
      <dt>Timeout</dt>
      <dd>{timer.callbackTimeout}</dd>
      <dt>Retries</dt>
      <dd>{retryWords(timer.retryPolicy)}</dd>
      <dt>Created</dt>
      <dd className="num">{exactly(timer.createdAt)}</dd>
      <dt>Changed</dt>
      <dd className="num">
        {exactly(timer.updatedAt)} <span className="soft">(version {timer.version})</span>
      </dd>
      <dt>Delivery id</dt>
      <dd>
        <code className="small">{timer.deliveryId}</code>{' '}
        <Button
          kind="quiet"
          small
          icon="copy"
          aria-label="Copy delivery id"
          onClick={() => copyText(timer.deliveryId, 'the delivery id')}
        />
      </dd>
    </dl>
  )
}

/** As the service puts it; of a schedule that is over, as far as the page knows. */
function ScheduleWords({ timer }: { readonly timer: Timer }) {
  const { schedule = '', timeZone, dst, startAt, endAt, maxFirings, spread } = timer
  const query = { schedule, timeZone, dst, startAt, endAt, maxFirings, spread, count: 1 }
  const { data } = useResource(JSON.stringify(query), (signal) => duetime.preview(query, { signal }))
  return <span className="schedule-words">{data?.description ?? scheduleWords(schedule)}</span>
}

function retryWords(policy: RetryPolicy): string {
  const { maxRetries, initialInterval, backoffMultiplier, maxInterval, maxRetryAttemptsDuration } = policy
  if (maxRetries === 0) return 'none'
  const waits = `first after ${initialInterval}, each wait × ${backoffMultiplier} up to ${maxInterval}`
  return `up to ${maxRetries}, ${waits}, for ${maxRetryAttemptsDuration}`
}

function CallbackFacts({ timer: { callback } }: { readonly timer: Timer }) {
  if (callback === undefined) return <>nobody is called</>
  const headers = Object.keys(callback.headers ?? {})
  return (
    <>
      {callback.type === 'http' ? (
        <code>POST {callback.url}</code>
      ) : (
        <code>
          NATS {callback.topic}
          {callback.key === undefined ? '' : `.${callback.key}`}
        </code>
      )}
      {headers.length > 0 && <div className="soft small">with {headers.join(', ')}</div>}
    </>
  )
}
