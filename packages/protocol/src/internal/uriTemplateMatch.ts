/**
 * Matching, the inverse of expansion: which values a template was expanded with to give a URI.
 *
 * Nothing is tried twice: for every node of the template and every position of the URI, from the end backwards, one bit says
 * whether the rest matches from there; a walk forward along those bits then takes the shortest of what is possible.
 * The time is that of template times URI, whatever they are.
 */
import { type Part, type Spec, styles } from "./uriTemplateParse.ts"
import { decode, first, isWellFormed, normalize } from "./uriTemplateText.ts"

export const maxUri = 128 * 1024

export type Matched = Record<string, string | Array<string>>

// What a position of a URI is marked with, so that it is looked at once and not for every node.
const SLASH = 1
const QUESTION = 2
const HASH = 4
const WITHIN_CHARACTER = 8

interface Literal {
  readonly _tag: "Literal"
  readonly text: string
}

/** One variable: what leads it, what ends it, and the node that follows if it is not there (`undefined`: it must be). */
interface Variable {
  readonly _tag: "Variable"
  readonly spec: Spec
  readonly lead: string
  readonly stops: number
  readonly separator: string
  readonly least: 0 | 1
  readonly absent: number | undefined
}

/** Parameters with names, in any order, among others that nobody knows. */
interface Parameters {
  readonly _tag: "Parameters"
  readonly specs: ReadonlyArray<Spec>
  readonly starts: string
  readonly separator: string
  readonly stops: number
  /** Whether text follows, which need not be a separator. */
  readonly open: boolean
}

export type Node = Literal | Variable | Parameters

export const compile = (parts: ReadonlyArray<Part>): ReadonlyArray<Node> => {
  const nodes: Array<Node> = []
  for (const [index, part] of parts.entries()) {
    if (typeof part === "string") {
      nodes.push({ _tag: "Literal", text: normalize(part) })
      continue
    }
    const { operator, specs } = part
    const { first, named, reserved, separator } = styles[operator]
    if (named) {
      const before = nodes.at(-1)
      const continues = operator === "&" && before?._tag === "Parameters" && before.separator === "&"
      if (continues) nodes.pop()
      nodes.push({
        _tag: "Parameters",
        specs: continues ? [...before.specs, ...specs] : specs,
        starts: continues ? before.starts + first : first,
        separator,
        stops: operator === ";" ? SLASH | QUESTION | HASH : HASH,
        open: typeof parts[index + 1] === "string"
      })
      continue
    }
    const end = nodes.length + specs.length
    for (const [nth, spec] of specs.entries()) {
      // Without a lead, an empty value looks like none: there must be a character, or no list at the end.
      const bare = first === ""
      nodes.push({
        _tag: "Variable",
        spec,
        lead: nth === 0 ? first : separator,
        stops: reserved ? 0 : operator === "/" && spec.explode ? QUESTION | HASH : SLASH | QUESTION | HASH,
        separator,
        least: bare ? 1 : 0,
        absent: bare && !(spec.explode && nth === specs.length - 1) ? undefined : end
      })
    }
  }
  return nodes
}

export const match = (nodes: ReadonlyArray<Node>, given: string): Matched | undefined => {
  if (given.length > maxUri || !isWellFormed(given)) return undefined
  const uri = normalize(given)
  const [start] = nodes
  if (uri.length > maxUri || (start?._tag === "Literal" && !uri.startsWith(start.text))) return undefined
  return collect(walk(nodes, { uri, marks: marksOf(uri) }))
}

type Bits = Uint8Array

interface Marked {
  readonly uri: string
  readonly marks: Uint8Array
}

const marksOf = (uri: string): Uint8Array => {
  const marks = new Uint8Array(uri.length + 1)
  for (let p = 0; p < uri.length; p++) {
    const char = uri.charAt(p)
    if (char === "/") marks[p] = SLASH
    else if (char === "?") marks[p] = QUESTION
    else if (char === "#") marks[p] = HASH
    else if (char === "%") {
      // A value does not end within a triplet, nor within a character of several.
      if ("89AB".includes(uri.charAt(p + 1))) marks[p] = WITHIN_CHARACTER
      marks[p + 1] = marks[p + 2] = WITHIN_CHARACTER
      p += 2
    }
  }
  return marks
}

// Sound: positions are in bounds, and what is not there has no marks.
const isMarked = (marks: Uint8Array, p: number, mask: number): boolean => ((marks[p] as number) & mask) !== 0

/** `at`: the rest matches if the node begins here; `within`: if the value goes on or ends here. */
interface Row {
  readonly at: Bits
  readonly within: Bits
}

const none: Bits = new Uint8Array(0)

const rows = (nodes: ReadonlyArray<Node>, marked: Marked): ReadonlyArray<Row> => {
  const { uri } = marked
  const last = new Uint8Array(uri.length + 1)
  last[uri.length] = 1
  const all: Array<Row> = Array.from({ length: nodes.length + 1 }, () => ({ at: last, within: none }))
  const from = (index: number): Bits => all[index]?.at ?? last
  for (let index = nodes.length - 1; index >= 0; index--) {
    // Sound: the index is in bounds.
    const node = nodes[index] as Node
    const next = from(index + 1)
    switch (node._tag) {
      case "Literal":
        all[index] = { at: literalRow(node, uri, next), within: none }
        break
      case "Variable":
        all[index] = variableRow(node, marked, next, node.absent === undefined ? none : from(node.absent))
        break
      case "Parameters":
        all[index] = parametersRow(node, marked, next)
    }
  }
  return all
}

const literalRow = ({ text }: Literal, uri: string, next: Bits): Bits => {
  const at = new Uint8Array(uri.length + 1)
  for (let p = uri.length - text.length; p >= 0; p--) {
    if (next[p + text.length] === 1 && uri.startsWith(text, p)) at[p] = 1
  }
  return at
}

const variableRow = (node: Variable, marked: Marked, next: Bits, absent: Bits): Row => {
  const { marks, uri } = marked
  const at = new Uint8Array(uri.length + 1)
  const within = new Uint8Array(uri.length + 1)
  for (let p = uri.length; p >= 0; p--) {
    const goesOn = p < uri.length && within[p + 1] === 1 && !isMarked(marks, p, node.stops)
    if (goesOn || (next[p] === 1 && isBoundary(marked, p))) within[p] = 1
  }
  for (let p = uri.length; p >= 0; p--) {
    if (absent[p] === 1 || isPresent(node, marked, within, p)) at[p] = 1
  }
  return { at, within }
}

const isPresent = (node: Variable, { marks, uri }: Marked, within: Bits, p: number): boolean => {
  if (!uri.startsWith(node.lead, p)) return false
  const start = p + node.lead.length
  return node.least === 0
    ? within[start] === 1
    : start < uri.length && within[start + 1] === 1 && !isMarked(marks, start, node.stops)
}

const isBoundary = ({ marks }: Marked, p: number): boolean => !isMarked(marks, p, WITHIN_CHARACTER)

const parametersRow = (node: Parameters, marked: Marked, next: Bits): Row => {
  const { marks, uri } = marked
  const at = new Uint8Array(uri.length + 1)
  const within = new Uint8Array(uri.length + 1)
  for (let p = uri.length; p >= 0; p--) {
    const goesOn = p < uri.length && within[p + 1] === 1 && !isMarked(marks, p, node.stops)
    if (goesOn || (next[p] === 1 && isEnd(node, marked, p))) within[p] = 1
    if (next[p] === 1 || (isStart(node, uri, p) && within[p + 1] === 1)) at[p] = 1
  }
  return { at, within }
}

const isStart = (node: Parameters, uri: string, p: number): boolean =>
  p < uri.length && node.starts.includes(uri.charAt(p))

const isEnd = (node: Parameters, marked: Marked, p: number): boolean => {
  if (node.open) return isBoundary(marked, p)
  const { marks, uri } = marked
  return p === uri.length || uri.charAt(p) === node.separator || isMarked(marks, p, node.stops)
}

interface Capture {
  readonly spec: Spec
  readonly value: string | Array<string> | undefined
}

const walk = (nodes: ReadonlyArray<Node>, marked: Marked): ReadonlyArray<Capture> | undefined => {
  const { uri } = marked
  const all = rows(nodes, marked)
  if (all[0]?.at[0] !== 1) return undefined
  const captures: Array<Capture> = []
  let p = 0
  for (let index = 0; index < nodes.length;) {
    // Sound: the index is in bounds, of nodes and of rows.
    const node = nodes[index] as Node
    const { within } = all[index] as Row
    const { at: next } = all[index + 1] as Row
    if (node._tag === "Literal") {
      p += node.text.length
      index += 1
    } else if (node._tag === "Variable") {
      if (!isPresent(node, marked, within, p)) {
        index = node.absent ?? index + 1
        continue
      }
      const start = p + node.lead.length
      p = start + node.least
      while (next[p] !== 1 || !isBoundary(marked, p)) p++
      captures.push(capture(node, uri.slice(start, p)))
      index += 1
    } else {
      if (isStart(node, uri, p) && within[p + 1] === 1) {
        const start = p + 1
        p = start
        while (next[p] !== 1 || !isEnd(node, marked, p)) p++
        for (const parameter of parameters(node, uri.slice(start, p))) captures.push(parameter)
      }
      index += 1
    }
  }
  return captures
}

const capture = ({ separator, spec }: Variable, text: string): Capture => ({
  spec,
  value: spec.explode ? decodeAll(text.split(separator)) : decode(text)
})

const decodeAll = (texts: ReadonlyArray<string>): Array<string> | undefined => {
  const decoded: Array<string> = []
  for (const text of texts) {
    const value = decode(text)
    if (value === undefined) return undefined
    decoded.push(value)
  }
  return decoded
}

// Of a parameter that is there twice, the first counts, unless it is a list.
const parameters = (node: Parameters, text: string): ReadonlyArray<Capture> => {
  const byName = new Map<string, Array<string>>()
  for (const parameter of text.split(node.separator)) {
    const equals = parameter.indexOf("=")
    const name = equals === -1 ? parameter : parameter.slice(0, equals)
    const value = equals === -1 ? "" : parameter.slice(equals + 1)
    const values = byName.get(name)
    if (values === undefined) byName.set(name, [value])
    else values.push(value)
  }
  return node.specs.flatMap((spec) => {
    const values = byName.get(normalize(spec.name))
    if (values === undefined) return []
    return [{ spec, value: spec.explode ? decodeAll(values) : decode(values[0] ?? "") }]
  })
}

// A variable that is there several times must be the same in all places, as far as its prefixes show it.
const collect = (captures: ReadonlyArray<Capture> | undefined): Matched | undefined => {
  if (captures === undefined) return undefined
  const values = new Map<string, string | Array<string>>()
  for (const { spec, value } of captures.toSorted(longestFirst)) {
    if (value === undefined) return undefined
    const whole = values.get(spec.name) ?? value
    if (!agrees(whole, value, spec.prefix)) return undefined
    values.set(spec.name, whole)
  }
  return Object.fromEntries(values)
}

const longestFirst = (a: Capture, b: Capture): number => (b.spec.prefix ?? maxUri) - (a.spec.prefix ?? maxUri)

const agrees = (whole: string | Array<string>, value: string | Array<string>, prefix: number | undefined): boolean => {
  if (typeof whole === "string" && typeof value === "string") {
    return value === (prefix === undefined ? whole : first(whole, prefix, false))
  }
  return JSON.stringify(whole) === JSON.stringify(value)
}
