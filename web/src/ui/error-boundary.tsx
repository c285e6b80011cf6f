// A mistake in drawing one page leaves the rest of the page standing, and says what happened.

import { Component } from 'react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Failure } from './states.tsx'

type Props = { readonly children: ReactNode }
type State = { readonly error: Error | null }

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null }

  static getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children
    return (
      <div className="stack">
        <h1>This page could not be shown</h1>
        <Failure error={this.state.error} />
        <div>
          <Button icon="retry" onClick={() => location.reload()}>
            Load it again
          </Button>
        </div>
      </div>
    )
  }
}
