import type { GenuineSignature, Target } from './target.ts'
import type { Answer } from './send-request.ts'

type Forms = Record<string, (genuine: GenuineSignature) => string>

// Nothing here can be read as `t=<unix>,v1=<64 lowercase hex digits>`, by no reader however lax.
export const malformedForms: Forms = {
  'no v1': ({ timestampSeconds }) => `t=${timestampSeconds}`,
  'no t': ({ hex }) => `v1=${hex}`,
  'only another scheme': ({ timestampSeconds, hex }) => `t=${timestampSeconds},v0=${hex}`,
  'the header of another vendor': ({ hex }) => `sha256=${hex}`,
  'v1 that is no hex': ({ timestampSeconds }) => `t=${timestampSeconds},v1=${'z'.repeat(64)}`,
  't that is no number': ({ hex }) => `t=now,v1=${hex}`,
  'no equals signs': () => 't,v1',
  'nothing but commas': () => ',,,,',
  'eight kilobytes of digits': ({ timestampSeconds }) =>
    `t=${timestampSeconds},v1=${'ab'.repeat(4_000)}`,
}

// What the service never sends, but what a willing reader takes for what it does send.
export const laxForms: Forms = {
  'a zero before it': ({ timestampSeconds, hex }) => `t=0${timestampSeconds},v1=${hex}`,
  'a sign before it': ({ timestampSeconds, hex }) => `t=+${timestampSeconds},v1=${hex}`,
  'a fraction': ({ timestampSeconds, hex }) => `t=${timestampSeconds}.0,v1=${hex}`,
  'letters behind it': ({ timestampSeconds, hex }) => `t=${timestampSeconds}abc,v1=${hex}`,
  'there twice': ({ timestampSeconds: t, hex }) => `t=${t - 1},t=${t},v1=${hex}`,
}

// The right digits, but fewer or more of them; decoders of hex drop what they do not like.
export const cutForms: Forms = {
  '8 digits': ({ timestampSeconds, hex }) => `t=${timestampSeconds},v1=${hex.slice(0, 8)}`,
  '63 digits': ({ timestampSeconds, hex }) => `t=${timestampSeconds},v1=${hex.slice(0, 63)}`,
  '65 digits': ({ timestampSeconds, hex }) => `t=${timestampSeconds},v1=${hex}0`,
  'letters behind it': ({ timestampSeconds, hex }) => `t=${timestampSeconds},v1=${hex}zz`,
  'no digits': ({ timestampSeconds }) => `t=${timestampSeconds},v1=`,
}

const bad = 'ab'.repeat(32)

// Genuine: one of the two signatures is right.
export const doubleForms: Forms = {
  'the second one fits': ({ timestampSeconds: t, hex }) => `t=${t},v1=${bad},v1=${hex}`,
  'the first one fits': ({ timestampSeconds: t, hex }) => `t=${t},v1=${hex},v1=${bad}`,
}

/** Delivers an event under each of the forms. */
export function deliverForms(
  { deliver, makeEvent }: Target,
  forms: Forms,
): Record<string, Promise<Answer>> {
  const deliveries = Object.entries(forms).map(
    ([label, forge]) => [label, deliver(makeEvent(), { forge })] as const,
  )
  return Object.fromEntries(deliveries)
}
