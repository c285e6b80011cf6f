// One timer, kept fresh: when the live connection tells of it, when its time has come, and now and then.

import { useEffect, useRef } from 'react'
import { duetime } from '../../api/client.ts'
import { liveFeed } from '../../api/live-feed.ts'
import { serverClock } from '../../api/server-clock.ts'
import type { Timer } from '../../api/timer.ts'
import { useResource } from '../../state/resource.ts'
import type { Resource } from '../../state/resource.ts'

const CALM_MS = 10_000
const BUSY_MS = 1_000
const SETTLE_MS = 60 // a firing is told of before its outcome is on disk

export function useTimer(namespace: string, id: string): Resource<Timer> {
  const isBusy = useRef(false)
  const resource = useResource(`${namespace}\n${id}`, (signal) => duetime.get({ namespace, id }, { signal }), {
    refreshMs: isBusy.current ? BUSY_MS : CALM_MS,
  })
  isBusy.current = resource.data !== undefined && isExpected(resource.data)
  const { reload } = resource
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = liveFeed.listen(({ type, data }) => {
      if ((type !== 'firing' && type !== 'change') || data.id !== id || data.namespace !== namespace) return
      clearTimeout(timer)
      timer = setTimeout(reload, SETTLE_MS)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [namespace, id, reload])
  return resource
}

/** Something is about to happen, or is happening. */
function isExpected({ status, executeAt, nextAttemptAt }: Timer): boolean {
  return status === 'executing' || (status === 'pending' && Date.parse(nextAttemptAt ?? executeAt) <= serverClock.now())
}
