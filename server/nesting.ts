/** No honest JSON nests deeper; reading and writing it again would exhaust the stack. */
export const nestingMax = 500;

export function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((entry) => nestsDeeper(entry, levels - 1));
}
