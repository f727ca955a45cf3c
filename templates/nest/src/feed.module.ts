import { Module, type DynamicModule } from '@nestjs/common'
import { FEED_OPTIONS, FeedService, type FeedOptions } from './feed.service.ts'

@Module({ providers: [FeedService], exports: [FeedService] })
export class FeedModule {
  static register(options: FeedOptions): DynamicModule {
    return { module: FeedModule, providers: [{ provide: FEED_OPTIONS, useValue: options }] }
  }
}
