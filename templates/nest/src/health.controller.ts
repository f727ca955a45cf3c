import { Controller, Get, ServiceUnavailableException } from '@nestjs/common'
import { FeedService } from './feed.service.ts'

@Controller('health')
export class HealthController {
  constructor(private readonly feed: FeedService) {}

  @Get()
  async check() {
    const health = await this.feed.inbox.health()
    if (!health.ok) throw new ServiceUnavailableException(health)
    return health
  }
}
