type Element = string | null | Element[]
type ParseElement = (element: string) => unknown

/** Reads an array as the server prints it, nested ones too: `{a,NULL,"b,c"}`. */
export function parseArrayLiteral(text: string, parse: ParseElement): unknown[] {
  // A lower bound other than 1 is printed in front: `[0:1]={a,b}`.
  let at = text.indexOf('{')
  return mapElements(readArray(), parse)

  function readArray(): Element[] {
    const elements: Element[] = []
    at += 1
    while (at < text.length && text[at] !== '}') {
      if (text[at] === ',') at += 1
      else if (text[at] === '{') elements.push(readArray())
      else if (text[at] === '"') elements.push(readQuoted())
      else elements.push(readPlain())
    }
    at += 1
    return elements
  }

  function readQuoted(): string {
    let value = ''
    let start = (at += 1)
    while (at < text.length && text[at] !== '"') {
      if (text[at] === '\\') {
        value += text.slice(start, at)
        start = at += 1
      }
      at += 1
    }
    value += text.slice(start, at)
    at += 1
    return value
  }

  function readPlain(): string | null {
    const start = at
    while (at < text.length && text[at] !== ',' && text[at] !== '}') at += 1
    const value = text.slice(start, at)
    return value === 'NULL' ? null : value
  }
}

function mapElements(elements: Element[], parse: ParseElement): unknown[] {
  return elements.map((element) => {
    if (element === null) return null
    return Array.isArray(element) ? mapElements(element, parse) : parse(element)
  })
}
