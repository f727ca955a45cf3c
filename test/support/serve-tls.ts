import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Starts a server on loopback with a self-signed certificate, for one test. */
export async function serveTls(name: string): Promise<{ port: number; names: unknown[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'sender-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [keyPath, certPath] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = ['-keyout', keyPath, '-out', certPath, '-subj', `/CN=${name}`]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  execFileSync('openssl', ['req', '-x509', '-nodes', '-days', '1', ...curve, ...made], {
    stdio: 'ignore',
  })
  const names: unknown[] = []
  const options = { key: readFileSync(keyPath), cert: readFileSync(certPath) }
  const server = createTlsServer(
    { ...options, SNICallback: (asked, done) => (names.push(asked), done(null)) },
    (_request, response) => response.writeHead(200).end(),
  )
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { port: (server.address() as AddressInfo).port, names }
}
