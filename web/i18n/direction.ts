import type { Direction } from "./language.ts";

/** Letters that are written from right to left: Hebrew, Arabic, Syriac and their presentation forms. */
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * Wraps `text` in a Unicode isolate (FSI … PDI) if it may run in the other direction than the sentence around it.
 * Without it, the quotes and commas around the text would be displayed in the wrong order.
 */
export function isolated(text: string, direction: Direction): string {
  const needsIsolate = direction === "ltr" ? rightToLeft.test(text) : text !== "";
  return needsIsolate ? `\u2068${text}\u2069` : text;
}
