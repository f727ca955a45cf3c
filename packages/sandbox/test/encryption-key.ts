/** Of every sandbox in the tests, so that none leaves a file with a key. */
export const encryptionKey = '5a'.repeat(32)
