// The header Prefer (RFC 7240), of which one preference is known here: `return=minimal`, for an answer without what the client
// knows already. Whatever else it says is ignored, as it must be.

const MINIMAL = /(?:^|,)\s*return\s*=\s*"?minimal"?\s*(?:[;,]|$)/i

export function prefersMinimal(header: string | string[] | undefined): boolean {
  return header !== undefined && MINIMAL.test(String(header))
}
