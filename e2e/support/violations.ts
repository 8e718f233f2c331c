import axe, { type Result, type RunOptions } from "axe-core";
import type { Page } from "playwright-core";

/** Without what costs more than the check: elements without faults, and an answer of frames that have another origin. */
const options: RunOptions = {
  resultTypes: ["violations"],
  preload: false,
  iframes: false,
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
};

/** The part of a page to check, and rules to leave out. */
type Scope = { within?: string; without?: string; withoutRule?: string };

/** What axe finds on the page. It is loaded into each page once. */
export async function axeViolations(page: Page, scope: Scope = {}): Promise<Result[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const { within, without, withoutRule } = scope;
  const context = {
    include: [within ?? "html"],
    ...(without === undefined ? {} : { exclude: [without] }),
  };
  const rules = withoutRule === undefined ? {} : { [withoutRule]: { enabled: false } };
  return await page.evaluate(
    async ([where, how]) => {
      const loaded = (window as unknown as { axe: typeof axe }).axe;
      return (await loaded.run(where, how)).violations;
    },
    [context, { ...options, rules }] as const,
  );
}

/** The violations that axe finds on the page, or within the elements of a selector, with their elements. */
export async function violations(page: Page, within?: string): Promise<string[]> {
  const found = await axeViolations(page, within === undefined ? {} : { within });
  return found.map(
    (violation) =>
      `${violation.id}: ${violation.nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary ?? ""}`).join("; ")}`,
  );
}
