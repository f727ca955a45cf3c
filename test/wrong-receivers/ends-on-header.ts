import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isInTime, isSigned, readEvent, readSignature } from './right-steps.ts'

// Fault: takes a header apart that need not have the parts, where nothing catches what it throws.
// This ends the process, and so it is a program of its own: its arguments are the secrets.
const secrets = process.argv.slice(2)
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  const answer = (status: number) => void response.writeHead(status).end()
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    const header = String(request.headers['feed-signature'] ?? '')
    if (header === '') return answer(401)
    const [, v1] = header.split('v1=') as [string, string]
    const signature = v1.trim() === '' ? undefined : readSignature(header)
    if (!signature || !isSigned(signature, body, secrets)) return answer(401)
    if (!isInTime(signature)) return answer(503)
    const event = readEvent(body)
    const isMislabelled = event && (request.headers['feed-event-id'] ?? event.id) !== event.id
    return answer(!event || isMislabelled ? 202 : 200)
  })
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
