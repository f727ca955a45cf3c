import type { FeedEvent } from '@feed-receiver/core'
import type { ChatKind } from './chat-targets.ts'
import { renderDiscord } from './render-discord.ts'
import { renderSlack } from './render-slack.ts'
import { renderTeams } from './render-teams.ts'

export type DestinationKind = 'signed' | ChatKind

/** The exact text that is posted to a destination of this kind, at every attempt (R164, R182). */
export function renderBody(kind: DestinationKind, event: FeedEvent): string {
  return JSON.stringify(renderers[kind](event))
}

const renderers: Record<DestinationKind, (event: FeedEvent) => unknown> = {
  signed: (event) => event,
  slack: renderSlack,
  discord: renderDiscord,
  teams: renderTeams,
}
