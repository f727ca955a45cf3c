import { defineCommand } from '../command.ts'
import { CliError } from '../errors.ts'
import { explainDelivery, type Explanation } from '../explain/explain-delivery.ts'
import { parseTime } from '../parse-time.ts'
import { readBytes, readDelivery, type CapturedDelivery, type Piped } from '../read-delivery.ts'
import { readHeaderFile } from '../read-header-file.ts'
import { manySecretOptions, readSecrets } from '../secret-options.ts'

/** Why the signature of a delivery fails. */
export const explain = defineCommand({
  count: [1, 1],
  options: {
    signature: {
      type: 'string',
      value: 'value',
      help: 'the Feed-Signature header, for a raw body',
    },
    'headers-file': {
      type: 'string',
      value: 'path',
      help: 'headers for a raw body: JSON, or a line each as curl prints them',
    },
    'received-at': {
      type: 'string',
      value: 'time',
      help: 'when it came, to judge its time as well',
    },
    ...manySecretOptions,
  },
  notes: [
    'A delivery is a JSON file { headers, body } or { headers, bodyBase64 }, where receivedAt may say\n' +
      'when it came; or the raw body, with --signature or --headers-file. It tries each secret as it\n' +
      'is, and then what commonly goes wrong with secrets, bodies, timestamps and signing. Secrets and\n' +
      'signatures are never printed. Exit code 0 means that the signature holds.',
  ],
  examples: [
    'feed-receiver explain delivery.json',
    "feed-receiver explain body.bin --signature 't=1790000000,v1=…' --secret-env OLD --secret-env NEW",
  ],
  async run({ operands: [path = ''], options }, context) {
    const delivery = await withOptions(await readCaptured(path, options, context), options, context)
    const secrets = readSecrets(options, context)
    // Over a body near the limit all that can be tried takes seconds.
    context.out.progress('Trying what may have gone wrong …')
    const explanation = explainDelivery(delivery, { secrets })
    context.out.json(explanation)
    for (const line of describe(explanation)) context.out.line(line)
    return explanation.holds ? 0 : 1
  },
})

interface ExplainValues {
  signature?: string | undefined
  'headers-file'?: string | undefined
  'received-at'?: string | undefined
}

// With headers of its own a file is the body, even where it looks like a captured delivery.
async function readCaptured(
  path: string,
  { signature, 'headers-file': file }: ExplainValues,
  piped: Piped,
): Promise<CapturedDelivery> {
  if (signature === undefined && file === undefined) return await readDelivery(path, piped)
  return { body: await readBytes(path, piped), headers: {}, receivedAt: null, isRewritten: false }
}

async function withOptions(
  delivery: CapturedDelivery,
  { signature, 'headers-file': file, 'received-at': received }: ExplainValues,
  piped: Piped,
): Promise<CapturedDelivery> {
  const fromFile = file === undefined ? {} : await readHeaderFile(file, piped)
  const fromOption = signature === undefined ? {} : { 'feed-signature': signature }
  const headers = { ...delivery.headers, ...fromFile, ...fromOption }
  const receivedAt = parseTime('received-at', received)?.toISOString() ?? delivery.receivedAt
  if (Object.keys(headers).length > 0) return { ...delivery, headers, receivedAt }
  throw new CliError(
    'usage',
    'There are no headers: give the signature with --signature or --headers-file, or a JSON file ' +
      'with { headers, body }.',
  )
}

function describe({ holds, causes, secret, signedAt, notes }: Explanation): string[] {
  const whose = secret ? ` (${secret.name}, fingerprint ${secret.fingerprint})` : ''
  const verdict = holds
    ? [`The signature holds${whose}.`, ...(notes.length === 0 ? [elsewhere] : [])]
    : causes.flatMap(({ code, says, fix }) => [`${code}: ${says}`, `  ${fix}`])
  const found = !holds && secret ? [`The secret is right otherwise${whose}.`] : []
  const signed = signedAt === null ? [] : [`Signed at ${signedAt}.`]
  return [...verdict, ...found, ...signed, ...notes.map((note) => `note: ${note}`)]
}

const elsewhere =
  'If a receiver refused it, that receiver had another secret, other bytes or another clock.'
