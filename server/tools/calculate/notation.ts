/** Converts typographic signs and thousands separators to the notation of mathjs. */
export function toNotation(written: string): string {
  const text = signs.reduce((text, [pattern, sign]) => text.replace(pattern, sign), written.trim());
  // Within a call or a matrix a comma separates arguments.
  if (/\w\s*\([^)]*,|\[/.test(text)) return text;
  return text.replace(/(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\d,])/g, (number) => number.replaceAll(",", ""));
}

const signs: readonly (readonly [RegExp, string])[] = [
  [/[×·]/g, "*"],
  [/÷/g, "/"],
  [/[−–]/g, "-"],
  [/²/g, "^2"],
  [/³/g, "^3"],
  [/π/g, "pi"],
  [/\*\*/g, "^"],
  [/%\s*of\b/gi, "% *"],
  [/\bln\s*\(/g, "log("],
  // In mathjs, `min` is a function.
  [/(?<=\d\s*)min\b(?!\s*\()/g, "minute"],
  [/°\s*(?=[CF]\b)/g, "deg"],
  [/^=\s*|\s*=$/g, ""],
];
