// What is shown instead of a page while the service wants a key.

import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Logo } from '../ui/icon.tsx'
import { session } from './session.ts'
import { useStore } from '../state/store.ts'

export function SignIn() {
  const { needs } = useStore(session.store)
  const [key, setKey] = useState('')
  const [remember, setRemember] = useState(false)
  const isWrong = needs === 'another key'
  return (
    <div className="signin">
      <form
        className="card"
        aria-labelledby="signin-title"
        onSubmit={(event) => {
          event.preventDefault()
          if (key.trim() !== '') session.signIn(key.trim(), remember)
        }}
      >
        <div className="signin-logo">
          <Logo />
        </div>
        <div>
          <h1 id="signin-title">Sign in</h1>
          <p className="soft">
            This service asks for an API key. Ask whoever runs it, or make one with <code>duetime keys create</code>.
          </p>
        </div>
        <TextField
          label="API key"
          type="password"
          mono
          value={key}
          onChange={setKey}
          placeholder="dtk_…"
          required
          fault={isWrong ? 'The service does not know this key. Check that it is complete and was not removed.' : null}
          hint={remember ? 'Kept in this browser until you sign out.' : 'Kept until you close this tab.'}
        />
        <label className="check">
          <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.target.checked)} />
          Remember on this device
        </label>
        <Button kind="primary" type="submit">
          Sign in
        </Button>
      </form>
    </div>
  )
}
