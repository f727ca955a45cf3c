export { fromNode } from './from-node.ts'
export { keepRawBody } from './keep-raw-body.ts'
export { toNodeHandler } from './to-node-handler.ts'
export type { FetchHandler } from './to-node-handler.ts'
