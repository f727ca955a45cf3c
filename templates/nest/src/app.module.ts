import { Module, type DynamicModule } from '@nestjs/common'
import { FeedModule } from './feed.module.ts'
import type { FeedOptions } from './feed.service.ts'
import { HealthController } from './health.controller.ts'
import { HomeController } from './home.controller.ts'
import { OutagesController } from './outages.controller.ts'

@Module({ controllers: [HomeController, HealthController, OutagesController] })
export class AppModule {
  static register(options: FeedOptions): DynamicModule {
    return { module: AppModule, imports: [FeedModule.register(options)] }
  }
}
