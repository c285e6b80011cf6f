// The receiver is made by the conformance runner, which runs this application: see sdks/typescript/conformance/frameworks.ts.

export const dynamic = 'force-dynamic'

export function POST(request) {
  return globalThis.duetimeHandler(request)
}
