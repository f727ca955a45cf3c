import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Queryable } from '@feed-receiver/database'
import { SandboxError } from '../../errors.ts'
import { createVault, type Vault } from './vault.ts'

/** A key as 64 hexadecimal digits, or the file that holds one and is made where there is none. */
export type VaultKey = { hex: string } | { file: string }

/**
 * Opens the vault of this database.
 *
 * @throws SandboxError `bad_option` for what is no key, or not the one that the database was used with.
 */
export async function openVault(db: Queryable, key: VaultKey): Promise<Vault> {
  const place = 'hex' in key ? 'the option encryptionKey' : key.file
  const vault = createVault('hex' in key ? parseKey(key.hex, place) : await readKeyFile(key.file))
  const { rows } = await db.query<{ value: Buffer }>(
    `insert into sandbox.setting (name, value) values ('vault_check', $1)
     on conflict (name) do update set value = setting.value
     returning value`,
    [vault.seal(known, checkPlace)],
  )
  if (!rows[0] || !canOpen(vault, rows[0].value)) throw wrongKey(place)
  return vault
}

const known = 'feed-receiver sandbox'
const checkPlace = 'setting vault_check'

function canOpen(vault: Vault, sealed: Buffer): boolean {
  try {
    return vault.open(sealed, checkPlace) === known
  } catch {
    return false
  }
}

async function readKeyFile(file: string): Promise<Buffer> {
  try {
    return parseKey(await readFile(file, 'utf8'), file)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  await makeKeyFile(file)
  return parseKey(await readFile(file, 'utf8'), file)
}

// Written beside and linked into its place, so that of several sandboxes that start at once none
// reads half a key, and all of them read the same one.
async function makeKeyFile(file: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await mkdir(dirname(file), { recursive: true })
  await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await rm(draft, { force: true })
  }
}

function parseKey(text: string, place: string): Buffer {
  const hex = text.trim()
  if (/^[0-9a-f]{64}$/i.test(hex)) return Buffer.from(hex, 'hex')
  throw new SandboxError(
    'bad_option',
    `The encryption key in ${place} is not 64 hexadecimal digits. Put the key there as it was made, ` +
      'or remove it and start once with fresh (--fresh), which forgets everything.',
  )
}

function wrongKey(place: string): SandboxError {
  return new SandboxError(
    'bad_option',
    `The encryption key in ${place} is not the one that this database was used with before, so the ` +
      'addresses and secrets in it cannot be read. Put that key there, or start once with fresh ' +
      '(--fresh), which forgets everything.',
  )
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
