/**
 * What the made-up providers publish about their models in a structured form, and the other names that
 * were curated for these. Nothing else is known of any model but what events say.
 */
export interface ModelNotice {
  provider: string
  model: string
  /** What to use instead, as the provider's list of deprecations has it. */
  replacementIds: readonly string[]
  /** How long after its announcement a deprecation takes effect. */
  noticeDays: number
}

export const notices: readonly ModelNotice[] = [
  notice('northwind-ai', 'zephyr-3', 90, 'zephyr-4'),
  notice('northwind-ai', 'zephyr-4-mini', 60, 'zephyr-4'),
  notice('lumen-labs', 'candela-mini-2026-09', 30, 'candela-5', 'candela-vision'),
  notice('lumen-labs', 'candela-vision', 180, 'candela-5'),
  notice('kestrel-research', 'kestrel-8b', 90, 'kestrel-70b'),
  notice('halcyon-cloud', 'halcyon-flash-lite', 45, 'halcyon-flash'),
  notice('tessera', 'mosaic-2-voice', 90, 'mosaic-2'),
]

export interface ModelAlias {
  alias: string
  provider: string
  model: string
}

/** One of them names the models of two providers, so that callers meet what is ambiguous. */
export const aliases: readonly ModelAlias[] = [
  { alias: 'zephyr-latest', provider: 'northwind-ai', model: 'zephyr-4' },
  { alias: 'zephyr-previous', provider: 'northwind-ai', model: 'zephyr-3' },
  { alias: 'candela-latest', provider: 'lumen-labs', model: 'candela-5' },
  { alias: 'kestrel', provider: 'kestrel-research', model: 'kestrel-70b' },
  { alias: 'halcyon-latest', provider: 'halcyon-cloud', model: 'halcyon-pro' },
  { alias: 'mosaic-latest', provider: 'tessera', model: 'mosaic-2' },
  { alias: 'embed-latest', provider: 'northwind-ai', model: 'gale-embed-2' },
  { alias: 'embed-latest', provider: 'lumen-labs', model: 'lux-embed' },
]

function notice(
  provider: string,
  model: string,
  noticeDays: number,
  ...replacementIds: string[]
): ModelNotice {
  return { provider, model, replacementIds, noticeDays }
}
