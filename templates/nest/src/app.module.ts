import { Module, type DynamicModule } from '@nestjs/common'
import { AppController } from './app.controller.ts'
import { FeedModule } from './feed.module.ts'
import type { FeedOptions } from './feed.service.ts'

@Module({ controllers: [AppController] })
export class AppModule {
  static register(options: FeedOptions): DynamicModule {
    return { module: AppModule, imports: [FeedModule.register(options)] }
  }
}
