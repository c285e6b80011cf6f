// Which namespace is looked at: all that the key may see, or one. It is part of the URL of every page.

import { useId } from 'react'
import { loadOverview } from './api/overview.ts'
import { roughly } from './format/numbers.ts'
import { changeParams, hrefOf, navigate, readTimerPath, useCurrentPlace } from './routing/router.ts'
import { session } from './session/session.ts'
import { useResource } from './state/resource.ts'
import { useStore } from './state/store.ts'

const REFRESH_MS = 30_000

export function NamespacePicker() {
  const id = useId()
  const { needs, key } = useStore(session.store)
  const { path, params } = useCurrentPlace()
  const chosen = params.get('ns') ?? readTimerPath(path)?.namespace ?? ''
  const { data } = useResource(
    `namespaces ${key ?? ''} ${needs}`,
    (signal) => (needs === 'nothing' ? loadOverview(null, signal) : Promise.reject(new Error('signed out'))),
    { refreshMs: needs === 'nothing' ? REFRESH_MS : undefined },
  )
  const known = data?.namespaces ?? []
  const isMissing = chosen !== '' && known.every(({ namespace }) => namespace !== chosen)
  const choose = (namespace: string) => {
    if (path.startsWith('/timers/')) navigate(hrefOf('/timers', { ns: namespace }))
    else changeParams({ ns: namespace, page: null, cursor: null })
  }
  return (
    <div className="picker">
      <span>
        <label htmlFor={id}>Namespace</label>
      </span>
      <select id={id} className="select" value={chosen} onChange={(event) => choose(event.target.value)}>
        <option value="">All namespaces</option>
        {isMissing && <option value={chosen}>{chosen}</option>}
        {known.map(({ namespace, pending, paused, executing }) => (
          <option key={namespace} value={namespace}>
            {namespace} ({roughly(pending + paused + executing)})
          </option>
        ))}
      </select>
    </div>
  )
}
