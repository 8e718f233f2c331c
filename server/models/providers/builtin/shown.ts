import { escaped } from "./quote.ts";

/** An expression as it is read: with the signs of print. */
export function shown(expression: string): string {
  const signs = expression
    .replace(/\s*\*\s*|(?<=\d)\s+x\s+(?=\d)/g, " × ")
    .replace(/\s*\^\s*/g, "^")
    .replace(/\s*÷\s*/g, " ÷ ")
    .replace(/(?<=[\d)%])\s*-\s*(?=[\d(])/g, " − ")
    .replace(/^[-−]\s*(?=[\d(])/, "−");
  // Prices alone, which nobody takes for mathematics.
  return escaped(signs).replaceAll(String.raw`\$`, "$");
}
