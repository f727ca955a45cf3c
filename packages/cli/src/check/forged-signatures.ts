import type { GenuineSignature, Target } from './target.ts'
import { judgeEach, type Judge, type Verdict } from './verdict.ts'

type Forms = Record<string, (genuine: GenuineSignature) => string>

// Nothing here can be read as `t=<unix>,v1=<64 lowercase hex digits>`, however willing the reader is.
const malformed: Forms = {
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
const lax: Forms = {
  'a zero before it': ({ timestampSeconds, hex }) => `t=0${timestampSeconds},v1=${hex}`,
  'a sign before it': ({ timestampSeconds, hex }) => `t=+${timestampSeconds},v1=${hex}`,
  'a fraction': ({ timestampSeconds, hex }) => `t=${timestampSeconds}.0,v1=${hex}`,
  'letters behind it': ({ timestampSeconds, hex }) => `t=${timestampSeconds}abc,v1=${hex}`,
  'there twice': ({ timestampSeconds: t, hex }) => `t=${t - 1},t=${t},v1=${hex}`,
}

/** Sends every header that no reader can take for a signature. */
export function malformedSignatures(target: Target, judge: Judge): Promise<Verdict> {
  return sendAll(target, malformed, judge)
}

/** Sends every spelling of the time that the service never writes. */
export function laxSignatures(target: Target, judge: Judge): Promise<Verdict> {
  return sendAll(target, lax, judge)
}

async function sendAll(target: Target, forms: Forms, judge: Judge): Promise<Verdict> {
  const answers = await Promise.all(
    Object.entries(forms).map(
      async ([label, forge]) =>
        [label, await target.deliver(target.makeEvent(), { forge })] as const,
    ),
  )
  return judgeEach(answers, judge)
}
