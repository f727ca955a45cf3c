import { Controller, Get } from '@nestjs/common'
import { FeedService } from './feed.service.ts'

@Controller('outages')
export class OutagesController {
  constructor(private readonly feed: FeedService) {}

  @Get()
  async list() {
    const { database } = this.feed
    const { rows } = await database.query('select * from app.outage order by observed_at desc')
    return rows
  }
}
