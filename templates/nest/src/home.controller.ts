import { Controller, Get, Header } from '@nestjs/common'
import { homePage } from './home.ts'

@Controller()
export class HomeController {
  @Get()
  @Header('Content-Type', 'text/html')
  show() {
    return homePage
  }
}
