import worker from './worker-of-web.ts'

interface FetchEvent {
  request: Request
  respondWith(response: Promise<Response>): void
}

declare function addEventListener(name: 'fetch', listener: (event: FetchEvent) => void): void

addEventListener('fetch', (event) => event.respondWith(worker.fetch(event.request)))
