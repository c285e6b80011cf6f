// One delivery now, as the timer would make it, without storing anything: does the receiver answer as it should?

import type { CallbackTestResult } from '@duetime/client'
import { useState } from 'react'
import { duetime } from '../../api/client.ts'
import { callbackOf } from '../../callback/callback-form.ts'
import { millis } from '../../format/times.ts'
import { Button } from '../../ui/button.tsx'
import { readJson } from '../../ui/json-field.tsx'
import { Failure } from '../../ui/states.tsx'
import type { NewForm } from './new-timer.ts'

export function CallbackTester({ form }: { readonly form: NewForm }) {
  const [result, setResult] = useState<CallbackTestResult | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const callback = callbackOf(form)
  const payload = readJson(form.payload)
  const send = async () => {
    setError(null)
    try {
      setResult(
        await duetime.testCallback({
          namespace: form.namespace,
          callback: callback!,
          ...(payload.ok && payload.value !== undefined ? { payload: payload.value } : {}),
        }),
      )
    } catch (failure) {
      setResult(null)
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    }
  }
  return (
    <div className="stack tester">
      <div className="tester-head">
        <Button icon="send" disabled={callback === null || !payload.ok} onClick={send}>
          Send a test delivery
        </Button>
        <span className="soft small">Called now with this payload, signed as usual. Nothing is stored.</span>
      </div>
      {error !== null && <Failure error={error} />}
      {result !== null && <Result result={result} />}
    </div>
  )
}

function Result({ result }: { readonly result: CallbackTestResult }) {
  const { outcome, statusCode, durationMs, error, responseBody } = result
  const isGood = outcome !== 'failed'
  return (
    <div className="tester-result" role="status" data-kind={isGood ? 'good' : 'bad'}>
      <div className="attempt">
        <span className="pill" data-status={isGood ? 'completed' : 'failed'}>
          {outcome}
        </span>
        {statusCode !== null && <span className="tag num">HTTP {statusCode}</span>}
        <span className="num soft">{millis(durationMs)}</span>
      </div>
      {error !== null && <p className="attempt-error">{error}</p>}
      {responseBody !== null && responseBody !== '' && (
        <pre className="code" tabIndex={0} aria-label="Answer of the receiver">
          {responseBody}
        </pre>
      )}
    </div>
  )
}
