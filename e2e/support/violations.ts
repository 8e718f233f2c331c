import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** An axe for this page, without what costs more than the check: elements without faults, and a page for frames' results. */
export function axeOf(page: Page): AxeBuilder {
  return new AxeBuilder({ page })
    .options({ resultTypes: ["violations"], preload: false })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .setLegacyMode();
}

/** The violations that axe finds on the page, or within the elements of a selector, with their elements. */
export async function violations(page: Page, within?: string): Promise<string[]> {
  const axe = axeOf(page);
  const found = await (within === undefined ? axe : axe.include(within)).analyze();
  return found.violations.map(
    (violation) =>
      `${violation.id}: ${violation.nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary ?? ""}`).join("; ")}`,
  );
}
