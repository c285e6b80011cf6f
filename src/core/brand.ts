// Brands keep values apart that are the same primitive: a TimerId is not a Namespace, an Epoch is not a ShardId.

declare const brand: unique symbol

export type Brand<T, Name extends string> = T & { readonly [brand]: Name }
