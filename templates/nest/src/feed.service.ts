import { createReceiver, type Receiver } from '@feed-receiver/core'
import type { Database } from '@feed-receiver/database'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common'
import { handlers } from './handlers.ts'

export interface FeedOptions {
  database: Database
  secrets: string[]
}

export const FEED_OPTIONS = Symbol('FEED_OPTIONS')

/** The inbox and its worker, which start and stop with the app. */
@Injectable()
export class FeedService implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly database: Database
  readonly inbox: Inbox
  readonly receiver: Receiver

  constructor(@Inject(FEED_OPTIONS) { database, secrets }: FeedOptions) {
    this.database = database
    this.inbox = createInbox({ database })
    this.receiver = createReceiver({ secrets, inbox: this.inbox })
  }

  // Nest listens after this, because a 404 from a missing route would pause the feed.
  async onModuleInit() {
    await this.inbox.start()
    await this.database.migrate(new URL('../sql/', import.meta.url), { schema: 'app' })
    await this.inbox.work(handlers)
  }

  // Nest closes the server between this hook and the next one.
  async beforeApplicationShutdown() {
    await this.receiver.stop()
  }

  async onApplicationShutdown() {
    await this.inbox.stop()
    await this.database.close()
  }
}
