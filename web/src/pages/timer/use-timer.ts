// One timer, kept fresh: when the live connection tells of it, when its time has come, and now and then.

import { useEffect, useRef } from 'react'
import { liveFeed } from '../../api/live-feed.ts'
import { serverClock } from '../../api/server-clock.ts'
import { timersApi } from '../../api/timers.ts'
import type { Timer } from '../../api/timer.ts'
import { useResource } from '../../state/resource.ts'
import type { Resource } from '../../state/resource.ts'

const CALM_MS = 10_000
const BUSY_MS = 1_000
const SETTLE_MS = 60 // a firing is told of before its outcome is on disk

export function useTimer(namespace: string, id: string): Resource<Timer> {
  const isBusy = useRef(false)
  const resource = useResource(`${namespace}\n${id}`, (signal) => timersApi.get({ namespace, timerId: id }, signal), {
    refreshMs: isBusy.current ? BUSY_MS : CALM_MS,
  })
  isBusy.current = resource.data !== undefined && isExpected(resource.data)
  const { reload } = resource
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = liveFeed.listen(({ event, data }) => {
      if ((event !== 'firing' && event !== 'change') || !isAbout(data, namespace, id)) return
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

/** Most samples are about other timers: a look at the text spares parsing them. */
function isAbout(data: string, namespace: string, id: string): boolean {
  if (!data.includes(JSON.stringify(id))) return false
  const about = JSON.parse(data) as { readonly namespace?: string; readonly id?: string }
  return about.id === id && about.namespace === namespace
}
