import { findRedirect, probeTarget, type ProbeOptions } from '@feed-receiver/sender'
import { Refusal } from '../../server/refusals.ts'
import type { DestinationKind } from '../chats/render-body.ts'

/**
 * Checks what only a connection can tell. The address of a chat is official, so it is not asked for a
 * redirect.
 *
 * @throws Refusal `bad_destination` where nothing can be connected to within 10 seconds (R180), or a
 * HEAD request without a body is redirected (R179).
 */
export async function checkEndpoint(
  target: URL,
  kind: DestinationKind,
  options: ProbeOptions = {},
): Promise<void> {
  const failure = await probeTarget(target, options)
  if (failure) {
    const what = `${failure.cause}: ${failure.code}`
    throw badDestination(`The URL cannot be reached (${what}). Start what listens there.`)
  }
  const redirect = kind === 'signed' ? await findRedirect(target, options) : null
  if (redirect === null) return
  throw badDestination(
    `The URL answers a HEAD request with ${redirect}, a redirect, and deliveries follow none. Give ` +
      'the URL that it leads to.',
  )
}

export function badDestination(detail: string): Refusal {
  return new Refusal('bad_destination', { detail })
}
