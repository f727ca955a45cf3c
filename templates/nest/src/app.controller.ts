import { Controller, Get, Header, ServiceUnavailableException } from '@nestjs/common'
import { FeedService } from './feed.service.ts'
import { homePage } from './home.ts'

@Controller()
export class AppController {
  constructor(private readonly feed: FeedService) {}

  @Get()
  @Header('Content-Type', 'text/html')
  home() {
    return homePage
  }

  @Get('health')
  async health() {
    const health = await this.feed.inbox.health()
    if (!health.ok) throw new ServiceUnavailableException(health)
    return health
  }

  @Get('outages')
  async outages() {
    const { database } = this.feed
    const { rows } = await database.query('select * from app.outage order by observed_at desc')
    return rows
  }
}
