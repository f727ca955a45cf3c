import { defineCommand } from '../command.ts'
import { CliError, UsageError } from '../errors.ts'
import {
  explainDelivery,
  type CapturedDelivery,
  type Explanation,
} from '../conformance/explain/explain-delivery.ts'
import { parsed, text, type Values } from '../options/option.ts'
import { readSecrets, secretOptions } from '../options/secret-options.ts'
import { parseTime } from '../options/values.ts'
import { parseJson } from '../or-undefined.ts'
import { present } from '../output/words.ts'
import { readBytes, readDelivery, readHeaders, type Piped } from '../read-delivery.ts'

const deliveryOptions = {
  signature: text('--signature <value>', 'Feed-Signature header of a raw body'),
  headersFile: text(
    '--headers-file <path>',
    'headers of a raw body: JSON, or one per line as in curl',
  ),
  receivedAt: parsed('--received-at <time>', 'time of receipt, to check the timestamp', parseTime),
}

export const explain = defineCommand({
  options: { ...deliveryOptions, ...secretOptions },
  notes: `
    A delivery is a JSON file { headers, body } or { headers, bodyBase64 }, in which receivedAt may
    be the time of receipt. Or it is the raw body, with --signature or --headers-file. The command
    tries each secret unchanged, and then common mistakes with secrets, bodies, timestamps and
    signing. It never prints secrets or signatures. Exit code 0 means that the signature is valid.

    The secret options are repeatable, and a secret file may have one secret per line.
  `,
  examples: [
    'feed-receiver explain delivery.json',
    "feed-receiver explain body.bin --signature 't=1790000000,v1=…' --secret-env OLD --secret-env NEW",
  ],
  async run({ operands: [path = ''], options }, context) {
    const delivery = await readCaptured(path, options, context)
    const secrets = readSecrets(options, context)
    // For a body near the size limit, trying every hypothesis takes seconds.
    context.out.progress('Trying common mistakes …')
    const explanation = explainDelivery(delivery, { secrets })
    context.out.result(explanation, ...describeExplanation(explanation))
    return explanation.holds ? 0 : 1
  },
})

async function readCaptured(
  path: string,
  { signature, headersFile, receivedAt }: Values<typeof deliveryOptions>,
  piped: Piped,
): Promise<CapturedDelivery> {
  // If headers are given, the file is the body, even if it looks like a captured delivery.
  const delivery =
    signature === undefined && headersFile === undefined
      ? await readDelivery(path, piped)
      : { body: await readBytes(path, piped), headers: {}, receivedAt: null, isRewritten: false }
  const headers = {
    ...delivery.headers,
    ...(headersFile !== undefined && (await readHeaderFile(headersFile, piped))),
    ...(signature !== undefined && { 'feed-signature': signature }),
  }
  if (Object.keys(headers).length === 0)
    throw new UsageError(
      'The delivery has no headers. Add --signature or --headers-file, or use a JSON file with { headers, body }.',
    )
  return { ...delivery, headers, receivedAt: receivedAt?.toISOString() ?? delivery.receivedAt }
}

/**
 * Reads headers from a file: JSON, or one per line, as in the output of `curl -v` and log files.
 */
async function readHeaderFile(path: string, piped: Piped): Promise<Record<string, string>> {
  const content = new TextDecoder().decode(await readBytes(path, piped))
  const headers = readHeaders(parseJson(content) ?? readHeaderLines(content))
  if (Object.keys(headers).length > 0) return headers
  throw new CliError(
    'unreadable_file',
    `${path} contains no headers. Use JSON, or one line "Name: value" per header.`,
  )
}

function readHeaderLines(content: string): [string, string][] {
  return content.split(/\r?\n/).flatMap((line): [string, string][] => {
    const [, name, value] = /^[<>*\s]*([A-Za-z0-9-]+)\s*:\s?(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value ?? '']]
  })
}

function describeExplanation({ holds, causes, secret, signedAt, notes }: Explanation): string[] {
  const whose = secret ? ` (${secret.name}, fingerprint ${secret.fingerprint})` : ''
  return present(
    holds && `The signature is valid${whose}.`,
    holds && notes.length === 0 && elsewhere,
    ...causes.flatMap(({ code, says, fix }) => [`${code}: ${says}`, `  ${fix}`]),
    !holds && secret && `Apart from that, the secret is right${whose}.`,
    signedAt !== null && `Signed at ${signedAt}.`,
    ...notes.map((note) => `note: ${note}`),
  )
}

const elsewhere =
  'If a receiver rejected it, that receiver has another secret, other bytes or another clock.'
