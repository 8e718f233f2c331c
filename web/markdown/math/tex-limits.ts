/** Longer TeX is not rendered, because rendering blocks. No real formula is as long. */
const charactersMax = 5_000;

/** Commands that define macros, which could expand without limit. */
const macroDefinition = /\\(?:[gex]?def|let|futurelet|(?:re)?newcommand|providecommand)(?![A-Za-z])/;

/** Commands that render their content two or three times. Nested, they grow exponentially. */
const doubling = /\\(?:(?:math)?llap|cancelto|equilibrium(?:Right|Left))(?![A-Za-z])/g;
const doublingMax = 4;

/** Whether rendering `tex` takes a limited time. */
export function isBounded(tex: string): boolean {
  if (tex.length > charactersMax || macroDefinition.test(tex)) return false;
  return (tex.match(doubling)?.length ?? 0) <= doublingMax;
}

/** How formulas are rendered. `maxSize`: the largest size that one can ask for, in em and in points. */
export const texOptions = { annotate: true, throwOnError: true, trust: false, maxSize: [20, 200] } as {
  annotate: true;
  throwOnError: true;
  trust: false;
  maxSize: [number, number];
};
