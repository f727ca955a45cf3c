import { Body, Controller, Module, Post } from '@nestjs/common'

@Controller('orders')
class OrdersController {
  @Post()
  create(@Body() { count }: { count: number }) {
    return { ordered: count }
  }
}

@Module({ controllers: [OrdersController] })
export class AppModule {}
