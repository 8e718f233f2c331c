/** Larger pictures are shown as code, in characters. */
const charactersMax = 500_000;
const usesMax = 200;
/** The maximum number of drawn elements. An element counts again for each reference that repeats it. */
const drawnMax = 50_000;

/**
 * Whether a picture can be laid out in a moment. Browsers do that in the page's own process, and a few lines that refer to
 * each other in levels make billions of elements. What this does not understand is not drawn.
 */
export function isDrawable(code: string): boolean {
  if (code.length > charactersMax || code.includes("<!ENTITY")) return false;
  const uses = code.match(/[<:]use[\s/>]/g)?.length ?? 0;
  if (uses > usesMax) return false;
  return uses === 0 || drawnElements(code) <= drawnMax;
}

type Part = { elements: number; references: string[] };

/** The number of elements with those that references repeat; infinite if that is not clear. */
function drawnElements(code: string): number {
  const whole: Part = { elements: 0, references: [] };
  const parts = new Map<string, Part>();
  // The parts with a name that each open element is in: a reference repeats all that is in them.
  const open: (Part | undefined)[] = [];
  for (const { name, attributes, isEnd, isEmpty } of tagsOf(code)) {
    if (isEnd) {
      open.pop();
      continue;
    }
    const ids = valuesOf(/\sid\s*=\s*(?:"([^"]*)"|'([^']*)')/g, attributes);
    if (ids.length > 1) return Infinity;
    const [id] = ids;
    const part = id === undefined ? undefined : { elements: 0, references: [] };
    if (id !== undefined && part !== undefined) {
      if (id.includes("&") || parts.has(id)) return Infinity;
      parts.set(id, part);
    }
    const around = [whole, ...open, part].filter((each) => each !== undefined);
    // Deeper ones are no picture that a model draws.
    if (around.length > 50 || open.length > 500) return Infinity;
    const targets = /(?:^|:)use$/.test(name)
      ? valuesOf(/[\s:]href\s*=\s*(?:"\s*#([^"]*)"|'\s*#([^']*)')/g, attributes)
      : [];
    if (targets.some((target) => /[&%]/.test(target))) return Infinity;
    for (const each of around) {
      each.elements += 1;
      each.references.push(...targets);
    }
    if (!isEmpty) open.push(part);
  }
  return sizeOf(whole, parts, new Map());
}

/** The different values of an attribute. */
function valuesOf(attribute: RegExp, attributes: string): string[] {
  const values = [...attributes.matchAll(attribute)].map(([, double, single]) => double ?? single ?? "");
  return [...new Set(values)];
}

function sizeOf(part: Part, parts: ReadonlyMap<string, Part>, known: Map<Part, number>): number {
  const size = known.get(part);
  if (size !== undefined) return size;
  // A browser draws no part inside itself.
  known.set(part, 0);
  let sum = part.elements;
  for (const reference of part.references) {
    const target = parts.get(reference);
    if (target === undefined) return Infinity;
    sum += sizeOf(target, parts, known);
  }
  known.set(part, sum);
  return sum;
}

/** The tags of an XML text. A `>` in an attribute does not end a tag. */
function* tagsOf(code: string) {
  const tag =
    /<!--[^]*?(?:-->|$)|<!\[CDATA\[[^]*?(?:\]\]>|$)|<[?!][^>]*>|<(\/?)([^\s/<>"']+)((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>/g;
  for (const [, end, name, attributes = ""] of code.matchAll(tag))
    if (name !== undefined)
      yield { name, attributes, isEnd: end === "/", isEmpty: attributes.trimEnd().endsWith("/") };
}

/** In a page, SVG needs no namespace; as a file it does. */
export function withNamespace(code: string): string {
  const start = code.search(/<svg\b/);
  if (start === -1) return code;
  const end = code.indexOf(">", start);
  const tag = code.slice(start, end === -1 ? undefined : end);
  return /\sxmlns\s*=/.test(tag)
    ? code
    : `${code.slice(0, start)}<svg xmlns="http://www.w3.org/2000/svg"${code.slice(start + 4)}`;
}
