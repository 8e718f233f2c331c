/** Letters that are written from right to left: Hebrew, Arabic, Syriac and their presentation forms. */
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * `text`, set apart where it stands in words of `direction` and may run the other way, so that neither turns the
 * other's commas and quotes around.
 */
export function isolated(text: string, direction: "ltr" | "rtl"): string {
  const mayTurn = direction === "ltr" ? rightToLeft.test(text) : text !== "";
  // First strong isolate … pop directional isolate.
  return mayTurn ? `\u2068${text}\u2069` : text;
}
