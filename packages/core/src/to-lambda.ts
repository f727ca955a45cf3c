import { FeedReceiverError } from './errors.ts'
import type { Receiver } from './receiver.ts'
import { readHeaders, type Body, type HeadersLike, type ReceiverRequest } from './request.ts'

/** An HTTP request in Lambda, from a function URL, an API Gateway or an Application Load Balancer. */
export type LambdaEvent = LambdaEventV1 | LambdaEventV2

/** Payload format 2.0, for function URLs and HTTP APIs. */
export interface LambdaEventV2 extends LambdaBody {
  requestContext: { http: { method: string } }
  headers: LambdaHeaders
}

/**
 * Payload format 1.0, for REST APIs and load balancers. Only its lists have every value of a
 * repeated header. A load balancer sends either lists or single values.
 */
export interface LambdaEventV1 extends LambdaBody {
  httpMethod: string
  headers?: LambdaHeaders | null
  multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null
}

interface LambdaBody {
  body?: string | null
  isBase64Encoded?: boolean
}

type LambdaHeaders = Readonly<Record<string, string | undefined>>

/** The result from which Lambda makes an HTTP answer, in both formats. */
export interface LambdaResult {
  statusCode: number
  headers: Record<string, string>
  /** The headers, if the event has only lists. Then `headers` is empty. */
  multiValueHeaders?: Record<string, string[]>
  body: string
}

/**
 * Mounts a receiver in AWS Lambda, behind a function URL, an API Gateway or an Application Load
 * Balancer. The handler rejects with `bad_event` if an event is not an HTTP request.
 */
export function toLambda(receiver: Receiver): (event: LambdaEvent) => Promise<LambdaResult> {
  return async (event) => {
    const delivery = fromLambda(event)
    const { status, headers, body } = await receiver.receive(delivery)
    return { statusCode: status, ...toResultHeaders(event, headers), body }
  }
}

/** A load balancer with multi-value headers answers 502 to a result without lists. */
function toResultHeaders(
  event: LambdaEvent,
  headers: Record<string, string>,
): Pick<LambdaResult, 'headers' | 'multiValueHeaders'> {
  if (event.headers || !('multiValueHeaders' in event && event.multiValueHeaders)) {
    return { headers }
  }
  const multiValueHeaders: Record<string, string[]> = {}
  for (const [name, value] of Object.entries(headers)) multiValueHeaders[name] = [value]
  return { headers: {}, multiValueHeaders }
}

/**
 * Makes a receiver request from a Lambda event, in payload format 1.0 or 2.0.
 *
 * @throws FeedReceiverError `bad_event` if the event is not an HTTP request.
 */
export function fromLambda(event: LambdaEvent): ReceiverRequest {
  const method = findMethod(event)
  const lists = ('multiValueHeaders' in event && event.multiValueHeaders) || {}
  // Emulators send the lists empty.
  const headers = Object.keys(lists).length > 0 ? lists : (event.headers ?? {})
  return { method, headers, body: findBody(event, headers) }
}

/** Any event that can invoke a Lambda function: of a queue, a timer, a test in the console. */
type AnyEvent =
  | { httpMethod?: unknown; requestContext?: { http?: { method?: unknown } } }
  | undefined

function findMethod(event: AnyEvent): string {
  const method = event?.requestContext?.http?.method ?? event?.httpMethod
  if (typeof method === 'string') return method
  throw new FeedReceiverError(
    'bad_event',
    'This Lambda event is not an HTTP request: it has neither requestContext.http.method nor ' +
      'httpMethod. Invoke the function through a function URL, an API Gateway or a load balancer.',
  )
}

function findBody({ body, isBase64Encoded }: LambdaBody, headers: HeadersLike): Body {
  if (body === undefined || body === null) return new Uint8Array()
  // Middleware may have replaced it by a parsed object.
  if (typeof body !== 'string') return ArrayBuffer.isView(body) ? body : 'already_read'
  if (isBase64Encoded) return Buffer.from(body, 'base64')
  const bytes = Buffer.from(body)
  const contentLength = Number(readHeaders(headers)('content-length') ?? bytes.length)
  // Lambda replaces bytes that are not UTF-8, and the replacement is longer.
  return bytes.length > contentLength ? 'already_read' : bytes
}
