// The namespaces of a simulation. `calm` and those of the flood belong to tenants with keys of their own.

export const NAMESPACES = ['default', 'calm', 'short'] as const
/** Of one tenant. */
export const FLOOD_NAMESPACES = ['flood', 'flood2', 'flood3'] as const
export const ALL_NAMESPACES: readonly string[] = [...NAMESPACES, ...FLOOD_NAMESPACES]
