// For runtimes without Node: nothing here imports `node:` or uses `Buffer`.
export * from './shared.ts'
export { createReceiver } from './receiver.web.ts'
export { parseEvent } from './event/decode.web.ts'
export { fingerprintOf, signatureHeader } from './signature/hmac.web.ts'
