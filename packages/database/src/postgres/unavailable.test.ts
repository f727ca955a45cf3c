import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import { Pool } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTarget } from '../../../../test/support/databases.ts'
import { openDatabase } from '../index.ts'
import { unavailable } from './unavailable.ts'

const whether = 'whether it uses TLS'
const runs = 'Check that it runs, that its URL'

describe('the message of a connection that fails says what to do', () => {
  it('about a certificate that no known authority has signed', async () => {
    const secureContext = createSecureContext(makeCertificate())
    const message = await failureOf('?sslmode=verify-full', (socket) => {
      socket.write('S')
      new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => undefined)
    })
    expect(message).toMatch(/\(self-signed certificate.*\)\. .*add sslrootcert=<file> to the URL\./)
    expect(message).not.toContain(runs)
  })

  it.each<[string, string, (socket: Socket) => void, RegExp]>([
    [
      'about a server without TLS',
      '?sslmode=verify-full',
      (socket) => socket.end('N'),
      /\(The server does not support SSL connections\)\. .*whether it uses TLS.* remove sslmode\./,
    ],
    [
      'about another protocol on the port',
      '?sslmode=verify-full',
      (socket) => {
        socket.write('S')
        socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
      },
      /\(write EPROTO [^\n]*wrong version number[^\n]*\)\. Check the port in its URL/,
    ],
    [
      'about a server that requires TLS',
      '',
      refusing('28000', 'no pg_hba.conf entry for host "192.0.2.1", user "me", no encryption'),
      /no encryption\)\. .*add sslmode=verify-full to the URL/,
    ],
    [
      'about a wrong password',
      '',
      refusing('28P01', 'password authentication failed for user "me"'),
      /for user "me"\)\. Check the user and the password in its URL/,
    ],
    [
      'about a server that starts',
      '',
      refusing('57P03', 'the database system is starting up'),
      /starting up\)\. Check that it runs/,
    ],
  ])('%s', async (_, query, onData, says) => {
    expect(await failureOf(query, onData)).toMatch(says)
  })

  it.each<[string, unknown, string]>([
    ['an expired one', coded('CERT_HAS_EXPIRED', 'certificate has expired'), 'Check the host name'],
    ['no server', coded('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'), runs],
    ['several hosts', new Error('a:1: self-signed certificate; b:2: gone'), 'sslrootcert'],
    ['an older server', coded('28000', 'no pg_hba.conf entry for host "a", SSL off'), whether],
    ['a standby', coded('25006', 'cannot execute INSERT in a read-only transaction'), 'List all'],
    ['a statement without an answer', new Error('no answer within 5000 ms'), 'wait for a lock'],
    ['a full disk', coded('XX000', 'could not write init file'), 'Its disk is full'],
    ['a long transaction', coded('25P04', 'terminating connection'), 'than transaction_timeout'],
  ])('about %s', (_, cause, says) => {
    expect(unavailable('could not be reached', cause).message).toContain(says)
  })
})

it('names the timeout that has ended an idle transaction', async () => {
  const { target, drop } = await createTarget('postgres')
  if (typeof target !== 'string') throw new Error('It is a URL.')
  const url = new URL(target)
  url.searchParams.set('options', '-c idle_in_transaction_session_timeout=50')
  const pool = new Pool({ connectionString: url.href })
  const database = openDatabase(pool)
  onTestFinished(async () => {
    await database.close()
    await pool.end()
    await drop()
  })
  const ended = database.tx(async (tx) => {
    await tx.query('select 1')
    const [client] = Reflect.get(pool, '_clients') as { once(event: 'end', on: () => void): void }[]
    await new Promise<void>((resolve) => client?.once('end', resolve))
    await tx.query('select 1')
  })
  await expect(ended).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('longer than idle_in_transaction_session_timeout'),
    cause: { code: '25P03' },
  })
})

/** The message for a server that handles the first bytes of a connection in this way. */
async function failureOf(query: string, onData: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => onData(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  await using database = openDatabase(`postgres://me@127.0.0.1:${port}/none${query}`)
  return await database.query('select 1').then(
    () => 'no failure',
    (error: Error) => error.message,
  )
}

function refusing(code: string, message: string): (socket: Socket) => void {
  const body = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.from('E0000')
  head.writeInt32BE(body.length + 4, 1)
  return (socket) => socket.end(Buffer.concat([head, body]))
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

function makeCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'database-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [keyPath, certPath] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const made = ['-keyout', keyPath, '-out', certPath, '-subj', '/CN=127.0.0.1']
  execFileSync('openssl', ['req', '-x509', '-nodes', '-days', '1', ...curve, ...made], {
    stdio: 'ignore',
  })
  return { key: readFileSync(keyPath), cert: readFileSync(certPath) }
}
