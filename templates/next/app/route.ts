import { homePage } from '../feed/home'

export function GET() {
  return new Response(homePage, { headers: { 'Content-Type': 'text/html' } })
}
