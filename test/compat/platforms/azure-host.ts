import { Module } from 'node:module'
import { path, type Mounted, type TestRequest } from '../../contract/harness.ts'
import type { WireResponse } from '../../contract/wire.ts'

// The part of the Azure interface between library and worker that an HTTP function needs.
interface Metadata {
  name: string
  bindings: Record<string, { type: string; methods?: string[]; route?: string; authLevel?: string }>
}
interface InvocationModel {
  getArguments(): Promise<{ context: unknown; inputs: unknown[] }>
  invokeFunction(context: unknown, inputs: unknown[], handler: Handler): Promise<unknown>
  getResponse(context: unknown, result: unknown): Promise<{ returnValue?: { http?: RpcHttp } }>
}
type Handler = (...inputs: unknown[]) => unknown
interface ProgrammingModel {
  getInvocationModel(context: unknown): InvocationModel
}
interface RpcHttp {
  statusCode: string
  headers: Record<string, string>
  body?: { bytes?: Uint8Array; string?: string }
}

type BodyForm = 'bytes' | 'string'

export interface AzureHost extends Mounted {
  /** The functions that the program has registered. */
  registered: Metadata[]
  send(request: TestRequest, form?: BodyForm): Promise<WireResponse>
}

/**
 * Replaces the host of Azure Functions, which is in no package registry. The Azure library is the
 * real one: it registers the function, reads the message of the host and writes the response.
 */
export async function startAzureHost(load: () => Promise<unknown>): Promise<AzureHost> {
  const registered: Metadata[] = []
  let handler: Handler | undefined
  let model: ProgrammingModel | undefined
  // The Azure worker gives this module to the library in the same way.
  const original = Module.prototype.require
  Module.prototype.require = Object.assign(function (this: unknown, id: string) {
    return id === '@azure/functions-core' ? core : (original.call(this, id) as unknown)
  }, original)
  const core = {
    version: '4.0.0',
    log: () => {},
    registerHook: () => {},
    setProgrammingModel: (given: ProgrammingModel) => void (model = given),
    registerFunction(metadata: Metadata, given: Handler) {
      registered.push(metadata)
      handler = given
    },
  }
  await load()
  Module.prototype.require = original

  return { registered, send, close: async () => {} }

  async function send(request: TestRequest, form: BodyForm = 'bytes'): Promise<WireResponse> {
    const [metadata] = registered
    if (!metadata || !handler || !model) throw new Error('The program has registered no function.')
    const http = toRpc(request, form)
    const [name = ''] = Object.keys(metadata.bindings)
    const invocation = model.getInvocationModel({
      invocationId: '7a1b9e3c-0000-4000-8000-000000000000',
      metadata,
      request: { inputData: [{ name, data: { http } }], triggerMetadata: {} },
      log: () => {},
    })
    const { context, inputs } = await invocation.getArguments()
    const result = await invocation.invokeFunction(context, inputs, handler)
    const { returnValue } = await invocation.getResponse(context, result)
    const answer = returnValue?.http
    return {
      status: Number(answer?.statusCode),
      headers: answer?.headers ?? {},
      body: answer?.body?.string ?? Buffer.from(answer?.body?.bytes ?? []).toString(),
    }
  }
}

function toRpc({ method = 'POST', headers, body }: TestRequest, form: BodyForm) {
  const length = body ? { 'content-length': String(body.length) } : {}
  const isText = form === 'string' && body && Buffer.from(Buffer.from(body).toString()).equals(body)
  return {
    method,
    url: `https://receiver.azurewebsites.net/api${path}`,
    headers: { ...headers, ...length },
    ...(body && { body: isText ? { string: Buffer.from(body).toString() } : { bytes: body } }),
  }
}
