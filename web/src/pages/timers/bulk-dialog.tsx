// Before, while and after something is done to many timers: how many it will be, how far it is, what came of it.

import { useEffect, useRef, useState } from 'react'
import { isAbort } from '../../api/client.ts'
import { serverClock } from '../../api/server-clock.ts'
import type { ListedTimer } from '../../api/timer.ts'
import { count, plural } from '../../format/numbers.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { ACTIONS, actOnAll, actOnEach, countAll } from './bulk-work.ts'
import type { ActionName, ManyAction, Progress } from './bulk-work.ts'
import { filterOf } from './view.ts'
import type { View } from './view.ts'

export type Target =
  | { readonly type: 'some'; readonly timers: readonly ListedTimer[] }
  | { readonly type: 'all'; readonly view: View }

type Stage =
  | { readonly type: 'counting' }
  | { readonly type: 'asking'; readonly matched: number; readonly more: boolean }
  | { readonly type: 'working'; readonly progress: Progress }
  | { readonly type: 'done'; readonly progress: Progress; readonly isStopped: boolean }
  | { readonly type: 'failed'; readonly error: Error }

type BulkDialogProps = {
  readonly action: ActionName
  readonly target: Target
  readonly onClose: (hasActed: boolean) => void
}

export function BulkDialog({ action, target, onClose }: BulkDialogProps) {
  const [stage, setStage] = useState<Stage>(() =>
    target.type === 'some' ? { type: 'asking', matched: target.timers.length, more: false } : { type: 'counting' },
  )
  const [abort] = useState(() => new AbortController())
  // One question, asked once: the range that was counted is the range that is changed.
  const filter = useRef(target.type === 'all' ? filterOf(target.view, serverClock.now()) : null)
  const fail = (error: unknown) => {
    if (!isAbort(error)) setStage({ type: 'failed', error: error instanceof Error ? error : new Error(String(error)) })
  }

  useEffect(() => {
    if (target.type === 'all')
      countAll(filter.current!, action as ManyAction, abort.signal).then(
        ({ matched, more }) => setStage({ type: 'asking', matched, more }),
        fail,
      )
    return () => abort.abort()
  }, [])

  const run = () => {
    const onProgress = (progress: Progress) => setStage({ type: 'working', progress })
    onProgress({ done: 0, failed: 0, failures: [] })
    const work =
      target.type === 'some'
        ? actOnEach(target.timers, action, onProgress, abort.signal)
        : actOnAll(filter.current!, action as ManyAction, onProgress, abort.signal)
    work.then((progress) => setStage({ type: 'done', progress, isStopped: abort.signal.aborted }), fail)
  }

  const { name, done } = ACTIONS[action]
  const matched = stage.type === 'asking' ? stage.matched : 0
  const hasActed = stage.type === 'done' || stage.type === 'working' || stage.type === 'failed'
  const foot =
    stage.type === 'working' ? (
      <Button onClick={() => abort.abort()}>Stop</Button>
    ) : stage.type === 'done' || stage.type === 'failed' ? (
      <Button kind="primary" onClick={() => onClose(true)}>
        Close
      </Button>
    ) : (
      <>
        <Button autoFocus onClick={() => onClose(false)}>
          Keep as is
        </Button>
        <Button kind={action === 'cancel' ? 'danger' : 'primary'} disabled={matched === 0} onClick={run}>
          {stage.type === 'asking' ? `${name} ${plural(matched, 'timer')}` : name}
        </Button>
      </>
    )
  return (
    <Dialog title={`${name} timers`} onClose={() => onClose(hasActed)} isHeld={stage.type === 'working'} foot={foot}>
      <StageView
        stage={stage}
        action={action}
        doneWord={done}
        total={target.type === 'some' ? target.timers.length : null}
      />
    </Dialog>
  )
}

type StageViewProps = {
  readonly stage: Stage
  readonly action: ActionName
  readonly doneWord: string
  readonly total: number | null
}

function StageView({ stage, action, doneWord, total }: StageViewProps) {
  switch (stage.type) {
    case 'counting':
      return <Skeleton height={20} />
    case 'failed':
      return <Failure error={stage.error} />
    case 'asking':
      return (
        <p>
          This will {action} <strong className="num">{plural(stage.matched, 'timer')}</strong>
          {stage.more ? ', and those that are beyond what is counted at once' : ''}.{' '}
          {action === 'cancel' && 'Canceled timers never fire.'}
        </p>
      )
    case 'working':
      return (
        <div role="status">
          <p className="num">
            {doneWord} {count(stage.progress.done)}
            {total === null ? '' : ` of ${count(total)}`}…
          </p>
          <progress
            aria-label="Progress"
            max={total ?? undefined}
            value={total === null ? undefined : stage.progress.done + stage.progress.failed}
          />
        </div>
      )
    case 'done':
      return <Result progress={stage.progress} doneWord={doneWord} isStopped={stage.isStopped} />
  }
}

function Result({
  progress,
  doneWord,
  isStopped,
}: {
  readonly progress: Progress
  readonly doneWord: string
  readonly isStopped: boolean
}) {
  const { done, failed, failures } = progress
  return (
    <div role="status" className="stack">
      <p className="num">
        {doneWord} {plural(done, 'timer')}
        {failed === 0 ? '.' : `; ${count(failed)} could not be: too late, or refused.`}
        {isStopped && ' Stopped before the end.'}
      </p>
      {failures.length > 0 && (
        <ul className="row-faults">
          {failures.map(({ id, message }) => (
            <li key={id}>
              <code>{id}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
