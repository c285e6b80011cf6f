// Import: a file is chosen and read, then sent; what was refused is shown row by row.

import { useEffect, useId, useRef, useState } from 'react'
import { isAbort } from '../../api/client.ts'
import type { OnConflict } from '../../api/timer.ts'
import { bytes, count, plural } from '../../format/numbers.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { FILE_BYTES_MAX, readRows } from './import-rows.ts'
import type { ImportRow } from './import-rows.ts'
import { importRows } from './import-work.ts'
import type { ImportProgress } from './import-work.ts'

type Chosen = { readonly name: string; readonly rows: readonly ImportRow[] }

const CONFLICTS: readonly (readonly [OnConflict, string])[] = [
  ['reject', 'Leave the stored timer and report it'],
  ['keep', 'Leave the stored timer silently'],
  ['replace', 'Replace the stored timer'],
]

type ImportDialogProps = {
  readonly namespace: string | null
  readonly onClose: () => void
  readonly onDone: () => void
}

export function ImportDialog({ namespace, onClose, onDone }: ImportDialogProps) {
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [onConflict, setOnConflict] = useState<OnConflict>('reject')
  const [progress, setProgress] = useState<ImportProgress | null>(null)
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])

  const choose = async (file: File | undefined) => {
    setProgress(null)
    setChosen(null)
    setFault(null)
    if (file === undefined) return
    if (file.size > FILE_BYTES_MAX)
      return setFault(
        `The file has ${bytes(file.size)}; here ${bytes(FILE_BYTES_MAX)} is the limit. Use duetime import for larger ones.`,
      )
    try {
      setChosen({ name: file.name, rows: await readRows(await file.text(), file.name) })
    } catch {
      setFault('The file is not JSON, NDJSON or CSV.')
    }
  }

  const run = async () => {
    abort.current = new AbortController()
    setError(null)
    setRunning(true)
    try {
      setProgress(await importRows(chosen!.rows, { namespace, onConflict }, setProgress, abort.current.signal))
    } catch (failure) {
      if (!isAbort(failure)) setError(failure instanceof Error ? failure : new Error(String(failure)))
    }
    setRunning(false)
    onDone()
  }

  const isDone = progress !== null && !isRunning
  const foot = (
    <>
      <Button onClick={() => (isRunning ? abort.current?.abort() : onClose())}>{isRunning ? 'Stop' : 'Close'}</Button>
      {!isDone && (
        <Button
          kind="primary"
          icon="up"
          disabled={chosen === null || chosen.rows.length === 0 || isRunning}
          onClick={run}
        >
          {chosen === null ? 'Import' : `Import ${plural(chosen.rows.length, 'timer')}`}
        </Button>
      )}
    </>
  )
  return (
    <Dialog title="Import timers" onClose={onClose} wide isHeld={isRunning} foot={foot}>
      <FileDrop chosen={chosen} fault={fault} disabled={isRunning} onFile={choose} />
      <SelectField label="When an id exists already" value={onConflict} options={CONFLICTS} onChange={setOnConflict} />
      {progress !== null && <ProgressView progress={progress} total={chosen?.rows.length ?? 0} />}
      {error !== null && <Failure error={error} />}
    </Dialog>
  )
}

type FileDropProps = {
  readonly chosen: Chosen | null
  readonly fault: string | null
  readonly disabled: boolean
  readonly onFile: (file: File | undefined) => Promise<void>
}

function FileDrop({ chosen, fault, disabled, onFile }: FileDropProps) {
  const id = useId()
  return (
    <div
      className="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        void onFile(event.dataTransfer.files[0])
      }}
    >
      <label htmlFor={id}>
        <strong>{chosen === null ? 'Choose a file, or drop it here' : chosen.name}</strong>
        <span className="soft">
          {chosen === null
            ? 'NDJSON, a JSON array, or CSV with a header line: the fields of a create, or an export of this page.'
            : `${plural(chosen.rows.length, 'row')} read.`}
        </span>
      </label>
      <input
        id={id}
        type="file"
        accept=".json,.ndjson,.jsonl,.csv,application/json,text/csv"
        disabled={disabled}
        onChange={(event) => void onFile(event.target.files?.[0])}
      />
      {fault !== null && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}

function ProgressView({ progress, total }: { readonly progress: ImportProgress; readonly total: number }) {
  const { done, created, failed, faults } = progress
  return (
    <div className="stack" role="status">
      <p className="num">
        {plural(created, 'timer')} stored{failed === 0 ? '' : `, ${count(failed)} refused`}
        {done < total ? ` · ${count(done)} of ${count(total)} rows…` : '.'}
      </p>
      <progress aria-label="Progress" max={total} value={done} />
      {faults.length > 0 && (
        <div className="row-faults" tabIndex={0} role="region" aria-label="Refused rows">
          <table>
            <thead>
              <tr>
                <th>Line</th>
                <th>Id</th>
                <th>Why</th>
              </tr>
            </thead>
            <tbody>
              {faults
                .toSorted((a, b) => a.line - b.line)
                .map(({ line, id, message }) => (
                  <tr key={line}>
                    <td className="num">{line}</td>
                    <td className="mono">{id}</td>
                    <td>{message}</td>
                  </tr>
                ))}
            </tbody>
          </table>
          {failed > faults.length && <p className="soft">… and {count(failed - faults.length)} more.</p>}
        </div>
      )}
    </div>
  )
}
