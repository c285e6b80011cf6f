// Tests start many small servers, which have to be there soon. Benchmarks and people who try a load want some that are sized as
// docs/operations says: SERVER_SIZE=large.

const isLarge = (): boolean => process.env['SERVER_SIZE'] === 'large'

/** Of the two, the one that fits the servers that are started now. */
export function bySize<T>(sizes: { readonly small: T; readonly large: T }): T {
  return isLarge() ? sizes.large : sizes.small
}
