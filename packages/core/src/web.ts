// For runtimes without Node: nothing here imports `node:` or uses `Buffer`.
export * from './shared.ts'
export { createReceiver } from './receiver.web.ts'
export { fingerprintOf } from './signature/hmac.web.ts'
