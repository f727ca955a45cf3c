export type RuntimeName = 'node-20' | 'node-22' | 'node-24' | 'node-26' | 'bun' | 'deno'

/** The path of the executable; throws where there is none for this platform. */
export function findRuntime(name: RuntimeName): string
