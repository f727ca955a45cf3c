import { toLambda, type LambdaEvent } from '@feed-receiver/core/node'
import { path, type Mount, type TestRequest } from './harness.ts'
import { describeHandlerContract } from './suite.ts'

describeHandlerContract('a function URL of Lambda', throughLambda(toFormat2))
describeHandlerContract('a REST API of Lambda', throughLambda(toFormat1))

/** Calls the handler like Lambda, with an event and a response that are JSON. */
function throughLambda(toEvent: (request: TestRequest) => LambdaEvent): Mount {
  return async (receiver) => {
    const handle = toLambda(receiver)
    return {
      async send(request) {
        const result = await handle(throughJson(toEvent(request)))
        const { statusCode: status, headers, body } = throughJson(result)
        return { status, headers, body: request.method === 'HEAD' ? '' : body }
      },
      close: async () => {},
      givesBytes: true,
    }
  }
}

function throughJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value))
}

/** An event of function URLs and HTTP APIs, with all its other members. */
function toFormat2({ method = 'POST', headers, body }: TestRequest) {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: '',
    headers: { host: 'abcdefg.lambda-url.us-east-1.on.aws', ...headers, ...lengthOf(body) },
    requestContext: {
      accountId: 'anonymous',
      apiId: 'abcdefg',
      domainName: 'abcdefg.lambda-url.us-east-1.on.aws',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'feed' },
      requestId: '7a1b9e3c-0000-4000-8000-000000000000',
      routeKey: '$default',
      stage: '$default',
      time: '02/Nov/2026:10:00:00 +0000',
      timeEpoch: 1_793_613_600_000,
    },
    ...encode(headers['content-type'], body),
  }
}

/** An event of REST APIs: header names as sent, and lists beside single values. */
function toFormat1({ method = 'POST', headers, body }: TestRequest) {
  const all = { Host: 'abcdefg.execute-api.us-east-1.amazonaws.com', ...capitalize(headers) }
  return {
    resource: path,
    path,
    httpMethod: method,
    headers: { ...all, ...lengthOf(body) },
    multiValueHeaders: Object.fromEntries(
      Object.entries({ ...all, ...lengthOf(body) }).map(([name, value]) => [name, [value]]),
    ),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    requestContext: { httpMethod: method, resourcePath: path, stage: 'prod' },
    ...encode(headers['content-type'], body),
  }
}

function capitalize(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
      value,
    ]),
  )
}

function lengthOf(body: Uint8Array | undefined): Record<string, string> {
  return body ? { 'Content-Length': String(body.length) } : {}
}

const textTypes = /^(?:text\/|application\/(?:json|xml|javascript)\b)/

// Text cannot represent invalid UTF-8. The result is tested in to-lambda.test.ts.
function encode(type = '', body: Uint8Array | undefined) {
  if (!body) return { body: null, isBase64Encoded: false }
  const bytes = Buffer.from(body)
  const text = bytes.toString()
  const isText = textTypes.test(type) && Buffer.from(text).equals(bytes)
  return isText
    ? { body: text, isBase64Encoded: false }
    : { body: bytes.toString('base64'), isBase64Encoded: true }
}
