import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Encrypts what must not be readable in the database: addresses and signing secrets (R208). */
export interface Vault {
  /** `place` names what it is and whose, so that a text sealed for one place opens in no other. */
  seal(text: string, place: string): Buffer
  /** @throws Error where the key, the place or the bytes are not those of the sealing. */
  open(sealed: Uint8Array, place: string): string
}

/** Of a key of 32 bytes: AES-256-GCM, with a nonce and a tag in front of each sealed text. */
export function createVault(key: Uint8Array): Vault {
  return {
    seal(text, place) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
    },
    open(sealed, place) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(Buffer.from(place))
      decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes))
      const text = decipher.update(sealed.subarray(nonceBytes + tagBytes))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    },
  }
}

const nonceBytes = 12
const tagBytes = 16
