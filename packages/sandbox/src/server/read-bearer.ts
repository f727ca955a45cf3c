/** The token of an Authorization header of the Bearer scheme, which is not case-sensitive (R186). */
export function readBearer(header: string | undefined): string | undefined {
  return /^bearer +([A-Za-z0-9._~+/=-]{1,512}) *$/i.exec(header ?? '')?.[1]
}
