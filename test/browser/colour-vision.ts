type Colour = readonly number[]
type Matrix = readonly (readonly number[])[]

/** How linear RGB looks to somebody without one sort of cones (Machado, Oliveira, Fernandes 2009). */
const visions: readonly Matrix[] = [
  [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
]

/**
 * The least difference between two of these sRGB colours, each part from 0 to 1, to anybody: in CIELAB,
 * where 2 is just seen and 100 is black beside white.
 */
export function leastDifference(colours: readonly Colour[]): number {
  const differences = visions.flatMap((vision) => {
    const seen = colours.map((colour) => toLab(times(vision, colour.map(toLinear))))
    return seen.flatMap((one, at) => seen.slice(at + 1).map((other) => distance(one, other)))
  })
  return Math.min(...differences)
}

function times(matrix: Matrix, colour: Colour): Colour {
  return matrix.map((row) =>
    clamp(row.reduce((sum, part, at) => sum + part * (colour[at] ?? 0), 0)),
  )
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}

function toLinear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
}

function toLab([red = 0, green = 0, blue = 0]: Colour): Colour {
  const x = toCube((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047)
  const y = toCube(0.2126 * red + 0.7152 * green + 0.0722 * blue)
  const z = toCube((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

function toCube(value: number): number {
  return value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116
}

function distance(one: Colour, other: Colour): number {
  return Math.hypot(...one.map((part, at) => part - (other[at] ?? 0)))
}
