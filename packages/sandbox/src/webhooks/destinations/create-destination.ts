import { randomBytes } from 'node:crypto'
import {
  checkTarget,
  findRedirect,
  probeTarget,
  SenderError,
  type ProbeOptions,
} from '@feed-receiver/sender/internal'
import { z } from 'zod'
import { action } from '../../server/action.ts'
import { missing, Rejection } from '../../server/rejections.ts'
import { plainText } from '../../state/fields.ts'
import type { DestinationKind } from '../../state/delivery.ts'
import { findChat, isChatHost } from '../chats/chats.ts'
import {
  destinationRules,
  destinationName,
  logDestination,
  readDestination,
  type Destination,
} from './destinations.ts'
import { insertSecret, makeSecret } from '../secrets/signing-secrets.ts'
import { urlLabel } from '../../state/vault.ts'
import type { Context } from '../../server/context.ts'

const newDestination = z.strictObject({
  accountId: plainText(64),
  name: destinationName,
  url: z.string().min(1).max(4000),
  rules: destinationRules.optional(),
  /** A signing secret that the receiver already has; a new one if omitted. */
  secret: z
    .string()
    .regex(/^feed_whsec_[\x21-\x7e]{1,500}$/, 'expected a secret that begins with feed_whsec_')
    .optional(),
})

/** With the secret, which is shown only this once; null for a chat. */
export type CreatedDestination = Destination & { secret: string | null }

/** The maximum number of destinations of an account, of any kind. */
const maxDestinations = 5

// It begins in the state new. A test delivery activates it.
export const createDestination = action(
  'Creates a destination in state `new`; only this response contains its secret.',
  newDestination,
  async (context, { accountId, name, url, rules = {}, secret = makeSecret() }) => {
    const { database, vault } = context
    const target = readTarget(url, context)
    const kind = destinationKindOf(target)
    const isSigned = kind === 'signed'
    // Without these rules a target may start later, and the test delivery detects a redirect.
    if (context.strictDestinations && (isSigned || context.sendChat)) {
      await checkEndpoint(target, kind)
    }
    const id = `dst_${randomBytes(12).toString('hex')}`
    return await database.tx(async (tx): Promise<CreatedDestination> => {
      // The lock prevents two concurrent calls from both creating the fifth one.
      const locked = 'select from sandbox.account where id = $1 for update'
      if ((await tx.query(locked, [accountId])).rowCount === 0) throw missing('account')
      const { rowCount } = await tx.query(
        `select from sandbox.destination where account_id = $1 and state <> 'deleted'`,
        [accountId],
      )
      if (rowCount >= maxDestinations) throw new Rejection('destination_limit')
      const { providers = [], categories = [], types = [], confirmation = 'confirmed' } = rules
      const urlSealed = vault.seal(target.href, urlLabel(id))
      await tx.query(
        `insert into sandbox.destination
           (id, account_id, name, kind, url_sealed, providers, categories, types, confirmation)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [id, accountId, name, kind, urlSealed, providers, categories, types, confirmation],
      )
      if (isSigned) await insertSecret(tx, vault, id, { secret, state: 'current' })
      await logDestination(tx, id, 'created')
      return { ...(await readDestination(tx, vault, id)), secret: isSigned ? secret : null }
    })
  },
  { rejectStrict: ({ secret }) => rejectSecret(secret) },
)

export function rejectSecret(secret: string | undefined): string | undefined {
  if (secret === undefined) return undefined
  return 'A strict sandbox generates the signing secret itself, so leave it out.'
}

/** Parses the URL of a destination. @throws Rejection */
export function readTarget(url: string, { strictDestinations }: Context): URL {
  try {
    return checkTarget(url, { allowLocal: !strictDestinations })
  } catch (error) {
    if (!(error instanceof SenderError)) throw error
    throw badDestination(
      strictDestinations
        ? `${error.problem} Use a public https URL without credentials, or start the sandbox without strictDestinations (--strict-destinations).`
        : `${error.problem} Use the full http or https URL of your app, without credentials.`,
    )
  }
}

function destinationKindOf(target: URL): DestinationKind {
  const chat = findChat(target)
  if (!chat && isChatHost(target)) {
    throw badDestination(
      'The URL belongs to a chat, but is not an incoming webhook. Copy the full URL of the webhook.',
    )
  }
  return chat ?? 'signed'
}

/**
 * Checks an address by connecting to it. A chat's address is official, so it is not checked for a
 * redirect.
 *
 * @throws Rejection `bad_destination` if no connection succeeds within 10 seconds, or a HEAD
 * request without a body is redirected.
 */
export async function checkEndpoint(
  target: URL,
  kind: DestinationKind,
  options: ProbeOptions = {},
): Promise<void> {
  const failure = await probeTarget(target, options)
  if (failure) {
    const { cause, code } = failure
    throw badDestination(
      `The URL cannot be reached (${cause}: ${code}). Start the app that listens there.`,
    )
  }
  const redirect = kind === 'signed' ? await findRedirect(target, options) : null
  if (redirect !== null) {
    throw badDestination(
      `The URL answers a HEAD request with the redirect ${redirect}, and deliveries do not follow redirects. Use the URL that it redirects to.`,
    )
  }
}

function badDestination(detail: string): Rejection {
  return new Rejection('bad_destination', { detail })
}
