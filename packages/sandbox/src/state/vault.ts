import { codeOf } from '@feed-receiver/core/internal'
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Queryable } from '@feed-receiver/database'
import { SandboxError } from '../errors.ts'

/** Encrypts values that must not be readable in the database: addresses and signing secrets. */
export interface Vault {
  /**
   * `label` names the kind and the owner of the text, so that a text sealed for one label opens under
   * no other.
   */
  seal(text: string, label: string): Buffer
  /** @throws Error if the key, the label or the bytes differ from those of the sealing. */
  open(sealed: Uint8Array, label: string): string
}

export function urlLabel(destinationId: string): string {
  return `destination ${destinationId} url`
}

export function secretLabel(destinationId: string): string {
  return `destination ${destinationId} secret`
}

/**
 * Creates a vault from a key of 32 bytes: AES-256-GCM, with a nonce of 12 bytes and a tag of 16
 * bytes before each text.
 */
export function createVault(key: Uint8Array): Vault {
  return {
    seal(text, label) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(label))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
    },
    open(sealed, label) {
      const options = { authTagLength: 16 }
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), options)
        .setAAD(Buffer.from(label))
        .setAuthTag(sealed.subarray(12, 28))
      return decipher.update(sealed.subarray(28), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

/** A key as 64 hexadecimal digits, or the file that holds one. The file is created if missing. */
export type VaultKey = { hex: string } | { file: string }

/**
 * Opens the vault of this database.
 *
 * @throws SandboxError `bad_option` for an invalid key, or another one than the database was used
 * with.
 */
export async function openVault(db: Queryable, key: VaultKey): Promise<Vault> {
  const origin = 'hex' in key ? 'the option encryptionKey' : key.file
  const vault = createVault(parseKey('hex' in key ? key.hex : await readKeyFile(key.file), origin))
  const first = vault.seal('feed-receiver sandbox', checkLabel)
  const sealed = await initSetting(db, 'vault_check', first)
  try {
    // Throws if the value was sealed with another key.
    vault.open(sealed, checkLabel)
    return vault
  } catch {
    throw new SandboxError(
      'bad_option',
      `The encryption key in ${origin} is not the one with which this database was encrypted. Put that ` +
        'key there, or start once with fresh (--fresh), which deletes all data.',
    )
  }
}

const checkLabel = 'setting vault_check'

// Written beside and linked into place, so that sandboxes that start concurrently never read half a
// key, and all read the same one.
async function readKeyFile(file: string): Promise<string> {
  const stored = await readFile(file, 'utf8').catch(unless('ENOENT'))
  if (stored !== undefined) return stored
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await mkdir(dirname(file), { recursive: true })
  await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, file).catch(unless('EEXIST'))
  } finally {
    await rm(draft, { force: true })
  }
  return await readFile(file, 'utf8')
}

function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (codeOf(error) !== code) throw error
  }
}

function parseKey(text: string, origin: string): Buffer {
  const hex = text.trim()
  if (/^[0-9a-f]{64}$/i.test(hex)) return Buffer.from(hex, 'hex')
  throw new SandboxError(
    'bad_option',
    `The encryption key in ${origin} is not 64 hexadecimal digits. Restore the original key, ` +
      'or remove it and start once with fresh (--fresh), which deletes all data.',
  )
}

/** Reads a value that is stored once. The first caller supplies it. */
export async function initSetting(db: Queryable, name: string, first: Buffer): Promise<Buffer> {
  const { rows } = await db.query<{ value: Buffer }>(
    `insert into sandbox.setting (name, value) values ($1, $2)
     on conflict (name) do update set value = setting.value
     returning value`,
    [name, first],
  )
  const [row] = rows
  if (!row) throw new Error(`The setting ${name} was neither created nor found.`)
  return row.value
}
